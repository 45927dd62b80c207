//! What a case does next.

use std::collections::BTreeSet;
use std::time::Instant;

use super::super::agenda::{Due, first};
use super::super::record::{Beyond, Stop};
use super::super::tree_time::TreeTime;
use super::{CaseRun, Move};
use crate::model::{CallId, Span};

/// Clock events after the last result, at most.
const QUIET_EVENTS: u32 = 5_000;
/// Under the real clock nobody waits an hour for late attempts.
const REAL_TAIL: Span = Span::from_millis(100);

impl CaseRun<'_> {
    pub(super) fn decide(&self) -> Move {
        let bounds = &self.plan.bounds;
        let (count, most) = if self.is_over() {
            (self.quiet_events, bounds.events.min(QUIET_EVENTS))
        } else {
            (self.clock_events, bounds.events)
        };
        if count > most {
            return Move::Stop(Stop::Events);
        }
        // What is due already waits for nobody.
        if !self.calm.is_asking()
            && let Some(at) = self.next_action()
            && at <= self.pace.now()
        {
            return Move::Do(Due::Action(at));
        }
        match &self.time {
            Some(time) => self.decide_virtual(time),
            None if self.pace.is_injected() => self.decide_owned(),
            None => self.decide_real(),
        }
    }

    /// The tree's clock moves by itself when everybody rests; what we do takes
    /// its turn on its queue.
    fn decide_virtual(&self, time: &TreeTime<'_>) -> Move {
        match self.due(&BTreeSet::new()) {
            Some(due) if time.is_ringing() && due.at() <= self.pace.now() => Move::Do(due),
            due => Move::Alarm(due.map(|due| due.at())),
        }
    }

    /// The runner's own clock moves to what is due next, but only when all is
    /// quiet.
    fn decide_owned(&self) -> Move {
        if self.calm.is_asking() {
            return Move::Hurry;
        }
        if self.stage.tap.in_flight() > 0 {
            return Move::Look;
        }
        let held = self.stage.tap.held(self.stage.key);
        let unanswered = self.requests.unanswered(&held);
        if !self.sleepers.may_move(&unanswered) {
            return Move::Wait;
        }
        if let Some(until) = self.requests.farewell(&held, Instant::now()) {
            return Move::Until(until);
        }
        let restless = self.sleepers.is_restless() || self.calm.close_is_fresh();
        if restless && !self.calm.is_settled() {
            return Move::Settle;
        }
        if !self.calm.is_read() && (self.sleepers.rests_on_reply(&unanswered) || restless) {
            return Move::Read;
        }
        match self.due(&unanswered) {
            None if self.sleepers.all_done() => Move::Wait,
            None => Move::Stop(Stop::Hung),
            Some(due) if due.at() > self.plan.bounds.horizon => {
                Move::Stop(Stop::Horizon(match due {
                    Due::Timer(timer) => Some(Beyond {
                        call: Some(timer.call),
                        duration: timer.duration,
                    }),
                    _ => None,
                }))
            }
            Some(due) => Move::Do(due),
        }
    }

    /// The machine's clock moves by itself; nobody can say that all is quiet.
    fn decide_real(&self) -> Move {
        let bounds = &self.plan.bounds;
        let now = self.pace.now();
        if bounds.watch.is_some_and(|watch| watch <= now) {
            return Move::Stop(Stop::Watched);
        }
        if bounds.horizon <= now {
            return Move::Stop(Stop::Horizon(None));
        }
        let due = self.due(&self.unanswered());
        if let Some(due) = due.clone().filter(|due| due.at() <= now) {
            return Move::Do(due);
        }
        let ends = bounds.watch.into_iter().chain([bounds.horizon]);
        let next = due.map(|due| due.at()).into_iter().chain(ends).min();
        next.and_then(|at| self.pace.instant(at))
            .map_or(Move::Wait, Move::Until)
    }

    /// What happens next, if nobody does anything before.
    fn due(&self, unanswered: &BTreeSet<CallId>) -> Option<Due> {
        let held = self.stage.tap.held(self.stage.key);
        let timer = self.sleepers.next(unanswered).cloned();
        first(
            self.next_action()
                .map(Due::Action)
                .into_iter()
                .chain(held.iter().filter_map(Due::release))
                .chain(timer.map(Due::Timer))
                .chain(self.quiet_until().map(Due::Quiet)),
        )
    }

    fn next_action(&self) -> Option<Span> {
        self.plan.actions.get(self.done).map(|action| action.at)
    }

    /// Whether nothing more is expected of anybody.
    fn is_over(&self) -> bool {
        self.done == self.plan.actions.len() && self.sleepers.all_done() && self.closing == 0
    }

    fn quiet_until(&self) -> Option<Span> {
        if !self.is_over() {
            return None;
        }
        let bounds = &self.plan.bounds;
        let last = self.record.last_result().unwrap_or_default();
        let quiet = bounds.quiet_until.unwrap_or(last + bounds.tail).max(last);
        Some(if self.pace.is_owned() {
            quiet
        } else {
            quiet.min(last + REAL_TAIL)
        })
    }

    /// Calls whose reply the tap holds back.
    fn unanswered(&self) -> BTreeSet<CallId> {
        let held = self.stage.tap.held(self.stage.key);
        self.requests.unanswered(&held)
    }
}
