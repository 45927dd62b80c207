//! One case as a person reads it: what the console and a failing test print.

use super::diff::{LineKind, diff};
use super::palette::Palette;
use crate::escape::log_line;
use crate::judge::{CaseReport, Verdict};
use crate::run::RunHeader;

/// Log lines of an adapter that are shown.
const LOG_LINES: usize = 20;

/// A case with all that explains its verdict; ends in a line feed.
pub fn case_text(header: &RunHeader, report: &CaseReport, palette: Palette) -> String {
    let mut text = Lines::default();
    let verdict = palette.verdict(report.verdict, report.verdict.as_str());
    text.push(format!(
        "{verdict} {} {}",
        palette.strong(&log_line(report.case.as_str())),
        palette.faint(&format!("on {}", log_line(&report.adapter)))
    ));
    text.push(format!("  {}", log_line(&report.title)));
    for (id, clause) in broken_clauses(header, report) {
        text.push(format!("  [{id}] {}", log_line(clause)));
    }
    if let Some(reason) = &report.reason {
        for line in reason.lines() {
            text.push(format!("  {}", log_line(line)));
        }
    }
    if let Some(issue) = &report.issue {
        text.push(format!("  recorded: {}", log_line(issue)));
    }
    for difference in &report.differences {
        text.push(format!("  - {}", log_line(&difference.text)));
    }
    for line in diff(report) {
        let shown = match line.kind {
            LineKind::Header => palette.faint(&line.text),
            LineKind::Same => log_line(&line.text),
            LineKind::Expected => palette.bad(&log_line(&line.text)),
            LineKind::Observed => palette.good(&log_line(&line.text)),
        };
        text.push(format!("  | {shown}"));
    }
    if let Some(diagnosis) = &report.diagnosis {
        text.push(format!("  diagnosis: {diagnosis}"));
    }
    let from = report.log_tail.len().saturating_sub(LOG_LINES);
    for line in &report.log_tail[from..] {
        text.push(format!("  log| {}", log_line(line)));
    }
    if is_reproducible(report.verdict) {
        text.push(format!(
            "  reproduce: {}",
            log_line(&header.reproduce(report))
        ));
    }
    text.0
}

/// The clauses that a report's differences break, in their own words; all that
/// the case tests if the differences name none.
pub(super) fn broken_clauses<'a>(
    header: &'a RunHeader,
    report: &'a CaseReport,
) -> Vec<(&'a str, &'a str)> {
    let mut ids: Vec<_> = report
        .differences
        .iter()
        .filter_map(|difference| difference.clause.as_ref())
        .collect();
    ids.sort();
    ids.dedup();
    if ids.is_empty() && !report.differences.is_empty() {
        ids = report.clauses.iter().collect();
    }
    ids.into_iter()
        .map(|id| {
            let text = header.clauses.get(id).map_or("", |clause| &clause.text);
            (id.as_str(), text)
        })
        .collect()
}

pub(super) fn is_reproducible(verdict: Verdict) -> bool {
    matches!(
        verdict,
        Verdict::Warns
            | Verdict::Diverges
            | Verdict::Fixed
            | Verdict::Changed
            | Verdict::Inconclusive
            | Verdict::Error
    )
}

#[derive(Default)]
struct Lines(String);

impl Lines {
    fn push(&mut self, line: String) {
        self.0.push_str(&line);
        self.0.push('\n');
    }
}
