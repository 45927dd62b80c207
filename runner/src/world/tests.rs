//! Worlds within the test process, with adapters in processes of their own.

use std::collections::BTreeMap;

use super::{ProbeFailure, ProbeHost, World, WorldFailure, probes};
use crate::adapter::protocol::{ClockKind, During, ParamValue, Verb};
use crate::adapter::testing::role;
use crate::model::{
    Action, Bounds, CallId, CasePlan, ClockPlan, DateShape, DateWindow, Ending, ErrorKind, Fault,
    HttpDateToken, Letters, LoopId, Observation, Outcome, Piece, PlannedAction, PlannedBody,
    PlannedCall, PlannedHeader, PlannedStep, PrefixMode, Presence, Span, Spelling, Times,
    TokenText, WallStep, WeekdayName,
};
use crate::spec::Machine;

pub(super) fn secs(seconds: i128) -> Span {
    Span::from_secs(seconds)
}

fn text(text: &str) -> TokenText {
    TokenText(vec![Piece::Text(text.to_owned())])
}

/// A step with a JSON body, and `retry-after` if one is named.
fn step(status: u16, retry_after: Option<&str>) -> PlannedStep {
    let header = |value: &str| PlannedHeader {
        name: "retry-after".to_owned(),
        value: text(value),
    };
    PlannedStep {
        status,
        headers: retry_after.map(header).into_iter().collect(),
        body: PlannedBody {
            content_type: Some("application/json".to_owned()),
            text: text("{}"),
        },
        times: Times::Exactly(1),
        route: None,
        delay: None,
        presence: Presence::Required,
        owner: None,
        fault: None,
        spelling: Spelling::default(),
    }
}

fn call(at: Span, id: &str) -> PlannedAction {
    PlannedAction {
        at,
        action: Action::Call(PlannedCall {
            id: CallId::from(id),
            verb: Verb::Read,
            mark: format!("{:07}", 1_000_000 + u32::from(id.as_bytes()[0])),
            cancel: None,
            auth: None,
        }),
    }
}

fn cancel(at: Span, id: &str) -> PlannedAction {
    let call = CallId::from(id);
    PlannedAction {
        at,
        action: Action::Cancel { call },
    }
}

/// One call `a` at 0 s under the injected clock.
pub(super) fn plan(script: Vec<PlannedStep>) -> CasePlan {
    CasePlan {
        case: "c1".to_owned(),
        loop_id: LoopId::from("operation"),
        params: BTreeMap::from([
            ("max_attempts".to_owned(), ParamValue::Count(3)),
            ("base_delay".to_owned(), ParamValue::Duration(secs(1))),
            ("max_jitter".to_owned(), ParamValue::Duration(Span::ZERO)),
            ("request_timeout".to_owned(), ParamValue::Duration(secs(30))),
        ]),
        seed: 7,
        clock: ClockPlan {
            kind: ClockKind::Injected,
            wall: "2030-01-01T00:00:00Z".parse().unwrap(),
            tick: None,
            steps: Vec::new(),
            date_window: DateWindow::Free,
        },
        actions: vec![call(Span::ZERO, "a")],
        script,
        prefix: PrefixMode::Random,
        bounds: Bounds {
            horizon: secs(1_000_000),
            quiet_until: None,
            tail: secs(7_200),
            events: 50_000,
            real_time: secs(20),
            watch: None,
        },
    }
}

pub(super) fn ok() -> PlannedStep {
    step(200, None)
}

pub(super) fn busy(retry_after: &str) -> PlannedStep {
    step(503, Some(retry_after))
}

/// Plays one case with one adapter.
async fn play(name: &str, plan: &CasePlan) -> Observation {
    let mut world = World::start(role(name)).await.unwrap();
    let observation = world.run(plan).await.unwrap();
    world.stop().await;
    observation
}

fn attempts(observation: &Observation) -> Vec<Span> {
    let instants = observation.exchanges.iter();
    instants.map(|exchange| exchange.at).collect()
}

fn result(observation: &Observation, call: &str) -> (Span, Outcome) {
    let result = &observation.results[&CallId::from(call)];
    (result.at, result.outcome.clone())
}

fn raised(outcome: &Outcome) -> Option<ErrorKind> {
    match outcome {
        Outcome::Raised { error } => Some(error.kind),
        _ => None,
    }
}

const RETURNED: Outcome = Outcome::Returned { status: Some(200) };

#[tokio::test]
async fn a_told_wait_of_hours_is_waited_out_exactly() {
    let seen = play("reference", &plan(vec![busy("36000"), ok()])).await;
    assert_eq!(attempts(&seen), [secs(0), secs(36_000)]);
    assert_eq!(result(&seen, "a"), (secs(36_000), RETURNED));
    let asked = seen.asked.iter().filter(|asked| asked.during.is_none());
    assert_eq!(
        asked.map(|asked| asked.duration).collect::<Vec<_>>(),
        [secs(36_000)]
    );
    assert_eq!(seen.ending, Ending::Quiet);
    assert!(seen.unserved.is_empty());
    assert!(seen.real_time < secs(20));
}

/// A 503 that names the date 120 s ahead.
fn dated() -> PlannedStep {
    let mut dated = busy("");
    dated.headers[0].value = TokenText(vec![Piece::HttpDate(HttpDateToken {
        offset: secs(120),
        shape: DateShape::Imf,
        letters: Letters::AsDefined,
        zone: None,
        weekday: WeekdayName::Right,
    })]);
    dated
}

#[tokio::test]
async fn a_date_is_resolved_on_the_clock_that_the_client_reads() {
    let mut plan = plan(vec![busy("60"), dated(), ok()]);
    let seen = play("reference", &plan).await;
    assert_eq!(attempts(&seen), [secs(0), secs(60), secs(180)]);

    plan.clock.steps = vec![WallStep {
        at: secs(3),
        by: secs(-3_600),
    }];
    let seen = play("reference", &plan).await;
    assert_eq!(attempts(&seen), [secs(0), secs(60), secs(180)]);
    let date = "Mon, 31 Dec 2029 23:03:00 GMT".to_owned();
    let told = ("retry-after".to_owned(), date);
    assert!(seen.exchanges[1].reply_headers.contains(&told));
}

#[tokio::test]
async fn a_stalled_reply_ends_with_the_timer_beside_the_request() {
    let mut stalled = ok();
    stalled.fault = Some(Fault::Stall);
    let mut plan = plan(vec![stalled]);
    plan.params
        .insert("max_attempts".to_owned(), ParamValue::Count(1));
    let seen = play("reference", &plan).await;
    let (at, outcome) = result(&seen, "a");
    assert_eq!((at, raised(&outcome)), (secs(30), Some(ErrorKind::Timeout)));
    assert_eq!(seen.asked[0].during, Some(During::Request));
}

#[tokio::test]
async fn a_request_that_was_given_up_ends_there_whenever_its_connection_does() {
    let mut slow = ok();
    slow.fault = Some(Fault::Stall);
    let seen = play("keeps-its-connection", &plan(vec![slow, ok()])).await;
    assert_eq!(attempts(&seen), [secs(0), secs(90)]);
    let ended = seen.exchanges.iter().map(|exchange| exchange.replied_at);
    assert_eq!(
        ended.collect::<Vec<_>>(),
        [Some(secs(30)), Some(secs(90))],
        "not when the connection was closed at last"
    );
}

#[tokio::test]
async fn the_clock_stands_until_a_given_up_connection_is_closed() {
    let mut slow = ok();
    slow.delay = Some(secs(40));
    let seen = play("closes-a-moment-later", &plan(vec![slow, ok()])).await;
    assert_eq!(attempts(&seen), [secs(0), secs(90)]);
    let first = &seen.exchanges[0];
    assert_eq!((first.status, first.replied_at), (None, Some(secs(30))));
}

#[tokio::test]
async fn a_delayed_reply_comes_at_its_instant_and_before_a_timer_of_the_same_one() {
    for delay in [10, 30] {
        let mut slow = ok();
        slow.delay = Some(secs(delay));
        let seen = play("reference", &plan(vec![slow])).await;
        assert_eq!(result(&seen, "a"), (secs(delay), RETURNED));
        assert_eq!(seen.exchanges[0].replied_at, Some(secs(delay)));
    }
}

#[tokio::test]
async fn a_cancel_precedes_the_sleep_that_ends_at_the_same_instant() {
    for (wait, at) in [("3600", 10), ("10", 10)] {
        let mut plan = plan(vec![busy(wait)]);
        plan.actions.push(cancel(secs(at), "a"));
        let seen = play("reference", &plan).await;
        assert_eq!(result(&seen, "a"), (secs(at), Outcome::Cancelled));
        assert_eq!(attempts(&seen), [secs(0)]);
        assert_eq!(seen.ending, Ending::Quiet);
    }
}

#[tokio::test]
async fn an_attempt_after_the_result_is_seen() {
    let mut plan = plan(vec![busy("3600")]);
    plan.actions.push(cancel(secs(10), "a"));
    let defect = "reference cancel-ends-the-call-but-not-the-timer";
    let seen = play(defect, &plan).await;
    assert_eq!(result(&seen, "a"), (secs(10), Outcome::Cancelled));
    assert_eq!(attempts(&seen), [secs(0), secs(3_600)]);
}

#[tokio::test]
async fn a_sleep_beyond_the_horizon_is_named_and_not_waited_out() {
    let mut plan = plan(vec![busy("9000"), ok()]);
    plan.bounds.horizon = secs(8_000);
    let seen = play("reference", &plan).await;
    let asked = Some(secs(9_000));
    assert_eq!(result(&seen, "a"), (secs(0), Outcome::NeverEnded { asked }));
    assert_eq!(seen.ending, Ending::Horizon);
    assert_eq!(seen.unserved, [1]);
}

#[tokio::test]
async fn calls_at_other_instants_run_on_one_clock() {
    let mut plan = plan(vec![busy("100"), ok(), ok()]);
    plan.actions.push(call(secs(59), "b"));
    let seen = play("reference", &plan).await;
    assert_eq!(attempts(&seen), [secs(0), secs(59), secs(100)]);
    assert_eq!(result(&seen, "b"), (secs(59), RETURNED));
    assert_eq!(result(&seen, "a"), (secs(100), RETURNED));
    assert_eq!(seen.started[&CallId::from("b")], secs(59));
}

#[tokio::test]
async fn a_call_that_is_held_by_another_is_not_hung_when_it_is_let_go() {
    let mut plan = plan(vec![busy("170"), ok(), ok()]);
    plan.actions.push(call(secs(30), "b"));
    let seen = play("conforms", &plan).await;
    assert_eq!(attempts(&seen), [secs(0), secs(170), secs(170)]);
    for call in ["a", "b"] {
        assert_eq!(result(&seen, call), (secs(170), RETURNED));
    }
}

#[tokio::test]
async fn a_close_is_waited_for() {
    let mut plan = plan(vec![ok()]);
    let action = Action::Close;
    plan.actions.push(PlannedAction {
        at: secs(5),
        action,
    });
    let seen = play("reference", &plan).await;
    assert_eq!(result(&seen, "a"), (secs(0), RETURNED));
    assert_eq!(seen.ending, Ending::Quiet);
}

#[tokio::test]
async fn what_comes_after_a_case_is_its_late_traffic() {
    let mut world = World::start(role("comes-late")).await.unwrap();
    for late in [0, 1] {
        world.run(&plan(vec![ok()])).await.unwrap();
        assert_eq!(world.take_late().len(), late);
    }
    world.stop().await;
}

#[tokio::test]
async fn all_quiet_and_nothing_armed_is_hung_at_once() {
    let mut stalled = ok();
    stalled.fault = Some(Fault::Stall);
    let seen = play("conforms", &plan(vec![stalled])).await;
    assert_eq!(result(&seen, "a"), (secs(0), Outcome::Hung));
    assert!(seen.real_time < secs(10), "{}", seen.real_time);
}

#[tokio::test]
async fn an_endless_row_of_naps_ends_at_the_bound_on_events() {
    let mut plan = plan(vec![]);
    plan.bounds.events = 50;
    let seen = play("naps-for-ever", &plan).await;
    assert_eq!(seen.ending, Ending::Events);
    assert_eq!(result(&seen, "a").1, Outcome::NeverEnded { asked: None });
    assert_eq!(seen.asked.len(), 51);
}

#[tokio::test]
async fn one_that_neither_sleeps_nor_answers_is_out_of_time() {
    let mut plan = plan(vec![]);
    plan.bounds.real_time = Span::from_millis(300);
    let mut world = World::start(role("spins")).await.unwrap();
    let seen = world.run(&plan).await.unwrap();
    assert_eq!(result(&seen, "a").1, Outcome::OutOfTime);
    assert_eq!(seen.ending, Ending::RealTime);
    world.stop().await;
}

#[tokio::test]
async fn an_adapter_that_dies_is_started_again_but_not_for_ever() {
    let mut world = World::start(role("crashes")).await.unwrap();
    for _ in 0..3 {
        let seen = world.run(&plan(vec![ok()])).await.unwrap();
        assert_eq!(seen.ending, Ending::Dead);
        assert!(matches!(result(&seen, "a").1, Outcome::Crashed { .. }));
    }
    assert_eq!(
        world.run(&plan(vec![ok()])).await,
        Err(WorldFailure::Unhealthy { deaths: 3 })
    );
    world.stop().await;
}

#[tokio::test]
async fn a_broken_protocol_is_told_apart_from_what_the_sdk_does() {
    for role in ["answers-twice", "junk", "wrong-call"] {
        let seen = play(role, &plan(vec![])).await;
        let (_, outcome) = result(&seen, "a");
        assert!(
            matches!(outcome, Outcome::ProtocolError { .. }),
            "{role}: {outcome:?}"
        );
        assert_eq!(seen.ending, Ending::Dead, "{role}");
    }
}

#[tokio::test]
async fn an_unknown_loop_is_unsupported_and_the_next_case_runs() {
    let mut world = World::start(role("reference")).await.unwrap();
    let mut other = plan(vec![ok()]);
    other.loop_id = LoopId::from("no-such-loop");
    let seen = world.run(&other).await.unwrap();
    assert!(seen.unsupported.is_some());
    let seen = world.run(&plan(vec![ok()])).await.unwrap();
    assert_eq!(result(&seen, "a").1, RETURNED);
    world.stop().await;
}

#[tokio::test]
async fn the_real_clock_runs_through_what_is_short_and_watches_what_is_not() {
    let mut short = plan(vec![ok()]);
    short.clock.kind = ClockKind::Real;
    let seen = play("reference", &short).await;
    assert_eq!(
        (result(&seen, "a").1, seen.ending),
        (RETURNED, Ending::Quiet)
    );

    let mut long = plan(vec![busy("3600"), ok()]);
    long.clock.kind = ClockKind::Real;
    long.bounds.watch = Some(Span::from_millis(200));
    let seen = play("reference", &long).await;
    assert_eq!((seen.results.len(), seen.ending), (0, Ending::Watched));
    assert_eq!(seen.exchanges.len(), 1);

    let seen = play("reference header-never-read", &{
        let mut early = long.clone();
        early.bounds.watch = Some(secs(2));
        early.params.insert(
            "base_delay".to_owned(),
            ParamValue::Duration(Span::from_millis(1)),
        );
        early
    })
    .await;
    assert_eq!(seen.exchanges.len(), 2, "an early attempt is seen");
}

#[tokio::test]
async fn a_world_without_a_virtual_clock_says_so() {
    let mut world = World::start(role("reference")).await.unwrap();
    let mut plan = plan(vec![ok()]);
    plan.clock.kind = ClockKind::Virtual;
    let failure = world.run(&plan).await.unwrap_err();
    assert!(matches!(failure, WorldFailure::NoClock { .. }));
    world.stop().await;
}

fn probe_host() -> ProbeHost {
    let sample = plan(vec![]);
    ProbeHost {
        loop_id: sample.loop_id,
        machine: Machine::Retry,
        verb: Verb::Read,
        ok: (200, ok().body),
        error: ok().body,
        params: sample.params,
        attempts: Some(3),
        clock: sample.clock,
        prefix: sample.prefix,
    }
}

/// The first probe that fails, by its number.
async fn probed(name: &str) -> Option<(usize, ProbeFailure)> {
    let mut world = World::start(role(name)).await.unwrap();
    for (number, probe) in probes(&probe_host()).iter().enumerate() {
        let seen = world.run(&probe.plan).await.unwrap();
        if let Err(failure) = probe.check(&seen) {
            return Some((number, failure));
        }
    }
    world.stop().await;
    None
}

#[tokio::test]
async fn probes_pass_a_conforming_client_and_find_what_no_count_could_be_trusted_from() {
    assert_eq!(probed("reference").await, None);
    let (number, failure) = probed("opens-anything").await.unwrap();
    assert_eq!((number, failure), (0, ProbeFailure::OpensAnything));
    let (number, failure) = probed("never-raises").await.unwrap();
    assert!(
        matches!((number, &failure), (2, ProbeFailure::Outcome { .. })),
        "{failure}"
    );
    let (number, failure) = probed("conforms").await.unwrap();
    assert_eq!(number, 3, "{failure}");
    assert_eq!(
        failure.to_string(),
        "3 attempts were awaited after 503, 1 were seen"
    );
}

#[test]
fn the_real_clock_exhausts_nothing() {
    let mut host = probe_host();
    assert_eq!(probes(&host).len(), 4);
    host.clock.kind = ClockKind::Real;
    assert_eq!(probes(&host).len(), 3);
    host.machine = Machine::Connector;
    assert_eq!(probes(&host).len(), 2);
}
