//! Whether a host can run a case at all.

use super::setting::Setting;
use super::{Behaviour, expectation};
use crate::adapter::protocol::{ClockKind, ParamValue};
use crate::fixture::{CallStep, ClockNeed};
use crate::model::{Feature, SleepStyle, Span};

/// Why a host cannot run a case.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unsupported {
    /// It has no such loop.
    #[error("the adapter has no loop `{0}`")]
    Loop(String),
    /// A knob is fixed at another value.
    #[error("`{name}` is fixed at {fixed}, the case wants {wanted}")]
    Fixed {
        /// Knob.
        name: String,
        /// What the host has.
        fixed: String,
        /// What the case wants.
        wanted: String,
    },
    /// A knob is neither claimed nor stated.
    #[error("`{0}` can be neither set nor is it stated")]
    Knob(String),
    /// A feature is missing.
    #[error("the adapter does not claim the feature `{0}`")]
    Feature(&'static str),
    /// The clock in use cannot show it.
    #[error("the case needs the {wanted} clock, this run uses the {used} clock")]
    Clock {
        /// What the case needs.
        wanted: &'static str,
        /// What is used.
        used: &'static str,
    },
    /// Under the virtual clock it would sleep more often than anybody waits for.
    #[error(
        "the SDK sleeps a day at a time: a wait of {longest} is more sleeps than a run waits for"
    )]
    Sliced {
        /// The longest wait of the case.
        longest: Span,
    },
}

/// Sleeps that one wait may be made of under the virtual clock: each of them
/// costs the real time of a deadline.
const SLICES: u64 = 1_000;

impl Unsupported {
    /// Whether another clock would do.
    pub fn is_clock(&self) -> bool {
        matches!(self, Self::Clock { .. } | Self::Sliced { .. })
    }
}

/// Checks that the host can run the case under the setting's clock.
///
/// # Errors
/// The first reason why it cannot; reasons of the host before those of the clock.
pub fn supports(setting: &Setting<'_>) -> Result<(), Unsupported> {
    let (case, host) = (setting.case, setting.host);
    let Some(host_loop) = host.loops.get(&case.loop_id) else {
        return Err(Unsupported::Loop(case.loop_id.to_string()));
    };
    for (name, wanted) in &case.params {
        if host.params.contains(name) {
            continue;
        }
        match host_loop.constants.get(name) {
            Some(fixed) if fixed == wanted || stands_in(name, *fixed, *wanted) => {}
            Some(fixed) => {
                return Err(Unsupported::Fixed {
                    name: name.clone(),
                    fixed: shown(*fixed),
                    wanted: shown(*wanted),
                });
            }
            None => return Err(Unsupported::Knob(name.clone())),
        }
    }
    let cancels = case.calls.iter().any(|step| {
        matches!(
            step,
            CallStep::Cancel { .. }
                | CallStep::Call {
                    cancel: Some(_),
                    ..
                }
        )
    });
    let implied = cancels.then_some(Feature::Cancel);
    for feature in case.needs.features.iter().copied().chain(implied) {
        if !host.features.contains(&feature) {
            return Err(Unsupported::Feature(feature.as_str()));
        }
    }
    clock_serves(setting)?;
    slices_fit(setting)
}

/// The knob's default (SPEC.md §7.1): a case that wants no more jitter than this
/// is about something else.
const USUAL_JITTER: Span = Span::from_millis(100);

/// Whether a case can be judged with the SDK's own constant: less jitter leaves
/// every wait where the case can tell it from others, and the expectation is
/// derived with the constant.
fn stands_in(name: &str, fixed: ParamValue, wanted: ParamValue) -> bool {
    match (name, fixed, wanted) {
        ("max_jitter", ParamValue::Duration(fixed), ParamValue::Duration(wanted)) => {
            fixed <= wanted && wanted <= USUAL_JITTER
        }
        _ => false,
    }
}

fn shown(value: ParamValue) -> String {
    match value {
        ParamValue::Count(count) => count.to_string(),
        ParamValue::Duration(span) => span.to_string(),
    }
}

/// Checks that no expected wait is too many sleeps for the virtual clock.
fn slices_fit(setting: &Setting<'_>) -> Result<(), Unsupported> {
    let is_sliced = setting.host.sleeps == SleepStyle::Sliced;
    if setting.clock != ClockKind::Virtual || !is_sliced {
        return Ok(());
    }
    let expected = expectation(setting, &Behaviour::default());
    let gaps = expected.calls.values().flat_map(|call| call.gaps());
    let longest = gaps.filter_map(|gap| gap.length.longest()).max();
    match longest {
        Some(longest) if longest > SleepStyle::SLICE * SLICES => {
            Err(Unsupported::Sliced { longest })
        }
        _ => Ok(()),
    }
}

fn clock_serves(setting: &Setting<'_>) -> Result<(), Unsupported> {
    let clock = &setting.case.clock;
    let scenario = clock.tick.is_some() || !clock.steps.is_empty() || clock.start.is_some();
    let wanted = match (setting.case.needs.clock, setting.clock) {
        (ClockNeed::Injected, kind) if kind != ClockKind::Injected => "injected",
        (ClockNeed::Virtual, kind) if kind != ClockKind::Virtual => "virtual",
        (ClockNeed::Owned, ClockKind::Real) => "virtual or injected",
        (_, ClockKind::Real) if scenario => "virtual or injected",
        _ => return Ok(()),
    };
    let used = match setting.clock {
        ClockKind::Virtual => "virtual",
        ClockKind::Injected => "injected",
        ClockKind::Real => "real",
    };
    Err(Unsupported::Clock { wanted, used })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::check::nominal_host;
    use crate::fixture;
    use crate::model::Host;
    use crate::spec::Spec;

    const SPEC: &str = include_str!("../../../SPEC.md");

    fn supported(told: &str, sleeps: SleepStyle, clock: ClockKind) -> Result<(), Unsupported> {
        let spec = Spec::parse(Path::new("SPEC.md"), SPEC).unwrap();
        let text = format!(
            "title: long\nclauses: [HONOUR-6]\nloop: operation\ncalls: [{{ id: a, at: 0s, do: read }}]\n\
             script: [{{ status: 503, headers: {{ retry-after: \"{told}\" }} }}, {{ status: 200 }}]\n\
             expect: {{ attempts: 2 }}\n"
        );
        let cases = fixture::read("inline.yaml", &text).unwrap_or_else(|errors| panic!("{errors}"));
        let host = Host {
            sleeps,
            ..nominal_host(&spec)
        };
        supports(&Setting {
            spec: &spec,
            case: &cases[0],
            host: &host,
            clock,
            wall: jiff::Timestamp::constant(1_893_456_000, 0),
            horizon: None,
        })
    }

    #[test]
    fn a_wait_in_too_many_slices_needs_another_clock() {
        let (sliced, whole) = (SleepStyle::Sliced, SleepStyle::Duration);
        let refused = supported("86400001", sliced, ClockKind::Virtual).unwrap_err();
        assert!(refused.is_clock());
        assert!(
            refused.to_string().contains("a wait of 86400001s"),
            "{refused}"
        );
        assert_eq!(supported("86400000", sliced, ClockKind::Virtual), Ok(()));
        assert_eq!(supported("86400001", whole, ClockKind::Virtual), Ok(()));
        assert_eq!(supported("86400001", sliced, ClockKind::Injected), Ok(()));
    }

    fn jitter(millis: i64) -> ParamValue {
        ParamValue::Duration(Span::from_millis(millis))
    }

    #[test]
    fn less_jitter_than_usual_is_no_obstacle() {
        assert!(stands_in("max_jitter", jitter(0), jitter(100)));
        assert!(stands_in("max_jitter", jitter(99), jitter(100)));
    }

    #[test]
    fn more_jitter_a_case_about_jitter_and_other_knobs_are_obstacles() {
        assert!(!stands_in("max_jitter", jitter(101), jitter(100)));
        assert!(!stands_in("max_jitter", jitter(1), jitter(0)));
        assert!(!stands_in("max_jitter", jitter(0), jitter(500)));
        assert!(!stands_in("base_delay", jitter(0), jitter(100)));
        let count = ParamValue::Count;
        assert!(!stands_in("max_attempts", count(2), count(3)));
    }
}
