//! [`Cause`]: the fewest defects that explain the divergences of a run.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::adapter::protocol::ClockKind;
use crate::defect::find;
use crate::judge::{CaseReport, Diagnosis, Verdict, shows_defect};
use crate::model::{DefectId, Observation};
use crate::oracle::Setting;

/// A defect, and how many divergences of one adapter it explains.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cause {
    /// `acme@1.2.0`.
    pub adapter: String,
    /// The defect. None: what no defect explains.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub defect: Option<DefectId>,
    /// Divergences that it explains and no earlier cause of this list does.
    pub cases: usize,
}

/// What the cases of a run say about defects, adapter by adapter.
#[derive(Debug, Default)]
pub(super) struct Evidence {
    adapters: BTreeMap<String, OfAdapter>,
}

#[derive(Debug, Default)]
struct OfAdapter {
    /// For each divergence the defects that it is consistent with, the most
    /// specific first.
    divergences: Vec<Vec<DefectId>>,
    /// How many cases a client with that defect would not have shown so.
    contradicted: BTreeMap<DefectId, usize>,
}

impl Evidence {
    /// Takes the verdict on one case.
    pub(super) fn take(&mut self, report: &CaseReport) {
        let adapter = self.adapters.entry(report.adapter.clone()).or_default();
        for defect in &report.contradicts {
            *adapter.contradicted.entry(defect.clone()).or_default() += 1;
        }
        let diverges = matches!(
            report.verdict,
            Verdict::Diverges | Verdict::Changed | Verdict::Warns
        );
        if diverges {
            adapter.divergences.push(report.suspects.clone());
        }
    }

    /// The causes, most divergences first and the unexplained last; every
    /// divergence is counted once.
    pub(super) fn causes(&self) -> Vec<Cause> {
        let of_one = |(adapter, evidence): (&String, &OfAdapter)| evidence.causes(adapter);
        self.adapters.iter().flat_map(of_one).collect()
    }
}

/// Defects that a case is there to catch and that did not show. A real clock
/// hides some of them.
pub(super) fn contradicted(setting: &Setting<'_>, observations: &[Observation]) -> Vec<DefectId> {
    let is_contradicted = |id: &&DefectId| {
        let defect = find(id.as_str());
        setting.clock != ClockKind::Real
            || defect.is_some_and(|defect| !shows_defect(setting, defect, observations))
    };
    let kills = setting.case.kills.iter();
    kills.filter(is_contradicted).cloned().collect()
}

/// Of the defects that are diagnosed those that the case is there to catch: a
/// wait that looks like the backoff is consistent with every way of losing the
/// header, and the fixture says which one it is about. All, if it says nothing.
pub(super) fn suspects(diagnosis: &Diagnosis, kills: &[DefectId]) -> Vec<DefectId> {
    match diagnosis {
        Diagnosis::ConsistentWith(defects) => {
            let claimed = defects.iter().filter(|defect| kills.contains(defect));
            let claimed: Vec<_> = claimed.cloned().collect();
            if claimed.is_empty() {
                defects.clone()
            } else {
                claimed
            }
        }
        Diagnosis::Pair(one, other) => vec![one.clone(), other.clone()],
        Diagnosis::Unexplained => Vec::new(),
    }
}

impl OfAdapter {
    /// Again and again the best explanation of what is left.
    fn causes(&self, adapter: &str) -> Vec<Cause> {
        let (mut left, unexplained): (Vec<_>, Vec<_>) = self
            .divergences
            .iter()
            .partition(|defects| !defects.is_empty());
        if self.divergences.len() < 2 {
            // Its own diagnosis says it all.
            return Vec::new();
        }
        let mut causes = Vec::new();
        while !left.is_empty() {
            let Some((defect, cases)) = self.best(&left) else {
                break;
            };
            left.retain(|defects| !defects.contains(&defect));
            causes.push((Some(defect), cases));
        }
        causes.sort_by_key(|(_, cases)| Reverse(*cases));
        if !unexplained.is_empty() {
            causes.push((None, unexplained.len()));
        }
        causes
            .into_iter()
            .map(|(defect, cases)| Cause {
                adapter: adapter.to_owned(),
                defect,
                cases,
            })
            .collect()
    }
}

/// Keeps quotients of small counts apart.
const SCALE: usize = 10_000;

impl OfAdapter {
    /// The defect that explains the most, for each case that speaks against it;
    /// of several the one that is the most specific.
    fn best(&self, left: &[&Vec<DefectId>]) -> Option<(DefectId, usize)> {
        // How many it explains, and how far behind others it stands there.
        let mut explained: BTreeMap<&DefectId, (usize, usize)> = BTreeMap::new();
        for defects in left {
            for (rank, defect) in defects.iter().enumerate() {
                let (cases, ranks) = explained.entry(defect).or_default();
                *cases += 1;
                *ranks += rank;
            }
        }
        explained
            .into_iter()
            .max_by_key(|(defect, (cases, ranks))| {
                let against = self.contradicted.get(*defect).copied().unwrap_or(0);
                let score = cases.saturating_mul(SCALE) / against.saturating_add(1);
                (score, Reverse(*ranks))
            })
            .map(|(defect, (cases, _))| (defect.clone(), cases))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(names: &[&str]) -> Vec<DefectId> {
        names.iter().map(|name| DefectId::from(*name)).collect()
    }

    fn found(
        divergences: &[&[&str]],
        contradicted: &[(&str, usize)],
    ) -> Vec<(Option<String>, usize)> {
        let evidence = OfAdapter {
            divergences: divergences.iter().map(|names| ids(names)).collect(),
            contradicted: contradicted
                .iter()
                .map(|(name, count)| (DefectId::from(*name), *count))
                .collect(),
        };
        let causes = evidence.causes("acme@1");
        causes
            .into_iter()
            .map(|cause| (cause.defect.map(|id| id.to_string()), cause.cases))
            .collect()
    }

    #[test]
    fn the_fewest_defects_explain_everything_once() {
        assert_eq!(
            found(&[&["a", "b"], &["b"], &["b", "c"], &["c"], &[]], &[]),
            [
                (Some("b".to_owned()), 3),
                (Some("c".to_owned()), 1),
                (None, 1)
            ]
        );
        assert_eq!(found(&[], &[("a", 3)]), []);
        assert_eq!(found(&[&["a"]], &[]), []);
    }

    #[test]
    fn a_case_can_speak_against_a_defect() {
        let divergences: [&[&str]; 3] = [&["any", "one"], &["any", "one"], &["any"]];
        assert_eq!(found(&divergences, &[]), [(Some("any".to_owned()), 3)]);
        assert_eq!(
            found(&divergences, &[("any", 1)]),
            [(Some("one".to_owned()), 2), (Some("any".to_owned()), 1)]
        );
    }

    #[test]
    fn the_more_specific_of_two_is_named() {
        assert_eq!(
            found(&[&["specific", "all"], &["specific", "all"]], &[]),
            [(Some("specific".to_owned()), 2)]
        );
    }

    #[test]
    fn a_fixture_says_what_it_is_about() {
        let diagnosis = Diagnosis::ConsistentWith(ids(&["asctime-refused", "header-never-read"]));
        let of = |kills: &[&str]| suspects(&diagnosis, &ids(kills));
        assert_eq!(
            of(&["asctime-refused", "imf-only"]),
            ids(&["asctime-refused"])
        );
        assert_eq!(
            of(&["imf-only"]),
            ids(&["asctime-refused", "header-never-read"])
        );
        let pair = Diagnosis::Pair("a".into(), "b".into());
        assert_eq!(suspects(&pair, &[]), ids(&["a", "b"]));
        assert_eq!(suspects(&Diagnosis::Unexplained, &ids(&["a"])), []);
    }
}
