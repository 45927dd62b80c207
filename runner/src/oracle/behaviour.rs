//! [`Behaviour`]: every parameter in which a retrying client can differ from
//! its specification. The default value of each is "as specified"; a defect is
//! a change to some.

use std::collections::BTreeSet;

use crate::model::Span;
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

/// The local delay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LocalShape {
    /// How it grows.
    pub growth: GrowthShape,
    /// Where the ceiling applies.
    pub ceiling: CeilingUse,
    /// What is drawn onto it.
    pub jitter: LocalJitter,
    /// What advances its index.
    pub index: IndexRule,
}

/// How the local delay grows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GrowthShape {
    /// By the row.
    #[default]
    Specified,
    /// There is none.
    Missing,
    /// The base each time.
    Constant,
    /// The base times the number of the retry.
    Linear,
    /// The exponent stops at 3.
    Plateau,
    /// Milliseconds wrap at 32 bits.
    Wraps,
    /// One power too high.
    StartsLate,
}

/// Where the ceiling of the local delay applies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CeilingUse {
    /// To every delay, before jitter.
    #[default]
    Specified,
    /// Nowhere.
    Missing,
    /// Not to the first.
    NotToBase,
    /// After jitter.
    AfterJitter,
}

/// Jitter of the local delay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LocalJitter {
    /// By the row.
    #[default]
    Specified,
    /// None.
    Missing,
}

/// What advances the index of the local delay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IndexRule {
    /// Every retry.
    #[default]
    EveryRetry,
    /// Retries whose wait was not told.
    UntoldOnly,
}

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

/// Following pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PageRule {
    /// What is done when a page after the first fails.
    pub failed: FailedPage,
    /// Whether attempts are counted by page.
    pub attempts: PageAttempts,
    /// What a told wait on a success does.
    pub told_on_success: ToldOnSuccess,
}

/// What is done when a page after the first fails.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FailedPage {
    /// It is asked for again.
    #[default]
    Retried,
    /// The call ends.
    Ends,
    /// The first page is asked for.
    FirstPage,
}

/// Whether attempts are counted by page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PageAttempts {
    /// By page.
    #[default]
    ByPage,
    /// Over the call.
    Shared,
}

/// What a told wait on a success or a redirect does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ToldOnSuccess {
    /// Nothing.
    #[default]
    NoEffect,
    /// It is waited.
    Waited,
}

/// The second hop of a download.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HopTwo {
    /// What a told wait on the redirect does.
    pub told_on_redirect: ToldOnSuccess,
    /// Whether it is retried.
    pub retried: HopRetry,
    /// Whether it carries credentials.
    pub credentials: HopCredentials,
}

/// Whether the second hop is retried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HopRetry {
    /// Never.
    #[default]
    Never,
    /// Like the first.
    LikeFirst,
}

/// Whether the second hop carries credentials.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HopCredentials {
    /// None.
    #[default]
    None,
    /// Those of the first.
    Kept,
}

/// Replay with fresh credentials.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AuthRule {
    /// When a refresh is tried.
    pub refresh: RefreshRule,
    /// What is waited before the replay.
    pub wait: ReplayWait,
    /// Whether the replay costs an attempt.
    pub cost: ReplayCost,
    /// Which token the replay carries.
    pub token: ReplayToken,
}

/// When a refresh is tried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RefreshRule {
    /// Once, if an attempt is left.
    #[default]
    Specified,
    /// Once, before it is known whether an attempt is left.
    BeforeBudget,
    /// Never.
    Never,
    /// At every refusal.
    Again,
}

/// What is waited before a replay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReplayWait {
    /// Nothing.
    #[default]
    None,
    /// The local delay.
    Local,
    /// The told wait, if there is one.
    Told,
}

/// Whether a replay costs an attempt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReplayCost {
    /// It does.
    #[default]
    One,
    /// It does not.
    Free,
}

/// Which token a replay carries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReplayToken {
    /// The fresh one.
    #[default]
    Fresh,
    /// The refused one.
    Old,
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
}
