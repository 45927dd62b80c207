//! Measured times: how they are shown, and when sleeps agree.

use crate::adapter::protocol::ClockKind;
use crate::model::{Allowed, Span, Tolerance};

/// At most so many sleeps are listed in a message.
const LISTED_SLEEPS: usize = 8;

pub(super) fn listed(items: impl Iterator<Item = String>) -> String {
    let items: Vec<_> = items.collect();
    let shown = items
        .iter()
        .take(LISTED_SLEEPS)
        .cloned()
        .collect::<Vec<_>>()
        .join(", ");
    match items.len().checked_sub(LISTED_SLEEPS) {
        _ if items.is_empty() => "none".to_owned(),
        None | Some(0) => shown,
        Some(more) => format!("{shown} and {more} more"),
    }
}

/// Whether sleeps are those expected; whether one of no time is asked for at
/// all is the client's affair.
pub(super) fn sleeps_agree(wanted: &[Allowed], seen: &[Span], tolerance: Tolerance) -> bool {
    if wanted.contains(&Allowed::Observed) {
        return true;
    }
    let mut seen = seen.iter().filter(|span| !span.is_zero()).peekable();
    for wanted in wanted {
        match seen.peek() {
            Some(span) if wanted.contains(**span, tolerance) => {
                seen.next();
            }
            _ if wanted.contains(Span::ZERO, tolerance) => {}
            _ => return false,
        }
    }
    seen.next().is_none()
}

/// Whether sleeps are among those seen, in their order.
pub(super) fn sleeps_are_among(wanted: &[Allowed], seen: &[Span], tolerance: Tolerance) -> bool {
    let mut seen = seen.iter();
    wanted.iter().all(|wanted| {
        wanted.contains(Span::ZERO, tolerance) || seen.any(|span| wanted.contains(*span, tolerance))
    })
}

/// A measured time as it is shown.
pub(super) fn shown(clock: ClockKind, seen: Span) -> String {
    match clock {
        ClockKind::Real => {
            const STEP: i128 = 100_000_000;
            Span::from_nanos((seen.as_nanos() / STEP).saturating_mul(STEP)).to_string()
        }
        ClockKind::Injected => seen.to_string(),
        ClockKind::Virtual => without_noise(seen).to_string(),
    }
}

/// A time under the virtual clock without what a runtime spends between two
/// instants, so that two runs read the same. What is less than whole is exact:
/// nobody arrives early by noise.
pub fn without_noise(seen: Span) -> Span {
    const STEP: i128 = 1_000_000;
    const NOISE: i128 = 100_000;
    let noise = seen.as_nanos().rem_euclid(STEP);
    if noise <= NOISE {
        Span::from_nanos(seen.as_nanos() - noise)
    } else {
        seen
    }
}

pub(super) fn counted(count: usize, noun: &str) -> String {
    let plural = if noun.ends_with('h') { "es" } else { "s" };
    if count == 1 {
        format!("1 {noun}")
    } else {
        format!("{count} {noun}{plural}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secs<const N: usize>(lengths: [i128; N]) -> Vec<Span> {
        lengths.map(Span::from_secs).to_vec()
    }

    #[test]
    fn noise_is_not_shown_and_what_is_early_is() {
        let shown = |nanos| without_noise(Span::from_nanos(nanos)).as_nanos();
        assert_eq!(shown(3_000_000_700), 3_000_000_000);
        assert_eq!(shown(2_999_999_999), 2_999_999_999);
        assert_eq!(shown(3_001_000_000), 3_001_000_000);
    }

    #[test]
    fn sleeps_are_found_among_other_waits_but_not_in_another_order() {
        let wanted: Vec<_> = secs([3, 0, 5]).into_iter().map(Allowed::exact).collect();
        let among = |seen: &[Span]| sleeps_are_among(&wanted, seen, Tolerance::EXACT);
        assert!(among(&secs([60, 3, 60, 5])));
        assert!(!among(&secs([5, 3])));
        assert!(!among(&secs([3])));
        assert!(!sleeps_agree(&wanted, &secs([3, 60, 5]), Tolerance::EXACT));
    }
}
