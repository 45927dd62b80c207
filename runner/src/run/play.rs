//! One case on one adapter: played, judged, confirmed.

use std::sync::atomic::Ordering;
use std::time::Instant;

use jiff::Timestamp;

use super::causes::{contradicted, suspects};
use super::clock::clock_name;
use super::known::{recorded, recorded_passes};
use super::plan::{PlanInput, horizon, plan, unplayable};
use super::probing::Probed;
use super::request::Watch;
use super::scheduler::{Job, REPEATS, Shared};
use super::seed::case_seed;
use super::starts::start_of;
use super::target::Availability;
use super::verdict::{Death, Shown, all_late, count_late, severity, shown};
use super::worlds::{Process, Worlds};
use crate::adapter::AdapterFault;
use crate::adapter::protocol::ClockKind;
use crate::judge::{
    CaseReport, Diagnosis, Verdict, diagnose, expected_lines, observed_lines, outcome_words,
    signature, without_noise,
};
use crate::model::{Observation, Span};
use crate::oracle::{Behaviour, Expectation, Setting, expectation};
use crate::world::WorldFailure;

/// A report with nothing in it yet.
pub(super) fn blank(shared: &Shared, job: &Job) -> CaseReport {
    let case = &job.case;
    let clock = shared
        .request
        .clock
        .select(&shared.request.spec, case, &job.target.launch.host)
        .unwrap_or(ClockKind::Real);
    CaseReport {
        adapter: job.target.name().to_owned(),
        version: job.target.launch.version.as_str().to_owned(),
        case: case.id.clone(),
        fixture: case.fixture.clone(),
        title: case.title.clone(),
        loop_id: case.loop_id.clone(),
        clauses: case.clauses.clone(),
        clock,
        verdict: Verdict::Error,
        reason: None,
        issue: None,
        differences: Vec::new(),
        diagnosis: None,
        contradicts: Vec::new(),
        suspects: Vec::new(),
        signature: None,
        expected: Vec::new(),
        observed: Vec::new(),
        attempts: 0,
        waits: Vec::new(),
        outcome: Vec::new(),
        log_tail: Vec::new(),
        real: Span::ZERO,
    }
}

/// Plays, judges and confirms one case.
pub(super) async fn play(shared: &Shared, worlds: &mut Worlds, job: &Job) -> CaseReport {
    let began = Instant::now();
    let mut report = blank(shared, job);
    match prepared(shared, worlds, job, &mut report).await {
        Ok(clock) => {
            report.clock = clock;
            Played::new(shared, job, clock)
                .judge(worlds, &mut report)
                .await;
        }
        Err((verdict, reason)) => {
            report.verdict = verdict;
            report.reason = Some(reason);
        }
    }
    report.real = Span::from_std(began.elapsed());
    report
}

/// The clock to play under, or why the case is not played.
async fn prepared(
    shared: &Shared,
    worlds: &mut Worlds,
    job: &Job,
    report: &mut CaseReport,
) -> Result<ClockKind, (Verdict, String)> {
    let request = &shared.request;
    let clock = request
        .clock
        .select(&request.spec, &job.case, &job.target.launch.host)
        .map_err(|reason| {
            let verdict = if reason.is_clock() {
                Verdict::NeedsClock
            } else {
                Verdict::Unsupported
            };
            (verdict, reason.to_string())
        })?;
    report.clock = clock;
    if let Some(reason) = unplayable(&job.case, &job.target.launch) {
        return Err((Verdict::Unsupported, reason));
    }
    if let Availability::Missing(reason) = &job.target.availability {
        return Err((Verdict::Unavailable, reason.clone()));
    }
    let _guard = shared.alone.read().await;
    let probed = worlds
        .probe(&job.target, &request.spec, &job.case.loop_id, clock)
        .await;
    match probed {
        Probed::AsClaimed => Ok(clock),
        Probed::Failed { reason, log } => {
            report.log_tail = log;
            Err((Verdict::Error, reason))
        }
        Probed::Unavailable(reason) => Err((Verdict::Unavailable, reason)),
    }
}

/// A case that is being played under one clock.
struct Played<'a> {
    shared: &'a Shared,
    job: &'a Job,
    clock: ClockKind,
    wall: Timestamp,
    horizon: Option<Span>,
    expectation: Expectation,
}

impl<'a> Played<'a> {
    fn new(shared: &'a Shared, job: &'a Job, clock: ClockKind) -> Self {
        let wall = match clock {
            ClockKind::Real => Timestamp::now(),
            _ => start_of(&job.case, shared.starts.at(job.slot)),
        };
        let mut played = Self {
            shared,
            job,
            clock,
            wall,
            horizon: None,
            expectation: Expectation::default(),
        };
        played.expectation = expectation(&played.setting(), &Behaviour::default());
        // A defect may wait longer than the world does.
        played.horizon =
            (clock != ClockKind::Real).then(|| horizon(&job.case, &played.expectation));
        played
    }

    fn setting(&self) -> Setting<'a> {
        Setting {
            spec: &self.shared.request.spec,
            case: &self.job.case,
            host: &self.job.target.launch.host,
            clock: self.clock,
            wall: self.wall,
            horizon: self.horizon,
        }
    }

    async fn judge(&self, worlds: &mut Worlds, report: &mut CaseReport) {
        report.expected = expected_lines(&self.expectation);
        let guard = self.shared.alone.read().await;
        let observed = self.observe(worlds, Process::Shared).await;
        drop(guard);
        let observations = match observed {
            Ok(observations) => observations,
            Err(failure) => return self.failed(&failure, report),
        };
        let shown = self.shown(&observations);
        self.count_death(&shown);
        self.describe(&observations, report);
        match shown {
            Shown::Clean => {
                report.contradicts = contradicted(&self.setting(), &observations);
                self.passes(&observations, report);
            }
            Shown::Silent if matches!(self.watch(), Some(Watch::Whole(_))) => {
                self.repeat_late(worlds, observations, report).await;
            }
            Shown::Silent => {
                report.contradicts = contradicted(&self.setting(), &observations);
                self.needs_clock(report);
            }
            Shown::Unsupported { reason, issue } => {
                report.verdict = Verdict::Unsupported;
                report.reason = Some(reason);
                report.issue = issue;
            }
            Shown::Failed(reason) => self.blame(&observations, reason, report),
            Shown::Differs { differences, .. }
                if self.clock == ClockKind::Real && all_late(&differences) =>
            {
                self.repeat_late(worlds, observations, report).await;
            }
            Shown::Differs { death, .. } => {
                self.confirm(worlds, observations, death, report).await;
            }
        }
    }

    /// Under the real clock noise makes replies late: the case runs again,
    /// alone. One run without a difference is proof.
    async fn repeat_late(
        &self,
        worlds: &mut Worlds,
        mut observations: Vec<Observation>,
        report: &mut CaseReport,
    ) {
        let _alone = self.shared.alone.write().await;
        for _ in 0..REPEATS {
            let again = match self.observe(worlds, Process::Shared).await {
                Ok(again) => again,
                Err(failure) => return self.failed(&failure, report),
            };
            self.describe(&again, report);
            match self.shown(&again) {
                Shown::Clean => return self.passes(&again, report),
                Shown::Differs { differences, .. } if !all_late(&differences) => {
                    return self.diverges(&again, report);
                }
                Shown::Silent if !matches!(self.watch(), Some(Watch::Whole(_))) => {
                    return self.needs_clock(report);
                }
                Shown::Differs { .. } | Shown::Silent => observations = again,
                other => {
                    report.reason = Some(format!("runs do not agree: {}", word(&other)));
                    return;
                }
            }
        }
        self.diverges(&observations, report);
        report.verdict = Verdict::Inconclusive;
        report.reason = Some(format!(
            "late in {} runs; the real clock cannot tell a slow machine from a long wait",
            REPEATS + 1
        ));
    }

    /// A difference is reported only if a fresh process shows one too.
    async fn confirm(
        &self,
        worlds: &mut Worlds,
        observations: Vec<Observation>,
        death: Death,
        report: &mut CaseReport,
    ) {
        let guard = self.shared.alone.read().await;
        let mut again = self.observe(worlds, Process::Fresh).await;
        // A busy machine can keep the evidence from coming before the watch ends.
        for _ in 1..REPEATS {
            let is_silent = matches!(&again, Ok(seen) if self.shown(seen) == Shown::Silent);
            if !is_silent {
                break;
            }
            again = self.observe(worlds, Process::Fresh).await;
        }
        drop(guard);
        let again = match again {
            Ok(again) => again,
            Err(failure) => return self.failed(&failure, report),
        };
        match self.shown(&again) {
            Shown::Differs { death: second, .. } if death == second => {
                let clearest = self.clearest(worlds, observations, again).await;
                self.diverges(&clearest, report);
            }
            Shown::Differs { .. } => {
                self.diverges(&observations, report);
                report.verdict = Verdict::Error;
                report.reason = Some("the adapter crashed in one of two runs".to_owned());
            }
            other => {
                self.diverges(&observations, report);
                report.verdict = Verdict::Error;
                report.reason = Some(format!("order leaks: {} in a fresh process", word(&other)));
            }
        }
    }

    /// Of two runs that differ, the one that noise touched less: what comes
    /// late on a busy machine would hide the cause of a divergence. If nothing
    /// explains it, the case runs again, alone.
    async fn clearest(
        &self,
        worlds: &mut Worlds,
        first: Vec<Observation>,
        second: Vec<Observation>,
    ) -> Vec<Observation> {
        let late = |seen: &[Observation]| match self.shown(seen) {
            Shown::Differs { differences, .. } => count_late(&differences),
            _ => usize::MAX,
        };
        let mut best = if late(&second) < late(&first) {
            second
        } else {
            first
        };
        let is_unclear = |seen: &[Observation]| {
            self.clock == ClockKind::Real
                && late(seen) > 0
                && diagnose(&self.setting(), seen) == Diagnosis::Unexplained
        };
        for _ in 0..REPEATS {
            if !is_unclear(&best) {
                break;
            }
            let _alone = self.shared.alone.write().await;
            match self.observe(worlds, Process::Shared).await {
                Ok(again) if late(&again) < late(&best) => best = again,
                _ => {}
            }
        }
        best
    }

    fn diverges(&self, observations: &[Observation], report: &mut CaseReport) {
        let setting = self.setting();
        self.describe(observations, report);
        let Shown::Differs { differences, death } = self.shown(observations) else {
            return;
        };
        report.verdict = severity(&setting, &differences);
        report.differences = differences;
        let diagnosis = diagnose(&setting, observations);
        report.signature = observations
            .first()
            .map(|observation| signature(&diagnosis, observation, &setting));
        report.suspects = suspects(&diagnosis, &self.job.case.kills);
        report.diagnosis = Some(diagnosis);
        if death == Death::Yes {
            report.log_tail = log_tail(observations);
        }
        recorded(&self.job.target, &setting, observations, report);
    }

    fn passes(&self, observations: &[Observation], report: &mut CaseReport) {
        report.verdict = Verdict::Pass;
        recorded_passes(&self.job.target, &self.setting(), observations, report);
    }

    /// Plays every run of the case.
    async fn observe(
        &self,
        worlds: &mut Worlds,
        process: Process,
    ) -> Result<Vec<Observation>, WorldFailure> {
        let request = &self.shared.request;
        let watch = self.watch().map(Watch::end);
        let mut plans = Vec::new();
        for run in 0..self.job.case.runs.max(1) {
            let slot = self.job.slot + usize::try_from(run).unwrap_or(0);
            plans.push(plan(&PlanInput {
                case: &self.job.case,
                target: &self.job.target,
                expectation: &self.expectation,
                name: &self.shared.name(self.job, self.clock),
                seed: case_seed(request.seed, self.job.case.id.as_str(), run),
                clock: self.clock,
                wall: start_of(&self.job.case, self.shared.starts.at(slot)),
                watch,
            }));
        }
        worlds
            .play(&self.job.target, &self.job.case, process, &plans)
            .await
    }

    fn watch(&self) -> Option<Watch> {
        let request = &self.shared.request;
        (self.clock == ClockKind::Real).then(|| request.watch(&self.job.case, &self.expectation))
    }

    fn shown(&self, observations: &[Observation]) -> Shown {
        shown(&self.setting(), &self.expectation, observations)
    }

    fn describe(&self, observations: &[Observation], report: &mut CaseReport) {
        let setting = self.setting();
        // The run that differs, if one does.
        let worst = observations
            .iter()
            .find(|observation| {
                let one = std::slice::from_ref(*observation);
                matches!(self.shown(one), Shown::Differs { .. } | Shown::Failed(_))
            })
            .or(observations.first());
        let Some(seen) = worst else {
            return;
        };
        report.observed = observed_lines(&setting, &self.expectation, seen);
        report.attempts = u32::try_from(seen.exchanges.len()).unwrap_or(u32::MAX);
        report.waits = waits(seen);
        if self.clock == ClockKind::Virtual {
            report.waits = report.waits.drain(..).map(without_noise).collect();
        }
        report.outcome = seen
            .results
            .iter()
            .map(|(call, result)| format!("{call}: {}", outcome_words(&result.outcome)))
            .collect();
    }

    fn blame(&self, observations: &[Observation], reason: String, report: &mut CaseReport) {
        report.verdict = Verdict::Error;
        report.reason = Some(reason);
        report.log_tail = log_tail(observations);
    }

    fn failed(&self, failure: &WorldFailure, report: &mut CaseReport) {
        report.verdict = Verdict::Error;
        report.reason = Some(failure.to_string());
        match failure {
            WorldFailure::Adapter {
                fault: AdapterFault::Unavailable { reason },
            } => {
                report.verdict = Verdict::Unavailable;
                report.reason = Some(reason.clone());
            }
            WorldFailure::Adapter { fault } => {
                self.job.deaths.fetch_add(1, Ordering::Relaxed);
                report.log_tail = fault.log().to_vec();
            }
            _ => {}
        }
    }

    fn count_death(&self, shown: &Shown) {
        match shown {
            Shown::Differs {
                death: Death::Yes, ..
            } => {
                self.job.deaths.fetch_add(1, Ordering::Relaxed);
            }
            Shown::Failed(_) => {}
            _ => self.job.deaths.store(0, Ordering::Relaxed),
        }
    }

    /// Watched, and nothing came too early.
    fn needs_clock(&self, report: &mut CaseReport) {
        report.verdict = Verdict::NeedsClock;
        report.reason = Some(format!(
            "longer than {}: nothing came too early in {}, the rest needs an owned clock",
            self.shared.request.max_wait, self.shared.request.early_watch
        ));
    }
}

fn word(shown: &Shown) -> String {
    match shown {
        Shown::Clean => "as expected".to_owned(),
        Shown::Silent => format!(
            "nothing to see under the {} clock",
            clock_name(ClockKind::Real)
        ),
        Shown::Differs { .. } => "a divergence".to_owned(),
        Shown::Unsupported { reason, .. } => format!("unsupported ({reason})"),
        Shown::Failed(reason) => reason.clone(),
    }
}

fn log_tail(observations: &[Observation]) -> Vec<String> {
    observations
        .iter()
        .rev()
        .map(|observation| &observation.log_tail)
        .find(|lines| !lines.is_empty())
        .cloned()
        .unwrap_or_default()
}

/// Waits between requests of the same call with the same method and target.
fn waits(seen: &Observation) -> Vec<Span> {
    let mut waits = Vec::new();
    for (index, exchange) in seen.exchanges.iter().enumerate() {
        let before = seen.exchanges[..index]
            .iter()
            .rev()
            .find(|before| before.call == exchange.call);
        let Some(before) = before else { continue };
        let is_same = before.method == exchange.method
            && before.path == exchange.path
            && before.query == exchange.query;
        if let Some(replied) = before.replied_at.filter(|_| is_same) {
            waits.push(exchange.at - replied);
        }
    }
    waits
}
