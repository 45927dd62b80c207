//! [`Behaviour`]: the whole of a client.

use super::journey::{AuthRule, HopTwo, PageRule};
use super::local::LocalShape;
use super::retries::{CancelRule, RepeatedRequest, RetryRule};
use super::shown::Shown;
use super::told::ToldUse;
use crate::retry_after::Reading;

/// A client, as far as exchanges can show it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Behaviour {
    /// How header values are read.
    pub reading: Reading,
    /// What is done with a told wait.
    pub told: ToldUse,
    /// The local delay.
    pub local: LocalShape,
    /// Which failures are retried, and how often.
    pub retries: RetryRule,
    /// What a repeated request looks like.
    pub repeated: RepeatedRequest,
    /// Cancellation.
    pub cancel: CancelRule,
    /// What the caller is shown.
    pub shown: Shown,
    /// Following pages.
    pub pages: PageRule,
    /// The second hop of a download.
    pub hop_two: HopTwo,
    /// Replay with fresh credentials.
    pub auth: AuthRule,
    /// How clocks are read.
    pub clock: ClockUse,
}

/// How clocks are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClockUse {
    /// Once a decision; waits run on the monotonic clock.
    #[default]
    Specified,
    /// Twice a decision.
    TwoReadings,
    /// Waits end when the wall clock shows an instant, asked in slices.
    WallDeadline,
    /// Local delays end when the wall clock shows an instant.
    LocalOnWall,
    /// The time limit of a request ends when the wall clock shows an instant.
    LimitOnWall,
}
