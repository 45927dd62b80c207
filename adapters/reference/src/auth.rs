//! Credentials, and the one replay after a refresh.

use crate::call::{Call, Ending, RetryNotice};
use crate::protocol::{AuthMode, EventName};
use crate::retry::{Failed, Series};
use crate::span::Span;
use crate::wait::Wait;

const FIRST_TOKEN: &str = "t1";
const SECOND_TOKEN: &str = "t2";

/// What the provider of credentials hands out during one call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Credentials {
    pub(crate) refreshable: bool,
    refreshed: bool,
    pub(crate) token: &'static str,
}

impl Credentials {
    pub(crate) fn new(auth: Option<AuthMode>) -> Self {
        Self {
            refreshable: auth == Some(AuthMode::Refreshable),
            refreshed: false,
            token: FIRST_TOKEN,
        }
    }
}

/// Whether the request goes out again with new credentials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Replay {
    Yes,
    No,
}

/// Answers a 401: one refresh a call, if an attempt is left for the replay,
/// which follows at once.
pub(crate) async fn replay(
    call: &mut Call,
    series: &mut Series,
    failed: &Failed,
) -> Result<Replay, Ending> {
    let rules = call.case.behaviour.auth;
    let spent = call.credentials.refreshed && !rules.refreshed_again;
    let eligible = failed.status == Some(401) && call.credentials.refreshable;
    if !eligible || !series.with_credentials || spent || rules.never_refreshed {
        return Ok(Replay::No);
    }
    // Asked before the refresh, so that no token is rotated for nothing.
    let budget_left = series.attempts_left(&call.case);
    if !budget_left && !rules.refresh_before_budget {
        return Ok(Replay::No);
    }
    refresh(call);
    if !budget_left {
        return Ok(Replay::No);
    }
    if rules.replay_uncounted {
        series.counted = series.counted.saturating_sub(1);
    }
    if rules.replay_moves_backoff {
        series.skip_one_delay();
    }
    if rules.replay_fires_hook {
        call.announce(RetryNotice {
            failed_attempt: series.sent,
            delay: Span::ZERO,
            status: failed.status,
        });
    }
    if rules.backoff_before_replay {
        let delay = call.local_delay(0);
        call.pause(Wait::plain(delay)).await?;
    }
    if let (true, Some(told)) = (rules.told_before_replay, failed.told.span()) {
        call.pause(Wait::plain(told)).await?;
    }
    Ok(Replay::Yes)
}

fn refresh(call: &mut Call) {
    call.credentials.refreshed = true;
    if !call.case.behaviour.auth.old_token_replayed {
        call.credentials.token = SECOND_TOKEN;
    }
    call.emit(call.event(EventName::Refresh));
}
