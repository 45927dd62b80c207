//! Systems without virtual time: everything compiles, nothing starts.

use std::process::{ChildStderr, ChildStdin, ChildStdout, Command};
use std::time::{Duration, SystemTime};

use crate::{Error, EventId, Finding, Limits, Options, Precondition, Report, WallStep};

/// What nobody has. It is hidden, so that the code of callers, which is the same
/// for all systems, does not count as unreachable.
#[derive(Clone, Debug)]
enum Never {}

/// The clock of a process tree; there is none on this system.
#[derive(Clone, Debug)]
pub struct Clock(Never);

/// Keeps a clock still while it lives; there is none on this system.
#[derive(Debug)]
pub struct Hold(Never);

/// A process tree under a clock; there is none on this system.
#[derive(Debug)]
pub struct Supervised(Never);

/// Refuses: there is no virtual time on this system.
///
/// # Errors
/// Always [`Error::Unsupported`].
pub fn spawn(
    _command: Command,
    _options: Options,
    _reports: impl FnMut(Report) + Send + 'static,
) -> Result<Supervised, Error> {
    Err(unsupported())
}

fn unsupported() -> Error {
    Error::Unsupported {
        os: std::env::consts::OS,
        architecture: std::env::consts::ARCH,
    }
}

pub(crate) fn examine() -> Vec<Finding> {
    vec![Finding::missing(
        Precondition::System,
        unsupported().to_string(),
        "use another clock, or Linux on x86-64",
    )]
}

/// The same methods as where there is a clock; none can be called.
impl Clock {
    /// Where the clock stands.
    pub fn now(&self) -> Duration {
        match self.0 {}
    }

    /// What the wall clock shows.
    pub fn wall(&self) -> SystemTime {
        match self.0 {}
    }

    /// Puts an event on the queue.
    pub fn schedule(&self, _at: Duration) -> EventId {
        match self.0 {}
    }

    /// Puts a jump of the wall clock on the queue.
    pub fn schedule_step(&self, _at: Duration, _step: WallStep) -> EventId {
        match self.0 {}
    }

    /// Takes an event off the queue.
    pub fn cancel(&self, _event: EventId) -> bool {
        match self.0 {}
    }

    /// Keeps the clock still.
    pub fn hold(&self) -> Hold {
        match self.0 {}
    }

    /// Lets the clock run.
    pub fn run(&self, _limits: Limits) {
        match self.0 {}
    }

    /// Makes the clock stand.
    pub fn stand(&self) {
        match self.0 {}
    }

    /// Sets what the wall clock shows now.
    ///
    /// # Errors
    /// If it cannot show that.
    pub fn set_wall(&self, _wall: SystemTime) -> Result<(), Error> {
        match self.0 {}
    }

    /// Sets how far each reading moves the clock.
    pub fn set_tick(&self, _tick: Duration) {
        match self.0 {}
    }

    /// Starts the random bytes anew from a seed.
    pub fn reseed(&self, _seed: u64) {
        match self.0 {}
    }
}

/// The same methods as where there is a clock; none can be called.
impl Supervised {
    /// The clock.
    pub fn clock(&self) -> &Clock {
        match self.0 {}
    }

    /// Process id of the first process.
    pub fn id(&self) -> u32 {
        match self.0 {}
    }

    /// Standard input of the first process, if it is piped; once.
    pub fn take_stdin(&mut self) -> Option<ChildStdin> {
        match self.0 {}
    }

    /// Standard output of the first process, if it is piped; once.
    pub fn take_stdout(&mut self) -> Option<ChildStdout> {
        match self.0 {}
    }

    /// Standard error of the first process, if it is piped; once.
    pub fn take_stderr(&mut self) -> Option<ChildStderr> {
        match self.0 {}
    }

    /// Kills everybody of the tree; the last report says when nobody is left.
    pub fn kill(&self) {
        match self.0 {}
    }
}
