//! What the caller is shown.

use crate::model::Span;

/// What the caller is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// The told wait on the error.
    pub told_on_error: ToldOnError,
    /// The retry hook.
    pub hook: HookRule,
    /// Which error is raised at the end.
    pub error: WhichError,
}

/// The told wait on the error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ToldOnError {
    /// As the server sent it.
    #[default]
    AsSent,
    /// Not there.
    Missing,
    /// At most this.
    Clamped(Span),
    /// At most what the host can schedule.
    Saturated,
    /// That of an earlier reply where its own named none.
    Stale,
}

/// The retry hook.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HookRule {
    /// Before the wait, with the true numbers.
    #[default]
    Specified,
    /// Attempts are counted from zero.
    CountsFromZero,
    /// The delay is the local one.
    ReportsLocal,
    /// After the wait.
    AfterWait,
}

/// Which error is raised at the end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WhichError {
    /// That of the last attempt.
    #[default]
    Last,
    /// That of the first.
    First,
}
