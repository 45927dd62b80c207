//! Observations → a word on them, before known.yaml is asked.

use crate::judge::{Difference, Side, Verdict, judge};
use crate::model::{Ending, Observation, Outcome};
use crate::oracle::{Expectation, Setting};
use crate::spec::Keyword;

/// What some runs of a case show.
#[derive(Clone, Debug, PartialEq)]
pub enum Shown {
    /// As expected.
    Clean,
    /// As expected as far as it was watched.
    Silent,
    /// Not as expected.
    Differs {
        /// How.
        differences: Vec<Difference>,
        /// Whether the adapter's process died, which another process must
        /// confirm.
        death: Death,
    },
    /// The adapter cannot run it.
    Unsupported {
        /// Why not.
        reason: String,
        /// Public issue.
        issue: Option<String>,
    },
    /// The adapter or the runner failed.
    Failed(String),
}

/// Whether the adapter's process died.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Death {
    /// It did not.
    No,
    /// It did.
    Yes,
}

/// Judges some runs of one case.
pub fn shown(
    setting: &Setting<'_>,
    expectation: &Expectation,
    observations: &[Observation],
) -> Shown {
    for observation in observations {
        if let Some(shown) = not_judged(observation) {
            return shown;
        }
    }
    let differences = judge(setting, expectation, observations);
    let died = |observation: &Observation| {
        let mut outcomes = observation.results.values().map(|result| &result.outcome);
        outcomes.any(|outcome| matches!(outcome, Outcome::Crashed { .. }))
    };
    if !differences.is_empty() {
        let death = if observations.iter().any(died) {
            Death::Yes
        } else {
            Death::No
        };
        return Shown::Differs { differences, death };
    }
    if observations
        .iter()
        .any(|observation| observation.ending == Ending::Watched)
    {
        return Shown::Silent;
    }
    Shown::Clean
}

/// What is no matter of judgement: refusals, and failures of others than the
/// SDK.
fn not_judged(observation: &Observation) -> Option<Shown> {
    if let Some(unsupported) = &observation.unsupported {
        return Some(Shown::Unsupported {
            reason: unsupported.reason.clone(),
            issue: unsupported.issue.clone(),
        });
    }
    observation.results.iter().find_map(|(call, result)| {
        let failed = |reason: String| Some(Shown::Failed(format!("call `{call}`: {reason}")));
        match &result.outcome {
            Outcome::Unsupported { reason } => Some(Shown::Unsupported {
                reason: reason.clone(),
                issue: None,
            }),
            Outcome::AdapterError { trace } => failed(format!("the adapter failed: {trace}")),
            Outcome::ProtocolError { detail } => {
                failed(format!("the adapter broke the protocol: {detail}"))
            }
            Outcome::OutOfTime => failed("the bound on real time passed".to_owned()),
            Outcome::Starved => failed("a thread spun without reading the clock".to_owned()),
            _ => None,
        }
    })
}

/// Whether noise of a real machine can have made every one of them.
pub fn all_late(differences: &[Difference]) -> bool {
    differences
        .iter()
        .all(|difference| difference.side == Side::Late)
}

/// How many of them noise of a real machine can have made.
pub(super) fn count_late(differences: &[Difference]) -> usize {
    differences
        .iter()
        .filter(|difference| difference.side == Side::Late)
        .count()
}

/// `diverges`, or `warns` if no clause that is broken is a MUST.
pub fn severity(setting: &Setting<'_>, differences: &[Difference]) -> Verdict {
    let is_advice = |difference: &Difference| {
        let clause = difference
            .clause
            .as_ref()
            .and_then(|id| setting.spec.clause(id));
        clause.is_some_and(|clause| clause.keyword != Keyword::Must)
    };
    if differences.iter().all(is_advice) {
        Verdict::Warns
    } else {
        Verdict::Diverges
    }
}
