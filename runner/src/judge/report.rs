//! [`CaseReport`]: everything that any sink says of one case on one adapter.

use serde::{Deserialize, Serialize};

use super::verdict::{Diagnosis, Difference, Verdict};
use crate::adapter::protocol::ClockKind;
use crate::model::{CaseId, ClauseId, DefectId, FixtureId, LoopId, Span};

mod whole_millis {
    use serde::{Deserialize, Deserializer, Serializer};

    use crate::model::Span;

    pub(super) fn serialize<S: Serializer>(span: &Span, to: S) -> Result<S::Ok, S::Error> {
        let millis = span.as_nanos().div_euclid(1_000_000);
        to.serialize_i64(i64::try_from(millis).unwrap_or(i64::MAX))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Span, D::Error> {
        i64::deserialize(from).map(Span::from_millis)
    }
}

/// One case on one adapter, judged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaseReport {
    /// `reference@0.1.0`.
    pub adapter: String,
    /// Version of the SDK.
    pub version: String,
    /// The case.
    pub case: CaseId,
    /// Its fixture.
    pub fixture: FixtureId,
    /// Its title.
    pub title: String,
    /// Its loop.
    #[serde(rename = "loop")]
    pub loop_id: LoopId,
    /// Clauses that it tests.
    pub clauses: Vec<ClauseId>,
    /// Who owned time.
    pub clock: ClockKind,
    /// The word on it.
    pub verdict: Verdict,
    /// Why it was not judged, or what known.yaml says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Public issue, from known.yaml.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issue: Option<String>,
    /// Every difference.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differences: Vec<Difference>,
    /// What explains them.
    #[serde(default)]
    pub diagnosis: Option<Diagnosis>,
    /// Defects that a client which shows this does not have; for the causes of
    /// the run, and not saved.
    #[serde(skip)]
    pub contradicts: Vec<DefectId>,
    /// Of the diagnosed defects those that the case is there to catch; all, if
    /// it is there for none of them.
    #[serde(skip)]
    pub suspects: Vec<DefectId>,
    /// Short name of how it differs, for known.yaml.
    #[serde(default)]
    pub signature: Option<String>,
    /// The expected timeline, line by line.
    #[serde(default)]
    pub expected: Vec<String>,
    /// The observed timeline; what lies inside its expectation is printed as
    /// the expectation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub observed: Vec<String>,
    /// Attempts that were seen.
    pub attempts: u32,
    /// Waits that were seen, as measured.
    #[serde(default)]
    pub waits: Vec<Span>,
    /// How the calls ended, in words.
    #[serde(default)]
    pub outcome: Vec<String>,
    /// Last lines of the adapter's log, if it is to blame.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub log_tail: Vec<String>,
    /// Real time that it took; whole milliseconds in saved runs.
    #[serde(rename = "real_ms", with = "whole_millis")]
    pub real: Span,
}
