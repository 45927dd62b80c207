//! The same report as a page of its own, without scripts or anything remote.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::case_text::{broken_clauses, is_reproducible};
use super::causes;
use super::diff::{LineKind, diff};
use super::junit::summary;
use super::record::RunRecord;
use crate::escape::terminal;
use crate::judge::{CaseReport, Verdict};
use crate::run::{Cause, Census};

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}\
table{border-collapse:collapse}td,th{border:1px solid #ccc;padding:.2rem .6rem;text-align:left}\
pre{background:#f6f8fa;padding:.8rem;overflow-x:auto}.e{color:#b31d28}.o{color:#22863a}.h{color:#6a737d}\
.diverges,.changed,.fixed,.error{color:#b31d28}.pass,.known{color:#22863a}";

/// The report of a run as one HTML page.
pub fn html(record: &RunRecord) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy"
                    content="default-src 'none'; style-src 'unsafe-inline'";
                title { "Holdoff" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                @for adapter in record.adapters() { (section(record, adapter)) }
                @for stale in &record.footer.stale { p { b { "Unmatched: " } (terminal(stale)) } }
            }
        }
    };
    let mut text = page.into_string();
    text.push('\n');
    text
}

fn section(record: &RunRecord, adapter: &str) -> Markup {
    let cases: Vec<_> = record.cases_of(adapter).collect();
    let mut census = Census::of(cases.len());
    cases.iter().for_each(|case| census.count(case.verdict));
    html! {
        h1 { (terminal(adapter)) }
        p { (census.to_string()) }
        (causes_table(&causes::of(record, adapter)))
        table {
            tr { th { "case" } th { "verdict" } th { "why" } }
            @for case in &cases {
                tr {
                    td { code { (terminal(case.case.as_str())) } }
                    td class=(case.verdict.as_str()) { (case.verdict.as_str()) }
                    td { (why(case)) }
                }
            }
        }
        @for case in cases.iter().filter(|case| is_reproducible(case.verdict)) {
            (explained(record, case))
        }
    }
}

fn causes_table(found: &[&Cause]) -> Markup {
    html! {
        @if !found.is_empty() {
            h2 { "What would explain the divergences" }
            table {
                tr { th { "cases" } th { "defect" } th { "the client" } }
                @for cause in found {
                    tr {
                        td { (cause.cases) }
                        td { code { (terminal(causes::name(cause))) } }
                        td { (causes::does(cause)) }
                    }
                }
            }
        }
    }
}

fn why(case: &CaseReport) -> String {
    let text = match case.verdict {
        Verdict::Pass => return String::new(),
        Verdict::Known => case.signature.clone().unwrap_or_default(),
        _ => summary(case),
    };
    terminal(&text).into_owned()
}

fn explained(record: &RunRecord, case: &CaseReport) -> Markup {
    let lines = diff(case);
    html! {
        h2 { code { (terminal(case.case.as_str())) } }
        p { (terminal(&case.title)) }
        @for (id, clause) in broken_clauses(&record.header, case) {
            blockquote { b { (terminal(id)) } " " (terminal(clause)) }
        }
        @if case.differences.is_empty() { p { (terminal(&summary(case))) } }
        ul {
            @for difference in &case.differences { li { (terminal(&difference.text)) } }
        }
        @if !lines.is_empty() {
            pre {
                @for line in &lines {
                    span class=(class(line.kind)) { (terminal(&line.text)) }
                    "\n"
                }
            }
        }
        @if let Some(diagnosis) = &case.diagnosis { p { "Diagnosis: " (diagnosis.to_string()) } }
        p { "Reproduce: " code { (terminal(&record.header.reproduce(case))) } }
    }
}

fn class(kind: LineKind) -> &'static str {
    match kind {
        LineKind::Header => "h",
        LineKind::Same => "s",
        LineKind::Expected => "e",
        LineKind::Observed => "o",
    }
}
