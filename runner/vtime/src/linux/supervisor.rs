//! [`Supervisor`]: the one thread that traces a tree and moves its clock.

use std::collections::HashMap;
use std::io;
use std::time::{Duration, Instant};

use libc::pid_t;

use super::clock::{Clock, Phase};
use super::memory::Memories;
use super::page::Checked;
use super::procfs::process_of;
use super::ptrace::{self, Change, Until};
use super::quiet::{Hot, OwnThreads};
use super::random::RandomBytes;
use super::receive::ReceiveTimeouts;
use super::signals;
use super::starved::Starvation;
use super::timers::Timers;
use super::tracee::{State, Tracee};
use super::wire::Wire;
use super::x86_64::Registers;
use crate::{Error, Exit, Limits, Options, Report, Stop};

/// Looks without a change after which the supervisor sleeps between them, at
/// first shortly and then longer.
const EAGER: u32 = 4;
const PATIENT: u32 = 200;
const SHORT: Duration = Duration::from_micros(30);
const LONG: Duration = Duration::from_micros(200);
/// So many changes may come one after the other before bounds are looked at.
const UNINTERRUPTED: u32 = 64;
/// While the clock stands nobody is in a hurry.
const STANDING: Duration = Duration::from_millis(1);

/// The one thread that traces a tree and moves its clock.
pub(super) struct Supervisor {
    pub(super) clock: Clock,
    reports: Box<dyn FnMut(Report) + Send>,
    root: pid_t,
    pub(super) threads: HashMap<pid_t, Tracee>,
    pub(super) memories: Memories,
    pub(super) timers: Timers,
    pub(super) receive: ReceiveTimeouts,
    pub(super) random: RandomBytes,
    pub(super) wire: Wire,
    pub(super) own: OwnThreads,
    pub(super) hot: Hot,
    pub(super) housekeeping: Vec<String>,
    pub(super) starvation: Starvation,
    pub(super) run: Option<Run>,
    orders: u64,
    seeds: u64,
    idle: u32,
    /// The page when it was last checked, and how far it was moved since.
    pub(super) checked: Checked,
    pub(super) moved: u64,
}

/// The phase of a running clock.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) limits: Limits,
    pub(super) since: Instant,
    pub(super) events: u64,
    /// Waits of housekeepers ended one after the other, nothing else.
    pub(super) housekeeping: u32,
    /// Since when nothing has had a deadline.
    pub(super) hung: Option<Instant>,
}

impl Supervisor {
    /// For a tree whose first process is `root`, which is traced by the calling
    /// thread.
    pub(super) fn new(
        clock: Clock,
        root: pid_t,
        options: Options,
        reports: Box<dyn FnMut(Report) + Send>,
    ) -> Result<Self, Error> {
        let checked = clock.0.page.checked();
        let mut supervisor = Self {
            clock,
            reports,
            root,
            threads: HashMap::new(),
            memories: Memories::default(),
            timers: Timers::default(),
            receive: ReceiveTimeouts::default(),
            random: RandomBytes::default(),
            wire: Wire::new(options.connections)?,
            own: OwnThreads::new(),
            hot: Hot::default(),
            housekeeping: options.housekeeping,
            starvation: Starvation::default(),
            run: None,
            orders: 0,
            seeds: 0,
            idle: 0,
            checked,
            moved: 0,
        };
        supervisor.adopt(root, State::Running);
        Ok(supervisor)
    }

    /// Supervises until nobody of the tree is left.
    pub(super) fn supervise(mut self) {
        match self.work() {
            Ok(()) => self.report(Report::Gone),
            Err(error) => {
                self.kill_all();
                self.report(Report::Failed(error));
            }
        }
    }

    fn work(&mut self) -> Result<(), Error> {
        let mut changes: u32 = 0;
        loop {
            match ptrace::any_change() {
                Ok(Some((thread, change))) => {
                    self.idle = 0;
                    // A seed holds for the first bytes that are asked for after it
                    // was set.
                    self.obey();
                    self.changed(thread, change)?;
                    changes = changes.wrapping_add(1);
                    if changes.is_multiple_of(UNINTERRUPTED) {
                        self.keep_real_time();
                    }
                }
                Ok(None) => self.rest()?,
                Err(error) if error.raw_os_error() == Some(libc::ECHILD) => return Ok(()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(source) => {
                    return Err(Error::System {
                        attempted: "wait for a traced thread",
                        source,
                    });
                }
            }
        }
    }

    /// Nothing has changed: looks whether the clock may move, and sleeps for a
    /// moment if not.
    fn rest(&mut self) -> Result<(), Error> {
        self.obey();
        if self.clock.0.is_doomed() {
            self.kill_everybody();
            std::thread::park_timeout(SHORT);
            return Ok(());
        }
        self.idle = self.idle.saturating_add(1);
        let pause = match &self.run {
            None => STANDING,
            Some(_) if self.idle < EAGER => {
                std::thread::yield_now();
                return Ok(());
            }
            Some(_) if self.idle < PATIENT => SHORT,
            Some(_) => LONG,
        };
        if self.run.is_some() {
            if self.try_to_move()? {
                self.idle = 0;
                return Ok(());
            }
            self.keep_real_time();
        }
        std::thread::park_timeout(pause);
        Ok(())
    }

    /// Takes over what the caller has ordered.
    fn obey(&mut self) {
        let shared = &self.clock.0;
        if let Some(phase) = shared.new_phase(&mut self.orders) {
            self.starvation = Starvation::default();
            self.run = match phase {
                Phase::Stands => None,
                Phase::Runs(limits) => Some(Run {
                    limits,
                    since: Instant::now(),
                    events: 0,
                    housekeeping: 0,
                    hung: None,
                }),
            };
        }
        if let Some(seed) = shared.new_seed(&mut self.seeds) {
            self.random.seed(seed);
        }
    }

    /// Stops the clock and says why.
    pub(super) fn stop(&mut self, stop: Stop) {
        self.run = None;
        self.clock.0.end_phase(self.orders);
        let at = self.clock.now();
        self.report(Report::Stopped { at, stop });
    }

    fn keep_real_time(&mut self) {
        let Some(run) = &self.run else { return };
        if run.since.elapsed() < run.limits.real_time {
            return;
        }
        let spinning = self.starvation.spinning(run.limits.real_time);
        self.stop(match spinning {
            Some(thread) => Stop::Starved {
                thread: thread.unsigned_abs(),
            },
            None => Stop::OutOfTime,
        });
    }

    pub(super) fn report(&mut self, report: Report) {
        (self.reports)(report);
    }

    /// A thread belongs to the tree.
    pub(super) fn adopt(&mut self, thread: pid_t, state: State) {
        if self.threads.contains_key(&thread) {
            return;
        }
        let tracee = Tracee::new(process_of(thread), thread, state);
        self.threads.insert(thread, tracee);
        let threads = self.threads.len();
        if let Some(run) = &self.run
            && threads > run.limits.threads
        {
            self.stop(Stop::TooManyThreads { threads });
        }
    }

    /// A thread has ended.
    pub(super) fn ended(&mut self, thread: pid_t, exit: Exit) {
        let is_process = match self.threads.remove(&thread) {
            Some(tracee) => tracee.process == thread,
            None => true,
        };
        self.receive.forget(thread);
        if is_process {
            self.memories.forget(thread);
            self.timers.forget(thread);
            self.random.forget(thread);
        }
        if thread == self.root {
            // What it said was said by a clock that may have been its own.
            if self.run.is_some() {
                self.check_page();
            }
            self.report(Report::Exited(exit));
        }
    }

    /// Lets a thread go on.
    pub(super) fn resume(
        &self,
        thread: pid_t,
        until: Until,
        signal: libc::c_int,
    ) -> Result<(), Error> {
        alive("resume", thread, ptrace::resume(thread, until, signal)).map(drop)
    }

    /// Registers of a stopped thread; none if it is gone.
    pub(super) fn registers(&self, thread: pid_t) -> Result<Option<Registers>, Error> {
        alive("read the registers of", thread, ptrace::registers(thread))
    }

    pub(super) fn set_registers(&self, thread: pid_t, registers: &Registers) -> Result<(), Error> {
        let set = ptrace::set_registers(thread, registers);
        alive("set the registers of", thread, set).map(drop)
    }

    /// Interrupts a thread in its kernel call.
    pub(super) fn interrupt(&self, thread: pid_t) -> Result<(), Error> {
        alive("interrupt", thread, ptrace::interrupt(thread)).map(drop)
    }

    fn kill_everybody(&self) {
        for tracee in self.threads.values() {
            // One that is gone needs no signal.
            let _ = signals::send(tracee.process, libc::SIGKILL);
        }
    }

    /// Kills the tree and waits until nobody is left; what was born meanwhile
    /// is traced and dies too.
    fn kill_all(&mut self) {
        loop {
            self.kill_everybody();
            match ptrace::any_change() {
                Ok(Some((thread, Change::Exited(exit)))) => self.ended(thread, exit),
                Ok(Some((thread, Change::Stopped(_)))) => self.adopt(thread, State::Running),
                Ok(None) => std::thread::park_timeout(SHORT),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return,
            }
        }
    }
}

/// A thread that was killed is gone at any moment; its end is told later.
pub(super) fn alive<T>(
    attempted: &'static str,
    thread: pid_t,
    result: io::Result<T>,
) -> Result<Option<T>, Error> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.raw_os_error() == Some(libc::ESRCH) => Ok(None),
        Err(source) => Err(Error::Thread {
            attempted,
            thread: thread.unsigned_abs(),
            source,
        }),
    }
}
