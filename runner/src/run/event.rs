//! [`RunEvent`]: what a run tells its sinks.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Cause, Census, clock_name};
use crate::judge::CaseReport;
use crate::model::{CaseId, ClauseId};
use crate::spec::{Keyword, Spec};

/// Version of the saved format.
pub const SCHEMA: u32 = 1;

/// What a run tells its sinks, in this order: one `Started`, any number of
/// cases, one `Finished`.
#[derive(Clone, Debug, PartialEq)]
pub enum RunEvent {
    /// The run begins.
    Started(Box<RunHeader>),
    /// A case is being played.
    CaseStarted {
        /// The adapter.
        adapter: String,
        /// The case.
        case: CaseId,
    },
    /// A case has its verdict.
    CaseFinished(Box<CaseReport>),
    /// The run is over.
    Finished(RunFooter),
}

/// What is known before the first case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunHeader {
    /// Version of this format.
    pub schema: u32,
    /// Version of the runner.
    pub holdoff: String,
    /// SHA-256 of the specification's text.
    pub spec_digest: String,
    /// SHA-256 of all selected cases' fixtures.
    pub fixtures_digest: String,
    /// Seed of all chance.
    pub seed: u64,
    /// Operating system and architecture.
    pub system: String,
    /// Adapters with their versions.
    pub adapters: Vec<AdapterLine>,
    /// Clauses that the selected cases cite.
    pub clauses: BTreeMap<ClauseId, ClauseText>,
    /// Options that a reproduction needs beside adapter, case and clock.
    pub options: Vec<String>,
}

/// One adapter of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AdapterLine {
    /// `basecamp-python/sync@0.29.1`.
    pub name: String,
    /// Cases selected for it.
    pub cases: usize,
    /// Cases that its clocks can judge to the end.
    pub judgeable: usize,
    /// Which clocks are used, in words.
    pub clocks: String,
}

/// A clause in its own words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClauseText {
    /// MUST, SHOULD or MAY.
    pub keyword: String,
    /// The text.
    pub text: String,
}

/// What is known after the last case.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunFooter {
    /// How the cases ended.
    pub census: Census,
    /// Whether the run was cut short.
    pub end: RunEnd,
    /// Things to say that belong to no case: entries of known.yaml that match
    /// nothing, defects that the clock in use cannot show.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The fewest defects that explain the divergences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<Cause>,
    /// Entries of known.yaml that match nothing: the run fails.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stale: Vec<String>,
}

/// Whether a run was cut short.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunEnd {
    /// Every planned case has its verdict.
    #[default]
    Complete,
    /// Ctrl-C.
    Interrupted,
}

impl ClauseText {
    /// The clauses of `spec` that are among `cited`.
    pub fn of<'a>(
        spec: &Spec,
        cited: impl IntoIterator<Item = &'a ClauseId>,
    ) -> BTreeMap<ClauseId, Self> {
        cited
            .into_iter()
            .filter_map(|id| spec.clause(id))
            .map(|clause| {
                let text = Self {
                    keyword: clause.keyword.to_string(),
                    text: clause.text.clone(),
                };
                (clause.id.clone(), text)
            })
            .collect()
    }

    /// Whether a breach is only a warning.
    pub fn is_advice(&self) -> bool {
        self.keyword != Keyword::Must.to_string()
    }
}

impl RunHeader {
    /// The command that plays one case again.
    pub fn reproduce(&self, report: &CaseReport) -> String {
        let clock = clock_name(report.clock);
        let mut words = vec![
            "holdoff".to_owned(),
            "run".to_owned(),
            "--adapter".to_owned(),
            report.adapter.clone(),
            "--case".to_owned(),
            report.case.to_string(),
            "--clock".to_owned(),
            clock.to_owned(),
        ];
        words.extend(self.options.iter().cloned());
        words
            .iter()
            .map(|word| quoted(word))
            .collect::<Vec<_>>()
            .join(" ")
    }
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let is_plain =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | '@' | '=' | ':');
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}
