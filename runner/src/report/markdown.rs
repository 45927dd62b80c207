//! A divergence report in Markdown, to be pasted into a tracking issue. The
//! same run gives the same bytes: no ports, no real times, no dates.

use std::collections::BTreeMap;

use super::case_text::{broken_clauses, is_reproducible};
use super::causes;
use super::diff::diff;
use super::junit::summary;
use super::known_groups::{OWN_TIMELINE, known_groups};
use super::record::{RunRecord, is_explained};
use crate::escape::{markdown as text, markdown_block, markdown_code as code};
use crate::judge::{CaseReport, Verdict};
use crate::run::Census;

/// The report of a run, one section an adapter.
pub fn markdown(record: &RunRecord) -> String {
    let mut out = String::new();
    for adapter in record.adapters() {
        if !out.is_empty() {
            out.push('\n');
        }
        section(record, adapter, &mut out);
    }
    for stale in &record.footer.stale {
        out.push_str(&format!("\n**Unmatched:** {}\n", text(stale)));
    }
    out
}

fn section(record: &RunRecord, adapter: &str, out: &mut String) {
    let cases: Vec<_> = record.cases_of(adapter).collect();
    let mut census = Census::of(cases.len());
    cases.iter().for_each(|case| census.count(case.verdict));
    out.push_str(&format!("# {}\n\n{census}\n", text(adapter)));
    causes_table(record, adapter, out);
    known(record, &cases, out);
    unjudged(&cases, out);
    for verdict in Verdict::ALL {
        let of_verdict = cases.iter().filter(|case| case.verdict == verdict);
        let shown: Vec<_> = of_verdict
            .filter(|case| is_explained(verdict) && is_reproducible(case.verdict))
            .collect();
        if shown.is_empty() {
            continue;
        }
        out.push_str(&format!("\n## {}\n", heading(verdict)));
        for case in shown {
            explained(record, case, out);
        }
    }
}

fn causes_table(record: &RunRecord, adapter: &str, out: &mut String) {
    let found = causes::of(record, adapter);
    if found.is_empty() {
        return;
    }
    out.push_str(
        "\n## What would explain the divergences\n\n| cases | defect | the client |\n|---:|---|---|\n",
    );
    for cause in found {
        let (name, does) = (causes::name(cause), causes::does(cause));
        out.push_str(&format!(
            "| {} | {} | {} |\n",
            cause.cases,
            text(name),
            text(does)
        ));
    }
}

/// Known divergences: each cause with one of its cases in full.
fn known(record: &RunRecord, cases: &[&CaseReport], out: &mut String) {
    for (index, group) in known_groups(cases.iter().copied()).iter().enumerate() {
        if index == 0 {
            out.push_str("\n## Known\n");
        }
        let example = group.example();
        out.push_str(&format!(
            "\n### {}\n\n{}\n\nRecorded: {}\n\n{}: {}\n",
            group.signature().map_or_else(|| text(OWN_TIMELINE), code),
            text(group.because()),
            text(group.recorded()),
            code(example.case.as_str()),
            text(&example.title)
        ));
        clauses(record, example, out);
        evidence(example, out);
        let others = group.cases[1..].iter().map(|case| code(case.case.as_str()));
        let others: Vec<_> = others.collect();
        if !others.is_empty() {
            out.push_str(&format!("\nAlso: {}\n", others.join(", ")));
        }
    }
}

fn heading(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Diverges => "Diverges",
        Verdict::Fixed => "Fixed (known.yaml must be edited)",
        Verdict::Changed => "Changed (known.yaml says otherwise)",
        Verdict::Warns => "Warns",
        Verdict::Inconclusive => "Inconclusive",
        Verdict::Error => "Errors",
        other => other.as_str(),
    }
}

fn unjudged(cases: &[&CaseReport], out: &mut String) {
    let mut reasons: BTreeMap<(Verdict, &str), usize> = BTreeMap::new();
    for case in cases {
        if matches!(
            case.verdict,
            Verdict::Unsupported | Verdict::Unavailable | Verdict::NeedsClock
        ) {
            let reason = case.reason.as_deref().unwrap_or("");
            *reasons.entry((case.verdict, reason)).or_default() += 1;
        }
    }
    if reasons.is_empty() {
        return;
    }
    out.push_str("\n## Not judged\n\n| cases | verdict | reason |\n|---:|---|---|\n");
    for ((verdict, reason), count) in reasons {
        out.push_str(&format!("| {count} | {verdict} | {} |\n", text(reason)));
    }
}

fn explained(record: &RunRecord, case: &CaseReport, out: &mut String) {
    out.push_str(&format!(
        "\n### {}\n\n{}\n",
        code(case.case.as_str()),
        text(&case.title)
    ));
    clauses(record, case, out);
    if case.verdict == Verdict::Error || case.differences.is_empty() {
        out.push_str(&format!("\n{}\n", text(&summary(case))));
    }
    evidence(case, out);
    if let Some(diagnosis) = &case.diagnosis {
        out.push_str(&format!("\nDiagnosis: {diagnosis}.\n"));
    }
    out.push_str(&format!(
        "\nReproduce: {}\n",
        code(&record.header.reproduce(case))
    ));
}

/// The clauses that are broken, in their own words.
fn clauses(record: &RunRecord, case: &CaseReport, out: &mut String) {
    for (id, clause) in broken_clauses(&record.header, case) {
        out.push_str(&format!("\n> **{}** {}\n", text(id), text(clause)));
    }
}

/// What differs, in words and as a diff.
fn evidence(case: &CaseReport, out: &mut String) {
    if !case.differences.is_empty() {
        out.push('\n');
        for difference in &case.differences {
            out.push_str(&format!("- {}\n", text(&difference.text)));
        }
    }
    let lines = diff(case);
    if !lines.is_empty() {
        out.push('\n');
        out.push_str(&markdown_block("diff", lines.iter().map(|line| &line.text)));
    }
}
