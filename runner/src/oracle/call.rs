//! One call while it is being derived.

use crate::adapter::protocol::{AuthMode, CancelPoint, Verb};
use crate::fixture::{CallStep, Case};
use crate::model::{Allowed, CallId, Span};

use super::expectation::{CallExpectation, ExpectedHook, ExpectedOutcome, Gap, GapKind, Target};

/// A call of the case, as its author planned it.
#[derive(Clone, Debug)]
pub(super) struct Planned {
    pub(super) id: CallId,
    pub(super) at: Span,
    pub(super) verb: Verb,
    pub(super) cancel: Option<CancelPoint>,
    pub(super) auth: Option<AuthMode>,
}

pub(super) fn planned(case: &Case) -> Vec<Planned> {
    case.calls
        .iter()
        .filter_map(|step| match step {
            CallStep::Call {
                id,
                at,
                verb,
                cancel,
                auth,
            } => Some(Planned {
                id: id.clone(),
                at: *at,
                verb: *verb,
                cancel: *cancel,
                auth: *auth,
            }),
            CallStep::Cancel { .. } | CallStep::Close { .. } => None,
        })
        .collect()
}

/// Where a call stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Between two events.
    Running,
    /// It has its result; a timer may still be alive.
    Done,
}

/// One call while it is being derived.
#[derive(Clone, Debug)]
pub(super) struct CallState {
    pub(super) plan: Planned,
    pub(super) state: State,
    /// Number of the latest scheduled event that is still valid.
    pub(super) ticket: u64,
    /// Attempts of the current page that count.
    pub(super) counted: u32,
    /// Attempts of the current page, for the hook.
    pub(super) attempt: u32,
    /// Index of the next local delay.
    pub(super) index: u32,
    pub(super) target: Target,
    pub(super) page: u32,
    pub(super) refreshes: u32,
    pub(super) fresh_token: bool,
    /// Waits so far.
    pub(super) waits: u32,
    pub(super) first_told: Option<Allowed>,
    /// What an error showed last.
    pub(super) latest_told: Option<Allowed>,
    pub(super) first_error: Option<ExpectedOutcome>,
    /// The gap before the request that is scheduled.
    pub(super) gap: Option<(Allowed, String)>,
    /// A call of the hook that comes only when the wait is over.
    pub(super) pending_hook: Option<ExpectedHook>,
    /// A wait that is asked for in slices: its beginning, and how many sleeps
    /// were asked for before it.
    pub(super) sliced: Option<(Span, usize)>,
    /// A cancellation that waits for its moment.
    pub(super) cancel_pending: bool,
    pub(super) out: CallExpectation,
}

impl CallState {
    pub(super) fn new(plan: Planned) -> Self {
        Self {
            plan,
            state: State::Running,
            ticket: 0,
            counted: 0,
            attempt: 0,
            index: 0,
            target: Target::Page(1),
            page: 1,
            refreshes: 0,
            fresh_token: false,
            waits: 0,
            first_told: None,
            latest_told: None,
            first_error: None,
            gap: None,
            pending_hook: None,
            sliced: None,
            cancel_pending: false,
            out: CallExpectation {
                lead: Allowed::exact(Span::ZERO),
                attempts: Vec::new(),
                ends: Allowed::Observed,
                outcome: ExpectedOutcome::Hung,
                asked: Vec::new(),
                hooks: Vec::new(),
                open_hook: None,
                refreshes: 0,
                late_attempts: 0,
            },
        }
    }

    /// Ends the call; the first end stands.
    pub(super) fn end(&mut self, at: &Allowed, outcome: ExpectedOutcome) {
        if self.state == State::Running {
            self.state = State::Done;
            self.out.ends = at.clone();
            self.out.outcome = outcome;
        }
    }

    /// Takes back the slices of a wait that are not asked for once it is cut
    /// short: those that would begin at `at` or later.
    pub(super) fn cut_slices(&mut self, at: &Allowed) {
        let (Some((mut begins, asked)), Some(at)) = (self.sliced.take(), at.as_exact()) else {
            return;
        };
        let mut kept = asked;
        for slice in &self.out.asked[asked..] {
            if begins >= at {
                break;
            }
            begins += slice.as_exact().unwrap_or(Span::ZERO);
            kept += 1;
        }
        self.out.asked.truncate(kept);
    }

    /// The gap before the next request, by whether it repeats the last one.
    pub(super) fn take_gap(&mut self, repeats_last: bool) -> Option<Gap> {
        let (length, why) = self.gap.take()?;
        let kind = if repeats_last {
            GapKind::Wait
        } else {
            GapKind::Next
        };
        Some(Gap { kind, length, why })
    }

    /// Sets out for another page.
    pub(super) fn begin_page(&mut self, page: u32, counts: PageCounts) {
        self.page = page;
        match counts {
            PageCounts::Anew => self.begin_target(Target::Page(page)),
            PageCounts::GoOn => self.target = Target::Page(page),
        }
    }

    /// Sets out for another target, whose attempts are counted anew.
    pub(super) fn begin_target(&mut self, target: Target) {
        self.target = target;
        self.counted = 0;
        self.attempt = 0;
        self.index = 0;
        self.first_error = None;
    }
}

/// Whether a new page starts the count of attempts anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PageCounts {
    Anew,
    GoOn,
}
