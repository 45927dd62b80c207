//! What a stopped thread is stopped for, and how it goes on.

use libc::{c_int, pid_t};

use super::exec::Started;
use super::ptrace::{self, Birth, Change, StopReason, Until};
use super::signals::{self, Disposition};
use super::supervisor::{Supervisor, alive};
use super::tracee::State;
use crate::Error;

/// Signals that stop a process.
const STOPPING: [c_int; 4] = [libc::SIGSTOP, libc::SIGTSTP, libc::SIGTTIN, libc::SIGTTOU];
/// Results of a call that a signal has interrupted and that the kernel would
/// begin again: ERESTARTSYS to ERESTART_RESTARTBLOCK.
const INTERRUPTED: std::ops::RangeInclusive<i64> = -516..=-512;

/// Whether a call was interrupted.
pub(super) fn is_interrupted(result: i64) -> bool {
    INTERRUPTED.contains(&result) || result == -i64::from(libc::EINTR)
}

impl Supervisor {
    /// Something happened to a thread.
    pub(super) fn changed(&mut self, thread: pid_t, change: Change) -> Result<(), Error> {
        let reason = match change {
            Change::Exited(exit) => {
                self.ended(thread, exit);
                return Ok(());
            }
            Change::Stopped(reason) => reason,
        };
        self.adopt(thread, State::New);
        if self.clock.0.is_doomed() {
            // One that is gone needs no signal.
            let _ = signals::send(thread, libc::SIGKILL);
            return Ok(());
        }
        match reason {
            StopReason::Filter => self.call_begins(thread),
            StopReason::CallEnd => self.call_ends(thread),
            StopReason::Birth(birth) => self.born(thread, birth),
            StopReason::VforkDone => {
                self.set_state(thread, State::Running);
                self.resume(thread, Until::Event, 0)
            }
            StopReason::Exec => match self.started(thread)? {
                Started::Yes => self.resume(thread, Until::Event, 0),
                Started::Lost(change) => self.changed(thread, change),
            },
            StopReason::Trap(signal) => self.trapped(thread, signal),
            StopReason::Signal(signal) => self.signalled(thread, signal),
            StopReason::Other => self.resume(thread, Until::Event, 0),
        }
    }

    pub(super) fn set_state(&mut self, thread: pid_t, state: State) {
        if let Some(tracee) = self.threads.get_mut(&thread) {
            tracee.state = state;
        }
    }

    fn state(&self, thread: pid_t) -> Option<State> {
        self.threads.get(&thread).map(|tracee| tracee.state)
    }

    fn born(&mut self, parent: pid_t, birth: Birth) -> Result<(), Error> {
        if let Some(child) = alive("ask for the child of", parent, ptrace::message(parent))?
            && super::procfs::is_alive(child)
        {
            self.adopt(child, State::New);
        }
        if birth == Birth::Vfork {
            self.set_state(parent, State::Vforking);
        }
        self.resume(parent, Until::Event, 0)
    }

    fn trapped(&mut self, thread: pid_t, signal: c_int) -> Result<(), Error> {
        if STOPPING.contains(&signal) {
            self.set_state(thread, State::Paused);
            return alive("pause", thread, ptrace::listen(thread)).map(drop);
        }
        match self.state(thread) {
            Some(State::New | State::Paused) => self.set_state(thread, State::Running),
            Some(State::ReceiveOver) => self.receive_over(thread)?,
            Some(State::Waiting(_)) => return self.resume(thread, Until::CallEnd, 0),
            _ => {}
        }
        self.resume(thread, Until::Event, 0)
    }

    fn receive_over(&mut self, thread: pid_t) -> Result<(), Error> {
        self.set_state(thread, State::Running);
        let Some(mut registers) = self.registers(thread)? else {
            return Ok(());
        };
        // Anything else is a read that won the race.
        if INTERRUPTED.contains(&registers.result()) {
            registers.set_result(-i64::from(libc::EAGAIN));
            self.set_registers(thread, &registers)?;
        }
        Ok(())
    }

    /// A signal is about to be delivered.
    fn signalled(&mut self, thread: pid_t, signal: c_int) -> Result<(), Error> {
        let Some(tracee) = self.threads.get_mut(&thread) else {
            return Ok(());
        };
        if tracee.state == State::New {
            tracee.state = State::Running;
        }
        let delivered = if tracee.restart.is_none() {
            signal
        } else {
            match signals::disposition(thread, signal) {
                // The call returns to the program; if it is made again, it is
                // another one.
                Disposition::Caught => {
                    tracee.restart = None;
                    signal
                }
                // Without a tracer it would not have been interrupted.
                Disposition::Ignored => {
                    self.make_again(thread)?;
                    0
                }
                Disposition::Default => signal,
            }
        };
        self.resume(thread, Until::Event, delivered)
    }

    /// epoll and a few others return EINTR for good, and would for a signal
    /// that nobody hears.
    fn make_again(&self, thread: pid_t) -> Result<(), Error> {
        if let Some(mut registers) = self.registers(thread)?
            && registers.result() == -i64::from(libc::EINTR)
            && registers.number() >= 0
        {
            registers.rewind();
            self.set_registers(thread, &registers)?;
        }
        Ok(())
    }
}
