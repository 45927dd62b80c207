//! Durations, names, plans and observations: the words that every other module
//! shares. Nothing here starts a process or opens a socket.

mod ids;
mod outcome;
mod span;

pub use ids::{BranchId, CallId, CaseId, ClauseId, DefectId, FixtureId, LoopId, ParserId, SpecId};
pub use outcome::{ErrorKind, Outcome, RaisedError};
pub use span::{Span, SpanError};
