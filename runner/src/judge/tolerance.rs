//! How exactly each clock lets instants be measured. Every constant has its
//! reason; the judge uses no other number.

use crate::adapter::protocol::ClockKind;
use crate::fixture::{Body, Case, Distinct, Step};
use crate::model::{Host, Runtime, SleepStyle, Span, TokenText, Tolerance};
use crate::oracle::{CallExpectation, Gap, Seen, Setting, Visibility};

/// Under the real clock a timer may fire early by its own rounding: Node and
/// some event loops round to the millisecond, and two clocks are compared.
pub const REAL_EARLY: Span = Span::from_millis(5);

/// Under the real clock a reply, a timer and the next request may be late
/// together: 350 ms have been seen on shared continuous-integration machines.
pub const REAL_LATE: Span = Span::from_millis(400);

/// Under the virtual clock a reading costs a nanosecond, and a timed wait that
/// is over when it begins a microsecond. Python, Ruby, PHP and Go make a few of
/// each between a reply and the request after it.
pub const VIRTUAL_LATE: Span = Span::from_nanos(10_000);

/// A Java machine begins more waits: its locks are timed ones.
pub const VIRTUAL_LATE_JVM: Span = Span::from_nanos(20_000);

/// Node turns its event loop several times, with a look at the clock and an
/// empty wait in each.
pub const VIRTUAL_LATE_NODE: Span = Span::from_nanos(60_000);

/// tokio rounds a timer up to the next whole millisecond; and so may a runtime
/// of which nothing is known.
pub const VIRTUAL_LATE_MILLISECOND: Span = Span::from_nanos(1_100_000);

/// An event loop in Python waits in epoll, whose unit is the millisecond:
/// `selectors.EpollSelector` rounds what is left up to whole ones as a float,
/// and `select.epoll.poll` rounds that up once more, to the next one where the
/// float lies above (36 ms is 0.036000000000000004 s). What is left is not whole
/// where another call of the client has woken the loop meanwhile.
pub const VIRTUAL_LATE_PYTHON_LOOP: Span = Span::from_nanos(2_100_000);

/// Python and Ruby count the seconds up to a date in floating point, which at a
/// billion seconds has steps of a quarter of a microsecond; a sum and a
/// difference of such numbers may end before the date.
pub const VIRTUAL_DATE_EARLY: Span = Span::from_nanos(2_000);

/// Readings of a ticking clock that a runtime makes during one attempt and the
/// decision after it, at most: under the virtual clock each of them ticks, not
/// the SDK's own alone. `check` refuses a tick at which so many outlast a
/// timeout.
pub const READINGS: u64 = 1_000;

/// Under a ticking clock a runtime's own readings, to make a deadline of a
/// length of time, shorten what is left to be asked for.
const OWN_READINGS: u64 = 2;

/// How far a measured instant may lie from what it stands for, whatever the
/// case.
pub fn tolerance(clock: ClockKind, host: &Host) -> Tolerance {
    match clock {
        // The runner moves this clock itself, so nothing is rounded.
        ClockKind::Injected => Tolerance::EXACT,
        ClockKind::Virtual => Tolerance {
            early: Span::ZERO,
            late: virtual_late(host),
        },
        ClockKind::Real => Tolerance {
            early: REAL_EARLY,
            late: REAL_LATE,
        },
    }
}

fn virtual_late(host: &Host) -> Span {
    match host.runtime {
        Runtime::Python if host.sleeps == SleepStyle::Sliced => VIRTUAL_LATE_PYTHON_LOOP,
        Runtime::Python | Runtime::Ruby | Runtime::Php | Runtime::Go => VIRTUAL_LATE,
        Runtime::Jvm => VIRTUAL_LATE_JVM,
        Runtime::Node => VIRTUAL_LATE_NODE,
        Runtime::Tokio | Runtime::Other => VIRTUAL_LATE_MILLISECOND,
    }
}

/// How far a measured instant may lie from what it stands for.
pub fn case_tolerance(setting: &Setting<'_>) -> Tolerance {
    let mut tolerance = tolerance(setting.clock, setting.host);
    if setting.clock != ClockKind::Virtual {
        return tolerance;
    }
    let in_floats = matches!(setting.host.runtime, Runtime::Python | Runtime::Ruby);
    if in_floats && tells_a_date(setting.case) {
        tolerance.early = VIRTUAL_DATE_EARLY;
    }
    if let Some(tick) = setting.case.clock.tick {
        tolerance.late += tick * READINGS;
    }
    tolerance
}

/// How far an instant of a call may lie from what it stands for.
pub(super) fn call_tolerance(setting: &Setting<'_>, call: &CallExpectation) -> Tolerance {
    let mut tolerance = case_tolerance(setting);
    let in_slices = |longest: Span| longest > SleepStyle::SLICE;
    let is_long = |gap: &Gap| gap.length.longest().is_some_and(in_slices);
    // Whoever sleeps in slices reads the clock in each, which costs some
    // nanoseconds, and rounds what is left in the last one up to a millisecond.
    if setting.clock == ClockKind::Virtual
        && setting.host.sleeps == SleepStyle::Sliced
        && call.gaps().any(is_long)
    {
        tolerance.late = tolerance.late.max(VIRTUAL_LATE_MILLISECOND);
    }
    tolerance
}

/// How far a length may lie from what was expected that the SDK itself says or
/// asks for: under the virtual clock it has read its clock, and time went on,
/// since the reply.
pub(super) fn told_tolerance(setting: &Setting<'_>) -> Tolerance {
    let tolerance = case_tolerance(setting);
    if setting.clock != ClockKind::Virtual {
        return tolerance;
    }
    let tick = setting.case.clock.tick.unwrap_or(Span::ZERO);
    let late = virtual_late(setting.host);
    Tolerance {
        early: tolerance.early + VIRTUAL_LATE + tick * OWN_READINGS,
        // Waits for the network are rounded up to a millisecond by the kernel's own unit.
        late: late.max(VIRTUAL_LATE_MILLISECOND),
    }
}

fn tells_a_date(case: &Case) -> bool {
    let reads = |text: &TokenText| text.reads_the_clock();
    let is_dated = |step: &Step| {
        step.headers.iter().any(|(_, value)| reads(value))
            || matches!(&step.body, Body::Json(text) | Body::Text(text) if reads(text))
    };
    case.script.iter().any(is_dated)
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
        tolerance: case_tolerance(setting),
        draws_differ: Seen::when(differ),
        ..visibility(setting.clock, setting.host, setting.case.runs)
    }
}

/// Whether sleeps are seen as they are asked for, whole.
pub(super) fn asked_is_seen(clock: ClockKind, host: &Host) -> bool {
    let is_whole = host.sleeps == SleepStyle::Duration;
    match clock {
        ClockKind::Injected => is_whole,
        // tokio asks its kernel for a long wait slice by slice.
        ClockKind::Virtual => is_whole && host.runtime != Runtime::Tokio,
        ClockKind::Real => false,
    }
}

/// Whether nothing but the SDK's sleeps is seen where sleeps are.
pub(super) fn only_sleeps_are_seen(clock: ClockKind, host: &Host) -> bool {
    // The kernel is asked for many other waits, by every thread of a process.
    clock == ClockKind::Injected && asked_is_seen(clock, host)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::check::nominal_host;
    use crate::spec::Spec;

    const SPEC: &str = include_str!("../../../SPEC.md");

    #[test]
    fn only_an_event_loop_in_python_may_be_late_by_the_unit_of_epoll() {
        let spec = Spec::parse(Path::new("SPEC.md"), SPEC).unwrap();
        let late = |runtime, sleeps| {
            let host = Host {
                runtime,
                sleeps,
                ..nominal_host(&spec)
            };
            tolerance(ClockKind::Virtual, &host).late
        };
        let two_and_a_bit = Span::from_nanos(2_000_094);
        assert!(late(Runtime::Python, SleepStyle::Sliced) >= two_and_a_bit);
        assert!(late(Runtime::Python, SleepStyle::Sliced) < Span::from_millis(3));
        assert_eq!(late(Runtime::Python, SleepStyle::Duration), VIRTUAL_LATE);
        assert_eq!(late(Runtime::Ruby, SleepStyle::Sliced), VIRTUAL_LATE);
    }
}
