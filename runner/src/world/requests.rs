//! [`Requests`]: the request that each call waits on, and those it gave up.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use crate::adapter::Said;
use crate::model::CallId;
use crate::tap::{ExchangeId, HeldReply};

/// Real time after which a client that went on without its reply is taken to
/// keep that connection open. It says that it went on and closes the connection
/// through two pipes, and nothing orders them; a close takes microseconds, the
/// rest is for a busy machine.
const FAREWELL: Duration = Duration::from_secs(2);

/// The requests of one case, as far as they wait for a reply.
#[derive(Debug, Default)]
pub(super) struct Requests {
    /// The request of each call that came last.
    current: BTreeMap<CallId, ExchangeId>,
    /// Calls with a reason to give up the reply they wait for: the timer beside
    /// their request ended, or somebody cancelled them.
    shaken: BTreeSet<CallId>,
    /// Requests that were given up, and until when their close is awaited.
    leaving: BTreeMap<ExchangeId, Instant>,
}

impl Requests {
    /// A call sent a whole request. Returns the one that it gave up for it.
    pub(super) fn sent(&mut self, call: &CallId, exchange: ExchangeId) -> Option<ExchangeId> {
        let given_up = self.went_on(call);
        self.current.insert(call.clone(), exchange);
        given_up
    }

    /// A reply is written. Returns whose it is.
    pub(super) fn answered(&mut self, call: &CallId, exchange: ExchangeId) -> Answered {
        if self.current.get(call) != Some(&exchange) {
            return Answered::Nobody;
        }
        self.shaken.remove(call);
        Answered::TheCall
    }

    /// A call got a reason to give up the reply it waits for.
    pub(super) fn shake(&mut self, call: &CallId) {
        self.shaken.insert(call.clone());
    }

    /// The client is shut down: every call has a reason.
    pub(super) fn shake_all(&mut self) {
        self.shaken.extend(self.current.keys().cloned());
    }

    /// The adapter said something. Returns the request that a call gave up by
    /// going on; what it said before it had a reason to is of an earlier moment.
    pub(super) fn heard(&mut self, said: &Said) -> Option<ExchangeId> {
        self.went_on(gone_on(said)?)
    }

    fn went_on(&mut self, call: &CallId) -> Option<ExchangeId> {
        if !self.shaken.remove(call) {
            return None;
        }
        let exchange = self.current.remove(call)?;
        self.leaving.insert(exchange, Instant::now() + FAREWELL);
        Some(exchange)
    }

    /// Calls that wait for one of the replies that the tap holds back.
    pub(super) fn unanswered(&self, held: &[HeldReply]) -> BTreeSet<CallId> {
        held.iter()
            .filter_map(|reply| Some((reply.call.as_ref()?, &reply.exchange)))
            .filter(|(call, exchange)| self.current.get(*call) == Some(exchange))
            .map(|(call, _)| call.clone())
            .collect()
    }

    /// Until when the close of a given up request is awaited, if one is not
    /// closed yet: the tap holds its reply back until it is.
    pub(super) fn farewell(&self, held: &[HeldReply], now: Instant) -> Option<Instant> {
        held.iter()
            .filter_map(|reply| self.leaving.get(&reply.exchange))
            .filter(|until| **until > now)
            .min()
            .copied()
    }
}

/// The call that said what it does next; a timer beside a request is part of
/// that request.
fn gone_on(said: &Said) -> Option<&CallId> {
    match said {
        Said::Event { call, .. }
        | Said::Held { call }
        | Said::Result { call, .. }
        | Said::Sleep {
            call, during: None, ..
        } => Some(call),
        Said::Sleep { .. } | Said::Advanced | Said::Closed => None,
    }
}

/// For whom a reply is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answered {
    /// The call waits for it.
    TheCall,
    /// The call has gone on.
    Nobody,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapter::protocol::During;
    use crate::model::Span;
    use crate::tap::HeldKind;

    fn exchange(number: u32) -> ExchangeId {
        format!("0.{number}").parse().unwrap()
    }

    fn sleep(call: &CallId, during: Option<During>) -> Said {
        Said::Sleep {
            call: call.clone(),
            duration: Span::from_secs(5),
            n: 1,
            during,
        }
    }

    fn held(number: u32, call: &CallId) -> Vec<HeldReply> {
        vec![HeldReply {
            exchange: exchange(number),
            call: Some(call.clone()),
            kind: HeldKind::Stalled,
        }]
    }

    #[test]
    fn a_call_that_goes_on_after_its_timer_gave_its_request_up() {
        let (mut requests, a) = (Requests::default(), CallId::from("a"));
        assert_eq!(requests.sent(&a, exchange(0)), None);
        let now = Instant::now();
        assert_eq!(
            requests.heard(&sleep(&a, None)),
            None,
            "said before the request"
        );
        assert_eq!(requests.unanswered(&held(0, &a)), [a.clone()].into());
        assert_eq!(requests.farewell(&held(0, &a), now), None);

        requests.shake(&a);
        let beside = sleep(&a, Some(During::Request));
        assert_eq!(requests.heard(&beside), None, "another timer beside it");
        assert_eq!(requests.heard(&sleep(&a, None)), Some(exchange(0)));
        assert!(requests.unanswered(&held(0, &a)).is_empty());
        let until = requests.farewell(&held(0, &a), now).unwrap();
        assert_eq!(requests.farewell(&[], now), None, "closed");
        assert_eq!(requests.farewell(&held(0, &a), until), None, "kept open");
        assert_eq!(requests.heard(&sleep(&a, None)), None, "once");
    }

    #[test]
    fn a_new_request_of_a_shaken_call_says_as_much_as_a_message() {
        let (mut requests, a) = (Requests::default(), CallId::from("a"));
        requests.sent(&a, exchange(0));
        requests.shake_all();
        assert_eq!(requests.sent(&a, exchange(1)), Some(exchange(0)));
        assert!(requests.unanswered(&held(0, &a)).is_empty());
        assert_eq!(requests.unanswered(&held(1, &a)), [a.clone()].into());
        assert_eq!(requests.sent(&a, exchange(2)), None, "a second one beside");
    }

    #[test]
    fn a_reply_is_the_calls_only_while_it_waits_for_it() {
        let (mut requests, a) = (Requests::default(), CallId::from("a"));
        requests.sent(&a, exchange(0));
        requests.shake(&a);
        assert_eq!(requests.answered(&a, exchange(0)), Answered::TheCall);
        assert_eq!(
            requests.heard(&sleep(&a, None)),
            None,
            "answered, not given up"
        );
        requests.shake(&a);
        requests.sent(&a, exchange(1));
        assert_eq!(requests.answered(&a, exchange(0)), Answered::Nobody);
    }
}
