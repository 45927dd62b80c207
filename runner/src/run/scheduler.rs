//! [`run`]: cases × adapters over a pool of workers.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::{RwLock, watch};
use tokio::task::JoinSet;

use super::causes::Evidence;
use super::census::Census;
use super::event::{RunEnd, RunEvent, RunFooter};
use super::play::play;
use super::request::RunRequest;
use super::starts::Starts;
use super::target::Target;
use super::worlds::Worlds;
use crate::adapter::protocol::ClockKind;
use crate::fixture::Case;
use crate::judge::{CaseReport, Verdict};

/// Deaths of an adapter with no completed case between them that end it.
const DEATHS: u32 = 3;

/// One case on one adapter.
#[derive(Clone, Debug)]
pub(super) struct Job {
    pub(super) target: Arc<Target>,
    pub(super) case: Arc<Case>,
    /// First of its starts.
    pub(super) slot: usize,
    /// Deaths of this adapter since it last completed a case, over all worlds.
    pub(super) deaths: Arc<AtomicU32>,
}

/// What all workers share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) request: RunRequest,
    pub(super) starts: Starts,
    /// Held for writing by a case that must run alone.
    pub(super) alone: RwLock<()>,
    queue: Mutex<VecDeque<Job>>,
    names: Mutex<BTreeMap<String, (String, String)>>,
    next_name: AtomicUsize,
}

/// Runs every case on every adapter. Events go to `events`; the last one is
/// `Finished`. When `interrupt` turns true, what runs is dropped and its
/// processes end.
pub async fn run(
    request: RunRequest,
    events: UnboundedSender<RunEvent>,
    interrupt: watch::Receiver<bool>,
) -> RunFooter {
    let planned = request.cases.len() * request.targets.len();
    let header = Box::new(request.header());
    let stale = request.stale.clone();
    // Nobody listens any more: the run goes on for its footer.
    let _ = events.send(RunEvent::Started(header));
    let jobs = request.jobs.get().min(planned.max(1));
    let shared = Arc::new(Shared::new(request));
    let (finished, mut reports) = tokio::sync::mpsc::unbounded_channel();
    let mut workers = JoinSet::new();
    for _ in 0..jobs {
        workers.spawn(work(
            Arc::clone(&shared),
            events.clone(),
            finished.clone(),
            interrupt.clone(),
        ));
    }
    drop(finished);
    let mut census = Census::of(planned);
    let mut evidence = Evidence::default();
    while let Some(report) = reports.recv().await {
        census.count(report.verdict);
        evidence.take(&report);
        let _ = events.send(RunEvent::CaseFinished(report));
    }
    let mut notes = Vec::new();
    while let Some(worker) = workers.join_next().await {
        notes.extend(worker.unwrap_or_else(|error| vec![format!("a worker failed: {error}")]));
    }
    notes.sort();
    let end = if *interrupt.borrow() && census.not_run() > 0 {
        RunEnd::Interrupted
    } else {
        RunEnd::Complete
    };
    let footer = RunFooter {
        census,
        end,
        notes,
        causes: evidence.causes(),
        stale,
    };
    let _ = events.send(RunEvent::Finished(footer.clone()));
    footer
}

impl Shared {
    fn new(request: RunRequest) -> Self {
        // Every run of a case, and every repetition of it, opens it once more;
        // a fresh process may begin at the same instant again.
        let most_runs = request.cases.iter().map(|case| case.runs).max();
        let per_case = usize::try_from(most_runs.unwrap_or(1)).unwrap_or(1) + REPEATS;
        let starts = Starts::new(1 + per_case * request.cases.len());
        let mut queue = VecDeque::new();
        for target in &request.targets {
            let deaths = Arc::new(AtomicU32::new(0));
            for (index, case) in request.cases.iter().enumerate() {
                queue.push_back(Job {
                    target: Arc::clone(target),
                    case: Arc::clone(case),
                    // The first start is that of the probes.
                    slot: 1 + index * per_case,
                    deaths: Arc::clone(&deaths),
                });
            }
        }
        Self {
            request,
            starts,
            alone: RwLock::new(()),
            queue: Mutex::new(queue),
            names: Mutex::new(BTreeMap::new()),
            next_name: AtomicUsize::new(1),
        }
    }

    fn next(&self) -> Option<Job> {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        queue.pop_front()
    }

    /// A new opaque name for a case; the adapter must not learn the fixture's.
    pub(super) fn name(&self, job: &Job, clock: ClockKind) -> String {
        let name = format!("c{}", self.next_name.fetch_add(1, Ordering::Relaxed));
        if clock == ClockKind::Real {
            // What a case that was only watched does later is no news.
            return name;
        }
        let value = (job.case.id.to_string(), job.target.name().to_owned());
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        names.insert(name.clone(), value);
        name
    }

    fn late_note(&self, name: &str) -> Option<String> {
        let names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        let (case, adapter) = names.get(name)?;
        Some(format!(
            "{adapter} sent requests for {case} after that case had ended"
        ))
    }
}

/// Repetitions of a late case under the real clock.
pub(super) const REPEATS: usize = 3;

async fn work(
    shared: Arc<Shared>,
    events: UnboundedSender<RunEvent>,
    finished: UnboundedSender<Box<CaseReport>>,
    mut interrupt: watch::Receiver<bool>,
) -> Vec<String> {
    let mut worlds = Worlds::new(shared.request.world.clone());
    loop {
        if *interrupt.borrow() {
            break;
        }
        let Some(job) = shared.next() else {
            break;
        };
        let _ = events.send(RunEvent::CaseStarted {
            adapter: job.target.name().to_owned(),
            case: job.case.id.clone(),
        });
        // A task of its own, so that a mistake of ours costs one case.
        let (task_shared, task_job) = (Arc::clone(&shared), job.clone());
        let mut task = JoinSet::new();
        task.spawn(async move {
            let report = one(&task_shared, &mut worlds, &task_job).await;
            (worlds, report)
        });
        let joined = tokio::select! {
            joined = task.join_next() => joined,
            _ = interrupted(&mut interrupt) => {
                // What was being played is dropped, and with it its process.
                return Vec::new();
            }
        };
        let report = match joined {
            Some(Ok((same, report))) => {
                worlds = same;
                report
            }
            _ => {
                worlds = Worlds::new(shared.request.world.clone());
                let mut report = super::play::blank(&shared, &job);
                report.reason = Some("the runner failed: a panic, shown above".to_owned());
                report
            }
        };
        let _ = finished.send(Box::new(report));
    }
    let late = worlds.take_late();
    worlds.stop().await;
    let mut notes: Vec<_> = late
        .iter()
        .filter_map(|name| shared.late_note(name))
        .collect();
    notes.sort();
    notes.dedup();
    notes
}

async fn interrupted(interrupt: &mut watch::Receiver<bool>) {
    while !*interrupt.borrow_and_update() {
        if interrupt.changed().await.is_err() {
            // Nobody can interrupt any more.
            std::future::pending::<()>().await;
        }
    }
}

async fn one(shared: &Shared, worlds: &mut Worlds, job: &Job) -> CaseReport {
    let deaths = job.deaths.load(Ordering::Relaxed);
    if deaths >= DEATHS {
        let mut report = super::play::blank(shared, job);
        report.verdict = Verdict::Error;
        report.reason = Some(format!(
            "the adapter died {deaths} times without completing a case and is not started any more"
        ));
        return report;
    }
    play(shared, worlds, job).await
}
