//! Machines `retry` and `replay`: the timeline of calls that repeat requests
//! which got no answer (SPEC.md §4, §6, §7, §10).

use super::behaviour::{
    Behaviour, CancelRule, ClockUse, HopCredentials, RepeatedRequest, ReplayToken,
};
use super::call::{CallState, State, planned};
use super::expectation::{
    Authorization, BodyOf, Expectation, ExpectedAttempt, ExpectedOutcome, ExpectedRequest,
    MethodOf, Target,
};
use super::script::{Arrival, Cursor, Served, arrival, describe};
use super::setting::Setting;
use super::told::ChosenWait;
use crate::adapter::protocol::{CancelPoint, Verb};
use crate::fixture::CallStep;
use crate::model::{Allowed, ErrorKind, Span, wall_span};
use crate::spec::Param;

/// Derives the timeline of a case under a behaviour.
pub fn expectation(setting: &Setting<'_>, behaviour: &Behaviour) -> Expectation {
    let mut run = Run::new(setting, behaviour);
    run.play();
    run.finish()
}

/// Something that happens to a call.
#[derive(Clone, Debug)]
pub(super) enum Event<'a> {
    Start,
    Send,
    Arrive(Served<'a>, Failure),
    Cancel,
    /// A cancellation that waited for the end of a wait.
    CancelDue,
    /// The wait after the last attempt is over.
    EndWith(ExpectedOutcome),
    /// What was scheduled lies beyond the horizon.
    Horizon,
}

/// How a request ended for the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// It did not fail: a reply arrived, whatever its status.
    None,
    /// The connection failed.
    Transport,
    /// The client's own time limit passed.
    Timeout,
}

struct Scheduled<'a> {
    at: Allowed,
    /// Actions of the fixture precede timers of the same instant.
    rank: u8,
    order: u64,
    call: usize,
    ticket: u64,
    event: Event<'a>,
}

pub(super) struct Run<'a> {
    pub(super) setting: &'a Setting<'a>,
    pub(super) behaviour: &'a Behaviour,
    pub(super) calls: Vec<CallState>,
    cursor: Cursor<'a>,
    queue: Vec<Scheduled<'a>>,
    order: u64,
    overflow: u32,
}

/// A script that never ends a call is a fixture error; derivation stops here.
const MOST_EVENTS: u64 = 20_000;

/// A sliced wait is followed so far; the world stops at as many clock events.
const MOST_SLICES: usize = 50_000;

impl<'a> Run<'a> {
    fn new(setting: &'a Setting<'a>, behaviour: &'a Behaviour) -> Self {
        let calls = planned(setting.case)
            .into_iter()
            .map(CallState::new)
            .collect();
        let mut run = Self {
            setting,
            behaviour,
            calls,
            cursor: Cursor::new(setting.case),
            queue: Vec::new(),
            order: 0,
            overflow: 0,
        };
        for index in 0..run.calls.len() {
            let at = Allowed::exact(run.calls[index].plan.at);
            run.push(index, at, 1, Event::Start);
        }
        for step in &setting.case.calls {
            if let CallStep::Cancel { at, call } = step
                && let Some(index) = run.calls.iter().position(|state| state.plan.id == *call)
            {
                run.push(index, Allowed::exact(*at), 0, Event::Cancel);
            }
        }
        run
    }

    fn push(&mut self, call: usize, at: Allowed, rank: u8, event: Event<'a>) {
        self.order += 1;
        let ticket = self.calls[call].ticket;
        self.queue.push(Scheduled {
            at,
            rank,
            order: self.order,
            call,
            ticket,
            event,
        });
    }

    /// Schedules what a call does next; whatever was scheduled for it before
    /// no longer happens.
    pub(super) fn schedule(&mut self, call: usize, at: Allowed, event: Event<'a>) {
        self.calls[call].ticket += 1;
        match self.setting.horizon {
            Some(horizon) if at.shortest().is_some_and(|at| at > horizon) => {
                self.push(call, Allowed::exact(horizon), 2, Event::Horizon);
            }
            _ => self.push(call, at, 2, event),
        }
    }

    fn play(&mut self) {
        while let Some(next) = self.take_next() {
            if self.order > MOST_EVENTS {
                break;
            }
            let stale = next.rank == 2 && next.ticket != self.calls[next.call].ticket;
            if stale {
                continue;
            }
            match next.event {
                Event::Start => self.start(next.call, &next.at),
                Event::Send => self.send(next.call, &next.at),
                Event::Arrive(served, failure) => self.arrive(next.call, &next.at, served, failure),
                Event::Cancel => self.cancel(next.call, &next.at),
                Event::CancelDue => {
                    let state = &mut self.calls[next.call];
                    state.out.hooks.extend(state.pending_hook.take());
                    state.end(&next.at, ExpectedOutcome::Cancelled);
                }
                Event::EndWith(outcome) => self.calls[next.call].end(&next.at, outcome),
                Event::Horizon => {
                    self.calls[next.call].end(&Allowed::Observed, ExpectedOutcome::NeverEnded);
                }
            }
        }
    }

    fn take_next(&mut self) -> Option<Scheduled<'a>> {
        let key = |scheduled: &Scheduled<'_>| {
            (
                scheduled.at.shortest().unwrap_or(Span::MAX),
                scheduled.rank,
                scheduled.order,
            )
        };
        let index = (0..self.queue.len()).min_by_key(|index| key(&self.queue[*index]))?;
        Some(self.queue.swap_remove(index))
    }

    fn start(&mut self, call: usize, at: &Allowed) {
        let before_start = self.calls[call].plan.cancel == Some(CancelPoint::BeforeStart);
        match (before_start, self.behaviour.cancel) {
            (false, _) | (true, CancelRule::Ignored) => {
                self.schedule(call, at.clone(), Event::Send)
            }
            (true, CancelRule::AfterFirstAttempt) => {
                self.calls[call].cancel_pending = true;
                self.schedule(call, at.clone(), Event::Send);
            }
            (true, CancelRule::IsAnError) => self.calls[call].end(at, raised_other()),
            (true, _) => self.calls[call].end(at, ExpectedOutcome::Cancelled),
        }
    }

    fn send(&mut self, call: usize, at: &Allowed) {
        let state = &self.calls[call];
        if state.cancel_pending
            && state.gap.is_some()
            && self.behaviour.cancel == CancelRule::AfterTheWait
        {
            self.stop(call, at, ExpectedOutcome::Cancelled);
            return;
        }
        let timeout = self.time_limit(at);
        let route = if self.calls[call].target == Target::HopTwo {
            "hop2"
        } else {
            ""
        };
        let served = self.cursor.serve(route);
        self.record(call, at, served);
        let arrival = match served {
            Served::Step(_, step) => arrival(step, timeout),
            Served::Overflow => {
                self.overflow += 1;
                Arrival::Reply(Span::ZERO)
            }
        };
        let (span, failure) = match arrival {
            Arrival::Reply(delay) => (delay, Failure::None),
            Arrival::Broken(delay) => (delay, Failure::Transport),
            Arrival::TimedOut(timeout) => (timeout, Failure::Timeout),
            Arrival::Never => {
                self.calls[call].ticket += 1;
                return;
            }
        };
        let when = at + &Allowed::exact(span);
        self.schedule(call, when, Event::Arrive(served, failure));
    }

    fn record(&mut self, call: usize, at: &Allowed, served: Served<'_>) {
        let request = self.request(call);
        let state = &mut self.calls[call];
        let repeats_last = state.out.attempts.last().is_some_and(|last| {
            last.request.target == request.target && last.request.method == request.method
        });
        let gap = state.take_gap(repeats_last);
        let is_late =
            matches!((state.out.ends.longest(), at.shortest()), (Some(end), Some(at)) if at > end);
        if state.state == State::Done && is_late {
            state.out.late_attempts += 1;
        }
        state.sliced = None;
        state.out.hooks.extend(state.pending_hook.take());
        state.counted += 1;
        state.attempt += 1;
        state.out.attempts.push(ExpectedAttempt {
            gap,
            at: at.clone(),
            request,
            reply: describe(served),
            step: match served {
                Served::Step(index, _) => Some(index),
                Served::Overflow => None,
            },
        });
    }

    fn request(&self, call: usize) -> ExpectedRequest {
        let state = &self.calls[call];
        let repeated = state
            .out
            .attempts
            .iter()
            .any(|attempt| attempt.request.target == state.target);
        let (method, body) = match (
            repeated,
            self.behaviour.repeated,
            sends_body(state.plan.verb),
        ) {
            (true, RepeatedRequest::WithoutBody, true) => (MethodOf::Own, BodyOf::Lost),
            (true, RepeatedRequest::AsGet, true) => (MethodOf::Get, BodyOf::Lost),
            _ => (MethodOf::Own, BodyOf::Own),
        };
        let authorization = match (state.target, state.plan.auth) {
            (Target::HopTwo, _) if self.behaviour.hop_two.credentials == HopCredentials::Kept => {
                Authorization::Present
            }
            (Target::HopTwo, _) => Authorization::Absent,
            (_, None) => Authorization::Free,
            (_, Some(_))
                if state.fresh_token && self.behaviour.auth.token == ReplayToken::Fresh =>
            {
                Authorization::Second
            }
            (_, Some(_)) => Authorization::First,
        };
        ExpectedRequest {
            target: state.target,
            method,
            body,
            authorization,
        }
    }

    fn cancel(&mut self, call: usize, at: &Allowed) {
        let waiting = self.calls[call].gap.is_some();
        if self.calls[call].state == State::Done {
            return;
        }
        if !matches!(
            self.behaviour.cancel,
            CancelRule::Ignored | CancelRule::TimerGoesOn
        ) {
            self.calls[call].cut_slices(at);
        }
        match self.behaviour.cancel {
            CancelRule::Ignored => {}
            CancelRule::AfterTheWait if waiting => self.calls[call].cancel_pending = true,
            CancelRule::IsAnError => self.stop(call, at, raised_other()),
            CancelRule::TimerGoesOn if waiting => {
                self.calls[call].end(at, ExpectedOutcome::Cancelled)
            }
            _ => self.stop(call, at, ExpectedOutcome::Cancelled),
        }
    }

    /// Ends a call and everything that was scheduled for it.
    pub(super) fn stop(&mut self, call: usize, at: &Allowed, outcome: ExpectedOutcome) {
        self.calls[call].ticket += 1;
        self.calls[call].end(at, outcome);
    }

    /// Waits, then sends.
    pub(super) fn wait(&mut self, call: usize, at: &Allowed, chosen: &ChosenWait) {
        let slices = match (chosen.is_told(), self.behaviour.clock) {
            (true, ClockUse::WallDeadline) => self.slices(at, &chosen.length),
            (false, ClockUse::LocalOnWall) => self.sleeps_until_the_wall(at, &chosen.length),
            _ => None,
        };
        let on_wire = match &slices {
            Some(slices) => slices
                .iter()
                .fold(Allowed::exact(Span::ZERO), |sum, slice| &sum + slice),
            None => not_negative(&chosen.length),
        };
        let state = &mut self.calls[call];
        state.sliced = slices
            .as_ref()
            .and(at.as_exact())
            .map(|begins| (begins, state.out.asked.len()));
        let asked = slices.unwrap_or_else(|| vec![chosen.length.clone()]);
        state.out.asked.extend(asked);
        state.waits += 1;
        state.gap = Some((on_wire.clone(), chosen.why.clone()));
        self.schedule(call, at + &on_wire, Event::Send);
    }

    /// A wait that ends when the wall clock shows an instant, in slices of a
    /// thousandth of it, at least a second.
    fn slices(&self, at: &Allowed, length: &Allowed) -> Option<Vec<Allowed>> {
        let (mut now, length) = (at.as_exact()?, length.as_exact()?);
        let most = Span::from_nanos(length.as_nanos() / 1_000).max(Span::from_secs(1));
        let wall = |instant: Span| wall_span(self.setting.wall_at(instant));
        let tick = self.setting.case.clock.tick.unwrap_or(Span::ZERO);
        let deadline = wall(now) + length;
        now += tick;
        let mut slices = Vec::new();
        loop {
            let left = deadline - wall(now);
            if left <= Span::ZERO || slices.len() == MOST_SLICES {
                return Some(slices);
            }
            let slice = most.min(left);
            slices.push(Allowed::exact(slice));
            now += tick + slice;
        }
    }

    /// A wait that is asked for whole and, as long as the wall clock does not
    /// show its end, for what is left of it.
    fn sleeps_until_the_wall(&self, at: &Allowed, length: &Allowed) -> Option<Vec<Allowed>> {
        let (begins, length) = (at.as_exact()?, length.as_exact()?);
        let wall = |instant: Span| wall_span(self.setting.wall_at(instant));
        let deadline = wall(begins) + length;
        let (mut now, mut left) = (begins, length);
        let mut sleeps = Vec::new();
        while (left > Span::ZERO || sleeps.is_empty()) && sleeps.len() < MOST_SLICES {
            sleeps.push(Allowed::exact(left));
            now += left;
            left = deadline - wall(now);
        }
        Some(sleeps)
    }

    /// How long a request may take that is sent now.
    fn time_limit(&self, at: &Allowed) -> Option<Span> {
        let limit = self.setting.span_knob(Param::RequestTimeout)?;
        let by_the_wall = match self.behaviour.clock {
            ClockUse::LimitOnWall => self.sleeps_until_the_wall(at, &Allowed::exact(limit)),
            _ => None,
        };
        let sleeps = by_the_wall.unwrap_or_default();
        Some(
            sleeps
                .iter()
                .filter_map(Allowed::as_exact)
                .reduce(|sum, sleep| sum + sleep)
                .unwrap_or(limit),
        )
    }

    pub(super) fn begin_wait_then_end(
        &mut self,
        call: usize,
        at: &Allowed,
        length: &Allowed,
        outcome: ExpectedOutcome,
    ) {
        self.calls[call].out.asked.push(length.clone());
        self.schedule(call, at + &not_negative(length), Event::EndWith(outcome));
    }

    pub(super) fn cancel_after(&mut self, call: usize, at: &Allowed, length: &Allowed) {
        self.schedule(call, at + &not_negative(length), Event::CancelDue);
    }

    fn finish(self) -> Expectation {
        Expectation {
            unserved: self.cursor.unserved(),
            overflow: self.overflow,
            quiet_until: self.setting.case.expect.quiet_until,
            calls: self
                .calls
                .into_iter()
                .map(|state| (state.plan.id.clone(), state.out))
                .collect(),
        }
    }
}

fn sends_body(verb: Verb) -> bool {
    matches!(
        verb,
        Verb::Write | Verb::WriteUnsafe | Verb::Upload | Verb::Send
    )
}

pub(super) fn not_negative(length: &Allowed) -> Allowed {
    match length {
        Allowed::AnyOf(intervals) => Allowed::any_of(
            intervals
                .iter()
                .map(|interval| interval.map(|span| span.max(Span::ZERO))),
        ),
        Allowed::Observed => Allowed::Observed,
    }
}

pub(super) fn raised_other() -> ExpectedOutcome {
    ExpectedOutcome::Raised {
        kind: ErrorKind::Other,
        status: None,
        retry_after: None,
    }
}
