//! (case, target, expectation, seed) → [`CasePlan`].

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::seed::marks;
use super::target::Target;
use crate::adapter::protocol::{ClockKind, Verb};
use crate::fixture::{Body, CallStep, Case, Owner, Step};
use crate::manifest::{Correlation, Launch};
use crate::model::{
    Action, Allowed, Bounds, CallId, CasePlan, ClockPlan, DateWindow, Fault, PlannedAction,
    PlannedBody, PlannedCall, PlannedHeader, PlannedStep, Span, TokenText,
};
use crate::oracle::{Expectation, ExpectedOutcome};

/// Clock events that a case may take.
const EVENTS: u32 = 50_000;
/// Real time that a case may take under an owned clock.
const REAL_TIME: Span = Span::from_secs(20);
/// Real time that a case may take under the virtual clock, where a hang is
/// found at once: asyncio waits 68 years in 24,855 slices of a day, which take
/// ten seconds on a quiet machine.
const VIRTUAL_REAL_TIME: Span = Span::from_secs(90);
/// Real time beyond the last expected instant under the real clock.
const REAL_SLACK: Span = Span::from_secs(20);
/// The world runs on at least so long after the last result.
const TAIL: Span = Span::from_secs(3_600);
/// Under the real clock it runs on only so long: nobody waits for an hour.
const REAL_TAIL: Span = Span::from_millis(250);
/// No instant of a case lies further away.
const FURTHEST: Span = Span::from_nanos(1 << 62);

/// What a plan is made of.
#[derive(Clone, Copy, Debug)]
pub struct PlanInput<'a> {
    /// The case.
    pub case: &'a Case,
    /// The adapter.
    pub target: &'a Target,
    /// What is expected: it says whose request each step answers, and how long
    /// the world must watch.
    pub expectation: &'a Expectation,
    /// Opaque name.
    pub name: &'a str,
    /// Seed of this run of this case.
    pub seed: u64,
    /// Who owns time.
    pub clock: ClockKind,
    /// The wall clock at open.
    pub wall: Timestamp,
    /// Under the real clock: how long a case is watched that does not fit.
    pub watch: Option<Span>,
}

/// The plan of one run.
pub fn plan(input: &PlanInput<'_>) -> CasePlan {
    let PlanInput { case, target, .. } = input;
    let row = target
        .launch
        .host
        .loops
        .get(&case.loop_id)
        .and_then(|host_loop| host_loop.row.clone());
    let params = case
        .params
        .iter()
        .filter(|(name, _)| target.launch.host.params.contains(*name))
        .map(|(name, value)| (name.clone(), *value))
        .collect();
    CasePlan {
        case: input.name.to_owned(),
        loop_id: row.unwrap_or_else(|| case.loop_id.clone()),
        params,
        seed: input.seed,
        clock: clock(input),
        actions: actions(input),
        script: script(input),
        prefix: target.launch.prefix,
        bounds: bounds(input),
    }
}

fn clock(input: &PlanInput<'_>) -> ClockPlan {
    let date_window = if input.clock == ClockKind::Real && dated_steps(input.case) > 0 {
        DateWindow::Held
    } else {
        DateWindow::Free
    };
    ClockPlan {
        kind: input.clock,
        wall: input.wall,
        tick: input.case.clock.tick,
        steps: input.case.clock.steps.clone(),
        date_window,
    }
}

/// Steps whose reply names an instant of the wall clock.
pub(super) fn dated_steps(case: &Case) -> u64 {
    let reads_clock = |text: &TokenText| text.reads_the_clock();
    let is_dated = |step: &&Step| {
        step.headers.iter().any(|(_, value)| reads_clock(value))
            || matches!(&step.body, Body::Json(text) | Body::Text(text) if reads_clock(text))
    };
    let dated = case.script.iter().filter(is_dated).count();
    u64::try_from(dated).unwrap_or(u64::MAX)
}

fn actions(input: &PlanInput<'_>) -> Vec<PlannedAction> {
    let mut marks = marks(input.seed, input.case.calls.len()).into_iter();
    let mut actions: Vec<_> = input
        .case
        .calls
        .iter()
        .map(|step| match step {
            CallStep::Call {
                id,
                at,
                verb,
                cancel,
                auth,
            } => PlannedAction {
                at: *at,
                action: Action::Call(PlannedCall {
                    id: id.clone(),
                    verb: *verb,
                    mark: marks.next().expect("one mark for each entry"),
                    cancel: *cancel,
                    auth: *auth,
                }),
            },
            CallStep::Cancel { at, call } => PlannedAction {
                at: *at,
                action: Action::Cancel { call: call.clone() },
            },
            CallStep::Close { at } => PlannedAction {
                at: *at,
                action: Action::Close,
            },
        })
        .collect();
    // Stable: entries of one instant keep the order of the file.
    actions.sort_by_key(|action| action.at);
    actions
}

fn script(input: &PlanInput<'_>) -> Vec<PlannedStep> {
    let owners = expected_owners(input.expectation);
    input
        .case
        .script
        .iter()
        .enumerate()
        .map(|(index, step)| {
            let owner = match &step.owner {
                Owner::Any => None,
                Owner::Call(call) => Some(call.clone()),
                Owner::Next => owners.get(&index).cloned().flatten(),
            };
            planned_step(input, step, owner)
        })
        .collect()
}

/// By step, the one call whose attempts it is expected to answer; none where
/// several are.
fn expected_owners(expectation: &Expectation) -> BTreeMap<usize, Option<CallId>> {
    let mut owners: BTreeMap<usize, Option<CallId>> = BTreeMap::new();
    for (id, call) in &expectation.calls {
        for step in call.attempts.iter().filter_map(|attempt| attempt.step) {
            owners
                .entry(step)
                .and_modify(|owner| {
                    if owner.as_ref() != Some(id) {
                        *owner = None;
                    }
                })
                .or_insert_with(|| Some(id.clone()));
        }
    }
    owners
}

fn planned_step(input: &PlanInput<'_>, step: &Step, owner: Option<CallId>) -> PlannedStep {
    let verb = answered_verb(input.case, owner.as_ref());
    let loop_id = &input.case.loop_id;
    let replies = &input.target.launch.replies;
    // A body that the manifest does not have is sent empty.
    let body = replies.body(loop_id, verb, &step.body).unwrap_or_default();
    let status = match (step.status, &step.body) {
        (200, Body::Ok) => replies.ok_status(loop_id, verb),
        (status, _) => status,
    };
    let headers = step.headers.iter().map(|(name, value)| PlannedHeader {
        name: name.clone(),
        value: value.clone(),
    });
    PlannedStep {
        status,
        headers: headers.collect(),
        body,
        times: step.times,
        route: step.route.clone(),
        delay: step.delay,
        presence: step.presence,
        owner,
        fault: step.fault,
        spelling: step.spelling,
    }
}

/// Why an adapter cannot play a case whatever the clock: a body that its
/// manifest does not have, or that is empty and cannot be cut, or calls that
/// cannot be told apart.
pub(super) fn unplayable(case: &Case, launch: &Launch) -> Option<String> {
    let verbs: Vec<_> = case
        .calls
        .iter()
        .filter_map(|step| match step {
            CallStep::Call { verb, .. } => Some(*verb),
            _ => None,
        })
        .collect();
    if verbs.len() > 1 && launch.correlates == Correlation::None {
        return Some("the adapter cannot tie attempts to calls, and the case has several".into());
    }
    let (loop_id, replies) = (&case.loop_id, &launch.replies);
    case.script.iter().find_map(|step| {
        let bodies = || {
            verbs
                .iter()
                .map(|verb| replies.body(loop_id, *verb, &step.body))
        };
        if bodies().all(|body| body.is_none()) {
            return Some(format!(
                "the manifest has no body for these calls of `{loop_id}` at {}",
                step.status
            ));
        }
        let is_cut = matches!(step.fault, Some(Fault::CloseMidBody | Fault::StallMidBody));
        (is_cut && bodies().all(|body| body.is_none_or(|body| body == PlannedBody::default())))
            .then(|| "the reply to this call has no body that could be cut".to_owned())
    })
}

/// The verb of the call that a step answers; of the first call where that is
/// not settled.
fn answered_verb(case: &Case, owner: Option<&CallId>) -> Verb {
    let mut calls = case.calls.iter().filter_map(|step| match step {
        CallStep::Call { id, verb, .. } => Some((id, *verb)),
        _ => None,
    });
    let first = calls.clone().next();
    calls
        .find(|(id, _)| Some(*id) == owner)
        .or(first)
        .map_or(Verb::Read, |(_, verb)| verb)
}

fn bounds(input: &PlanInput<'_>) -> Bounds {
    let last = last_instant(input.case, input.expectation);
    let horizon = horizon(input.case, input.expectation);
    let tail = (longest_wait(input.expectation) * 2).max(TAIL);
    let stated = stated_quiet(input.case, input.expectation);
    if input.clock == ClockKind::Real {
        let played = input.watch.unwrap_or(last);
        return Bounds {
            horizon,
            // An hour of silence is not waited out.
            quiet_until: None,
            tail: REAL_TAIL,
            events: EVENTS,
            real_time: played + REAL_SLACK,
            watch: input.watch,
        };
    }
    Bounds {
        horizon,
        quiet_until: stated,
        tail,
        events: EVENTS,
        real_time: match input.clock {
            ClockKind::Virtual => VIRTUAL_REAL_TIME,
            ClockKind::Injected | ClockKind::Real => REAL_TIME,
        },
        watch: None,
    }
}

fn stated_quiet(case: &Case, expectation: &Expectation) -> Option<Span> {
    expectation.quiet_until.or(case.expect.quiet_until)
}

/// Where the world stops under an owned clock.
pub(super) fn horizon(case: &Case, expectation: &Expectation) -> Span {
    let last = last_instant(case, expectation);
    let horizon = (last * 2 + Span::from_secs(3_600)).min(FURTHEST);
    horizon.max(stated_quiet(case, expectation).unwrap_or_default())
}

/// The last instant at which something is expected to happen. A call that is
/// not expected to end adds its attempts.
pub fn last_instant(case: &Case, expectation: &Expectation) -> Span {
    let longest = |allowed: &Allowed| allowed.longest().unwrap_or_default();
    let expected = expectation.calls.values().flat_map(|call| {
        let never = matches!(
            call.outcome,
            ExpectedOutcome::NeverEnded | ExpectedOutcome::Hung
        );
        let ends = (!never).then(|| longest(&call.ends));
        let attempts = call.attempts.iter().map(|attempt| longest(&attempt.at));
        attempts.chain(ends)
    });
    let actions = case.calls.iter().map(|step| match step {
        CallStep::Call { at, .. } | CallStep::Cancel { at, .. } | CallStep::Close { at } => *at,
    });
    expected
        .chain(actions)
        .max()
        .unwrap_or_default()
        .min(FURTHEST)
}

fn longest_wait(expectation: &Expectation) -> Span {
    expectation
        .calls
        .values()
        .flat_map(|call| call.gaps())
        .filter_map(|gap| gap.length.longest())
        .max()
        .unwrap_or_default()
        .min(FURTHEST)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::fixture;
    use crate::manifest::Manifest;

    const MANIFEST: &str = r#"
name: acme
sdk: acme-sdk
language: rust
versions: ["1.0"]
command: ["acme"]
loops: { operation: {} }
clocks: [real]
replies:
  operation:
    read: { ok: { json: { id: 1 } }, error: { json: {} } }
    write: { ok: none, error: { json: {} } }
"#;

    fn refusal(verb: &str, step: &str) -> Option<String> {
        let manifest = Manifest::read(Path::new("adapters/acme/adapter.yaml"), MANIFEST)
            .unwrap_or_else(|errors| panic!("{errors}"));
        let text = format!(
            "title: cut\nclauses: [FAULT-1]\nloop: operation\ncalls: [{{ id: a, at: 0s, do: {verb} }}]\n\
             script: [{step}, {{ status: 200 }}]\nexpect: {{ attempts: 2 }}\n"
        );
        let cases = fixture::read("inline.yaml", &text).unwrap_or_else(|errors| panic!("{errors}"));
        unplayable(&cases[0], &manifest.hosts()[0])
    }

    #[test]
    fn only_a_body_can_be_cut() {
        assert_eq!(refusal("read", "{ fault: close-mid-body }"), None);
        assert_eq!(refusal("write", "{ fault: reset }"), None);
        let reason = refusal("write", "{ fault: close-mid-body }").unwrap();
        assert!(reason.contains("no body that could be cut"), "{reason}");
        assert_eq!(refusal("write", "{ fault: stall-mid-body }"), Some(reason));
        assert_eq!(refusal("read", "{ fault: stall-mid-body }"), None);
    }

    #[test]
    fn a_body_that_the_manifest_lacks_is_not_made_up() {
        let reason = refusal("list", "{ status: 503, body: page }").unwrap();
        assert!(reason.contains("no body for these calls"), "{reason}");
    }
}
