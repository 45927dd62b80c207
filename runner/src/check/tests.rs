use std::path::Path;

use super::*;
use crate::fixture::read;
use crate::spec::Spec;

fn spec() -> Spec {
    Spec::parse(Path::new("SPEC.md"), include_str!("../../../SPEC.md")).unwrap()
}

/// Errors of one fixture, as a person reads them.
fn errors(text: &str) -> String {
    let cases = read("holdoff/a.yaml", text).unwrap_or_else(|errors| panic!("{errors}"));
    check(&spec(), &cases, &|_| Some(text.to_owned()))
        .diagnostics
        .to_string()
}

const GOOD: &str = r#"title: A 503 that names a wait is waited out
clauses: [HONOUR-1]
loop: operation
params: { base_delay: 1s, max_jitter: 0s }
calls: [{ id: a, at: 0s, do: read }]
script:
  - { status: 503, headers: { retry-after: "120" } }
  - { status: 200 }
expect: { attempts: 2, waits: [120s], ends: 120s, outcome: { kind: returned } }
kills: [ignored-at-503]
"#;

#[test]
fn a_right_fixture_has_no_errors() {
    assert_eq!(errors(GOOD), "");
}

#[test]
fn what_the_author_says_must_be_what_the_oracle_derives() {
    let text = errors(&GOOD.replace("waits: [120s], ends: 120s", "waits: [119s], ends: 120s"));
    assert!(
        text.contains("the author says 119s, the oracle derives 120s"),
        "{text}"
    );
    assert!(text.contains("a.yaml:9:"), "{text}");
    assert!(text.contains("told 120s as seconds"), "{text}");
}

#[test]
fn a_script_must_end_the_call() {
    let text = errors(&GOOD.replace("  - { status: 200 }\n", ""));
    assert!(text.contains("a script that ends every call"), "{text}");
}

#[test]
fn every_required_step_must_be_served() {
    let text = errors(&GOOD.replace(
        "  - { status: 200 }\n",
        "  - { status: 200 }\n  - { status: 500 }\n",
    ));
    assert!(text.contains("steps [2] are never served"), "{text}");
}

#[test]
fn a_claim_must_be_true() {
    let text = errors(&GOOD.replace("[ignored-at-503]", "[ignored-at-503, octal-read]"));
    assert!(text.contains("claims to catch `octal-read`"), "{text}");
    assert!(text.contains("looks the same here"), "{text}");
}

#[test]
fn a_case_must_be_able_to_fail_or_have_a_twin_that_can() {
    let silent = r#"title: A success is returned
clauses: [SCOPE-3]
loop: operation
vary:
  - { id: alone, status: 200 }
calls: [{ id: a, at: 0s, do: read }]
script: [{ status: 200 }]
expect: { attempts: 1, ends: 0s, outcome: { kind: returned } }
"#
    .replace("vary:\n  - { id: alone, status: 200 }\n", "");
    assert!(errors(&silent).contains("no defect of the catalogue can make it fail"));
    let without_twin = silent.replace(
        "loop: operation\n",
        "loop: operation\ncontrol: true\ntwin: holdoff/b\n",
    );
    assert!(errors(&without_twin).contains("its twin `holdoff/b` does not exist"));
    let no_control = GOOD.replace("kills: [ignored-at-503]", "control: true\ntwin: holdoff/a");
    assert!(errors(&no_control).contains("is no control"));
}

#[test]
fn names_must_exist_and_the_nearest_is_named() {
    let text = errors(&GOOD.replace("HONOUR-1", "HONOR-1"));
    assert!(
        text.contains("unknown clause") && text.contains("HONOUR-1"),
        "{text}"
    );
    let text = errors(&GOOD.replace("loop: operation", "loop: operations"));
    assert!(
        text.contains("unknown loop") && text.contains("`operation`"),
        "{text}"
    );
    let text = errors(&GOOD.replace("ignored-at-503", "ignored-at-530"));
    assert!(
        text.contains("unknown defect") && text.contains("ignored-at-503"),
        "{text}"
    );
}

#[test]
fn a_tick_that_outlasts_a_time_limit_is_for_the_injected_clock() {
    let with = |clock: &str, params: &str| {
        let text = GOOD.replace("max_jitter: 0s", &format!("max_jitter: 0s{params}"));
        errors(&format!("{clock}{text}"))
    };
    let coarse = with("clock: { tick: 1s }\n", "");
    assert!(coarse.contains("a tick of 1s is too coarse"), "{coarse}");
    assert!(coarse.contains("clock: injected"), "{coarse}");
    let injected = "clock: { tick: 1s }\nneeds: { clock: injected }\n";
    assert_eq!(with(injected, ""), "");
    assert_eq!(with("clock: { tick: 1ms }\n", ""), "");
    let short = with("clock: { tick: 1ms }\n", ", request_timeout: 999ms");
    assert!(
        short.contains("outlast the time limit of 0.999s"),
        "{short}"
    );
}

#[test]
fn equal_instants_are_for_the_injected_clock() {
    let cancelled = |at: &str, needs: &str| {
        let cancel = format!("read }}, {{ at: {at}, do: cancel, call: a }}]");
        let outcome = "attempts: 1, waits: [], outcome: { kind: cancelled }";
        let text = GOOD
            .replace("read }]", &cancel)
            .replace("{ status: 200 }", "{ status: 200, optional: true }")
            .replace(
                "attempts: 2, waits: [120s], ends: 120s, outcome: { kind: returned }",
                outcome,
            );
        errors(&format!("{needs}{text}"))
    };
    let found = cancelled("120s", "");
    assert!(
        found.contains("the cancellation at 120s falls on"),
        "{found}"
    );
    assert_eq!(cancelled("120s", "needs: { clock: injected }\n"), "");
    assert_eq!(cancelled("119s", ""), "");
    let stepped = |at: &str| {
        errors(&format!(
            "clock: {{ steps: [{{ at: {at}, wall: 1h }}] }}\n{GOOD}"
        ))
    };
    assert!(stepped("120s").contains("the step of the wall clock at 120s"));
    assert_eq!(stepped("60s"), "");
    let late = |delay: &str| {
        errors(
            &GOOD
                .replace(
                    "retry-after: \"120\" }",
                    &format!("retry-after: \"120\" }}, delay: {delay}"),
                )
                .replace("ends: 120s, ", ""),
        )
    };
    assert!(
        late("30s").contains("the reply 30s after its request"),
        "{}",
        late("30s")
    );
    assert_eq!(late("20s"), "");
}

#[test]
fn the_report_counts_cases_and_distinct_kill_sets() {
    let cases = read("holdoff/a.yaml", GOOD).unwrap();
    let twice = [cases.clone(), cases].concat();
    let report = check(&spec(), &twice, &|_| None).report;
    assert_eq!((report.cases, report.kill_sets, report.fixtures), (2, 1, 1));
    assert!(
        report
            .clauses_without_case
            .iter()
            .any(|id| id.as_str() == "PARSE-1")
    );
    assert!(
        !report
            .clauses_without_case
            .iter()
            .any(|id| id.as_str() == "HONOUR-1")
    );
    assert!(
        report
            .survivors
            .iter()
            .any(|id| id.as_str() == "octal-read")
    );
}
