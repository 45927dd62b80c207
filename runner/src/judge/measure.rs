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

/// A measured time as it is shown.
pub(super) fn shown(clock: ClockKind, seen: Span) -> String {
    match clock {
        ClockKind::Real => {
            const STEP: i128 = 100_000_000;
            Span::from_nanos((seen.as_nanos() / STEP).saturating_mul(STEP)).to_string()
        }
        ClockKind::Injected | ClockKind::Virtual => seen.to_string(),
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
