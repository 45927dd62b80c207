//! [`Tracee`]: one thread of the tree, and the state in which it is.

use libc::pid_t;

use super::procfs::{ThreadFiles, exists, name_of};
use super::timers::Creation;
use super::waits::{Wait, Without};
use crate::{Role, TimedWait};

/// The state in which a thread is, as far as its supervisor is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// It is known to exist; its first stop has not come yet.
    New,
    /// It runs, or waits without a timeout.
    Running,
    /// It is stopped at the entry of a short sleep, and is let go at its end.
    Held(Wait),
    /// It waits in a call whose timeout was taken away.
    Waiting(Disarmed),
    /// It is in timer_create.
    CreatingTimer(Creation),
    /// It waits for a process that it made by vfork.
    Vforking,
    /// It is interrupted because the time of its read is over.
    ReceiveOver,
    /// It is stopped with its process.
    Paused,
}

/// A wait whose timeout was taken away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Disarmed {
    pub(super) wait: Wait,
    pub(super) without: Without,
    /// The arguments as the program gave them.
    pub(super) args: [u64; 6],
    pub(super) ending: Ending,
}

/// Whether a wait was interrupted because its time is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    Open,
    Over,
}

/// A wait that a signal has interrupted, and that the kernel begins again by
/// itself unless a handler runs: it keeps its deadline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Restart {
    pub(super) ip: u64,
    pub(super) args: [u64; 6],
    pub(super) wait: Wait,
}

/// One thread of the tree.
#[derive(Debug)]
pub(super) struct Tracee {
    pub(super) thread: pid_t,
    pub(super) process: pid_t,
    pub(super) state: State,
    pub(super) role: Role,
    pub(super) restart: Option<Restart>,
    /// None: it was gone before they could be opened.
    pub(super) files: Option<ThreadFiles>,
    /// How often it had run when it was last looked at.
    pub(super) switches: Option<u64>,
    waits: u32,
}

impl Tracee {
    pub(super) fn new(process: pid_t, thread: pid_t, state: State) -> Self {
        Self {
            thread,
            process,
            state,
            role: Role::Worker,
            restart: None,
            files: ThreadFiles::open(process, thread),
            switches: None,
            waits: 0,
        }
    }

    /// Opens the thread's files if they are not; false: it is there, and cannot
    /// be looked at. (This process has as many files open as it may.)
    pub(super) fn reopen(&mut self) -> bool {
        if self.files.is_none() {
            self.files = ThreadFiles::open(self.process, self.thread);
        }
        self.files.is_some() || !exists(self.thread)
    }

    /// Counts a wait, and learns the thread's role: names are given after a
    /// thread has begun.
    pub(super) fn count_wait(&mut self, housekeeping: &[String]) {
        self.waits = self.waits.saturating_add(1);
        if self.waits.is_power_of_two() {
            let name = name_of(self.process, self.thread);
            self.role = if housekeeping.contains(&name) {
                Role::Housekeeping
            } else {
                Role::Worker
            };
        }
    }

    /// Whether it is the first thread of its process.
    pub(super) fn leads(&self) -> bool {
        self.thread == self.process
    }

    /// The wait that time can end.
    pub(super) fn open_wait(&self) -> Option<Wait> {
        match self.state {
            State::Held(wait) => Some(wait),
            State::Waiting(disarmed) if disarmed.ending == Ending::Open => Some(disarmed.wait),
            _ => None,
        }
    }

    /// A wait of this thread, for the caller.
    pub(super) fn reported(&self, wait: &Wait) -> TimedWait {
        TimedWait {
            thread: self.thread.unsigned_abs(),
            process: self.process.unsigned_abs(),
            kind: wait.kind,
            asked: std::time::Duration::from_nanos(wait.asked),
            began: std::time::Duration::from_nanos(wait.began),
            role: self.role,
        }
    }
}
