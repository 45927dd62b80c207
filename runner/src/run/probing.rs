//! Probes before verdicts: whether an adapter does what its manifest claims.

use std::collections::BTreeMap;

use super::starts::canonical;
use super::target::Target;
use crate::adapter::AdapterFault;
use crate::adapter::protocol::{ClockKind, ParamValue, Verb};
use crate::fixture::Body;
use crate::model::{ClockPlan, DateWindow, LoopId, Span};
use crate::spec::{Machine, Spec};
use crate::world::{ProbeFailure, ProbeHost, WorldFailure, WorldHandle, probes};

/// Attempts that the exhaust probe asks for.
const PROBE_ATTEMPTS: u64 = 2;
/// Under the real clock nobody waits for a minute of silence.
const REAL_TAIL: Span = Span::from_millis(250);

/// What the probes of one loop showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Probed {
    /// The adapter does what it claims.
    AsClaimed,
    /// It does not; no verdict on it counts.
    Failed {
        /// Why not.
        reason: String,
        /// Last lines of the adapter's log, if its process failed.
        log: Vec<String>,
    },
    /// It cannot be started here.
    Unavailable(String),
}

/// Plays the probes of one loop.
pub async fn probe(
    world: &mut WorldHandle,
    target: &Target,
    spec: &Spec,
    loop_id: &LoopId,
    clock: ClockKind,
) -> Probed {
    let Some(host) = probe_host(target, spec, loop_id, clock) else {
        return Probed::AsClaimed;
    };
    for mut probe in probes(&host) {
        if clock == ClockKind::Real {
            probe.plan.bounds.tail = REAL_TAIL;
        }
        let checked = match world.run(&probe.plan).await {
            Ok(seen) => probe.check(&seen),
            Err(WorldFailure::Adapter {
                fault: AdapterFault::Unavailable { reason },
            }) => return Probed::Unavailable(reason),
            Err(failure) => Err(ProbeFailure::World(failure)),
        };
        if let Err(failure) = checked {
            return Probed::Failed {
                reason: format!("probe of `{loop_id}`: {failure}"),
                log: failure.log().to_vec(),
            };
        }
    }
    Probed::AsClaimed
}

fn probe_host(
    target: &Target,
    spec: &Spec,
    loop_id: &LoopId,
    clock: ClockKind,
) -> Option<ProbeHost> {
    let row = spec.loop_row(loop_id)?;
    let launch = &target.launch;
    let claim = launch.host.loops.get(loop_id)?;
    let replies = &launch.replies;
    let verb = [
        Verb::Read,
        Verb::Download,
        Verb::Write,
        Verb::Send,
        Verb::Poll,
    ]
    .into_iter()
    .filter(|verb| fits(loop_id, *verb))
    .find(|verb| replies.body(loop_id, *verb, &Body::Ok).is_some())?;
    let knob = launch.host.params.contains("max_attempts");
    let params: BTreeMap<_, _> = knob
        .then(|| ("max_attempts".to_owned(), ParamValue::Count(PROBE_ATTEMPTS)))
        .into_iter()
        .collect();
    let constant = match claim.constants.get("max_attempts") {
        Some(ParamValue::Count(count)) => i64::try_from(*count).ok(),
        _ => None,
    };
    let attempts = if knob {
        Some(i64::try_from(PROBE_ATTEMPTS).unwrap_or(1))
    } else {
        constant
    };
    let body = |body: &Body| replies.body(loop_id, verb, body).unwrap_or_default();
    Some(ProbeHost {
        loop_id: claim.row.clone().unwrap_or_else(|| loop_id.clone()),
        machine: row.machine,
        verb,
        ok: (replies.ok_status(loop_id, verb), body(&Body::Ok)),
        error: body(&Body::Error),
        params,
        attempts: attempts
            .filter(|_| row.machine == Machine::Retry)
            .and_then(|attempts| row.attempts.allowed(Some(attempts))),
        clock: ClockPlan {
            kind: clock,
            wall: canonical(),
            tick: None,
            steps: Vec::new(),
            date_window: DateWindow::Free,
        },
        prefix: launch.prefix,
    })
}

/// A download loop answers to downloads alone, however lenient a manifest's
/// `*` is.
fn fits(loop_id: &LoopId, verb: Verb) -> bool {
    (loop_id.as_str() == "download") == (verb == Verb::Download)
}
