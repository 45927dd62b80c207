//! Rest: whether every thread of the tree and of this process waits for
//! something that only time can bring.
//!
//! One look at each thread is not enough: the one looked at first may have been
//! woken by the one looked at last. So each is looked at twice, and has neither
//! run nor be about to in between.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use libc::pid_t;

use super::procfs::{Life, ThreadFiles};
use super::tracee::{State, Tracee};

/// What a look at all threads found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rest {
    /// Somebody runs; if it is a thread of the tree, this one.
    Busy(Option<pid_t>),
    /// This thread was announced and never came.
    Ghost(pid_t),
    /// Everybody waits.
    Quiet,
}

/// Threads that ran lately, looked at first.
#[derive(Debug, Default)]
pub(super) struct Hot([pid_t; 4]);

impl Hot {
    /// A thread that still runs, if one is found at once.
    pub(super) fn busy(&self, threads: &HashMap<pid_t, Tracee>) -> Option<pid_t> {
        self.0.into_iter().find(|thread| {
            threads
                .get(thread)
                .is_some_and(|tracee| is_busy(tracee) == Some(true))
        })
    }

    /// A thread was found running.
    pub(super) fn note(&mut self, thread: pid_t) {
        if !self.0.contains(&thread) {
            self.0.rotate_right(1);
            self.0[0] = thread;
        }
    }
}

/// Whether a thread is about to do something; none: it is gone or never came.
fn is_busy(tracee: &Tracee) -> Option<bool> {
    let life = match (&tracee.state, &tracee.files) {
        (State::Held(_), _) => return Some(false),
        (_, None) => return None,
        (_, Some(files)) => files.life(),
    };
    match (life, &tracee.state) {
        (Life::Gone, _) => None,
        (_, State::New) => Some(true),
        (Life::Asleep, _)
        | (Life::Uninterruptible, State::Vforking)
        | (Life::Stopped, State::Paused) => Some(false),
        _ => Some(true),
    }
}

/// The first look: notes how often each thread has run.
pub(super) fn first_look(threads: &mut HashMap<pid_t, Tracee>) -> Rest {
    for tracee in threads.values_mut() {
        if !tracee.reopen() {
            return Rest::Busy(Some(tracee.thread));
        }
        tracee.switches = tracee.files.as_ref().and_then(ThreadFiles::switches);
        match is_busy(tracee) {
            Some(false) => {}
            Some(true) => return Rest::Busy(Some(tracee.thread)),
            None if tracee.state == State::New => return Rest::Ghost(tracee.thread),
            // Its end is still to be told.
            None => {}
        }
    }
    Rest::Quiet
}

/// The second look: whether everybody is still as noted.
pub(super) fn second_look(threads: &HashMap<pid_t, Tracee>) -> Rest {
    for tracee in threads.values() {
        let has_run = || {
            let switches = tracee.files.as_ref().and_then(ThreadFiles::switches);
            switches != tracee.switches
        };
        match is_busy(tracee) {
            Some(false) if !matches!(tracee.state, State::Held(_)) && has_run() => {
                return Rest::Busy(Some(tracee.thread));
            }
            Some(true) => return Rest::Busy(Some(tracee.thread)),
            _ => {}
        }
    }
    Rest::Quiet
}

/// The threads of this process but the supervisor's.
#[derive(Debug)]
pub(super) struct OwnThreads {
    supervisor: pid_t,
    threads: HashMap<pid_t, (ThreadFiles, Option<u64>)>,
}

impl OwnThreads {
    /// All but the calling one.
    pub(super) fn new() -> Self {
        Self {
            supervisor: rustix::thread::gettid().as_raw_nonzero().get(),
            threads: HashMap::new(),
        }
    }

    /// The first look; false: one runs.
    pub(super) fn first_look(&mut self) -> bool {
        let Ok(entries) = std::fs::read_dir("/proc/self/task") else {
            return false;
        };
        let process = pid_t::try_from(std::process::id()).unwrap_or_default();
        let mut found = Vec::with_capacity(self.threads.len());
        for entry in entries.flatten() {
            let name = entry.file_name();
            let Some(thread) = name.to_str().and_then(|name| name.parse().ok()) else {
                continue;
            };
            if thread == self.supervisor {
                continue;
            }
            found.push(thread);
            if let Entry::Vacant(unknown) = self.threads.entry(thread)
                && let Some(files) = ThreadFiles::open(process, thread)
            {
                unknown.insert((files, None));
            }
        }
        self.threads.retain(|thread, _| found.contains(thread));
        self.threads.values_mut().all(|(files, switches)| {
            *switches = files.switches();
            matches!(files.life(), Life::Asleep | Life::Gone)
        })
    }

    /// The second look; false: one runs, or has run.
    pub(super) fn second_look(&self) -> bool {
        self.threads
            .values()
            .all(|(files, switches)| match files.life() {
                Life::Gone => true,
                Life::Asleep => files.switches() == *switches,
                _ => false,
            })
    }
}
