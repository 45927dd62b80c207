//! Mutants: the reference client with each defect, against the oracle under
//! the same defect. Client and oracle were written apart and check each other.

use std::collections::{BTreeSet, VecDeque};
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::task::JoinSet;

use super::clock::ClockChoice;
use super::plan::{PlanInput, plan};
use super::seed::case_seed;
use super::starts::{Starts, canonical, start_of};
use super::target::Target;
use super::verdict::{Shown, shown};
use super::worlds::{Process, Worlds};
use crate::adapter::protocol::ClockKind;
use crate::defect::Defect;
use crate::fixture::Case;
use crate::judge::{expected_lines, observed_lines, unpredicted};
use crate::model::{CaseId, DefectId};
use crate::oracle::{Behaviour, CallExpectation, Expectation, Setting, expectation, supports};
use crate::spec::Spec;
use crate::world::WorldCommand;

/// What is to be mutated, and played.
#[derive(Clone, Debug)]
pub struct MutantRequest {
    /// The specification.
    pub spec: Arc<Spec>,
    /// Cases, in the order of their ids.
    pub cases: Vec<Arc<Case>>,
    /// The reference client.
    pub reference: Target,
    /// Its defects.
    pub defects: Vec<&'static Defect>,
    /// Which cases each mutant plays.
    pub scope: MutantScope,
    /// Mutants at the same time.
    pub jobs: NonZeroUsize,
    /// Seed of all chance.
    pub seed: u64,
    /// How a world is started.
    pub world: WorldCommand,
}

/// Which cases a mutant plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MutantScope {
    /// All: it must look right where its defect does not show.
    All,
    /// So many of those in which the oracle expects its defect to show, evenly
    /// spread.
    Sampled(usize),
}

/// What became of one mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MutantReport {
    /// Its defect.
    pub defect: DefectId,
    /// Cases that it played.
    pub played: usize,
    /// Cases that differ from the specification.
    pub killed_by: BTreeSet<CaseId>,
    /// Cases in which it is not what the oracle predicts under the defect.
    pub mismatches: Vec<MutantMismatch>,
}

/// A case in which client and oracle disagree on a defect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MutantMismatch {
    /// The case.
    pub case: CaseId,
    /// What is different, in words.
    pub differences: Vec<String>,
    /// The timeline under the defect.
    pub predicted: Vec<String>,
    /// The mutant's.
    pub observed: Vec<String>,
}

impl MutantReport {
    /// Whether it is killed, and is what the oracle says it is.
    pub fn is_good(&self) -> bool {
        !self.killed_by.is_empty() && self.mismatches.is_empty()
    }
}

/// Plays every mutant; reports are in the order of the defects' names.
pub async fn mutants(request: MutantRequest) -> Vec<MutantReport> {
    let queue: Arc<Mutex<VecDeque<&'static Defect>>> =
        Arc::new(Mutex::new(request.defects.iter().copied().collect()));
    let request = Arc::new(request);
    let mut workers = JoinSet::new();
    for _ in 0..request.jobs.get() {
        let (queue, request) = (Arc::clone(&queue), Arc::clone(&request));
        workers.spawn(async move {
            let mut done = Vec::new();
            loop {
                let next = queue
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .pop_front();
                let Some(defect) = next else {
                    return done;
                };
                done.push(mutant(&request, defect).await);
            }
        });
    }
    let mut all = workers.join_all().await.concat();
    all.sort_by(|a, b| a.defect.cmp(&b.defect));
    all
}

async fn mutant(request: &MutantRequest, defect: &Defect) -> MutantReport {
    let mut target = request.reference.clone();
    let flags = ["--defect".to_owned(), defect.name.to_owned()];
    target.start.argv.extend(flags);
    let target = Arc::new(target);
    let mut worlds = Worlds::new(request.world.clone());
    let mut report = MutantReport {
        defect: defect.id(),
        played: 0,
        killed_by: BTreeSet::new(),
        mismatches: Vec::new(),
    };
    let runs = request.cases.iter().map(|case| case.runs.max(1) as usize);
    let starts = Starts::new(1 + runs.sum::<usize>());
    let mut slot = 1;
    for case in scoped(request, defect) {
        let played = MutantCase {
            request,
            target: &target,
            defect,
            case,
        };
        played.play(&starts, slot, &mut worlds, &mut report).await;
        slot += case.runs.max(1) as usize;
    }
    worlds.stop().await;
    report
}

/// The cases that a mutant plays.
fn scoped<'a>(request: &'a MutantRequest, defect: &Defect) -> Vec<&'a Arc<Case>> {
    let MutantScope::Sampled(most) = request.scope else {
        return request.cases.iter().collect();
    };
    let host = &request.reference.launch.host;
    let shows = |case: &&Arc<Case>| {
        let setting = Setting {
            spec: &request.spec,
            case,
            host,
            clock: ClockKind::Injected,
            wall: start_of(case, canonical()),
            horizon: None,
        };
        supports(&setting).is_ok()
            && expectation(&setting, &defect.behaviour())
                != expectation(&setting, &Behaviour::default())
    };
    let showing: Vec<_> = request.cases.iter().filter(shows).collect();
    let step = showing.len().div_ceil(most.max(1)).max(1);
    showing.into_iter().step_by(step).collect()
}

/// A mutant misbehaves by rule, not by chance: where nothing is drawn a few runs
/// show as much as the many in which a client's race would show.
const RUNS_WITHOUT_DRAWS: u32 = 3;

fn runs_of_a_mutant(case: &Case, right: &Expectation) -> u32 {
    let mut gaps = right.calls.values().flat_map(CallExpectation::gaps);
    let draws = gaps.any(|gap| gap.length.as_exact().is_none());
    let most = if draws { u32::MAX } else { RUNS_WITHOUT_DRAWS };
    case.runs.clamp(1, most)
}

struct MutantCase<'a> {
    request: &'a MutantRequest,
    target: &'a Arc<Target>,
    defect: &'a Defect,
    case: &'a Arc<Case>,
}

impl MutantCase<'_> {
    async fn play(
        &self,
        starts: &Starts,
        slot: usize,
        worlds: &mut Worlds,
        report: &mut MutantReport,
    ) {
        let (spec, host) = (&self.request.spec, &self.target.launch.host);
        let clock = ClockChoice::Only(ClockKind::Injected);
        if clock.select(spec, self.case, host).is_err() {
            return;
        }
        let mut setting = Setting {
            spec,
            case: self.case,
            host,
            clock: ClockKind::Injected,
            wall: start_of(self.case, starts.at(slot)),
            horizon: None,
        };
        if supports(&setting).is_err() {
            return;
        }
        let right = expectation(&setting, &Behaviour::default());
        let mut plans = Vec::new();
        for run in 0..runs_of_a_mutant(self.case, &right) {
            plans.push(plan(&PlanInput {
                case: self.case,
                target: self.target,
                expectation: &right,
                name: &format!("c{}", slot + run as usize),
                seed: case_seed(self.request.seed, self.case.id.as_str(), run),
                clock: ClockKind::Injected,
                wall: start_of(self.case, starts.at(slot + run as usize)),
                watch: None,
            }));
        }
        setting.horizon = plans.first().map(|plan| plan.bounds.horizon);
        let wrong = expectation(&setting, &self.defect.behaviour());
        report.played += 1;
        let id = &self.case.id;
        let mut mismatch = |differences: Vec<String>, observed: Vec<String>| {
            report.mismatches.push(MutantMismatch {
                case: id.clone(),
                differences,
                predicted: expected_lines(&wrong),
                observed,
            });
        };
        let played = worlds
            .play(self.target, self.case, Process::Shared, &plans)
            .await;
        let observations = match played {
            Ok(observations) => observations,
            Err(failure) => return mismatch(vec![failure.to_string()], Vec::new()),
        };
        let observed = || {
            observations
                .first()
                .map(|seen| observed_lines(&setting, &wrong, seen))
                .unwrap_or_default()
        };
        match shown(&setting, &right, &observations) {
            Shown::Clean | Shown::Silent => {}
            Shown::Differs { .. } => {
                report.killed_by.insert(id.clone());
            }
            Shown::Unsupported { reason, .. } | Shown::Failed(reason) => {
                return mismatch(vec![reason], observed());
            }
        }
        let differences = unpredicted(&setting, &wrong, &observations);
        if !differences.is_empty() {
            mismatch(
                differences
                    .into_iter()
                    .map(|difference| difference.text)
                    .collect(),
                observed(),
            );
        }
    }
}
