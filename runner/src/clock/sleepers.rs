//! [`Sleepers`]: who waits for what under the injected clock, and whether the
//! clock may move.

use std::collections::{BTreeMap, BTreeSet};

use crate::adapter::protocol::During;
use crate::model::{CallId, Span};

/// A sleep that can end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timer {
    /// Instant of the case at which it ends.
    pub at: Span,
    /// Its number.
    pub n: u64,
    /// Whose it is.
    pub call: CallId,
    /// How long it was asked to be.
    pub duration: Span,
}

/// Whether anybody can say when the consequences of a wake-up are over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Woken {
    /// The call runs, and will say what it does next.
    Running,
    /// The call has its result, or sleeps elsewhere too: it may never say
    /// anything again.
    Background,
}

#[derive(Debug, Default)]
struct Waiting {
    done: bool,
    held: bool,
    /// Woken, and not yet heard of: it runs, whatever reply it waited for.
    awake: bool,
    sleeps: BTreeMap<u64, Timer>,
    beside: Option<Timer>,
}

/// All calls of a case and what each of them waits for.
///
/// The clock may move when every open call has an unanswered sleep, is held by
/// another call, or has a request whose reply the tap delays or never writes.
/// A sleep beside a request is a deadline only as long as that reply is held
/// back; it is forgotten once the call says anything more or gets its reply.
#[derive(Debug, Default)]
pub struct Sleepers {
    calls: BTreeMap<CallId, Waiting>,
    restless: BTreeSet<CallId>,
}

impl Sleepers {
    /// A call was asked for.
    pub fn started(&mut self, call: &CallId) {
        self.calls.insert(call.clone(), Waiting::default());
    }

    /// A call has its result. What it sleeps in the background goes on.
    pub fn finished(&mut self, call: &CallId) {
        self.stir(call).done = true;
        self.restless.remove(call);
    }

    /// A call has ended early: something of it may still act.
    pub fn left(&mut self, call: &CallId) {
        self.restless.insert(call.clone());
    }

    /// A call said something: it waits for nobody else.
    pub fn stirred(&mut self, call: &CallId) {
        self.stir(call);
    }

    /// A call sent a request: it waits for nobody else, and the sleep beside it
    /// is this request's.
    pub fn requested(&mut self, call: &CallId) {
        if let Some(waiting) = self.calls.get_mut(call) {
            waiting.held = false;
            waiting.awake = false;
        }
    }

    /// A call was cancelled while it may be asleep.
    pub fn cancelled(&mut self, call: &CallId) {
        if self.calls.get(call).is_some_and(|waiting| !waiting.done) {
            self.restless.insert(call.clone());
        }
    }

    /// A call waits for another call.
    pub fn held(&mut self, call: &CallId) {
        self.stir(call).held = true;
    }

    /// A call asks to sleep at `now`. A negative duration ends at once.
    pub fn asleep(
        &mut self,
        call: &CallId,
        n: u64,
        now: Span,
        duration: Span,
        during: Option<During>,
    ) {
        let timer = Timer {
            at: (now + duration).max(now),
            n,
            call: call.clone(),
            duration,
        };
        let waiting = self.stir(call);
        match during {
            Some(During::Request) => waiting.beside = Some(timer),
            None => {
                waiting.sleeps.insert(n, timer);
                self.restless.remove(call);
            }
        }
    }

    /// A request of the call gets its reply.
    pub fn answered(&mut self, call: &CallId) {
        if let Some(waiting) = self.calls.get_mut(call) {
            waiting.beside = None;
        }
    }

    /// A sleep is over; the caller tells the adapter.
    pub fn woken(&mut self, timer: &Timer) -> Woken {
        let waiting = self.calls.entry(timer.call.clone()).or_default();
        waiting.sleeps.remove(&timer.n);
        waiting.beside.take_if(|beside| beside.n == timer.n);
        if !waiting.done && waiting.sleeps.is_empty() {
            waiting.awake = true;
            return Woken::Running;
        }
        self.restless.insert(timer.call.clone());
        Woken::Background
    }

    /// Enough real time has passed: what was woken in the background did
    /// nothing that shows.
    pub fn settled(&mut self) {
        self.restless.clear();
    }

    /// Whether every call that was asked for has its result.
    pub fn all_done(&self) -> bool {
        self.calls.values().all(|waiting| waiting.done)
    }

    /// Calls without a result.
    pub fn open(&self) -> impl Iterator<Item = &CallId> {
        self.calls
            .iter()
            .filter(|(_, waiting)| !waiting.done)
            .map(|(call, _)| call)
    }

    /// Whether the clock may move, given the calls whose reply is held back.
    pub fn may_move(&self, unanswered: &BTreeSet<CallId>) -> bool {
        self.calls.iter().all(|(call, waiting)| {
            let waits = waiting.held || waiting.sleeps_at_all() || unanswered.contains(call);
            waiting.done || (waits && !waiting.awake)
        })
    }

    /// Whether anything sleeps, in the foreground or not.
    pub fn any_sleep(&self) -> bool {
        self.calls.values().any(Waiting::sleeps_at_all)
    }

    /// Whether an open call rests on nothing but a reply: whether it has a
    /// timer beside it is known only when its pipe has been read.
    pub fn rests_on_reply(&self, unanswered: &BTreeSet<CallId>) -> bool {
        self.calls.iter().any(|(call, waiting)| {
            !waiting.done && !waiting.sleeps_at_all() && unanswered.contains(call)
        })
    }

    /// Whether somebody may be about to act without having said so: a call
    /// that was held, or one that was woken in the background.
    pub fn is_restless(&self) -> bool {
        let held = self
            .calls
            .values()
            .any(|waiting| waiting.held && !waiting.done && !waiting.sleeps_at_all());
        held || !self.restless.is_empty()
    }

    /// The sleep that ends first; of equal ones the one asked first.
    pub fn next(&self, unanswered: &BTreeSet<CallId>) -> Option<&Timer> {
        self.calls
            .iter()
            .flat_map(|(call, waiting)| {
                let beside = waiting.beside.iter();
                waiting
                    .sleeps
                    .values()
                    .chain(beside.filter(|_| unanswered.contains(call)))
            })
            .min_by_key(|timer| (timer.at, timer.n))
    }

    fn stir(&mut self, call: &CallId) -> &mut Waiting {
        let waiting = self.calls.entry(call.clone()).or_default();
        waiting.held = false;
        waiting.awake = false;
        waiting.beside = None;
        waiting
    }
}

impl Waiting {
    fn sleeps_at_all(&self) -> bool {
        !self.sleeps.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secs(seconds: i128) -> Span {
        Span::from_secs(seconds)
    }

    fn ids<const N: usize>(names: [&str; N]) -> BTreeSet<CallId> {
        names.map(CallId::from).into()
    }

    fn two_calls() -> (Sleepers, CallId, CallId) {
        let (a, b) = (CallId::from("a"), CallId::from("b"));
        let mut sleepers = Sleepers::default();
        sleepers.started(&a);
        sleepers.started(&b);
        (sleepers, a, b)
    }

    #[test]
    fn the_clock_moves_only_when_every_open_call_waits() {
        let (mut sleepers, a, b) = two_calls();
        sleepers.asleep(&a, 1, secs(0), secs(9), None);
        assert!(!sleepers.may_move(&ids([])), "b runs");
        assert!(sleepers.may_move(&ids(["b"])), "b waits for its reply");
        sleepers.held(&b);
        assert!(sleepers.may_move(&ids([])), "b waits for a");
        sleepers.stirred(&b);
        assert!(!sleepers.may_move(&ids([])), "b runs again");
        sleepers.finished(&b);
        assert!(sleepers.may_move(&ids([])));
        assert_eq!(sleepers.next(&ids([])).unwrap().at, secs(9));
        assert!(!sleepers.all_done());
    }

    #[test]
    fn the_earliest_sleep_ends_first_and_of_equal_ones_the_older() {
        let (mut sleepers, a, b) = two_calls();
        sleepers.asleep(&a, 2, secs(1), secs(4), None);
        sleepers.asleep(&b, 1, secs(0), secs(5), None);
        let first = sleepers.next(&ids([])).unwrap().clone();
        assert_eq!(first.n, 1);
        assert_eq!(sleepers.woken(&first), Woken::Running);
        assert!(!sleepers.may_move(&ids([])), "b was woken and runs");
        assert_eq!(sleepers.next(&ids([])).unwrap().n, 2);
    }

    #[test]
    fn a_negative_sleep_ends_at_once() {
        let (mut sleepers, a, _) = two_calls();
        sleepers.asleep(&a, 1, secs(7), secs(-3), None);
        let timer = sleepers.next(&ids([])).unwrap();
        assert_eq!((timer.at, timer.duration), (secs(7), secs(-3)));
    }

    #[test]
    fn a_sleep_beside_a_request_counts_only_while_the_reply_is_held_back() {
        let (mut sleepers, a, b) = two_calls();
        sleepers.finished(&b);
        let request = Some(During::Request);
        sleepers.asleep(&a, 1, secs(0), secs(30), request);
        assert!(!sleepers.may_move(&ids([])), "its request is on the way");
        assert!(sleepers.next(&ids([])).is_none());
        assert!(sleepers.may_move(&ids(["a"])));
        assert!(sleepers.rests_on_reply(&ids(["a"])));
        let timer = sleepers.next(&ids(["a"])).unwrap().clone();
        assert_eq!(timer.n, 1);
        sleepers.answered(&a);
        assert!(sleepers.next(&ids(["a"])).is_none(), "answered");

        sleepers.asleep(&a, 2, secs(0), secs(30), request);
        sleepers.asleep(&a, 3, secs(0), secs(5), None);
        assert_eq!(sleepers.next(&ids(["a"])).unwrap().n, 3, "2 is forgotten");
    }

    #[test]
    fn a_call_that_its_timer_woke_runs_although_its_reply_is_still_held_back() {
        let (mut sleepers, a, b) = two_calls();
        sleepers.finished(&b);
        sleepers.asleep(&a, 1, secs(0), secs(30), Some(During::Request));
        let timer = sleepers.next(&ids(["a"])).unwrap().clone();
        assert_eq!(sleepers.woken(&timer), Woken::Running);
        assert!(!sleepers.may_move(&ids(["a"])));
        sleepers.asleep(&a, 2, secs(30), secs(1), None);
        assert!(sleepers.may_move(&ids(["a"])));
    }

    #[test]
    fn what_is_woken_in_the_background_is_restless_until_it_sleeps_again() {
        let (mut sleepers, a, b) = two_calls();
        sleepers.finished(&b);
        sleepers.asleep(&a, 1, secs(0), secs(5), None);
        sleepers.finished(&a);
        assert!(sleepers.all_done());
        let timer = sleepers.next(&ids([])).unwrap().clone();
        assert_eq!(sleepers.woken(&timer), Woken::Background);
        assert!(sleepers.is_restless());
        sleepers.asleep(&a, 2, secs(5), secs(5), None);
        assert!(!sleepers.is_restless());
        let timer = sleepers.next(&ids([])).unwrap().clone();
        sleepers.woken(&timer);
        sleepers.settled();
        assert!(!sleepers.is_restless());
        assert!(!sleepers.any_sleep());
    }

    #[test]
    fn a_cancelled_call_is_restless_until_its_result() {
        let (mut sleepers, a, b) = two_calls();
        sleepers.finished(&b);
        sleepers.asleep(&a, 1, secs(0), secs(10), None);
        sleepers.cancelled(&b);
        assert!(!sleepers.is_restless(), "too late");
        sleepers.cancelled(&a);
        assert!(sleepers.is_restless());
        sleepers.finished(&a);
        assert!(!sleepers.is_restless());
    }

    #[test]
    fn a_held_call_is_restless_because_nothing_says_when_it_is_let_go() {
        let (mut sleepers, a, b) = two_calls();
        sleepers.finished(&a);
        sleepers.held(&b);
        assert!(sleepers.is_restless());
        sleepers.stirred(&b);
        assert!(!sleepers.is_restless());
    }
}
