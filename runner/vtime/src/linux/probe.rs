//! [`Probe`]: a child that shows whether a step of the mechanism is allowed.

use std::io;
use std::os::fd::OwnedFd;

use libc::{c_int, pid_t};
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};

use super::ptrace::{self, Change, StopReason, Until};
use super::x86_64::{Filters, Randomness};
use crate::Error;

/// What a probe does once it may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Behaviour {
    /// Nothing: it exits.
    Wait,
    /// It goes under the filters, and makes a call that they stop.
    FilteredCall,
}

/// A child that waits to be let go, and dies with its handle.
#[derive(Debug)]
pub(super) struct Probe {
    child: pid_t,
    gate: Option<OwnedFd>,
}

/// Why a step is not possible.
#[derive(Debug, thiserror::Error)]
pub(super) enum ProbeError {
    #[error(transparent)]
    Step(#[from] Error),
    #[error("cannot make a child: {0}")]
    Fork(Errno),
    #[error("cannot trace a child: {0}")]
    Trace(Errno),
    #[error("cannot wait for a traced child: {0}")]
    Wait(Errno),
    #[error("cannot put a child under a filter: {0}")]
    Filter(Errno),
    #[error("a filtered call did not stop: {0}")]
    NoStop(String),
}

impl ProbeError {
    /// The kernel's answer.
    pub(super) fn errno(&self) -> Option<Errno> {
        match self {
            Self::Fork(errno) | Self::Trace(errno) | Self::Wait(errno) | Self::Filter(errno) => {
                Some(*errno)
            }
            Self::Step(_) | Self::NoStop(_) => None,
        }
    }
}

fn errno(error: &io::Error) -> Errno {
    Errno::from_io_error(error).unwrap_or(Errno::IO)
}

impl Probe {
    pub(super) fn start(behaviour: Behaviour) -> Result<Self, ProbeError> {
        let filters = Filters::new(Randomness::Kernel)?;
        let (read, write) = pipe_with(PipeFlags::CLOEXEC).map_err(ProbeError::Fork)?;
        // SAFETY: the child makes kernel calls only, and never returns.
        match unsafe { libc::fork() } {
            -1 => Err(ProbeError::Fork(errno(&io::Error::last_os_error()))),
            0 => {
                // Its own copy would keep the gate open.
                drop(write);
                let code = behave(behaviour, &filters, &read);
                // SAFETY: ends the child without anything that was to be done
                // at the end of this process.
                unsafe { libc::_exit(code) }
            }
            child => Ok(Self {
                child,
                gate: Some(write),
            }),
        }
    }

    /// Traces it, and lets it go.
    pub(super) fn trace(mut self) -> Result<Self, ProbeError> {
        ptrace::seize(self.child).map_err(|error| ProbeError::Trace(errno(&error)))?;
        // Its reader sees the end of the pipe.
        self.gate = None;
        Ok(self)
    }

    /// Whether the call that it makes under the filters stops it.
    pub(super) fn has_stopped_at_a_call(self) -> Result<(), ProbeError> {
        let change = ptrace::next_change(self.child).map_err(|e| ProbeError::Wait(errno(&e)))?;
        match change {
            Change::Stopped(StopReason::Filter) => Ok(()),
            Change::Exited(crate::Exit::Code(code)) if code != 0 => {
                Err(ProbeError::Filter(Errno::from_raw_os_error(code)))
            }
            other => Err(ProbeError::NoStop(format!("{other:?}"))),
        }
    }
}

/// What the child does; the code that it exits with is an error number or zero.
fn behave(behaviour: Behaviour, filters: &Filters, gate: &OwnedFd) -> c_int {
    let mut byte = [0];
    // Nobody writes: it returns at the end of the pipe.
    if rustix::io::read(gate, &mut byte).is_err() || behaviour == Behaviour::Wait {
        return 0;
    }
    if let Err(error) = filters.apply() {
        return error.raw_os_error().unwrap_or(libc::EIO);
    }
    let now = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `now` is valid for the read, and no time left is asked for.
    unsafe { libc::nanosleep(&raw const now, std::ptr::null_mut()) };
    0
}

impl Drop for Probe {
    fn drop(&mut self) {
        // SAFETY: no memory is involved. The child is not waited for yet, so
        // that the number is still its own.
        unsafe { libc::kill(self.child, libc::SIGKILL) };
        loop {
            match ptrace::next_change(self.child) {
                Ok(Change::Exited(_)) | Err(_) => return,
                // One that was stopped dies all the same.
                Ok(Change::Stopped(_)) => {
                    let _ = ptrace::resume(self.child, Until::Event, 0);
                }
            }
        }
    }
}
