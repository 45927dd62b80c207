//! Verdicts, and what a report says of one case.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::model::{CallId, ClauseId, DefectId};

/// The judge's word on one case on one adapter (SPEC.md §12).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// As expected.
    Pass,
    /// Differs in a SHOULD.
    Warns,
    /// Differs in a MUST, and is not recorded.
    Diverges,
    /// Differs as recorded in known.yaml.
    Known,
    /// Recorded, and passes now.
    Fixed,
    /// Recorded, and differs in another way now.
    Changed,
    /// Too late under the real clock, and not confirmed.
    Inconclusive,
    /// The adapter cannot run it.
    Unsupported,
    /// The adapter is not there.
    Unavailable,
    /// The clock in use cannot show it.
    NeedsClock,
    /// The adapter or the harness failed.
    Error,
}

impl Verdict {
    /// Every verdict, in the order of the census.
    pub const ALL: [Self; 11] = [
        Self::Pass,
        Self::Warns,
        Self::Diverges,
        Self::Known,
        Self::Fixed,
        Self::Changed,
        Self::Inconclusive,
        Self::Unsupported,
        Self::Unavailable,
        Self::NeedsClock,
        Self::Error,
    ];

    /// The word in output.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Warns => "warns",
            Self::Diverges => "diverges",
            Self::Known => "known",
            Self::Fixed => "fixed",
            Self::Changed => "changed",
            Self::Inconclusive => "inconclusive",
            Self::Unsupported => "unsupported",
            Self::Unavailable => "unavailable",
            Self::NeedsClock => "needs-clock",
            Self::Error => "error",
        }
    }

    /// Whether the case was judged at all.
    pub const fn is_judged(self) -> bool {
        matches!(
            self,
            Self::Pass | Self::Warns | Self::Diverges | Self::Known | Self::Fixed | Self::Changed
        )
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// One way in which an observation is not what was expected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Difference {
    /// What it is about.
    pub topic: Topic,
    /// The call, if it is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<CallId>,
    /// In words, without instants of the real clock or ports.
    pub text: String,
    /// On which side of its expectation a time lies.
    pub side: Side,
    /// The clause that it breaks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clause: Option<ClauseId>,
}

/// What a difference is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Topic {
    /// Number of attempts.
    Attempts,
    /// A wait between attempts.
    Wait,
    /// The time before the first attempt, or before another request.
    Next,
    /// When the call ended.
    Ends,
    /// How the call ended.
    Outcome,
    /// The told wait on the error.
    Told,
    /// A sleep as it was asked for.
    Asked,
    /// What hooks said.
    Hook,
    /// What a request looked like.
    Request,
    /// Requests after the result.
    Late,
    /// Replies that were not fetched, or met by another call.
    Script,
    /// Draws that should differ and do not.
    Draws,
}

/// On which side of its expectation a time lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// Before it: noise cannot do that.
    Early,
    /// After it: under the real clock noise can.
    Late,
    /// Not a matter of time.
    Other,
}

/// What explains the differences.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Diagnosis {
    /// The observation is what a client with any of these defects shows; the
    /// most specific first.
    ConsistentWith(Vec<DefectId>),
    /// It is what a client with both of these shows.
    Pair(DefectId, DefectId),
    /// No defect of the catalogue, and no pair of them, explains it.
    Unexplained,
}

impl fmt::Display for Diagnosis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ConsistentWith(defects) => {
                let names: Vec<_> = defects.iter().map(|id| format!("`{id}`")).collect();
                write!(f, "consistent with {}", names.join(" or "))
            }
            Self::Pair(left, right) => {
                write!(f, "consistent with `{left}` together with `{right}`")
            }
            Self::Unexplained => {
                f.write_str("unexplained: no defect of the catalogue, and no pair, shows this")
            }
        }
    }
}
