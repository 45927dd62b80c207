//! A command that is run to its end, and what it printed.

use std::fs::File;
use std::io::{Read, Seek};
use std::process::{Command, Stdio};
use std::time::Duration;

use holdoff_vtime::{Clock, Fired, Limits, Options, Outcome, Stop, Summary, run_scripted};
use libtest_mimic::Failed;

use super::trials::{Checked, require};

/// A tree that was run to its end.
pub struct Ran {
    pub summary: Summary,
    /// What it printed, to both outputs.
    pub printed: String,
}

/// Bounds with this real time.
pub fn within(real_time: Duration) -> Limits {
    Limits {
        real_time,
        ..Limits::default()
    }
}

/// Runs a command to its end. Its outputs are files: a thread that reads pipes
/// would have to be woken for each line.
///
/// # Errors
/// If it cannot be started, or the mechanism fails.
pub fn run(
    mut command: Command,
    options: Options,
    prepare: impl FnOnce(&Clock),
    fired: impl FnMut(&Clock, Fired),
) -> Result<Ran, Failed> {
    let mut output = tempfile::tempfile()?;
    command
        .stdin(Stdio::null())
        .stdout(output.try_clone()?)
        .stderr(output.try_clone()?);
    let summary = run_scripted(command, options, prepare, fired)?;
    Ok(Ran {
        summary,
        printed: contents(&mut output)?,
    })
}

/// As [`run`], without events.
///
/// # Errors
/// As [`run`].
pub fn run_plain(command: Command, options: Options) -> Result<Ran, Failed> {
    run(command, options, |_| {}, |_, _| {})
}

fn contents(file: &mut File) -> Result<String, Failed> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.take(16 << 20).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

impl Ran {
    /// Fails unless it exited with 0.
    pub fn succeeded(&self) -> Checked {
        self.ended_as(
            "exit status 0",
            |outcome| matches!(outcome, Outcome::Ended(exit) if exit.success()),
        )
    }

    /// Fails unless the clock stopped for this reason.
    pub fn stopped(&self, name: &str, is_wanted: impl FnOnce(&Stop) -> bool) -> Checked {
        self.ended_as(
            name,
            |outcome| matches!(outcome, Outcome::Stopped(stop) if is_wanted(stop)),
        )
    }

    fn ended_as(&self, wanted: &str, is_wanted: impl FnOnce(&Outcome) -> bool) -> Checked {
        let Summary {
            outcome,
            elapsed,
            real,
            ..
        } = &self.summary;
        require(is_wanted(outcome), || {
            format!(
                "{outcome:?} instead of {wanted}, {elapsed:?} after the start ({real:?} real); it printed:\n{}",
                self.printed
            )
        })
    }

    /// Fails if it took longer in real time.
    pub fn within(&self, limit: Duration) -> Checked {
        let real = self.summary.real;
        require(real <= limit, || {
            format!("took {real:?}, more than {limit:?}")
        })
    }
}
