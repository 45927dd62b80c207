//! Whether two expectations can be told apart by watching.

use super::expectation::{CallExpectation, Expectation, ExpectedOutcome};
use crate::model::{Allowed, Feature, Host, Interval, SleepStyle, Span, Tolerance};

/// What can be seen of a host under a clock.
#[derive(Clone, Debug)]
pub struct Visibility {
    /// How exactly instants are measured.
    pub tolerance: Tolerance,
    /// Whether sleeps are seen as they are asked for.
    pub asked: Seen,
    /// Whether the retry hook is seen.
    pub hooks: Seen,
    /// Whether the told wait on the error is seen.
    pub told_on_error: Seen,
    /// How many runs are judged together.
    pub runs: u32,
    /// Whether runs are judged on whether their draws differ.
    pub draws_differ: Seen,
}

/// Whether something is seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// It is.
    Yes,
    /// It is not.
    No,
}

impl Seen {
    /// `Yes` if `condition` holds.
    pub fn when(condition: bool) -> Self {
        if condition { Self::Yes } else { Self::No }
    }
}

impl Visibility {
    /// What can be seen of `host` with this tolerance; `asked` only under an
    /// owned clock, and only where the host asks for whole waits.
    pub fn of(host: &Host, tolerance: Tolerance, owned: Seen, runs: u32) -> Self {
        let feature = |feature| Seen::when(host.features.contains(&feature));
        Self {
            tolerance,
            asked: Seen::when(owned == Seen::Yes && host.sleeps == SleepStyle::Duration),
            hooks: feature(Feature::RetryHook),
            told_on_error: feature(Feature::RetryAfterOnError),
            runs,
            draws_differ: Seen::No,
        }
    }
}

/// A defect is missed with less than this probability, or it does not count as
/// caught.
const MOST_MISSES: f64 = 1e-6;

/// Whether a client that keeps to `wrong` is caught by one that expects
/// `right`.
pub fn tells_apart(right: &Expectation, wrong: &Expectation, visibility: &Visibility) -> bool {
    if right.calls.len() != wrong.calls.len()
        || right.unserved != wrong.unserved
        || right.overflow != wrong.overflow
    {
        return true;
    }
    let mut missed = 1.0;
    for (id, right) in &right.calls {
        let Some(wrong) = wrong.calls.get(id) else {
            return true;
        };
        match missed_call(right, wrong, visibility) {
            Some(call) => missed *= call,
            None => return true,
        }
    }
    missed.powi(i32::try_from(visibility.runs).unwrap_or(i32::MAX)) < MOST_MISSES
}

/// Probability that one run of a call looks right although it is wrong; `None`
/// if it cannot.
fn missed_call(
    right: &CallExpectation,
    wrong: &CallExpectation,
    visibility: &Visibility,
) -> Option<f64> {
    same_shape(right, wrong, visibility).then_some(())?;
    let mut missed = overlap(&right.lead, &wrong.lead, visibility.tolerance);
    for (right, wrong) in right.gaps().zip(wrong.gaps()) {
        missed *= overlap(&right.length, &wrong.length, visibility.tolerance);
    }
    if right.attempts.len() <= 1 || right.gaps().all(|gap| gap.length.as_exact().is_some()) {
        missed *= overlap(&right.ends, &wrong.ends, visibility.tolerance);
    }
    if visibility.asked == Seen::Yes {
        missed *= missed_sleeps(&right.asked, &wrong.asked)?;
    }
    if visibility.hooks == Seen::Yes {
        for (right, wrong) in right.hooks.iter().zip(&wrong.hooks) {
            missed *= overlap(&right.delay, &wrong.delay, visibility.tolerance);
            if right.at.as_exact().is_some() {
                missed *= overlap(&right.at, &wrong.at, visibility.tolerance);
            }
        }
    }
    if visibility.draws_differ == Seen::Yes && visibility.runs > 1 && never_draws(right, wrong) {
        return None;
    }
    Some(missed)
}

/// A draw is expected and every one is the same value.
fn never_draws(right: &CallExpectation, wrong: &CallExpectation) -> bool {
    let drawn = |length: &Allowed| length.as_exact().is_none() && *length != Allowed::Observed;
    let mut positions = right
        .gaps()
        .zip(wrong.gaps())
        .filter(|(right, _)| drawn(&right.length))
        .peekable();
    positions.peek().is_some() && positions.all(|(_, wrong)| wrong.length.as_exact().is_some())
}

fn same_shape(right: &CallExpectation, wrong: &CallExpectation, visibility: &Visibility) -> bool {
    let requests = |call: &CallExpectation| {
        call.attempts
            .iter()
            .map(|attempt| attempt.request.clone())
            .collect::<Vec<_>>()
    };
    let kinds = |call: &CallExpectation| call.gaps().map(|gap| gap.kind).collect::<Vec<_>>();
    let hooks = |call: &CallExpectation| {
        call.hooks
            .iter()
            .map(|hook| (hook.failed_attempt, hook.next_attempt, hook.status))
            .collect::<Vec<_>>()
    };
    requests(right) == requests(wrong)
        && kinds(right) == kinds(wrong)
        && right.late_attempts == wrong.late_attempts
        && right.refreshes == wrong.refreshes
        && same_outcome(&right.outcome, &wrong.outcome, visibility)
        && (visibility.hooks == Seen::No || hooks(right) == hooks(wrong))
}

fn same_outcome(right: &ExpectedOutcome, wrong: &ExpectedOutcome, visibility: &Visibility) -> bool {
    match (right, wrong) {
        (
            ExpectedOutcome::Raised {
                kind,
                status,
                retry_after,
            },
            ExpectedOutcome::Raised {
                kind: other_kind,
                status: other_status,
                retry_after: other_told,
            },
        ) => {
            let told = match (retry_after, other_told) {
                (None, None) | (Some(Allowed::Observed), _) => true,
                (Some(right), Some(wrong)) => overlap(right, wrong, Tolerance::EXACT) > 0.0,
                _ => false,
            };
            kind == other_kind
                && status == other_status
                && (visibility.told_on_error == Seen::No || told)
        }
        (right, wrong) => right == wrong,
    }
}

/// Probability that the sleeps look right; sleeps of no time are not compared.
fn missed_sleeps(right: &[Allowed], wrong: &[Allowed]) -> Option<f64> {
    let real = |asked: &[Allowed]| {
        asked
            .iter()
            .filter(|length| length.as_exact() != Some(Span::ZERO))
            .cloned()
            .collect::<Vec<_>>()
    };
    let (right, wrong) = (real(right), real(wrong));
    (right.len() == wrong.len()).then(|| {
        right
            .iter()
            .zip(&wrong)
            .map(|(right, wrong)| overlap(right, wrong, ASKED_TOLERANCE))
            .product()
    })
}

/// Sleeps are asked for in whole nanoseconds.
const ASKED_TOLERANCE: Tolerance = Tolerance {
    early: Span::from_nanos(1),
    late: Span::from_nanos(1),
};

/// Probability that a length drawn from `wrong` lies in `right`.
fn overlap(right: &Allowed, wrong: &Allowed, tolerance: Tolerance) -> f64 {
    let (Allowed::AnyOf(rights), Allowed::AnyOf(wrongs)) = (right, wrong) else {
        return 1.0;
    };
    if right == wrong {
        return 1.0;
    }
    let share = |wrong: &Interval| -> f64 {
        if wrong.is_exact() {
            return if right.contains(wrong.lo, tolerance) {
                1.0
            } else {
                0.0
            };
        }
        let common: i128 = rights
            .iter()
            .map(|right| {
                let lo = (right.lo - tolerance.early).max(wrong.lo);
                let hi = (right.hi + tolerance.late).min(wrong.hi);
                (hi - lo).as_nanos().max(0)
            })
            .sum();
        #[expect(clippy::cast_precision_loss, reason = "a probability")]
        let share = common as f64 / wrong.width().as_nanos().max(1) as f64;
        share.min(1.0)
    };
    #[expect(clippy::cast_precision_loss, reason = "a probability")]
    let count = wrongs.len() as f64;
    wrongs.iter().map(share).sum::<f64>() / count
}
