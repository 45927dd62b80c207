//! Every parameter in which a retrying client can differ from its
//! specification. The default value of each is "as specified"; a defect is a
//! change to some.

mod client;
mod journey;
mod local;
mod retries;
mod shown;
mod told;

pub use client::{Behaviour, ClockUse};
pub use journey::{
    AuthRule, FailedPage, HopCredentials, HopRedirects, HopRetry, HopTwo, PageAttempts, PageRule,
    RefreshRule, ReplayCost, ReplaySideEffect, ReplayToken, ReplayWait, ToldOnSuccess,
};
pub use local::{CeilingUse, GrowthShape, IndexRule, LocalJitter, LocalShape};
pub use retries::{
    CancelRule, Counted, FailureRule, LastAttempt, MethodRule, RepeatedRequest, RetryRule,
    SingleAttempt, UntoldRule,
};
pub use shown::{HookRule, Shown, ToldOnError, WhichError};
pub use told::{ComposeAs, CountedFrom, Fit, Honoured, Jitter, OverRange, ToldUse, Unit};
