//! The unified diff of an expected and an observed timeline.

use similar::{ChangeTag, TextDiff};

use crate::judge::CaseReport;

/// Lines of a timeline that are shown around a difference.
const CONTEXT: usize = 3;

/// What a line of a diff is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKind {
    /// `---`, `+++` or `@@`.
    Header,
    /// On both sides.
    Same,
    /// Expected and not seen.
    Expected,
    /// Seen and not expected.
    Observed,
}

/// One line of a diff, with its sign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiffLine {
    /// What it is.
    pub kind: LineKind,
    /// Sign and text; the text may be a peer's and is not escaped.
    pub text: String,
}

/// The diff of a case's timelines; empty if they are the same.
pub fn diff(report: &CaseReport) -> Vec<DiffLine> {
    let whole = |lines: &[String]| {
        lines
            .iter()
            .map(|line| format!("{}\n", crate::escape::terminal(line)))
            .collect::<String>()
    };
    let (expected, observed) = (whole(&report.expected), whole(&report.observed));
    let diff = TextDiff::from_lines(expected.as_str(), observed.as_str());
    let mut lines = Vec::new();
    for group in diff.grouped_ops(CONTEXT) {
        if lines.is_empty() {
            lines.push(header("--- expected"));
            lines.push(header("+++ observed"));
        } else {
            lines.push(header("@@"));
        }
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let text = change.value().trim_end_matches('\n');
            let (kind, sign) = match change.tag() {
                ChangeTag::Equal => (LineKind::Same, ' '),
                ChangeTag::Delete => (LineKind::Expected, '-'),
                ChangeTag::Insert => (LineKind::Observed, '+'),
            };
            lines.push(DiffLine {
                kind,
                text: format!("{sign}{text}"),
            });
        }
    }
    lines
}

fn header(text: &str) -> DiffLine {
    DiffLine {
        kind: LineKind::Header,
        text: text.to_owned(),
    }
}
