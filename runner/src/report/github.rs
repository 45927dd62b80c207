//! Workflow commands of GitHub Actions.

use super::junit::summary;
use super::record::RunRecord;
use crate::escape::{github_message, github_property};
use crate::judge::{CaseReport, Verdict};

/// One annotation for everything that is not as it should be, and one line
/// with the census.
pub fn github(record: &RunRecord) -> String {
    let mut text = String::new();
    for case in &record.cases {
        let command = match case.verdict {
            Verdict::Diverges | Verdict::Fixed | Verdict::Changed | Verdict::Error => "error",
            Verdict::Warns | Verdict::Inconclusive => "warning",
            _ => continue,
        };
        let title = format!("{} {} on {}", case.verdict, case.case, case.adapter);
        text.push_str(&format!(
            "::{command} title={}::{}\n",
            github_property(&title),
            github_message(&message(record, case))
        ));
    }
    for stale in &record.footer.stale {
        text.push_str(&format!(
            "::error title=known.yaml::{}\n",
            github_message(stale)
        ));
    }
    text.push_str(&format!(
        "::notice title=holdoff::{}\n",
        github_message(&record.footer.census.to_string())
    ));
    text
}

fn message(record: &RunRecord, case: &CaseReport) -> String {
    let mut lines = vec![summary(case)];
    if let Some(diagnosis) = &case.diagnosis {
        lines.push(format!("diagnosis: {diagnosis}"));
    }
    lines.push(format!("reproduce: {}", record.header.reproduce(case)));
    lines.join("\n")
}
