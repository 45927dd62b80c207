//! The host and the setting that fixtures are checked for.

use jiff::Timestamp;

use crate::adapter::protocol::ClockKind;
use crate::fixture::Case;
use crate::model::{Feature, Host, HostLoop, Runtime, SleepStyle, Span, wall_shifted};
use crate::oracle::Setting;
use crate::spec::{Param, Spec};

/// A host that can run everything: every loop of the specification, every knob,
/// every feature; it parses what a 64-bit integer holds and schedules what 32
/// bits of seconds hold (SPEC.md §11).
pub fn nominal_host(spec: &Spec) -> Host {
    Host {
        name: "nominal".to_owned(),
        loops: spec
            .loops
            .iter()
            .map(|row| (row.id.clone(), HostLoop::default()))
            .collect(),
        params: Param::ALL
            .iter()
            .map(ToString::to_string)
            .chain(["max_attempts".to_owned()])
            .collect(),
        features: Feature::ALL.into(),
        clocks: [ClockKind::Injected, ClockKind::Virtual, ClockKind::Real].into(),
        sleeps: SleepStyle::Duration,
        runtime: Runtime::Other,
        parse_limit: Some(Span::from_secs(i128::from(i64::MAX))),
        schedule_limit: Some(Span::from_secs(i128::from(i32::MAX))),
    }
}

/// The setting in which a case is checked on a host: the clock that the runner
/// owns most of, at the beginning of 2030 unless the case says otherwise.
pub fn nominal_setting<'a>(
    spec: &'a Spec,
    case: &'a Case,
    host: &'a Host,
    clock: ClockKind,
) -> Setting<'a> {
    let phase = case.clock.phase.unwrap_or(Span::ZERO);
    let year_2030 = wall_shifted(Timestamp::UNIX_EPOCH, Span::from_secs(1_893_456_000));
    let wall = case
        .clock
        .start
        .unwrap_or_else(|| wall_shifted(year_2030, phase));
    Setting {
        spec,
        case,
        host,
        clock,
        wall,
        horizon: None,
    }
}
