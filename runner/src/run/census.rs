//! [`Census`]: how many cases ended with which verdict.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::ExitCode;
use crate::judge::Verdict;

/// How many cases were planned, and with which verdict each of them ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Census {
    /// Cases that were to be judged, on all adapters together.
    pub planned: usize,
    /// By verdict.
    pub verdicts: BTreeMap<Verdict, usize>,
}

/// What makes a run fail beyond divergences.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Demands {
    /// Verdicts that may not come up (`--require` names what must not be left
    /// unjudged).
    pub excluded: BTreeSet<Verdict>,
    /// Whether a breach of a SHOULD fails the run.
    pub warnings: Warnings,
}

/// Whether a breach of a SHOULD fails a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Warnings {
    /// It is shown.
    #[default]
    Allowed,
    /// It fails.
    Denied,
}

impl Census {
    /// Of so many cases, none judged yet.
    pub fn of(planned: usize) -> Self {
        Self {
            planned,
            verdicts: BTreeMap::new(),
        }
    }

    /// Counts one.
    pub fn count(&mut self, verdict: Verdict) {
        *self.verdicts.entry(verdict).or_default() += 1;
    }

    /// How many ended so.
    pub fn of_verdict(&self, verdict: Verdict) -> usize {
        self.verdicts.get(&verdict).copied().unwrap_or(0)
    }

    /// How many ended at all.
    pub fn counted(&self) -> usize {
        self.verdicts.values().sum()
    }

    /// How many were judged.
    pub fn judged(&self) -> usize {
        self.verdicts
            .iter()
            .filter(|(verdict, _)| verdict.is_judged())
            .map(|(_, count)| count)
            .sum()
    }

    /// How many were not run because the run was interrupted.
    pub fn not_run(&self) -> usize {
        self.planned.saturating_sub(self.counted())
    }

    /// The exit code that these verdicts make.
    pub fn exit_code(&self, demands: &Demands) -> ExitCode {
        let any = |verdict| self.of_verdict(verdict) > 0;
        let fails = any(Verdict::Diverges)
            || any(Verdict::Fixed)
            || any(Verdict::Changed)
            || (demands.warnings == Warnings::Denied && any(Verdict::Warns))
            || demands.excluded.iter().any(|verdict| any(*verdict));
        if any(Verdict::Error) || self.not_run() > 0 {
            ExitCode::Harness
        } else if fails {
            ExitCode::Divergences
        } else if self.judged() == 0 {
            ExitCode::NothingJudged
        } else {
            ExitCode::AsExpected
        }
    }
}

impl std::fmt::Display for Census {
    /// `150 cases: 148 pass, 2 unsupported`; verdicts that did not come up are
    /// left out, and the numbers add up.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let cases = if self.planned == 1 { "case" } else { "cases" };
        write!(f, "{} {cases}", self.planned)?;
        let mut separator = ": ";
        for verdict in Verdict::ALL {
            let count = self.of_verdict(verdict);
            if count > 0 {
                write!(f, "{separator}{count} {verdict}")?;
                separator = ", ";
            }
        }
        if self.not_run() > 0 {
            write!(f, "{separator}{} not run", self.not_run())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn census(verdicts: &[Verdict]) -> Census {
        let mut census = Census::of(verdicts.len());
        verdicts.iter().for_each(|verdict| census.count(*verdict));
        census
    }

    #[test]
    fn it_adds_up() {
        let mut census = census(&[Verdict::Pass, Verdict::Pass, Verdict::Unsupported]);
        assert_eq!(census.to_string(), "3 cases: 2 pass, 1 unsupported");
        census.planned = 5;
        assert_eq!(
            census.to_string(),
            "5 cases: 2 pass, 1 unsupported, 2 not run"
        );
    }

    #[test]
    fn each_verdict_makes_its_exit_code() {
        let plain = Demands::default();
        let code = |verdicts: &[Verdict], demands: &Demands| census(verdicts).exit_code(demands);
        assert_eq!(code(&[], &plain), ExitCode::NothingJudged);
        for (verdict, expected) in [
            (Verdict::Pass, ExitCode::AsExpected),
            (Verdict::Warns, ExitCode::AsExpected),
            (Verdict::Diverges, ExitCode::Divergences),
            (Verdict::Known, ExitCode::AsExpected),
            (Verdict::Fixed, ExitCode::Divergences),
            (Verdict::Changed, ExitCode::Divergences),
            (Verdict::Inconclusive, ExitCode::AsExpected),
            (Verdict::Unsupported, ExitCode::AsExpected),
            (Verdict::Unavailable, ExitCode::AsExpected),
            (Verdict::NeedsClock, ExitCode::AsExpected),
            (Verdict::Error, ExitCode::Harness),
        ] {
            assert_eq!(
                code(&[Verdict::Pass, verdict], &plain),
                expected,
                "{verdict}"
            );
        }
        assert_eq!(
            code(&[Verdict::Diverges, Verdict::Error], &plain),
            ExitCode::Harness
        );
        assert_eq!(
            code(&[Verdict::NeedsClock], &plain),
            ExitCode::NothingJudged
        );
    }

    #[test]
    fn demands_make_more_of_them_fail() {
        let strict = Demands {
            excluded: [Verdict::NeedsClock].into(),
            warnings: Warnings::Denied,
        };
        for verdict in [Verdict::Warns, Verdict::NeedsClock] {
            let census = census(&[Verdict::Pass, verdict]);
            assert_eq!(census.exit_code(&strict), ExitCode::Divergences);
        }
        let unsupported = census(&[Verdict::Pass, Verdict::Unsupported]);
        assert_eq!(unsupported.exit_code(&strict), ExitCode::AsExpected);
    }
}
