//! What is done with a told wait.

use std::collections::BTreeSet;

use crate::model::Span;

/// What is done with a told wait.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToldUse {
    /// Statuses at which it has no effect on the wait.
    pub ignored_at: BTreeSet<u16>,
    /// Where it is used at all.
    pub honoured: Honoured,
    /// What is drawn onto it.
    pub jitter: Jitter,
    /// What is added to it.
    pub added: Span,
    /// The longest that is waited.
    pub cap: Option<Span>,
    /// Above this it is not used.
    pub discard_above: Option<Span>,
    /// Above this the call ends.
    pub give_up_above: Option<Span>,
    /// Whether it is cut to the request timeout.
    pub fit: Fit,
    /// The unit that its number is taken for.
    pub unit: Unit,
    /// What becomes of a wait that the host cannot schedule.
    pub over_range: OverRange,
    /// How it makes one wait with the local delay.
    pub composition: ComposeAs,
    /// What it is counted from.
    pub counted_from: CountedFrom,
}

/// What a told wait is counted from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CountedFrom {
    /// The reply that told it.
    #[default]
    TheReply,
    /// The request that the reply answers.
    TheRequest,
}

/// Where a told wait is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Honoured {
    /// As specified.
    #[default]
    Always,
    /// Nowhere, and the error does not show it either.
    Never,
    /// For the first wait of the call only.
    FirstWaitOnly,
    /// The first told wait of the call is used for all later waits.
    FirstReused,
}

/// What is drawn onto a told wait.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Jitter {
    /// Nothing.
    #[default]
    None,
    /// `+ U(0, max_jitter)`.
    Up,
    /// `* U(lo, hi)`.
    Factor(f64, f64),
}

/// Whether a told wait is cut to the request timeout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fit {
    /// No.
    #[default]
    Whole,
    /// Yes.
    CutToTimeout,
}

/// The unit that a number of seconds is taken for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unit {
    /// Seconds.
    #[default]
    Seconds,
    /// Milliseconds.
    Millis,
    /// Nanoseconds.
    Nanos,
}

/// What becomes of a wait beyond the host's limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OverRange {
    /// It saturates (above the parse limit: malformed).
    #[default]
    Saturates,
    /// The call ends with an error of its own.
    Raises,
    /// The local delay is waited.
    FallsBack,
    /// A timer of 32-bit milliseconds fires after 1 ms.
    FiresAtOnce,
    /// The number of milliseconds wraps at 32 bits.
    Wraps32,
    /// The number of nanoseconds wraps at 64 bits.
    Wraps64,
}

/// How told wait and local delay make one wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ComposeAs {
    /// By the branch's row.
    #[default]
    Specified,
    /// The sum.
    Add,
    /// The longer.
    Longer,
    /// The shorter.
    Shorter,
}
