//! [`RunRecord`]: a whole run, sorted, for sinks that need all of it.

use crate::judge::{CaseReport, Verdict};
use crate::run::{Census, RunEvent, RunFooter, RunHeader};

/// A whole run. Its cases are in the order of adapter and case, whatever the
/// order in which they were played.
#[derive(Clone, Debug, PartialEq)]
pub struct RunRecord {
    /// What was known before the first case.
    pub header: RunHeader,
    /// Every case that has a verdict.
    pub cases: Vec<CaseReport>,
    /// What was known after the last case.
    pub footer: RunFooter,
}

impl RunRecord {
    /// Sorts the cases.
    pub fn new(header: RunHeader, mut cases: Vec<CaseReport>, footer: RunFooter) -> Self {
        cases.sort_by(|a, b| (&a.adapter, &a.case).cmp(&(&b.adapter, &b.case)));
        Self {
            header,
            cases,
            footer,
        }
    }

    /// Names of the adapters that have cases, in order.
    pub fn adapters(&self) -> Vec<&str> {
        let mut names: Vec<_> = self
            .cases
            .iter()
            .map(|case| case.adapter.as_str())
            .collect();
        names.dedup();
        names
    }

    /// The run of one adapter alone.
    pub fn of_adapter(&self, adapter: &str) -> Self {
        let cases: Vec<_> = self.cases_of(adapter).cloned().collect();
        let mut census = Census::of(cases.len());
        cases.iter().for_each(|case| census.count(case.verdict));
        let mut header = self.header.clone();
        header.adapters.retain(|line| line.name == adapter);
        let mut footer = RunFooter {
            census,
            ..self.footer.clone()
        };
        footer.causes.retain(|cause| cause.adapter == adapter);
        Self {
            header,
            cases,
            footer,
        }
    }

    /// The cases of one adapter, in order.
    pub fn cases_of<'a>(&'a self, adapter: &'a str) -> impl Iterator<Item = &'a CaseReport> {
        self.cases
            .iter()
            .filter(move |case| case.adapter == adapter)
    }
}

/// Makes a record of the events of a run.
#[derive(Debug, Default)]
pub struct Recorder {
    header: Option<RunHeader>,
    cases: Vec<CaseReport>,
}

impl Recorder {
    /// Takes one event; the last one completes the record.
    pub fn take(&mut self, event: &RunEvent) -> Option<RunRecord> {
        match event {
            RunEvent::Started(header) => self.header = Some((**header).clone()),
            RunEvent::CaseStarted { .. } => {}
            RunEvent::CaseFinished(report) => self.cases.push((**report).clone()),
            RunEvent::Finished(footer) => {
                let header = self.header.take()?;
                let cases = std::mem::take(&mut self.cases);
                return Some(RunRecord::new(header, cases, footer.clone()));
            }
        }
        None
    }
}

/// Verdicts that a report must explain.
pub(super) fn is_explained(verdict: Verdict) -> bool {
    !matches!(verdict, Verdict::Pass | Verdict::Known)
}
