//! The catalogue: each defect is a named change to the conforming behaviour.

use std::sync::OnceLock;

use crate::behaviour::{
    Asctime, Attempts, Behaviour, Cancelling, Change, Composition, ErrorWait, Growth, Jitter,
    Lines, Manner, Memory, NumberForm, OverParseLimit, OverRange, Rounding, Unit,
};
use crate::span::Span;

type Switch = fn(&mut Behaviour);

/// A name that is not in the catalogue.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no defect is called `{name}`; the nearest is `{nearest}` (all: {})", defects().join(", "))]
pub struct UnknownDefect {
    /// The name that was asked for.
    pub name: String,
    /// The name in the catalogue that looks most like it.
    pub nearest: &'static str,
}

/// Names of all defects, in the order of the catalogue.
pub fn defects() -> &'static [&'static str] {
    static NAMES: OnceLock<Vec<&'static str>> = OnceLock::new();
    NAMES.get_or_init(|| catalogue().map(|(name, _)| *name).collect())
}

/// The behaviour under a defect; several are joined by `+`.
pub(crate) fn behaviour(defect: Option<&str>) -> Result<Behaviour, UnknownDefect> {
    let mut behaviour = Behaviour::default();
    for name in defect.iter().flat_map(|names| names.split('+')) {
        let (_, switch) = catalogue()
            .find(|(known, _)| *known == name)
            .ok_or_else(|| unknown(name))?;
        switch(&mut behaviour);
    }
    Ok(behaviour)
}

fn unknown(name: &str) -> UnknownDefect {
    let distance = |known: &&&str| strsim::damerau_levenshtein(name, known);
    UnknownDefect {
        name: name.to_owned(),
        nearest: defects().iter().min_by_key(distance).copied().unwrap_or(""),
    }
}

fn catalogue() -> impl Iterator<Item = &'static (&'static str, Switch)> {
    [TOLD, PARSED, DATES, COUNTED, LOCAL, CALLER, LOOPS, CLOCKS]
        .into_iter()
        .flatten()
}

/// What is done with a told wait.
const TOLD: &[(&str, Switch)] = &[
    ("header-never-read", |b| b.reading.never = true),
    ("ignored-at-429", |b| b.told.ignored_at = Some(429)),
    ("ignored-at-503", |b| b.told.ignored_at = Some(503)),
    ("ignored-at-502", |b| b.told.ignored_at = Some(502)),
    ("ignored-at-504", |b| b.told.ignored_at = Some(504)),
    ("retried-only-if-told", |b| b.retries.only_if_told = true),
    ("jitter-up-on-told-wait", |b| {
        b.told.change = Change::JitterUp
    }),
    ("jitter-down-on-told-wait", |b| {
        b.told.change = Change::JitterDown
    }),
    ("jitter-multiplied-on-told-wait", |b| {
        b.told.change = Change::JitterMultiplied
    }),
    ("second-added-to-told-wait", |b| {
        b.told.change = Change::SecondAdded
    }),
    ("cap-30s", |b| {
        b.told.change = Change::CappedAt(Span::from_secs(30))
    }),
    ("cap-60s", |b| {
        b.told.change = Change::CappedAt(Span::from_secs(60))
    }),
    ("cap-24h", |b| {
        b.told.change = Change::CappedAt(Span::from_secs(86_400))
    }),
    ("discarded-above-60s", |b| {
        b.reading.discard_above = Some(Span::from_secs(60))
    }),
    ("gives-up-above-120s", |b| {
        b.told.gives_up_above = Some(Span::from_secs(120))
    }),
    ("shortened-to-fit", |b| {
        b.told.change = Change::CappedAtRequestTimeout
    }),
    ("told-added-to-backoff", |b| {
        b.told.composition = Composition::Add
    }),
    ("told-is-a-floor", |b| {
        b.told.composition = Composition::Floor
    }),
    ("shorter-wins", |b| {
        b.told.composition = Composition::Shorter
    }),
    ("option-lost-on-second-wait", |b| {
        b.told.memory = Memory::ToldOnFirstWaitOnly
    }),
    ("first-told-wait-reused", |b| {
        b.told.memory = Memory::FirstToldReused
    }),
    ("wraps-at-32-bits", |b| b.told.change = Change::Wraps32),
    ("timer-overflow-fires-at-once", |b| {
        b.told.change = Change::TimerOverflows
    }),
    ("wraps-at-64-bit-nanoseconds", |b| {
        b.reading.over_parse_limit = OverParseLimit::Saturate;
        b.told.change = Change::Wraps64;
    }),
    ("over-range-raises", |b| {
        b.reading.over_parse_limit = OverParseLimit::Raise;
        b.told.over_range = OverRange::Raise;
    }),
    ("over-range-falls-back", |b| {
        b.told.over_range = OverRange::FallBack
    }),
];

/// Numbers and lines that the parser should refuse, or should not.
const PARSED: &[(&str, Switch)] = &[
    ("seconds-as-milliseconds", |b| {
        b.reading.unit = Unit::Milliseconds
    }),
    ("seconds-as-nanoseconds", |b| {
        b.reading.unit = Unit::Nanoseconds
    }),
    ("sign-accepted", |b| {
        b.reading.number = NumberForm::PlusSkipped
    }),
    ("negative-slept", |b| {
        b.reading.number = NumberForm::NegativeRead
    }),
    ("octal-read", |b| b.reading.number = NumberForm::Octal),
    ("radix-prefix-read", |b| {
        b.reading.number = NumberForm::RadixPrefix
    }),
    ("underscore-accepted", |b| {
        b.reading.number = NumberForm::Underscores
    }),
    ("junk-accepted", |b| {
        b.reading.number = NumberForm::LeadingRun
    }),
    ("unicode-digits-read", |b| {
        b.reading.number = NumberForm::UnicodeDigits
    }),
    ("unicode-space-trimmed", |b| {
        b.reading.number = NumberForm::UnicodeSpace
    }),
    ("fraction-accepted", |b| {
        b.reading.number = NumberForm::Fraction(Rounding::Exact)
    }),
    ("fraction-truncated", |b| {
        b.reading.number = NumberForm::Fraction(Rounding::Down)
    }),
    ("fraction-rounded-up", |b| {
        b.reading.number = NumberForm::Fraction(Rounding::Up)
    }),
    ("float-read", |b| b.reading.number = NumberForm::Float),
    ("zero-is-now", |b| b.reading.zero_is_now = true),
    ("empty-is-zero", |b| b.reading.empty_is_zero = true),
    ("leading-zero-refused", |b| {
        b.reading.number = NumberForm::LeadingZeroRefused
    }),
    ("first-of-list", |b| b.reading.lines = Lines::First),
    ("last-of-list", |b| b.reading.lines = Lines::Last),
    ("digits-concatenated", |b| {
        b.reading.lines = Lines::Concatenated
    }),
    ("repeated-header-raises", |b| b.reading.lines = Lines::Raise),
];

/// Dates.
const DATES: &[(&str, Switch)] = &[
    ("date-ignored", |b| {
        b.reading.dates.imf_refused = true;
        b.reading.dates.rfc850_refused = true;
        b.reading.dates.asctime = Asctime::Refused;
    }),
    ("imf-only", |b| {
        b.reading.dates.rfc850_refused = true;
        b.reading.dates.asctime = Asctime::Refused;
    }),
    ("rfc850-refused", |b| b.reading.dates.rfc850_refused = true),
    ("asctime-refused", |b| {
        b.reading.dates.asctime = Asctime::Refused
    }),
    ("asctime-day-padding-refused", |b| {
        b.reading.dates.asctime = Asctime::UnpaddedOnly
    }),
    ("rfc850-year-in-1900s", |b| {
        b.reading.dates.years_in_1900s = true
    }),
    ("date-truncated", |b| {
        b.reading.dates.rounding = Rounding::Down
    }),
    ("date-wait-exact", |b| {
        b.reading.dates.rounding = Rounding::Exact
    }),
    ("date-in-local-zone", |b| b.reading.dates.local_zone = true),
    ("lenient-dates", |b| b.reading.dates.lenient = true),
    ("day-overflow-accepted", |b| {
        b.reading.dates.days_overflow = true
    }),
    ("past-date-is-now", |b| b.reading.dates.past_is_now = true),
    ("year-read-as-date", |b| b.reading.year_as_date = true),
    ("odd-date-raises", |b| {
        b.reading.dates.odd_weekday_raises = true
    }),
];

/// What is retried, and how often.
const COUNTED: &[(&str, Switch)] = &[
    ("one-attempt-too-many", |b| {
        b.retries.attempts = Attempts::OneTooMany
    }),
    ("one-attempt-too-few", |b| {
        b.retries.attempts = Attempts::OneTooFew
    }),
    ("zero-retries-not-zero", |b| {
        b.retries.attempts = Attempts::OneIsDefault
    }),
    ("throttled-not-counted", |b| {
        b.retries.told_replies_uncounted = true
    }),
    ("sleeps-after-last-attempt", |b| {
        b.retries.sleeps_after_last = true
    }),
    ("retries-500", |b| b.retries.also_at = Some(500)),
    ("retries-404", |b| b.retries.also_at = Some(404)),
    ("unsafe-post-retried", |b| b.retries.unsafe_post = true),
    ("transport-not-retried", |b| b.retries.transport_ends = true),
    ("timeout-not-retried", |b| b.retries.timeout_ends = true),
    ("timed-out-download-retried", |b| {
        b.retries.timed_out_download = true
    }),
    ("502-not-retried", |b| b.retries.bad_gateway_ends = true),
    ("body-lost-on-retry", |b| b.retries.body_lost = true),
    ("method-lost-on-retry", |b| b.retries.method_lost = true),
];

/// The local delay.
const LOCAL: &[(&str, Switch)] = &[
    ("backoff-missing", |b| b.backoff.growth = Growth::Missing),
    ("backoff-constant", |b| b.backoff.growth = Growth::Constant),
    ("backoff-linear", |b| b.backoff.growth = Growth::Linear),
    ("backoff-plateaus", |b| b.backoff.growth = Growth::Plateau),
    ("backoff-wraps", |b| b.backoff.growth = Growth::Wrapping),
    ("backoff-starts-late", |b| {
        b.backoff.growth = Growth::StartsLate
    }),
    ("backoff-uncapped", |b| b.backoff.growth = Growth::Uncapped),
    ("base-exempt-from-ceiling", |b| {
        b.backoff.growth = Growth::BaseExempt
    }),
    ("jitter-missing", |b| b.backoff.jitter = Jitter::Missing),
    ("jitter-inside-ceiling", |b| {
        b.backoff.jitter = Jitter::InsideCeiling
    }),
    ("backoff-skips-told-waits", |b| {
        b.backoff.skips_told_waits = true
    }),
];

/// Cancellation, the hook and the error.
const CALLER: &[(&str, Switch)] = &[
    ("cancel-ignored-while-waiting", |b| {
        b.cancel = Cancelling::WaitsForTimer
    }),
    ("cancel-ignored", |b| b.cancel = Cancelling::Ignored),
    ("cancel-loses-to-ready-timer", |b| {
        b.cancel = Cancelling::LosesToReadyTimer
    }),
    ("cancel-before-start-ignored", |b| {
        b.cancel = Cancelling::SendsFirstAttempt
    }),
    ("cancel-ends-the-call-but-not-the-timer", |b| {
        b.cancel = Cancelling::LeavesTimerRunning
    }),
    ("cancel-is-an-error", |b| b.cancel = Cancelling::RaisesError),
    ("retry-after-missing-on-error", |b| {
        b.report.error = ErrorWait::Missing
    }),
    ("retry-after-clamped-on-error", |b| {
        b.report.error = ErrorWait::Clamped
    }),
    ("retry-after-saturated-on-error", |b| {
        b.report.error = ErrorWait::Saturated
    }),
    ("hook-counts-from-zero", |b| b.report.hook_from_zero = true),
    ("hook-reports-backoff", |b| {
        b.report.hook_reports_backoff = true
    }),
    ("hook-after-wait", |b| b.report.hook_after_wait = true),
    ("first-error-raised", |b| b.report.first_error = true),
    ("stale-told-wait-on-error", |b| b.report.stale_told = true),
];

/// Pages, hops, and the replay after a refresh.
const LOOPS: &[(&str, Switch)] = &[
    ("page-not-retried", |b| b.pages.later_not_retried = true),
    ("restarts-at-page-one", |b| b.pages.restart_at_first = true),
    ("attempts-shared-by-pages", |b| {
        b.pages.attempts_shared = true
    }),
    ("told-wait-on-success", |b| b.told.on_success = true),
    ("told-wait-on-redirect", |b| b.told.on_redirect = true),
    ("hop-2-retried", |b| b.hops.second_retried = true),
    ("hop-2-keeps-credentials", |b| {
        b.hops.second_keeps_credentials = true
    }),
    ("refresh-before-budget-check", |b| {
        b.auth.refresh_before_budget = true
    }),
    ("refresh-not-tried", |b| b.auth.never_refreshed = true),
    ("refreshes-twice", |b| b.auth.refreshed_again = true),
    ("backoff-before-replay", |b| {
        b.auth.backoff_before_replay = true
    }),
    ("replay-not-counted", |b| b.auth.replay_uncounted = true),
    ("replay-with-old-token", |b| {
        b.auth.old_token_replayed = true
    }),
    ("told-honoured-out-of-scope", |b| {
        b.auth.told_before_replay = true
    }),
    ("replay-advances-backoff", |b| {
        b.auth.replay_moves_backoff = true
    }),
    ("replay-fires-hook", |b| b.auth.replay_fires_hook = true),
    ("hop-2-redirect-followed", |b| {
        b.hops.second_follows_redirects = true
    }),
];

/// Which clock is read, how often, and where the process is at home.
const CLOCKS: &[(&str, Switch)] = &[
    ("two-clock-readings", |b| {
        b.reading.dates.clock_read_twice = true;
        b.told.manner = Manner::MonotonicDeadline;
    }),
    ("deadline-on-the-wall-clock", |b| {
        b.told.manner = Manner::WallSlices
    }),
    ("local-delay-on-the-wall-clock", |b| {
        b.backoff.manner = Manner::WallDeadline
    }),
    ("time-limit-on-the-wall-clock", |b| {
        b.retries.limit_on_wall = true
    }),
    ("wait-counted-from-the-request", |b| {
        b.told.from_the_request = true
    }),
    ("distance-in-local-civil-time", |b| {
        b.reading.dates.civil_distance = true
    }),
    ("names-in-local-language", |b| {
        b.reading.dates.local_names = true
    }),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_are_unique_and_in_kebab_case() {
        let distinct: BTreeSet<_> = defects().iter().collect();
        assert_eq!(distinct.len(), defects().len());
        let is_kebab = |name: &&&str| {
            name.bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
        };
        assert_eq!(defects().iter().find(|name| !is_kebab(name)), None);
    }

    #[test]
    fn every_defect_changes_the_behaviour_and_no_two_alike() {
        let conforming = Behaviour::default();
        let mut seen: Vec<(&str, Behaviour)> = vec![("none", conforming)];
        for name in defects() {
            let changed = behaviour(Some(name)).unwrap();
            let twin = seen.iter().find(|(_, earlier)| *earlier == changed);
            assert_eq!(twin.map(|(twin, _)| *twin), None, "{name}");
            seen.push((name, changed));
        }
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_nearest() {
        let error = behaviour(Some("ignored-at-530")).unwrap_err();
        assert_eq!(error.nearest, "ignored-at-503");
        assert!(error.to_string().contains("cap-30s"));
    }

    #[test]
    fn two_defects_are_joined_by_a_plus() {
        let both = behaviour(Some("jitter-missing+retries-500")).unwrap();
        assert_eq!(both.backoff.jitter, Jitter::Missing);
        assert_eq!(both.retries.also_at, Some(500));
        assert!(behaviour(Some("jitter-missing+")).is_err());
    }
}
