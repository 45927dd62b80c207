//! The conformance trials: one for each case of the reference client, named
//! `adapter::case-id`, under the injected clock, where every instant is exact,
//! and one under the virtual clock, named `adapter@virtual::case-id`. Names come
//! from files alone; the trials of a clock that are selected are one run over
//! shared worlds, begun by the first of them.

mod common;

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;

use holdoff::adapter::protocol::ClockKind;
use holdoff::fixture::{Case, ClockNeed};
use holdoff::judge::{CaseReport, Verdict};
use holdoff::model::CaseId;
use holdoff::report::{Palette, case_text};
use holdoff::run::{ClockChoice, RunEvent, RunHeader, run, virtual_clock};
use libtest_mimic::{Arguments, Failed, Trial};

/// One run under one clock, begun when the first trial asks for its report.
struct Session {
    clock: ClockKind,
    cases: Mutex<Option<Vec<Arc<Case>>>>,
    state: Mutex<State>,
    changed: Condvar,
    thread: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Default)]
struct State {
    header: Option<RunHeader>,
    reports: BTreeMap<CaseId, CaseReport>,
    is_over: bool,
}

impl Session {
    fn new(clock: ClockKind) -> Self {
        Self {
            clock,
            cases: Mutex::new(None),
            state: Mutex::default(),
            changed: Condvar::new(),
            thread: Mutex::new(None),
        }
    }

    fn begin(self: &Arc<Self>) {
        let Some(cases) = locked(&self.cases).take() else {
            return;
        };
        let session = Arc::clone(self);
        let thread = std::thread::spawn(move || session.play(cases));
        *locked(&self.thread) = Some(thread);
    }

    /// Plays every selected case; the worlds are gone when it returns.
    fn play(&self, cases: Vec<Arc<Case>>) {
        let clock = ClockChoice::Only(self.clock);
        let request = common::request(common::reference(), cases, clock);
        let runtime = tokio::runtime::Runtime::new().expect("a runtime can be made");
        runtime.block_on(async {
            let (sender, mut events) = tokio::sync::mpsc::unbounded_channel();
            let (_never, interrupt) = tokio::sync::watch::channel(false);
            let running = tokio::spawn(run(request, sender, interrupt));
            while let Some(event) = events.recv().await {
                self.take(event);
            }
            running.await.expect("the run does not panic");
        });
        locked(&self.state).is_over = true;
        self.changed.notify_all();
    }

    fn take(&self, event: RunEvent) {
        let mut state = locked(&self.state);
        match event {
            RunEvent::Started(header) => state.header = Some(*header),
            RunEvent::CaseFinished(report) => {
                state.reports.insert(report.case.clone(), *report);
            }
            RunEvent::CaseStarted { .. } | RunEvent::Finished(_) => {}
        }
        self.changed.notify_all();
    }

    fn verdict(self: &Arc<Self>, case: &CaseId) -> Result<(), Failed> {
        self.begin();
        let mut state = locked(&self.state);
        loop {
            if let (Some(header), Some(report)) = (&state.header, state.reports.get(case)) {
                return match report.verdict {
                    Verdict::Pass | Verdict::Known => Ok(()),
                    _ => Err(case_text(header, report, Palette::Plain).into()),
                };
            }
            if state.is_over {
                return Err("the run ended without a verdict".into());
            }
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn end(&self) {
        if let Some(thread) = locked(&self.thread).take() {
            thread.join().expect("the session does not panic");
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The trials of one clock; those that are selected become the session's cases.
fn trials(session: &Arc<Session>, cases: Vec<Arc<Case>>, arguments: &Arguments) -> Vec<Trial> {
    let (adapter, is_missing) = match session.clock {
        ClockKind::Virtual => ("reference@virtual", virtual_clock().is_err()),
        ClockKind::Injected | ClockKind::Real => ("reference", false),
    };
    let (mut trials, mut selected) = (Vec::new(), Vec::new());
    for case in cases {
        let (of_trial, id) = (Arc::clone(session), case.id.clone());
        let trial = Trial::test(format!("{adapter}::{id}"), move || of_trial.verdict(&id))
            .with_ignored_flag(is_missing);
        if !arguments.is_filtered_out(&trial) {
            selected.push(case);
        }
        trials.push(trial);
    }
    *locked(&session.cases) = Some(selected);
    trials
}

/// Whether a case can be played under a clock.
fn serves(clock: ClockKind, case: &Case) -> bool {
    match case.needs.clock {
        ClockNeed::Injected => clock == ClockKind::Injected,
        ClockNeed::Virtual => clock == ClockKind::Virtual,
        _ => true,
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let cases = common::cases();
    if cases.is_empty() {
        eprintln!("there is no fixture");
        return ExitCode::FAILURE;
    }
    if let Err(missing) = virtual_clock() {
        eprintln!("NOT TESTED: {missing}");
    }
    let sessions = [ClockKind::Injected, ClockKind::Virtual]
        .map(Session::new)
        .map(Arc::new);
    let mut all = Vec::new();
    for session in &sessions {
        let served = cases.iter().filter(|case| serves(session.clock, case));
        all.extend(trials(session, served.cloned().collect(), &arguments));
    }
    let conclusion = libtest_mimic::run(&arguments, all);
    for session in &sessions {
        session.end();
    }
    conclusion.exit_code()
}
