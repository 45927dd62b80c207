//! Who is blamed for what, through a world process.

use std::time::Duration;

use holdoff::adapter::protocol::{ClockKind, Verb};
use holdoff::adapter::{AdapterFault, LaunchSpec};
use holdoff::model::{CallId, Ending, ExchangeKind, PlannedBody, PrefixMode, Span};
use holdoff::spec::Machine;
use holdoff::world::{ProbeFailure, ProbeHost, WorldFailure, probes};
use libtest_mimic::Trial;

use crate::stage::{Seen, handle, plan, play, spec};
use crate::trial;

/// Real time for what must not take any: starting processes on a busy machine.
const SOON: Duration = Duration::from_secs(15);

/// Real time of a case whose adapter says nothing.
const PATIENCE: Span = Span::from_millis(500);

/// What one fault must end in.
struct Blame {
    name: &'static str,
    outcome: &'static str,
    ending: Ending,
    /// A part of what the maintainer reads.
    says: &'static str,
}

const fn blame(
    name: &'static str,
    outcome: &'static str,
    ending: Ending,
    says: &'static str,
) -> Blame {
    Blame {
        name,
        outcome,
        ending,
        says,
    }
}

const HARMLESS: &str = "returned";
const BROKE: &str = "protocol-error";
const CRASHED: &str = "crashed";
const HUNG: &str = "out-of-time";

/// Faults that show in the one call of the case.
const BLAMES: &[Blame] = &[
    blame("conforms", HARMLESS, Ending::Quiet, ""),
    blame("never-answers", HUNG, Ending::RealTime, ""),
    blame(
        "answers-twice",
        BROKE,
        Ending::Dead,
        "call a was answered twice",
    ),
    blame(
        "answers-late-twice",
        BROKE,
        Ending::Dead,
        "call a was answered twice",
    ),
    blame(
        "wrong-call",
        BROKE,
        Ending::Dead,
        "call b, which was never asked for",
    ),
    blame("wrong-case", BROKE, Ending::Dead, "a message of case c1"),
    blame(
        "wrong-line-tag",
        HUNG,
        Ending::RealTime,
        "@h:0000000000000000",
    ),
    blame(
        "exits-mid-call",
        CRASHED,
        Ending::Dead,
        "the interpreter is out of memory",
    ),
    blame("prints-junk", HARMLESS, Ending::Quiet, "half a line"),
    blame(
        "junk-behind-the-tag",
        BROKE,
        Ending::Dead,
        "`half a thought` is no message",
    ),
    blame(
        "bad-utf8-behind-the-tag",
        BROKE,
        Ending::Dead,
        "is no message",
    ),
    blame("deeply-nested", BROKE, Ending::Dead, "is no message"),
    blame(
        "unknown-message",
        BROKE,
        Ending::Dead,
        "unknown variant `thought`",
    ),
    blame(
        "speaks-for-the-runner",
        BROKE,
        Ending::Dead,
        "only the runner can conclude",
    ),
    blame(
        "admits-its-fault",
        "adapter-error",
        Ending::Quiet,
        "no such method: get_item",
    ),
    blame("leaves-a-grandchild", HARMLESS, Ending::Quiet, "grandchild"),
    blame("dies-and-leaves-a-grandchild", CRASHED, Ending::Dead, "7"),
    blame(
        "hangs-with-a-grandchild",
        HUNG,
        Ending::RealTime,
        "grandchild",
    ),
];

pub(crate) fn trials() -> Vec<Trial> {
    let of_a_call = BLAMES
        .iter()
        .map(|blame| trial(blame.name, move || of_a_call(blame)));
    let others = [
        trial("dies-mid-call", dies_mid_call),
        trial("never-says-hello", never_says_hello),
        trial("no-line-tag", no_line_tag),
        trial("never-opens", never_opens),
        trial("never-ends", never_ends),
        trial("ignores-shutdown", ignores_shutdown),
        trial("lies-about-its-loops", lies_about_its_loops),
        trial("opens-anything", opens_anything),
        trial("lies-about-its-sdk", lies_about_its_sdk),
    ];
    of_a_call.chain(others).collect()
}

async fn of_a_call(blame: &Blame) {
    let (real_time, bound) = match blame.outcome {
        HUNG => (PATIENCE, SOON),
        _ => (Span::from_secs(20), SOON),
    };
    let seen = play(spec(blame.name), &plan(ClockKind::Injected, real_time)).await;
    let text = format!("{}\n{}", seen.outcome(), seen.log());
    assert!(
        text.starts_with(&format!(r#"{{"kind":"{}""#, blame.outcome)),
        "{text}"
    );
    assert!(text.contains(blame.says), "{text}");
    let ending = seen.run.as_ref().unwrap().ending;
    assert_eq!(ending, blame.ending, "{text}");
    within(&seen, bound);
}

fn within(seen: &Seen, bound: Duration) {
    assert!(seen.took < bound, "it took {:?}", seen.took);
}

fn fault(failure: &WorldFailure) -> &AdapterFault {
    match failure {
        WorldFailure::Adapter { fault } => fault,
        other => panic!("{other}"),
    }
}

async fn dies_mid_call() {
    let plan = plan(ClockKind::Injected, Span::from_secs(20));
    let seen = play(spec("dies-mid-call"), &plan).await;
    let outcome = seen.outcome();
    assert!(
        outcome.contains("Segmentation fault in sdk.c:1"),
        "{outcome}"
    );
    #[cfg(unix)]
    assert!(outcome.contains("SIGABRT"), "{outcome}");
    let exchanges = &seen.run.as_ref().unwrap().exchanges;
    assert!(
        exchanges
            .iter()
            .all(|exchange| exchange.kind == ExchangeKind::Partial)
    );
    within(&seen, SOON);
}

/// An adapter that is silent for longer than it may take to start.
fn hurried(name: &str) -> LaunchSpec {
    let mut spec = spec(name);
    spec.start_limit = PATIENCE;
    spec
}

async fn never_says_hello() {
    let seen = play(
        hurried("never-says-hello"),
        &plan(ClockKind::Injected, PATIENCE),
    )
    .await;
    let failure = seen.hello.as_ref().unwrap_err();
    assert_eq!(
        failure.to_string(),
        "the adapter was silent: no hello within 0.5s of real time; did you flush?"
    );
    within(&seen, SOON);
}

async fn no_line_tag() {
    let seen = play(hurried("no-line-tag"), &plan(ClockKind::Injected, PATIENCE)).await;
    let failure = seen.hello.as_ref().unwrap_err().to_string();
    assert!(failure.contains("HOLDOFF_TAG"), "{failure}");
    assert!(failure.contains(r#"{"type":"hello""#), "{failure}");
    within(&seen, SOON);
}

async fn never_opens() {
    let mut spec = spec("never-opens");
    spec.start_limit = Span::from_secs(3);
    let seen = play(spec, &plan(ClockKind::Injected, PATIENCE)).await;
    let failure = seen.run.as_ref().unwrap_err();
    assert!(
        matches!(fault(failure), AdapterFault::Silent { awaited, .. } if awaited.contains("open")),
        "{failure}"
    );
    within(&seen, SOON);
}

/// What was said of the call stands, but the process is not used again.
async fn never_ends() {
    let seen = play(spec("never-ends"), &plan(ClockKind::Injected, PATIENCE)).await;
    assert!(seen.outcome().contains("returned"));
    assert_eq!(seen.run.as_ref().unwrap().ending, Ending::Dead);
    within(&seen, SOON * 2);
}

/// Neither `shutdown`, the end of its input nor SIGTERM ends it.
async fn ignores_shutdown() {
    let mut spec = spec("ignores-shutdown");
    if cfg!(unix) {
        let script = r#"trap "" TERM; exec "$0" "$@""#;
        let shell = ["sh", "-c", script].map(str::to_owned);
        spec.argv = shell.into_iter().chain(spec.argv).collect();
    }
    let seen = play(spec, &plan(ClockKind::Injected, PATIENCE)).await;
    assert!(seen.outcome().contains("returned"));
    within(&seen, SOON);
}

async fn lies_about_its_loops() {
    assert!(matches!(
        probed("lies-about-its-loops").await,
        ProbeFailure::Unsupported(_)
    ));
    let seen = play(
        spec("lies-about-its-loops"),
        &plan(ClockKind::Injected, PATIENCE),
    )
    .await;
    let observation = seen.run.as_ref().unwrap();
    let said = observation.unsupported.as_ref().unwrap();
    assert_eq!(said.reason, "no such loop");
    within(&seen, SOON);
}

async fn opens_anything() {
    assert_eq!(probed("opens-anything").await, ProbeFailure::OpensAnything);
}

/// What the first failing probe says.
async fn probed(name: &str) -> ProbeFailure {
    let sample = plan(ClockKind::Injected, Span::from_secs(20));
    let host = ProbeHost {
        loop_id: sample.loop_id.clone(),
        machine: Machine::Retry,
        verb: Verb::Read,
        ok: (200, PlannedBody::default()),
        error: PlannedBody::default(),
        params: sample.params.clone(),
        attempts: Some(3),
        clock: sample.clock.clone(),
        prefix: PrefixMode::Random,
    };
    let mut world = handle(spec(name));
    for probe in probes(&host) {
        let seen = world.run(&probe.plan).await.unwrap();
        if let Err(failure) = probe.check(&seen) {
            world.stop().await;
            return failure;
        }
        assert!(
            seen.results
                .keys()
                .all(|call| *call == CallId::from("probe"))
        );
    }
    panic!("every probe passed");
}

async fn lies_about_its_sdk() {
    let seen = play(
        spec("lies-about-its-sdk"),
        &plan(ClockKind::Injected, PATIENCE),
    )
    .await;
    let failure = seen.hello.as_ref().unwrap_err();
    assert!(
        matches!(fault(failure), AdapterFault::WrongSdk { .. }),
        "{failure}"
    );
    assert_eq!(
        failure.to_string(),
        "the adapter loaded another-sdk 1, tiny 1 was asked for"
    );
}
