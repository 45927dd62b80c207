//! The local delay: exponential under a ceiling, plus jitter.

use crate::behaviour::{Backoff, Growth, Jitter};
use crate::random::Random;
use crate::span::Span;

const CEILING: Span = Span::from_secs(30);

/// The knobs of the local delay.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Knobs {
    pub(crate) base: Span,
    pub(crate) max_jitter: Span,
}

/// Delay before retry `index` (0 is the first): `min(base * 2^i, 30s)` plus a
/// draw from `U(0, max_jitter)`.
pub(crate) fn delay(knobs: Knobs, rules: Backoff, index: u32, random: &mut Random) -> Span {
    if rules.growth == Growth::Missing {
        return Span::ZERO;
    }
    let without = without_jitter(knobs, rules, index);
    match rules.jitter {
        Jitter::OnTop => without + random.up_to(knobs.max_jitter),
        Jitter::Missing => without,
        Jitter::InsideCeiling => (without + random.up_to(knobs.max_jitter)).min(CEILING),
    }
}

/// The part of the delay that is no draw.
pub(crate) fn without_jitter(knobs: Knobs, rules: Backoff, index: u32) -> Span {
    let base = knobs.base;
    match rules.growth {
        Growth::Doubling => doubled(base, index).min(CEILING),
        Growth::Missing => Span::ZERO,
        Growth::Constant => base.min(CEILING),
        Growth::Linear => base.times(i128::from(index) + 1).min(CEILING),
        Growth::Plateau => doubled(base, index.min(3)).min(CEILING),
        Growth::Wrapping => wrapped(base, index).min(CEILING),
        Growth::StartsLate => doubled(base, index.saturating_add(1)).min(CEILING),
        Growth::BaseExempt if index == 0 => base,
        Growth::BaseExempt => doubled(base, index).min(CEILING),
        Growth::Uncapped => doubled(base, index),
    }
}

/// `base * 2^index`, saturating, without ever forming the power.
fn doubled(base: Span, index: u32) -> Span {
    // 127 doublings of a nanosecond fill the type.
    (0..index.min(127)).fold(base, |delay, _| delay.times(2))
}

fn wrapped(base: Span, index: u32) -> Span {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "wrapping is what this defect is about"
    )]
    let millis = (base.nanos() / 1_000_000) as i32;
    // 32 doublings leave nothing of 32 bits.
    let millis = (0..index.min(32)).fold(millis, |millis, _| millis.wrapping_mul(2));
    Span::from_millis(millis.max(0).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::defects::behaviour;

    fn secs(defect: Option<&str>, base: i128, indices: &[u32]) -> Vec<String> {
        let rules = behaviour(defect).unwrap().backoff;
        let knobs = Knobs {
            base: Span::from_secs(base),
            max_jitter: Span::ZERO,
        };
        let mut random = Random::new(1, "a");
        indices
            .iter()
            .map(|index| delay(knobs, rules, *index, &mut random).to_decimal())
            .collect()
    }

    #[test]
    fn doubles_up_to_the_ceiling_and_stays_there() {
        let delays = secs(None, 1, &[0, 1, 2, 3, 4, 5, 6, 31, 63, 64, u32::MAX]);
        assert_eq!(
            delays,
            ["1", "2", "4", "8", "16", "30", "30", "30", "30", "30", "30"]
        );
        assert_eq!(secs(None, 45, &[0]), ["30"]);
        assert_eq!(secs(None, 0, &[0, 200]), ["0", "0"]);
    }

    #[test]
    fn each_defect_grows_in_its_own_way() {
        for (defect, base, expected) in [
            ("backoff-missing", 1, ["0", "0", "0", "0"]),
            ("backoff-constant", 1, ["1", "1", "1", "1"]),
            ("backoff-linear", 1, ["1", "2", "5", "23"]),
            ("backoff-plateaus", 1, ["1", "2", "8", "8"]),
            ("backoff-wraps", 1, ["1", "2", "16", "0"]),
            ("backoff-starts-late", 1, ["2", "4", "30", "30"]),
            ("backoff-uncapped", 1, ["1", "2", "16", "4194304"]),
            ("base-exempt-from-ceiling", 45, ["45", "30", "30", "30"]),
        ] {
            assert_eq!(
                secs(Some(defect), base, &[0, 1, 4, 22]),
                expected,
                "{defect}"
            );
        }
    }

    #[test]
    fn jitter_is_added_after_the_ceiling() {
        let knobs = Knobs {
            base: Span::from_secs(30),
            max_jitter: Span::from_millis(100),
        };
        let range = |defect| {
            let rules = behaviour(defect).unwrap().backoff;
            let mut random = Random::new(1, "a");
            let draws = (0..50).map(|_| delay(knobs, rules, 3, &mut random));
            let draws: Vec<_> = draws.collect();
            (*draws.iter().min().unwrap(), *draws.iter().max().unwrap())
        };
        let (low, high) = range(None);
        assert!(low > CEILING && high <= CEILING + Span::from_millis(100));
        assert_eq!(range(Some("jitter-missing")), (CEILING, CEILING));
        assert_eq!(range(Some("jitter-inside-ceiling")), (CEILING, CEILING));
    }
}
