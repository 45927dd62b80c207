//! Durations, names, plans and observations: the words that every other module
//! shares. Nothing here starts a process or opens a socket.

mod host;
mod ids;
mod interval;
mod observation;
mod outcome;
mod plan;
mod span;
mod token;

pub use host::{Feature, Host, HostLoop, Runtime, SleepStyle};
pub use ids::{BranchId, CallId, CaseId, ClauseId, DefectId, FixtureId, LoopId, ParserId, SpecId};
pub use interval::{Allowed, Interval, Tolerance};
pub use observation::{
    Asked, Ending, Exchange, ExchangeKind, Observation, ObservedEvent, ObservedResult,
    UnsupportedReason,
};
pub use outcome::{ErrorKind, Outcome, RaisedError};
pub use plan::{
    Action, Bounds, CasePlan, ClockPlan, DateWindow, Fault, PlannedAction, PlannedBody,
    PlannedCall, PlannedHeader, PlannedStep, PrefixMode, Presence, Spelling, Times, WallStep,
};
pub use span::{Span, SpanError};
pub use token::{
    DateShape, HttpDateToken, Letters, MONTHS, Piece, TokenContext, TokenText, WeekdayName,
    long_day_name, short_day_name, wall_shifted, wall_span,
};
