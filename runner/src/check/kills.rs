//! The kill matrix: which defects each case catches.

use std::collections::{BTreeMap, BTreeSet};

use super::nominal::{nominal_host, nominal_setting};
use crate::adapter::protocol::ClockKind;
use crate::defect::{Defect, catalogue};
use crate::fixture::{Case, ClockNeed};
use crate::judge::case_visibility;
use crate::model::{CaseId, DefectId, Host};
use crate::oracle::{Behaviour, Expectation, Visibility, expectation, tells_apart};
use crate::spec::Spec;

/// What one case shows of the specified client, and of each defective one.
#[derive(Clone, Debug)]
pub struct CaseKills {
    /// The case.
    pub case: CaseId,
    /// The timeline of the specified client.
    pub right: Expectation,
    /// Defects under which another timeline is seen.
    pub kills: BTreeSet<DefectId>,
    wrong: Vec<Expectation>,
    seen: Visibility,
}

/// The kill sets of many cases, under the clock that each can be judged best by.
#[derive(Clone, Debug)]
pub struct Matrix {
    cases: Vec<CaseKills>,
}

impl Matrix {
    /// Derives every case under every defect.
    pub fn new(spec: &Spec, cases: &[Case]) -> Self {
        let host = nominal_host(spec);
        Self {
            cases: cases
                .iter()
                .map(|case| CaseKills::new(spec, case, &host))
                .collect(),
        }
    }

    /// Case by case, in the order given.
    pub fn cases(&self) -> &[CaseKills] {
        &self.cases
    }

    /// How many different kill sets there are.
    pub fn distinct(&self) -> usize {
        self.cases
            .iter()
            .map(|case| &case.kills)
            .collect::<BTreeSet<_>>()
            .len()
    }

    /// How many cases catch each defect; defects that none does are there too.
    pub fn catches(&self) -> BTreeMap<DefectId, usize> {
        let by = |id: &DefectId| {
            self.cases
                .iter()
                .filter(|case| case.kills.contains(id))
                .count()
        };
        catalogue()
            .iter()
            .map(Defect::id)
            .map(|id| (id.clone(), by(&id)))
            .collect()
    }

    /// Pairs of defects that no case tells apart.
    pub fn aliases(&self) -> Vec<(DefectId, DefectId)> {
        let mut found = Vec::new();
        for left in 0..catalogue().len() {
            for right in left + 1..catalogue().len() {
                if !self.cases.iter().any(|case| case.separates(left, right)) {
                    found.push((catalogue()[left].id(), catalogue()[right].id()));
                }
            }
        }
        found
    }
}

impl CaseKills {
    fn new(spec: &Spec, case: &Case, host: &Host) -> Self {
        let clock = match case.needs.clock {
            ClockNeed::Virtual => ClockKind::Virtual,
            ClockNeed::Any | ClockNeed::Owned | ClockNeed::Injected => ClockKind::Injected,
        };
        let setting = nominal_setting(spec, case, host, clock);
        let right = expectation(&setting, &Behaviour::default());
        let seen = case_visibility(&setting);
        let wrong: Vec<_> = catalogue()
            .iter()
            .map(|defect| expectation(&setting, &defect.behaviour()))
            .collect();
        let kills = catalogue()
            .iter()
            .zip(&wrong)
            .filter(|(_, wrong)| tells_apart(&right, wrong, &seen))
            .map(|(defect, _)| defect.id())
            .collect();
        Self {
            case: case.id.clone(),
            right,
            kills,
            wrong,
            seen,
        }
    }

    fn separates(&self, left: usize, right: usize) -> bool {
        let (one, other) = (&self.wrong[left], &self.wrong[right]);
        let caught = |index: usize| self.kills.contains(&catalogue()[index].id());
        (caught(left) || caught(right))
            && (tells_apart(one, other, &self.seen) || tells_apart(other, one, &self.seen))
    }
}
