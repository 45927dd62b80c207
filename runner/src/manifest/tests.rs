//! Whole manifests, good and bad, and the published schema.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value as Json;

use super::*;
use crate::adapter::protocol::{ClockKind, ParamValue, Verb};
use crate::fixture::{Body, COUNT_PARAMS, DURATION_PARAMS, VERBS};
use crate::model::{Feature, LoopId, PrefixMode, SleepStyle, Span};

const GOOD: &str = r#"
# yaml-language-server: $schema=../adapter.schema.json
name: acme-python
sdk: acme-sdk
language: python
variants: [sync, async]
versions: [0.15, 0.29.1]
rows: { http.call: operation }
build: ["python3", "build.py", "{build}", "requirements-{version}.txt"]
command: ["{build}/bin/python", "adapter.py", "--variant={variant}", "--sdk={sdk-path}"]
env: { PYTHONPATH: "{sdk-path}", ACME_JSON: '{"a": 1}', ACME_VERSION: "{version}" }
requires: [python3]
loops:
  http.call: { max_jitter: 100ms, max_attempts: { "<0.18": 3, ">=0.18": 4 } }
  download:
params: [base_delay, request_timeout]
features:
  cancel: { async: true, sync: false }
  retry-hook: { "async >=0.20": true }
  retry-after-on-error: true
clocks: [virtual, real]
sleeps: deadline
parse_limit: { "<0.18": 4294967295s }
schedule_limit: "2147483647s"
prefix: false
issues: https://example.org/acme/issues
replies:
  http.call:
    read: { ok: { json: '{"id": 1}' }, page: { json: [1, 2] }, ok-status: 204 }
    "*": { ok: { json: {} }, error: { text: "no", content-type: text/html } }
  "*":
    "*": { ok: none, error: { json: { error: "{{epoch +0s}}" } } }
"#;

fn good() -> Manifest {
    Manifest::read(Path::new("adapters/acme-python/adapter.yaml"), GOOD)
        .unwrap_or_else(|errors| panic!("{errors}"))
}

fn bad(text: &str) -> String {
    Manifest::read(Path::new("adapters/a/adapter.yaml"), text)
        .expect_err("it is wrong")
        .render()
}

fn places(sdk_path: Option<&str>) -> Places {
    Places {
        build: "/b".into(),
        sdk_path: sdk_path.map(Into::into),
        holdoff: "/bin/holdoff".into(),
    }
}

#[test]
fn one_launch_for_each_version_and_variant() {
    let launches = good().hosts();
    let names: Vec<_> = launches
        .iter()
        .map(|launch| launch.host.name.as_str())
        .collect();
    assert_eq!(
        names,
        [
            "acme-python/sync@0.15",
            "acme-python/async@0.15",
            "acme-python/sync@0.29.1",
            "acme-python/async@0.29.1"
        ]
    );
    let operation = LoopId::new("operation");
    let attempts = |n: usize| launches[n].host.loops[&operation].constants["max_attempts"];
    assert_eq!(
        (attempts(0), attempts(2)),
        (ParamValue::Count(3), ParamValue::Count(4))
    );
    assert_eq!(
        launches[0].host.loops[&operation].row,
        Some(LoopId::new("http.call"))
    );
    assert_eq!(launches[0].host.loops[&LoopId::new("download")].row, None);
    let features: Vec<_> = launches
        .iter()
        .map(|launch| launch.host.features.len())
        .collect();
    assert_eq!(features, [1, 2, 1, 3]);
    assert!(launches[3].host.features.contains(&Feature::Cancel));
    let host = &launches[0].host;
    assert_eq!(host.parse_limit, Some(Span::from_secs(4_294_967_295)));
    assert_eq!(launches[2].host.parse_limit, None);
    assert_eq!(host.schedule_limit, Some(Span::from_secs(2_147_483_647)));
    assert_eq!(
        host.params,
        ["base_delay".to_owned(), "request_timeout".to_owned()].into()
    );
    assert_eq!(host.clocks, [ClockKind::Virtual, ClockKind::Real].into());
    assert_eq!(
        (host.sleeps, launches[0].prefix),
        (SleepStyle::Deadline, PrefixMode::None)
    );
    assert_eq!(launches[0].correlates, Correlation::ByMark);
    assert_eq!(launches[0].folder, Path::new("adapters/acme-python"));
}

#[test]
fn placeholders_are_filled_in() {
    let launch = good().hosts().remove(3);
    assert_eq!(
        launch.command(&places(None)),
        [
            "/b/acme-python/0.29.1/bin/python",
            "adapter.py",
            "--variant=async"
        ]
    );
    assert_eq!(launch.command(&places(Some("/sdk")))[3], "--sdk=/sdk");
    assert_eq!(launch.build(&places(None))[3], "requirements-0.29.1.txt");
    let env = launch.env(&places(None));
    assert_eq!(env.get("PYTHONPATH"), None);
    assert_eq!(env["ACME_JSON"], "{\"a\": 1}");
    assert_eq!(launch.env(&places(Some("/sdk")))["PYTHONPATH"], "/sdk");
}

#[test]
fn replies_fall_back_to_wider_ones() {
    let replies = good().replies;
    let (operation, download) = (LoopId::new("operation"), LoopId::new("download"));
    let text = |id: &LoopId, verb, body: &Body| {
        replies
            .body(id, verb, body)
            .map(|body| body.text.to_string())
    };
    assert_eq!(
        text(&operation, Verb::Read, &Body::Ok).unwrap(),
        "{\"id\": 1}"
    );
    assert_eq!(text(&operation, Verb::Read, &Body::Page).unwrap(), "[1,2]");
    assert_eq!(
        text(&operation, Verb::Read, &Body::LastPage).unwrap(),
        "{\"id\": 1}"
    );
    assert_eq!(text(&operation, Verb::Write, &Body::Ok).unwrap(), "{}");
    assert_eq!(text(&operation, Verb::Read, &Body::Error).unwrap(), "no");
    assert_eq!(text(&download, Verb::Read, &Body::Ok).unwrap(), "");
    assert_eq!(
        text(&download, Verb::Read, &Body::Error).unwrap(),
        "{\"error\":\"{{epoch +0s}}\"}"
    );
    assert_eq!(replies.ok_status(&operation, Verb::Read), 204);
    assert_eq!(replies.ok_status(&operation, Verb::Write), 200);
    let error = replies.body(&operation, Verb::Read, &Body::Error).unwrap();
    assert_eq!(error.content_type.as_deref(), Some("text/html"));
}

#[test]
fn everything_that_is_wrong_is_said() {
    let text = r#"
name: Acme
sdk: acme
language: python
variants: [sync]
versions: []
command: ["npx", "acme", "{biuld}/x", "../adapter.py"]
env: { "A-B": 1, C: "{verison}" }
loops: { operation: { max_atempts: 3, base_delay: { "0.18": 1s, "snyc <1": 1s } } }
params: [max_attemts]
features: [cancle]
clocks: [virtul]
sleeps: durations
parse_limit: 9223372036854775807
prefix: yes
issues: acme/issues
spec: ../theirs.md
replies: { operation: { raed: { ok: { json: '{' }, okay: none, ok-status: 404 }, "*": { ok: { id: 1 } } } }
isues: x
"#;
    insta::assert_snapshot!("manifest_errors", bad(text));
}

#[test]
fn commands_neither_wrap_nor_build() {
    for (command, expected) in [
        ("[npx, acme]", "a command never wraps another one"),
        (
            "[/usr/bin/env, python3]",
            "a path outside of the adapter's folder",
        ),
        ("[go, run, .]", "a command never builds"),
        ("[java, Adapter.java]", "a command never builds"),
        ("[]", "`command` names no program"),
        (
            "[python3, a/../../b.py]",
            "a path outside of the adapter's folder",
        ),
    ] {
        let text = format!(
            "name: a\nsdk: a\nlanguage: x\nversions: [1]\nclocks: [real]\nloops: [operation]\ncommand: {command}\n"
        );
        let errors = bad(&text);
        assert!(errors.contains(expected), "{command}: {errors}");
    }
    insta::assert_snapshot!(
        "manifest_command",
        bad(
            "name: a\nsdk: a\nlanguage: x\nversions: [1]\nclocks: [real]\nloops: [operation]\ncommand: [npx, acme]\n"
        )
    );
    let text = GOOD.replace(
        "  \"*\":\n    \"*\": { ok: none",
        "  dwnload:\n    \"*\": { ok: none",
    );
    insta::assert_snapshot!("manifest_reply_to_no_loop", bad(&text));
    insta::assert_snapshot!("manifest_missing", bad("name: a\n"));
}

#[test]
fn the_manifests_of_this_repository_are_read() {
    let adapters = Path::new(env!("CARGO_MANIFEST_DIR")).join("../adapters");
    for entry in std::fs::read_dir(adapters).unwrap() {
        let folder = entry.unwrap().path();
        if folder.join(Manifest::FILE).exists()
            && let Err(errors) = Manifest::load(&folder)
        {
            panic!("{errors}");
        }
    }
}

#[test]
fn the_schema_knows_the_same_keys() {
    let schema: Json =
        serde_json::from_str(include_str!("../../../adapters/adapter.schema.json")).unwrap();
    let keys = |place: &str| -> BTreeSet<&str> {
        let properties = schema
            .pointer(&format!("{place}/properties"))
            .unwrap_or_else(|| panic!("{place}"));
        properties
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect()
    };
    let verbs = VERBS.iter().map(|(word, _)| *word).chain(["*"]);
    let constants = COUNT_PARAMS.into_iter().chain(DURATION_PARAMS);
    assert_eq!(keys(""), read::KEYS.into());
    assert_eq!(keys("/$defs/reply"), replies::REPLY_KEYS.into());
    assert_eq!(keys("/$defs/body"), replies::BODY_KEYS.into());
    assert_eq!(keys("/$defs/verbs"), verbs.collect());
    assert_eq!(keys("/$defs/constants"), constants.collect());
    assert_eq!(
        keys("/$defs/features"),
        Feature::ALL.map(Feature::as_str).into()
    );
}
