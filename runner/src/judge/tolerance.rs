//! How exactly each clock lets instants be measured. Every constant has its
//! reason; the judge uses no other number.

use crate::adapter::protocol::ClockKind;
use crate::fixture::Distinct;
use crate::model::{Host, SleepStyle, Span, Tolerance};
use crate::oracle::{Seen, Setting, Visibility};

/// Under the real clock a timer may fire early by its own rounding: Node and
/// some event loops round to the millisecond, and two clocks are compared.
pub const REAL_EARLY: Span = Span::from_millis(5);

/// Under the real clock a reply, a timer and the next request may be late
/// together: 350 ms have been seen on shared continuous-integration machines.
pub const REAL_LATE: Span = Span::from_millis(400);

/// How far a measured instant may lie from what it stands for.
pub fn tolerance(clock: ClockKind, _host: &Host) -> Tolerance {
    match clock {
        // The runner moves this clock itself, so nothing is rounded.
        ClockKind::Injected => Tolerance::EXACT,
        // A reading costs a nanosecond and a timed wait that is over a
        // microsecond; runtimes round timers to a millisecond at most.
        ClockKind::Virtual => Tolerance {
            early: Span::from_nanos(2_000),
            late: Span::from_nanos(1_100_000),
        },
        ClockKind::Real => Tolerance {
            early: REAL_EARLY,
            late: REAL_LATE,
        },
    }
}

/// What can be seen of a host under a clock, over so many runs.
pub fn visibility(clock: ClockKind, host: &Host, runs: u32) -> Visibility {
    Visibility::of(
        host,
        tolerance(clock, host),
        Seen::when(asked_is_seen(clock, host)),
        runs,
    )
}

/// What can be seen of a case in its setting.
pub fn case_visibility(setting: &Setting<'_>) -> Visibility {
    let mut calls = setting.case.expect.calls.values();
    let differ = calls.any(|call| call.distinct == Some(Distinct::Differ));
    Visibility {
        draws_differ: Seen::when(differ),
        ..visibility(setting.clock, setting.host, setting.case.runs)
    }
}

/// Whether sleeps are seen as they are asked for, whole.
pub(super) fn asked_is_seen(clock: ClockKind, host: &Host) -> bool {
    clock != ClockKind::Real && host.sleeps == SleepStyle::Duration
}
