//! What `holdoff new adapter` writes passes the probes of `holdoff doctor` as it is.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on says so")]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use holdoff::adapter::LaunchSpec;
use holdoff::adapter::protocol::{ClockKind, ParamValue, SdkIdentity, Verb};
use holdoff::fixture::Body;
use holdoff::manifest::{Launch, Manifest, Places};
use holdoff::model::{ClockPlan, DateWindow, LoopId, Span};
use holdoff::scaffold::{Language, write_adapter};
use holdoff::spec::Machine;
use holdoff::world::{ProbeHost, World, probes};

fn launch_spec(launch: &Launch) -> LaunchSpec {
    let places = Places {
        build: launch.folder.join("build"),
        sdk_path: None,
        holdoff: "holdoff".into(),
    };
    let mut spec = LaunchSpec::new(launch.host.name.clone(), launch.command(&places));
    spec.directory = launch.folder.clone();
    spec.env = launch.env(&places);
    spec.sdk = Some(SdkIdentity {
        name: launch.sdk.clone(),
        version: launch.version.as_str().to_owned(),
    });
    spec
}

fn probe_host(launch: &Launch) -> ProbeHost {
    let loop_id = LoopId::from("operation");
    let body = |body: &Body| launch.replies.body(&loop_id, Verb::Read, body).unwrap();
    ProbeHost {
        machine: Machine::Retry,
        verb: Verb::Read,
        ok: (200, body(&Body::Ok)),
        error: body(&Body::Error),
        params: BTreeMap::from([("max_attempts".to_owned(), ParamValue::Count(2))]),
        attempts: Some(2),
        clock: ClockPlan {
            kind: ClockKind::Real,
            wall: "2030-01-01T00:00:00Z".parse().unwrap(),
            tick: None,
            steps: Vec::new(),
            date_window: DateWindow::Free,
        },
        prefix: launch.prefix,
        loop_id,
    }
}

async fn passes_the_probes(adapters: &Path, language: Language) {
    let folder = write_adapter(adapters, "acme", language).unwrap();
    let manifest = Manifest::load(&folder).unwrap_or_else(|errors| panic!("{errors}"));
    let launches = manifest.hosts();
    let mut world = World::start(launch_spec(&launches[0])).await.unwrap();
    let mut played = 0;
    for mut probe in probes(&probe_host(&launches[0])) {
        // The clock is real here, and a retry after the result is no question.
        probe.plan.bounds.tail = Span::ZERO;
        let seen = world.run(&probe.plan).await.unwrap();
        probe.check(&seen).unwrap_or_else(|no| panic!("{no}"));
        played += 1;
    }
    world.stop().await;
    assert_eq!(played, 3);
}

/// Whether this computer has the language; CI has all of them.
fn has(program: &str) -> bool {
    let found = Command::new(program).arg("--version").output().is_ok();
    if !found {
        eprintln!("skipped: {program} is not installed");
    }
    found
}

#[tokio::test]
async fn a_new_python_adapter_passes_the_probes() {
    if has("python3") {
        let adapters = tempfile::tempdir().unwrap();
        passes_the_probes(adapters.path(), Language::Python).await;
    }
}

#[tokio::test]
async fn a_new_node_adapter_passes_the_probes() {
    if has("node") {
        let adapters = tempfile::tempdir().unwrap();
        passes_the_probes(adapters.path(), Language::Node).await;
    }
}
