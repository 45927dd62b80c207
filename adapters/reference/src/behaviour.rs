//! Every switch by which a defect can change the client.
//!
//! [`Behaviour::default`] conforms to SPEC.md; the first variant of each enum
//! and `false` of each flag are the conforming choice.

use crate::span::Span;

/// How the client behaves; the default conforms.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Behaviour {
    pub(crate) reading: Reading,
    pub(crate) told: ToldWaits,
    pub(crate) backoff: Backoff,
    pub(crate) retries: Retries,
    pub(crate) cancel: Cancelling,
    pub(crate) report: Report,
    pub(crate) pages: Pages,
    pub(crate) hops: Hops,
    pub(crate) auth: Auth,
}

/// How the value of `Retry-After` is read.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Reading {
    pub(crate) never: bool,
    pub(crate) lines: Lines,
    pub(crate) number: NumberForm,
    pub(crate) unit: Unit,
    pub(crate) zero_is_now: bool,
    pub(crate) empty_is_zero: bool,
    pub(crate) over_parse_limit: OverParseLimit,
    pub(crate) discard_above: Option<Span>,
    pub(crate) year_as_date: bool,
    pub(crate) dates: Dates,
}

/// What becomes of several header lines, or of a comma list of numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Lines {
    #[default]
    Malformed,
    First,
    Last,
    Concatenated,
    Raise,
}

/// Which spellings of a number are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum NumberForm {
    /// `1*DIGIT`.
    #[default]
    Digits,
    PlusSkipped,
    NegativeRead,
    Octal,
    RadixPrefix,
    Underscores,
    LeadingRun,
    UnicodeDigits,
    UnicodeSpace,
    Fraction(Rounding),
    Float,
    LeadingZeroRefused,
}

/// How a part of a second is rounded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Rounding {
    #[default]
    Up,
    Down,
    Exact,
}

/// What a bare number counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Unit {
    #[default]
    Seconds,
    Milliseconds,
    Nanoseconds,
}

/// What becomes of a number that does not fit the parser's own type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum OverParseLimit {
    #[default]
    Malformed,
    Raise,
    Saturate,
}

/// How an HTTP-date is read.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Dates {
    pub(crate) imf_refused: bool,
    pub(crate) rfc850_refused: bool,
    pub(crate) asctime: Asctime,
    pub(crate) lenient: bool,
    pub(crate) years_in_1900s: bool,
    pub(crate) local_zone: bool,
    pub(crate) civil_distance: bool,
    pub(crate) local_names: bool,
    pub(crate) days_overflow: bool,
    pub(crate) rounding: Rounding,
    pub(crate) past_is_now: bool,
    pub(crate) odd_weekday_raises: bool,
    pub(crate) clock_read_twice: bool,
}

/// Whether the asctime shape is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Asctime {
    #[default]
    Read,
    UnpaddedOnly,
    Refused,
}

/// What is done with a told wait once it is read.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ToldWaits {
    pub(crate) ignored_at: Option<u16>,
    pub(crate) change: Change,
    pub(crate) gives_up_above: Option<Span>,
    pub(crate) over_range: OverRange,
    pub(crate) composition: Composition,
    pub(crate) memory: Memory,
    pub(crate) manner: Manner,
    pub(crate) from_the_request: bool,
    pub(crate) on_success: bool,
    pub(crate) on_redirect: bool,
}

/// How a told wait is changed before it is slept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Change {
    #[default]
    None,
    JitterUp,
    JitterDown,
    JitterMultiplied,
    SecondAdded,
    CappedAt(Span),
    CappedAtRequestTimeout,
    /// Milliseconds in a signed 32-bit integer.
    Wraps32,
    /// Nanoseconds in a signed 64-bit integer.
    Wraps64,
    /// A timer that fires at once when its milliseconds exceed 32 bits.
    TimerOverflows,
}

/// What becomes of a told wait that the host cannot schedule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum OverRange {
    #[default]
    Saturate,
    Raise,
    FallBack,
}

/// How a told wait and the local delay become one wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Composition {
    #[default]
    Replace,
    Add,
    Floor,
    Shorter,
}

/// What one wait remembers of the waits before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Memory {
    #[default]
    None,
    ToldOnFirstWaitOnly,
    FirstToldReused,
}

/// How a told wait is slept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Manner {
    #[default]
    Once,
    MonotonicDeadline,
    WallSlices,
    /// The whole wait, and what is left by the wall clock as long as that lasts.
    WallDeadline,
}

/// The local delay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Backoff {
    pub(crate) growth: Growth,
    pub(crate) jitter: Jitter,
    pub(crate) skips_told_waits: bool,
    pub(crate) manner: Manner,
}

/// How the local delay grows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Growth {
    #[default]
    Doubling,
    Missing,
    Constant,
    Linear,
    Plateau,
    Wrapping,
    StartsLate,
    Uncapped,
    BaseExempt,
}

/// Where jitter goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Jitter {
    #[default]
    OnTop,
    Missing,
    InsideCeiling,
}

/// What is retried, and how often.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Retries {
    pub(crate) attempts: Attempts,
    pub(crate) told_replies_uncounted: bool,
    pub(crate) sleeps_after_last: bool,
    pub(crate) also_at: Option<u16>,
    pub(crate) bad_gateway_ends: bool,
    pub(crate) unsafe_post: bool,
    pub(crate) transport_ends: bool,
    pub(crate) timeout_ends: bool,
    pub(crate) timed_out_download: bool,
    pub(crate) only_if_told: bool,
    pub(crate) limit_on_wall: bool,
    pub(crate) body_lost: bool,
    pub(crate) method_lost: bool,
}

/// How the number of attempts is bent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Attempts {
    #[default]
    AsConfigured,
    OneTooMany,
    OneTooFew,
    OneIsDefault,
}

/// What a cancellation does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Cancelling {
    #[default]
    EndsAtOnce,
    WaitsForTimer,
    Ignored,
    LosesToReadyTimer,
    SendsFirstAttempt,
    LeavesTimerRunning,
    RaisesError,
}

/// What the caller is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Report {
    pub(crate) error: ErrorWait,
    pub(crate) hook_from_zero: bool,
    pub(crate) hook_reports_backoff: bool,
    pub(crate) hook_after_wait: bool,
    pub(crate) first_error: bool,
    pub(crate) stale_told: bool,
}

/// The told wait on an error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ErrorWait {
    #[default]
    AsSent,
    Missing,
    Clamped,
    /// At most the schedule limit.
    Saturated,
}

/// Pagination.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Pages {
    pub(crate) later_not_retried: bool,
    pub(crate) restart_at_first: bool,
    pub(crate) attempts_shared: bool,
}

/// The second hop of a download.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Hops {
    pub(crate) second_retried: bool,
    pub(crate) second_keeps_credentials: bool,
    pub(crate) second_follows_redirects: bool,
}

/// Refresh and replay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Auth {
    pub(crate) refresh_before_budget: bool,
    pub(crate) never_refreshed: bool,
    pub(crate) refreshed_again: bool,
    pub(crate) backoff_before_replay: bool,
    pub(crate) replay_uncounted: bool,
    pub(crate) old_token_replayed: bool,
    pub(crate) told_before_replay: bool,
    pub(crate) replay_moves_backoff: bool,
    pub(crate) replay_fires_hook: bool,
}
