//! The retry loop: attempts of one request until an answer or an error.

use reqwest::{Method, Url};

use crate::auth::{self, Replay};
use crate::behaviour::{Attempts, ErrorWait};
use crate::call::{Call, Ending, RetryNotice};
use crate::case::{Case, Loop};
use crate::http::{Failure, Reply, Request};
use crate::protocol::{CallError, ErrorKind};
use crate::retry_after::{self, PARSE_LIMIT, Told};
use crate::span::Span;
use crate::wait::{Plan, SCHEDULE_LIMIT, Wait};

/// An operation is attempted three times at most, whatever the caller asks.
const OPERATION_CEILING: u64 = 3;

/// The attempts of one request.
#[derive(Clone, Debug)]
pub(crate) struct Series {
    pub(crate) request: Request,
    /// Whether a second attempt may do no harm.
    pub(crate) repeatable: bool,
    pub(crate) with_credentials: bool,
    /// Where a client that loses its page begins again.
    pub(crate) restart: Option<Url>,
    /// Attempts sent, which is also the number of the latest one.
    pub(crate) sent: u32,
    /// Attempts that count against the limit.
    pub(crate) counted: u32,
    retries: u32,
    untold_retries: u32,
    first_error: Option<CallError>,
}

impl Series {
    pub(crate) fn new(request: Request) -> Self {
        Self {
            request,
            repeatable: true,
            with_credentials: false,
            restart: None,
            sent: 0,
            counted: 0,
            retries: 0,
            untold_retries: 0,
            first_error: None,
        }
    }

    pub(crate) fn attempts_left(&self, case: &Case) -> bool {
        u64::from(self.counted) < allowed(case)
    }

    /// Moves the backoff on as if a retry had been waited for.
    pub(crate) fn skip_one_delay(&mut self) {
        self.retries = self.retries.saturating_add(1);
        self.untold_retries = self.untold_retries.saturating_add(1);
    }

    /// The request of the next attempt, as this client would send it now.
    fn next_request(&self, call: &Call) -> Request {
        let rules = &call.case.behaviour.retries;
        let mut request = self.request.clone();
        if self.with_credentials {
            request.token = Some(call.credentials.token.to_owned());
        }
        let is_first = self.sent == 0;
        if rules.body_lost && !is_first {
            request.body = request.body.map(|body| crate::http::Body {
                bytes: Vec::new(),
                ..body
            });
        }
        if rules.method_lost && !is_first {
            request.method = Method::GET;
            request.body = None;
        }
        request
    }
}

/// How many attempts the loop allows, the first included.
fn allowed(case: &Case) -> u64 {
    let configured = match case.kind {
        Loop::Operation => case.knobs.max_attempts.clamp(1, OPERATION_CEILING),
        Loop::Download => case.knobs.max_attempts.max(1),
    };
    match case.behaviour.retries.attempts {
        Attempts::AsConfigured => configured,
        Attempts::OneTooMany => configured.saturating_add(1),
        Attempts::OneTooFew => (configured - 1).max(1),
        Attempts::OneIsDefault if configured == 1 => 3,
        Attempts::OneIsDefault => configured,
    }
}

/// A failed attempt.
#[derive(Clone, Debug)]
pub(crate) struct Failed {
    pub(crate) status: Option<u16>,
    pub(crate) told: Told,
    pub(crate) error: CallError,
}

impl Call {
    /// Attempts the request until a reply below 400, or until the call ends.
    pub(crate) async fn settle(&mut self, series: &mut Series) -> Result<Reply, Ending> {
        loop {
            let request = series.next_request(self);
            series.sent = series.sent.saturating_add(1);
            let failed = match self.exchange(request).await? {
                Ok(reply) if reply.status < 400 => return Ok(reply),
                Ok(reply) => self.failed_reply(&reply),
                Err(failure) => no_reply(failure),
            };
            if !(self.case.behaviour.retries.told_replies_uncounted && failed.told.span().is_some())
            {
                series.counted = series.counted.saturating_add(1);
            }
            if auth::replay(self, series, &failed).await? == Replay::Yes {
                continue;
            }
            self.retry(series, failed).await?;
        }
    }

    /// Waits for the next attempt, or ends the call.
    async fn retry(&mut self, series: &mut Series, failed: Failed) -> Result<(), Ending> {
        series
            .first_error
            .get_or_insert_with(|| failed.error.clone());
        let case = std::sync::Arc::clone(&self.case);
        let rules = &case.behaviour.retries;
        let untold_reply = failed.status.is_some() && failed.told.span().is_none();
        if !self.is_retried(series, &failed) || (rules.only_if_told && untold_reply) {
            return Err(Ending::Raised(failed.error));
        }
        let exhausted = !series.attempts_left(&case);
        if exhausted && !rules.sleeps_after_last {
            return Err(Ending::Raised(self.last_error(series, failed)));
        }
        let mut wait = self.planned(series, &failed)?;
        if exhausted {
            self.pause(wait).await?;
            return Err(Ending::Raised(self.last_error(series, failed)));
        }
        if let (true, Some(first)) = (case.behaviour.pages.restart_at_first, &series.restart) {
            series.request.url = first.clone();
        }
        wait.then = Some(Box::new(series.next_request(self)));
        self.wait_for_retry(series, &failed, wait).await
    }

    fn planned(&mut self, series: &mut Series, failed: &Failed) -> Result<Wait, Ending> {
        let index = if self.case.behaviour.backoff.skips_told_waits {
            series.untold_retries
        } else {
            series.retries
        };
        let ignored = self.case.behaviour.told.ignored_at;
        let told = if failed.status.is_some() && failed.status == ignored {
            Told::Nothing
        } else {
            failed.told
        };
        let wait = match self.plan(told, index) {
            Plan::Wait(wait) => wait,
            Plan::GiveUp => return Err(Ending::Raised(failed.error.clone())),
            Plan::Raise(why) => return Err(Ending::other(why)),
        };
        series.retries = series.retries.saturating_add(1);
        series.untold_retries += u32::from(!wait.is_told);
        Ok(wait)
    }

    /// Hook, then a look at the cancellation, then the wait.
    async fn wait_for_retry(
        &mut self,
        series: &Series,
        failed: &Failed,
        wait: Wait,
    ) -> Result<(), Ending> {
        let notice = RetryNotice {
            failed_attempt: series.sent,
            delay: wait.announced,
            status: failed.status,
        };
        if self.case.behaviour.report.hook_after_wait {
            self.pause(wait).await?;
            self.announce(notice);
            return self.stop_if_cancelled();
        }
        self.announce(notice);
        if self.looks_up_before(&wait) {
            self.stop_if_cancelled()?;
        }
        self.pause(wait).await
    }

    fn is_retried(&self, series: &Series, failed: &Failed) -> bool {
        let rules = &self.case.behaviour.retries;
        if !series.repeatable {
            return false;
        }
        let download = self.case.kind == Loop::Download;
        match (failed.error.kind, failed.status) {
            (ErrorKind::Transport, _) => !rules.transport_ends,
            // An attempt that used up its own time limit is not repeated by a
            // download: the next one would use it up as well.
            (ErrorKind::Timeout, _) if download => rules.timed_out_download,
            (ErrorKind::Timeout, _) => !rules.timeout_ends,
            (_, Some(429 | 503)) => true,
            (_, Some(502 | 504)) if download => !rules.bad_gateway_ends,
            (_, status) => status.is_some() && status == rules.also_at,
        }
    }

    fn last_error(&self, series: &Series, failed: Failed) -> CallError {
        match &series.first_error {
            Some(first) if self.case.behaviour.report.first_error => first.clone(),
            _ => failed.error,
        }
    }

    /// A final status as a failed attempt; reads `Retry-After` once.
    pub(crate) fn failed_reply(&mut self, reply: &Reply) -> Failed {
        let told = if reply.status < 400 {
            Told::Nothing
        } else {
            self.told(reply)
        };
        let kind = match reply.status {
            429 => ErrorKind::RateLimited,
            401 | 403 => ErrorKind::Auth,
            _ => ErrorKind::Status,
        };
        let span = told.span().filter(|span| *span <= PARSE_LIMIT);
        let shown = match (self.case.behaviour.report.stale_told, span) {
            (true, None) => self.latest_told,
            (_, span) => span,
        };
        self.latest_told = shown;
        let retry_after = match self.case.behaviour.report.error {
            ErrorWait::AsSent => shown,
            ErrorWait::Missing => None,
            ErrorWait::Clamped => shown.map(|span| span.min(Span::from_secs(60))),
            ErrorWait::Saturated => shown.map(|span| span.min(SCHEDULE_LIMIT)),
        };
        Failed {
            status: Some(reply.status),
            told,
            error: CallError {
                kind,
                status: Some(reply.status),
                retry_after,
                message: format!("the server answered {}", reply.status),
            },
        }
    }

    pub(crate) fn told(&self, reply: &Reply) -> Told {
        let rules = &self.case.behaviour.reading;
        retry_after::read(&reply.retry_after(), rules, &self.case.clock)
    }
}

/// An attempt without a reply.
pub(crate) fn no_reply(failure: Failure) -> Failed {
    let (kind, message) = match failure {
        Failure::Transport(message) => (ErrorKind::Transport, message),
        Failure::Timeout => (ErrorKind::Timeout, "no reply in time".to_owned()),
    };
    Failed {
        status: None,
        told: Told::Nothing,
        error: CallError {
            kind,
            status: None,
            retry_after: None,
            message,
        },
    }
}
