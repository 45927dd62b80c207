//! Which failures are retried, how often, and what stops it.

use std::collections::BTreeSet;

/// Which failures are retried, and how often.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RetryRule {
    /// Attempts more or fewer than allowed.
    pub attempts_off: i32,
    /// What one allowed attempt means.
    pub single: SingleAttempt,
    /// What counts as an attempt.
    pub counted: Counted,
    /// Statuses that are retried beside those of the rows.
    pub also: BTreeSet<u16>,
    /// Statuses of the rows that are not retried.
    pub never: BTreeSet<u16>,
    /// What is done with a failure that named no wait.
    pub untold: UntoldRule,
    /// Methods.
    pub methods: MethodRule,
    /// Transport failures.
    pub transport: FailureRule,
    /// Timeouts.
    pub timeout: FailureRule,
    /// What follows the last allowed attempt.
    pub last: LastAttempt,
}

/// What one allowed attempt means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SingleAttempt {
    /// One attempt.
    #[default]
    IsOne,
    /// Not set: three attempts.
    IsUnset,
}

/// What counts as an attempt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Counted {
    /// Every request.
    #[default]
    EveryRequest,
    /// Requests whose reply named no wait.
    UnlessTold,
}

/// What is done with a retryable reply that named no wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UntoldRule {
    /// The local delay.
    #[default]
    LocalDelay,
    /// The call ends.
    Ends,
}

/// Which methods are repeated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MethodRule {
    /// Those of the row.
    #[default]
    Specified,
    /// All.
    All,
}

/// What is done with a failure without a reply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FailureRule {
    /// By the rows.
    #[default]
    Specified,
    /// It ends the call.
    Ends,
    /// It is retried.
    Retried,
}

/// What follows the last allowed attempt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LastAttempt {
    /// The error at once.
    #[default]
    Ends,
    /// A wait, then the error.
    WaitsFirst,
}

/// What a repeated request looks like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RepeatedRequest {
    /// Like the first.
    #[default]
    Same,
    /// Without its body.
    WithoutBody,
    /// A GET without a body.
    AsGet,
}

/// What a cancellation does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CancelRule {
    /// It ends the call at once.
    #[default]
    Specified,
    /// It has no effect.
    Ignored,
    /// It has an effect at the end of the wait.
    AfterTheWait,
    /// It loses to a timer that is ready.
    LosesToReadyTimer,
    /// Before the start it has an effect after one attempt.
    AfterFirstAttempt,
    /// The timer goes on and an attempt follows.
    TimerGoesOn,
    /// The call ends with another error.
    IsAnError,
}
