//! What a case asks of a clock that no virtual one can give.

use super::nominal::nominal_setting;
use crate::adapter::protocol::{ClockKind, ParamValue};
use crate::fixture::{CallStep, Case, ClockNeed};
use crate::judge::READINGS;
use crate::model::{Host, Span};
use crate::oracle::{Behaviour, CancelRule, Expectation, expectation};
use crate::spec::Spec;

/// `request_timeout` where a case does not set it (SPEC.md §7.1).
const USUAL_TIMEOUT: Span = Span::from_secs(30);

/// Something that only the injected clock can show: where, what, and what to do.
pub(super) struct OnlyInjected {
    pub(super) path: String,
    pub(super) message: String,
    pub(super) hint: String,
}

/// What a case that may run under the virtual clock asks too much of it.
pub(super) fn only_injected(spec: &Spec, case: &Case, host: &Host) -> Vec<OnlyInjected> {
    if case.needs.clock == ClockNeed::Injected {
        return Vec::new();
    }
    coarse_tick(case)
        .into_iter()
        .chain(equal_instants(spec, case, host))
        .collect()
}

fn timeout(case: &Case) -> Span {
    match case.params.get("request_timeout") {
        Some(ParamValue::Duration(timeout)) => *timeout,
        _ => USUAL_TIMEOUT,
    }
}

/// A tick is coarse if so many readings outlast the time limit of a request:
/// then a request that is answered at once looks as if it had timed out.
fn coarse_tick(case: &Case) -> Option<OnlyInjected> {
    let (tick, timeout) = (case.clock.tick?, timeout(case));
    (tick * READINGS > timeout).then(|| OnlyInjected {
        path: "clock.tick".to_owned(),
        message: format!(
            "a tick of {tick} is too coarse for the virtual clock: {READINGS} readings of it outlast the time limit of {timeout}"
        ),
        hint: "say `needs: { clock: injected }`, where only the SDK's decisions read the clock, or take a smaller tick"
            .to_owned(),
    })
}

/// Two instants that are equal on paper: a virtual clock moves at every reading,
/// so either may come first.
fn equal_instants(spec: &Spec, case: &Case, host: &Host) -> Vec<OnlyInjected> {
    let setting = nominal_setting(spec, case, host, ClockKind::Injected);
    let unhindered = Behaviour {
        cancel: CancelRule::Ignored,
        ..Behaviour::default()
    };
    let timeline = expectation(&setting, &unhindered);
    let timeout = timeout(case);
    let cancels = case.calls.iter().enumerate().filter_map(|(index, step)| {
        let CallStep::Cancel { at, .. } = step else {
            return None;
        };
        let path = format!("calls[{index}]");
        happens(&timeline, *at).then(|| equal(path, format!("the cancellation at {at}")))
    });
    let steps = case
        .clock
        .steps
        .iter()
        .enumerate()
        .filter_map(|(index, step)| {
            let path = format!("clock.steps[{index}]");
            let at = step.at;
            happens(&timeline, at)
                .then(|| equal(path, format!("the step of the wall clock at {at}")))
        });
    let limits = case.script.iter().enumerate().filter_map(|(index, step)| {
        let path = format!("script[{index}]");
        (step.delay == Some(timeout))
            .then(|| equal(path, format!("the reply {timeout} after its request")))
    });
    cancels.chain(steps).chain(limits).collect()
}

/// Whether a request is sent, or a call ends, at exactly this instant.
fn happens(timeline: &Expectation, at: Span) -> bool {
    timeline.calls.values().any(|call| {
        let ends = call.ends.as_exact() == Some(at);
        ends || call
            .attempts
            .iter()
            .any(|attempt| attempt.at.as_exact() == Some(at))
    })
}

fn equal(path: String, what: String) -> OnlyInjected {
    OnlyInjected {
        path,
        message: format!("{what} falls on the very instant of something else"),
        hint: "say `needs: { clock: injected }`, whose instants can be equal, or move one of them"
            .to_owned(),
    }
}
