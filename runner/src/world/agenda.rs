//! [`Due`]: what happens next in a case, and when.

use crate::clock::Timer;
use crate::model::Span;
use crate::tap::{ExchangeId, HeldKind, HeldReply};

/// Something that happens at an instant of the case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Due {
    /// The next action of the plan.
    Action(Span),
    /// A delayed reply is written.
    Release(Span, ExchangeId),
    /// A sleep ends.
    Timer(Timer),
    /// The quiet time is over.
    Quiet(Span),
}

impl Due {
    /// When.
    pub(super) fn at(&self) -> Span {
        match self {
            Self::Action(at) | Self::Release(at, _) | Self::Quiet(at) => *at,
            Self::Timer(timer) => timer.at,
        }
    }

    /// At equal instants an action of the fixture precedes a timer, the
    /// server's delay is one of the fixture's actions, and what is still to
    /// happen precedes the end.
    fn rank(&self) -> u8 {
        match self {
            Self::Action(_) => 0,
            Self::Release(..) => 1,
            Self::Timer(_) => 2,
            Self::Quiet(_) => 3,
        }
    }

    /// The release of a reply that is delayed, not stalled.
    pub(super) fn release(reply: &HeldReply) -> Option<Self> {
        match reply.kind {
            HeldKind::Delayed { until, .. } => Some(Self::Release(until, reply.exchange)),
            HeldKind::Stalled => None,
        }
    }
}

/// The first of all that is due.
pub(super) fn first(dues: impl Iterator<Item = Due>) -> Option<Due> {
    dues.min_by_key(|due| (due.at(), due.rank()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::CallId;

    #[test]
    fn an_action_precedes_a_timer_of_the_same_instant_but_not_an_earlier_one() {
        let timer = |seconds| {
            Due::Timer(Timer {
                at: Span::from_secs(seconds),
                n: 1,
                call: CallId::from("a"),
                duration: Span::from_secs(seconds),
            })
        };
        let action = Due::Action(Span::from_secs(10));
        let quiet = Due::Quiet(Span::from_secs(10));
        let all = [quiet.clone(), timer(10), action.clone()];
        assert_eq!(first(all.into_iter()), Some(action.clone()));
        assert_eq!(first([quiet, timer(10)].into_iter()), Some(timer(10)));
        assert_eq!(first([action, timer(9)].into_iter()), Some(timer(9)));
        assert_eq!(first(std::iter::empty()), None);
    }
}
