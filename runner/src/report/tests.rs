//! Every sink is fed with what a hostile peer may have written.

use std::io::BufReader;

use super::*;
use crate::adapter::protocol::ClockKind;
use crate::judge::{CaseReport, Diagnosis, Difference, Side, Topic, Verdict};
use crate::model::{DefectId, Span};
use crate::run::{AdapterLine, Cause, Census, ClauseText, RunEvent, RunFooter, RunHeader, SCHEMA};

const HOSTILE: &str = "\u{1b}[31mred\u{7}\u{9b}2J ]]> | `tick` ```fence <script>alert(1)</script> & \"q\"\r\n::error::pwned\u{202e} @team ##[error]x";

pub(super) fn case(name: &str, verdict: Verdict, text: &str) -> CaseReport {
    CaseReport {
        adapter: "demo@1.0".to_owned(),
        version: "1.0".to_owned(),
        case: name.into(),
        fixture: name.into(),
        title: format!("A 503 that names a wait is waited out {text}"),
        loop_id: "operation".into(),
        clauses: vec!["HONOUR-1".into()],
        clock: ClockKind::Injected,
        verdict,
        reason: (!verdict.is_judged() || verdict == Verdict::Known)
            .then(|| format!("because {text}")),
        issue: (verdict == Verdict::Known).then(|| format!("https://example.org/issues/1 {text}")),
        differences: if matches!(verdict, Verdict::Diverges | Verdict::Warns | Verdict::Known) {
            vec![Difference {
                topic: Topic::Wait,
                call: Some("a".into()),
                text: format!("wait 1 is 1s instead of 120s {text}"),
                side: Side::Early,
                clause: Some("HONOUR-1".into()),
            }]
        } else {
            Vec::new()
        },
        diagnosis: (verdict == Verdict::Diverges)
            .then(|| Diagnosis::ConsistentWith(vec!["ignored-at-503".into()])),
        contradicts: Vec::new(),
        suspects: Vec::new(),
        signature: Some("ignored-at-503".to_owned()),
        expected: vec![
            "call a".to_owned(),
            "#1 503".to_owned(),
            "wait 120s".to_owned(),
            "#2 200".to_owned(),
            format!("returned {text}"),
        ],
        observed: vec![
            "call a".to_owned(),
            "#1 503".to_owned(),
            if matches!(verdict, Verdict::Diverges | Verdict::Known) {
                format!("wait 1s {text}")
            } else {
                "wait 120s".to_owned()
            },
            "#2 200".to_owned(),
            format!("returned {text}"),
        ],
        attempts: 2,
        waits: vec![Span::from_secs(1)],
        outcome: vec!["returned".to_owned()],
        log_tail: vec![text.to_owned()],
        real: Span::from_millis(12),
    }
}

fn record(text: &str) -> RunRecord {
    let verdicts = Verdict::ALL;
    let cases: Vec<_> = verdicts
        .iter()
        .map(|verdict| case(&format!("holdoff/{verdict}"), *verdict, text))
        .collect();
    let mut census = Census::of(cases.len());
    cases.iter().for_each(|case| census.count(case.verdict));
    let header = RunHeader {
        schema: SCHEMA,
        holdoff: "0.1.0".to_owned(),
        spec_digest: "00".to_owned(),
        fixtures_digest: "11".to_owned(),
        seed: 7,
        system: "linux x86_64".to_owned(),
        adapters: vec![AdapterLine {
            name: "demo@1.0".to_owned(),
            cases: cases.len(),
            judgeable: 9,
            clocks: "injected 9".to_owned(),
        }],
        clauses: [(
            "HONOUR-1".into(),
            ClauseText {
                keyword: "MUST".to_owned(),
                text: format!("A parsed Retry-After MUST be waited out. {text}"),
            },
        )]
        .into(),
        options: Vec::new(),
    };
    let footer = RunFooter {
        census,
        notes: Vec::new(),
        causes: vec![
            Cause {
                adapter: "demo@1.0".to_owned(),
                defect: Some(DefectId::new(format!("ignored-at-503{text}"))),
                cases: 2,
            },
            Cause {
                adapter: "demo@1.0".to_owned(),
                defect: None,
                cases: 1,
            },
        ],
        stale: vec![format!("adapters/demo/known.yaml: {text}")],
        ..RunFooter::default()
    };
    RunRecord::new(header, cases, footer)
}

fn console(record: &RunRecord, palette: Palette) -> String {
    let mut bytes = Vec::new();
    let mut sink = Console::new(&mut bytes, palette);
    sink.take(&RunEvent::Started(Box::new(record.header.clone())))
        .unwrap();
    for case in &record.cases {
        sink.take(&RunEvent::CaseFinished(Box::new(case.clone())))
            .unwrap();
    }
    sink.take(&RunEvent::Finished(record.footer.clone()))
        .unwrap();
    String::from_utf8(bytes).unwrap()
}

type Render = fn(&RunRecord) -> String;

const SINKS: [(&str, Render); 6] = [
    ("console", |record| console(record, Palette::Plain)),
    ("json", to_json_lines),
    ("junit", junit),
    ("markdown", markdown),
    ("html", html),
    ("github", github),
];

#[test]
fn ordinary_runs_read_well() {
    for (name, render) in SINKS {
        insta::assert_snapshot!(format!("report_{name}"), render(&record("")));
    }
}

#[test]
fn one_failure_of_many_cases_is_told_once() {
    let failing = |name: &str, reason: &str| CaseReport {
        reason: Some(reason.to_owned()),
        ..case(name, Verdict::Error, "Traceback")
    };
    let shared = "probe of `operation`: the adapter ended with exit status: 1";
    let cases = vec![
        failing("holdoff/one", shared),
        failing("holdoff/two", shared),
        failing("holdoff/three", "call `a`: the adapter failed: KeyError"),
        failing("holdoff/four", shared),
    ];
    let of_record = record("");
    let record = RunRecord::new(of_record.header, cases, RunFooter::default());
    let text = console(&record, Palette::Plain);
    let told = |words: &str| text.matches(words).count();
    assert_eq!(told("log| Traceback"), 2, "{text}");
    assert!(
        text.contains(&format!(
            "error the same for 2 more cases on demo@1.0: {shared}"
        )),
        "{text}"
    );
}

#[test]
fn a_reason_of_many_lines_stays_readable_and_harmless() {
    let mut report = case("holdoff/one", Verdict::Error, "");
    report.reason = Some("Traceback:\n  line 3\n::error::pwned\u{1b}[2J".to_owned());
    let text = case_text(&record("").header, &report, Palette::Plain);
    assert!(
        text.contains("\n  Traceback:\n    line 3\n  : :error::pwned\\u{1b}[2J\n"),
        "{text}"
    );
}

#[test]
fn no_sink_passes_on_what_a_terminal_obeys() {
    for (name, render) in SINKS {
        let text = render(&record(HOSTILE));
        let obeyed = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
        assert!(!text.contains(obeyed), "{name}: {text}");
    }
}

#[test]
fn colours_are_the_only_sequences_of_a_terminal() {
    let text = console(&record(HOSTILE), Palette::Coloured);
    for piece in text.split('\u{1b}').skip(1) {
        let code = piece.trim_start_matches(|c: char| c == '[' || c.is_ascii_digit());
        assert!(
            code.starts_with('m') && piece.len() - code.len() <= 3,
            "{piece}"
        );
    }
}

#[test]
fn no_line_of_a_log_is_a_workflow_command_of_a_peer() {
    for (name, render) in SINKS {
        for line in render(&record(HOSTILE)).lines() {
            let line = line.trim_start();
            let is_own = ["::error title=", "::warning title=", "::notice title="]
                .iter()
                .any(|own| name == "github" && line.starts_with(own));
            assert!(!line.starts_with("::") || is_own, "{name}: {line}");
        }
    }
}

#[test]
fn markup_of_a_peer_is_text() {
    let html = html(&record(HOSTILE));
    assert!(!html.contains("<script") && html.contains("&lt;script&gt;"));
    let xml = junit(&record(HOSTILE));
    assert!(!xml.contains("<script") && !xml.contains("]]>"));
    let markdown = markdown(&record(HOSTILE));
    let outside_code: String = outside_fences(&markdown).join("\n");
    assert!(!outside_code.contains("<script"), "{outside_code}");
    assert!(!outside_code.contains(" @team"));
}

/// Lines that are in no fenced block; fails if a block is left early.
fn outside_fences(markdown: &str) -> Vec<&str> {
    let mut fence: Option<&str> = None;
    let mut outside = Vec::new();
    for line in markdown.lines() {
        let ticks = &line[..line.len() - line.trim_start_matches('`').len()];
        match fence {
            None if ticks.len() >= 3 => fence = Some(ticks),
            None => outside.push(line),
            Some(open) if line.trim_end() == open => fence = None,
            Some(_) => {}
        }
    }
    assert_eq!(fence, None, "{markdown}");
    outside
}

#[test]
fn a_saved_run_is_read_again() {
    for text in ["", HOSTILE] {
        let record = record(text);
        let saved = to_json_lines(&record);
        assert_eq!(
            from_json_lines(BufReader::new(saved.as_bytes())).unwrap(),
            record
        );
    }
}

#[test]
fn a_damaged_saved_run_is_refused() {
    let saved = to_json_lines(&record(""));
    let read = |text: &str| {
        from_json_lines(BufReader::new(text.as_bytes()))
            .unwrap_err()
            .to_string()
    };
    let lines: Vec<_> = saved.lines().collect();
    let without = |index: usize| {
        let mut lines = lines.clone();
        lines.remove(index);
        lines.join("\n")
    };
    assert_eq!(
        read(&without(lines.len() - 1)),
        "the saved run is cut off: it has no footer"
    );
    assert_eq!(
        read(&without(3)),
        "the saved run has 10 cases, its census counts 11"
    );
    assert!(read(&without(0)).starts_with("line 1 "));
    assert!(read("junk").starts_with("line 1 "));
    assert_eq!(read(""), "the saved run is cut off: it has no footer");
    let other = saved.replacen("\"schema\":1", "\"schema\":9", 1);
    assert_eq!(
        read(&other),
        "the saved run has schema 9, this version reads 1"
    );
}

#[test]
fn the_order_of_cases_does_not_show() {
    let record = record("");
    let mut cases = record.cases.clone();
    cases.reverse();
    let again = RunRecord::new(record.header.clone(), cases, record.footer.clone());
    assert_eq!(markdown(&again), markdown(&record));
    assert_eq!(to_json_lines(&again), to_json_lines(&record));
}

#[test]
fn the_run_of_one_adapter_counts_its_own_cases() {
    let mut record = record("");
    let other = CaseReport {
        adapter: "other@1.0".to_owned(),
        ..case("holdoff/other", Verdict::Known, "")
    };
    record.cases.push(other);
    let one = record.of_adapter("other@1.0");
    assert_eq!(one.adapters(), ["other@1.0"]);
    assert!(one.header.adapters.is_empty());
    assert_eq!(one.footer.census.to_string(), "1 case: 1 known");
    assert_eq!(
        record.of_adapter("demo@1.0").cases.len(),
        Verdict::ALL.len()
    );
}
