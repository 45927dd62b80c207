//! Rows of table 6.1: one retry or polling mechanism each.

use super::delay::Term;
use super::words::words;
use crate::model::LoopId;

/// One row of table 6.1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopRow {
    /// Name of the loop; fixtures and manifests cite it.
    pub id: LoopId,
    /// The kind of loop, the only key that the oracle dispatches on.
    pub machine: Machine,
    /// Which requests may be repeated at all.
    pub repeats: Repeats,
    /// How many requests a call may make, the first included.
    pub attempts: AttemptsRule,
    /// Lengths of time that bound the repeating; empty for `none`.
    pub budgets: Vec<Budget>,
    /// What happens to a wait that does not fit into the budget.
    pub overrun: Overrun,
    /// What sets counters, budgets and gates back.
    pub resets: Resets,
    /// Line of the row in the document, from 1.
    pub line: usize,
}

words! {
    /// The kind of a loop.
    pub enum Machine {
        /// Repeats a request that got no answer.
        Retry = "retry",
        /// Asks again because the answer was "not yet".
        Poll = "poll",
        /// Keeps a connection alive over seams of its own lower layer.
        Connector = "connector",
        /// Sends batches behind a gate and a budget.
        Queue = "queue",
        /// Never waits: refuses calls until an instant.
        Gate = "gate",
        /// Repeats by the clock, whatever the answer.
        Schedule = "schedule",
        /// Repeats once at once, with fresh credentials.
        Replay = "replay",
    }

    /// What happens to a wait that does not fit into what is left of a budget.
    pub enum Overrun {
        /// The call ends at once.
        GiveUp = "give-up",
        /// The wait is shortened to the budget and a last request is sent.
        ClampSend = "clamp-send",
        /// The wait is shortened to the budget and the call expires at its end.
        ClampExpire = "clamp-expire",
        /// The wait is taken in full.
        Wait = "wait",
        /// Does not apply.
        NotApplicable = "—",
    }

    /// A method that a loop may repeat.
    pub enum RepeatedMethod {
        /// GET.
        Get = "GET",
        /// HEAD.
        Head = "HEAD",
        /// OPTIONS.
        Options = "OPTIONS",
        /// PUT.
        Put = "PUT",
        /// PATCH.
        Patch = "PATCH",
        /// DELETE.
        Delete = "DELETE",
        /// POST, whatever it does.
        Post = "POST",
        /// POST whose operation is declared idempotent.
        IdempotentPost = "idempotent POST",
    }

    /// The event from which a budget runs.
    pub enum Anchor {
        /// The first throttled reply of the episode.
        FirstThrottle = "first throttle",
        /// The first failed attempt of the episode.
        FirstFailure = "first failure",
        /// The instant at which the thing that expires was issued.
        Issuance = "issuance",
        /// The start of the call.
        Call = "call",
    }
}

/// Column *Repeats*.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Repeats {
    /// `none`: the loop sends nothing twice.
    None,
    /// `any`: whatever the running loop sends.
    Any,
    /// `connect`: the seam that opens a connection.
    Connect,
    /// A list of methods.
    Methods(Vec<RepeatedMethod>),
}

/// Column *Attempts*. Counts requests, the first included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttemptsRule {
    /// `1`: that many.
    Fixed(u32),
    /// `unbounded`.
    Unbounded,
    /// `max_attempts = 3`: the knob as given, at least 1; the number if it is
    /// not given.
    Knob {
        /// Attempts without a knob.
        default: u32,
    },
    /// `min(max_attempts, 3)`: the knob, at least 1 and at most the number.
    KnobUpTo {
        /// The ceiling, and the attempts without a knob.
        ceiling: u32,
    },
    /// `N per call, charged to the running loop`: repeats, not attempts; each
    /// costs an attempt of the loop that runs the call.
    Charged {
        /// Repeats allowed in a call.
        per_call: u32,
    },
    /// `unbounded throttled; 11 otherwise`.
    UnboundedThrottled {
        /// Attempts that count: those not answered by a throttle.
        otherwise: u32,
    },
}

impl AttemptsRule {
    /// How many requests the rule allows with this knob, or `None` if it sets
    /// no number. A knob below 1 counts as 1 (SPEC.md §7). For `Charged`, and
    /// for attempts that a throttle answers, the number is not a bound on the
    /// call; the machine decides.
    pub fn allowed(self, max_attempts: Option<i64>) -> Option<u32> {
        let knob = |absent: u32| match max_attempts {
            None => absent,
            Some(given) => u32::try_from(given.max(1)).unwrap_or(u32::MAX),
        };
        match self {
            Self::Fixed(count) => Some(count),
            Self::Unbounded => None,
            Self::Knob { default } => Some(knob(default)),
            Self::KnobUpTo { ceiling } => Some(knob(ceiling).min(ceiling)),
            Self::Charged { per_call } => Some(per_call),
            Self::UnboundedThrottled { otherwise } => Some(otherwise),
        }
    }
}

/// One budget of column *Budget*: `1800s from first throttle`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Budget {
    /// How long it is.
    pub length: Term,
    /// From when it runs.
    pub anchor: Anchor,
}

/// Column *Resets*.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resets {
    /// `—`: nothing is set back within a call.
    Never,
    /// `backoff: any answer`.
    BackoffAtAnyAnswer,
    /// `index: confirmed subscription`.
    IndexAtSubscription,
    /// `index: page, or socket teardown`.
    IndexAtPageOrTeardown,
    /// `both: success`: both budgets and their counts.
    BudgetsAtSuccess,
    /// `gate: remaining > 10 or unstated, on success`.
    GateAtSuccess {
        /// The gate opens if more than this remains.
        above: u64,
    },
}
