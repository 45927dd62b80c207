//! [`spawn`]: a command becomes the first process of a traced tree.

use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;
use std::time::Duration;

use libc::pid_t;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

use super::clock::Clock;
use super::ptrace;
use super::supervisor::Supervisor;
use super::x86_64::{Filters, Randomness};
use crate::{Error, Options, Report};

/// Timers of the supervisor are as exact as the kernel can.
const TIMER_SLACK: u64 = 1;
/// Between two looks for the first stop of the first process.
const LOOK: Duration = Duration::from_micros(50);

/// How far the start of a command is.
const PENDING: u8 = 0;
const DONE: u8 = 1;
const FAILED: u8 = 2;

/// A process tree under a clock. Dropping it kills the tree and waits until
/// nobody of it is left.
#[derive(Debug)]
pub struct Supervised {
    clock: Clock,
    child: Child,
    supervisor: Option<JoinHandle<()>>,
}

/// Starts a command under a clock of its own, which runs at once. `reports` is
/// called on the supervisor's thread, and must return soon: the tree waits for
/// it.
///
/// The command is started as [`Command::spawn`] does, with all that was set on
/// it; do not wait for it by other means than the reports.
///
/// # Errors
/// If the program cannot be started, or the system refuses a step of the
/// mechanism: [`crate::examine`] tells which.
pub fn spawn(
    mut command: Command,
    options: Options,
    reports: impl FnMut(Report) + Send + 'static,
) -> Result<Supervised, Error> {
    let program = command.get_program().to_string_lossy().into_owned();
    let clock = Clock::new(&options)?;
    let randomness = match options.seed {
        Some(_) => Randomness::Seeded,
        None => Randomness::Kernel,
    };
    let (gate, threshold) = gate()?;
    threshold.guard(&mut command, Filters::new(randomness)?, randomness);
    let (to_refused, refused) = mpsc::sync_channel(1);
    let launch = Arc::new(AtomicU8::new(PENDING));
    let supervisor = {
        let (clock, launch) = (clock.clone(), Arc::clone(&launch));
        let reports: Box<dyn FnMut(Report) + Send> = Box::new(reports);
        let supervise = move || match take_over(gate, clock, options, reports, &launch) {
            Ok(Some(supervisor)) => supervisor.supervise(),
            Ok(None) => {}
            // The caller listens until the command has started or failed.
            Err(error) => drop(to_refused.send(error)),
        };
        std::thread::Builder::new()
            .name("holdoff-vtime".to_owned())
            .spawn(supervise)
            .map_err(|source| Error::System {
                attempted: "start the supervisor's thread",
                source,
            })?
    };
    let child = command.spawn();
    // Its end of the gate must not outlive this: the supervisor reads to its end.
    drop(command);
    match child {
        Ok(child) => {
            launch.store(DONE, Ordering::SeqCst);
            Ok(Supervised {
                clock,
                child,
                supervisor: Some(supervisor),
            })
        }
        Err(source) => {
            launch.store(FAILED, Ordering::SeqCst);
            supervisor.thread().unpark();
            // A panic there has its own message.
            let _ = supervisor.join();
            Err(refused
                .try_recv()
                .unwrap_or(Error::Spawn { program, source }))
        }
    }
}

impl Supervised {
    /// The clock.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Process id of the first process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Standard input of the first process, if it is piped; once.
    pub fn take_stdin(&mut self) -> Option<ChildStdin> {
        self.child.stdin.take()
    }

    /// Standard output of the first process, if it is piped; once.
    pub fn take_stdout(&mut self) -> Option<ChildStdout> {
        self.child.stdout.take()
    }

    /// Standard error of the first process, if it is piped; once.
    pub fn take_stderr(&mut self) -> Option<ChildStderr> {
        self.child.stderr.take()
    }

    /// Kills everybody of the tree; the last report says when nobody is left.
    pub fn kill(&self) {
        self.clock.0.doom();
    }
}

impl Drop for Supervised {
    fn drop(&mut self) {
        self.kill();
        if let Some(supervisor) = self.supervisor.take() {
            // A panic there has its own message.
            let _ = supervisor.join();
        }
    }
}

/// The supervisor's side of the gate.
struct Gate {
    id: OwnedFd,
    pass: OwnedFd,
}

/// The child's side of the gate.
struct Threshold {
    id: OwnedFd,
    pass: OwnedFd,
    /// The supervisor's end, which the child closes: at the supervisor's death
    /// nobody is to hold it.
    theirs: i32,
}

fn gate() -> Result<(Gate, Threshold), Error> {
    let pipe = || {
        pipe_with(PipeFlags::CLOEXEC).map_err(|errno| Error::System {
            attempted: "create a pipe",
            source: errno.into(),
        })
    };
    let (id, to_id) = pipe()?;
    let (pass, to_pass) = pipe()?;
    let theirs = to_pass.as_raw_fd();
    let threshold = Threshold {
        id: to_id,
        pass,
        theirs,
    };
    Ok((Gate { id, pass: to_pass }, threshold))
}

impl Threshold {
    /// Makes the child wait, between fork and exec, until it is traced, and go
    /// under the filters.
    fn guard(self, command: &mut Command, filters: Filters, randomness: Randomness) {
        let child = move || {
            // SAFETY: the number is of the child's copy of a descriptor that
            // nothing in the child uses.
            unsafe { libc::close(self.theirs) };
            let id = rustix::process::getpid().as_raw_nonzero().get();
            rustix::io::write(&self.id, &id.to_ne_bytes())?;
            let mut byte = [0];
            if rustix::io::read(&self.pass, &mut byte)? == 0 {
                return Err(io::ErrorKind::BrokenPipe.into());
            }
            if randomness == Randomness::Seeded {
                // Addresses are a source of chance, too; a system that refuses
                // has one more.
                // SAFETY: the call changes a flag of the child.
                unsafe { libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong) };
            }
            filters.apply()
        };
        // SAFETY: between fork and exec the closure makes kernel calls only: it
        // allocates nothing and takes no lock.
        unsafe { command.pre_exec(child) };
    }
}

/// Traces the process that comes through the gate. None: none comes.
fn take_over(
    gate: Gate,
    clock: Clock,
    options: Options,
    reports: Box<dyn FnMut(Report) + Send>,
    launch: &AtomicU8,
) -> Result<Option<Supervisor>, Error> {
    // A coarser timer makes it slower, not wrong.
    let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(TIMER_SLACK));
    clock.0.supervise();
    let mut id = [0; 4];
    if std::fs::File::from(gate.id).read_exact(&mut id).is_err() {
        return Ok(None);
    }
    let root = pid_t::from_ne_bytes(id);
    ptrace::seize(root).map_err(|source| Error::Thread {
        attempted: "trace",
        thread: root.unsigned_abs(),
        source,
    })?;
    let supervisor = Supervisor::new(clock, root, options, reports)?;
    // A child that is gone meanwhile is found by what follows.
    let _ = std::fs::File::from(gate.pass).write_all(b"!");
    Ok(has_started(root, launch).then_some(supervisor))
}

/// Waits until the program has begun, or its process has ended before that.
/// While the command is being started that end is not to be taken: whoever
/// starts it may wait for it.
fn has_started(root: pid_t, launch: &AtomicU8) -> bool {
    let peek = WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    let Some(root) = Pid::from_raw(root) else {
        return false;
    };
    loop {
        let changes = match launch.load(Ordering::SeqCst) {
            FAILED => return false,
            DONE => WaitIdOptions::STOPPED | WaitIdOptions::EXITED,
            _ => WaitIdOptions::STOPPED,
        };
        match waitid(WaitId::Pid(root), changes | peek) {
            Ok(Some(_)) => return true,
            Ok(None) => std::thread::park_timeout(LOOK),
            Err(_) => return false,
        }
    }
}
