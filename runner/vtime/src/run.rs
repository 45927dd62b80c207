//! [`run`]: a tree from its start to its end.

use std::process::Command;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use crate::{Clock, Error, Fired, Options, Outcome, Report, TimedWait, spawn};

/// What is left of a tree that was run to its end.
#[derive(Clone, Debug)]
pub struct Summary {
    /// How it ended.
    pub outcome: Outcome,
    /// How far the clock went.
    pub elapsed: Duration,
    /// How long that took.
    pub real: Duration,
    /// What the tree waited for until the time was over, in order.
    pub waits: Vec<TimedWait>,
}

/// Runs a command to its end, and kills what it leaves behind. The command's
/// input and output are its own affair.
///
/// # Errors
/// If it cannot be started, or the system refuses a step of the mechanism.
pub fn run(command: Command, options: Options) -> Result<Summary, Error> {
    run_scripted(command, options, |_| {}, |_, _| {})
}

/// As [`run`], with events: `prepare` may schedule some, `fired` is told of
/// each.
///
/// # Errors
/// As [`run`].
pub fn run_scripted(
    command: Command,
    options: Options,
    prepare: impl FnOnce(&Clock),
    mut fired: impl FnMut(&Clock, Fired),
) -> Result<Summary, Error> {
    let began = Instant::now();
    let (to_reports, reports) = mpsc::channel();
    let supervised = spawn(command, options, move |report| {
        // Nobody listens any more once the outcome is known.
        let _ = to_reports.send(report);
    })?;
    prepare(supervised.clock());
    let mut waits = Vec::new();
    let mut outcome = None;
    for report in reports {
        if let Some(reached) = Outcome::reached(&report) {
            outcome.get_or_insert(reached);
            supervised.kill();
        }
        match report {
            Report::Waited(wait) => waits.push(wait),
            Report::Fired(event) => fired(supervised.clock(), event),
            Report::Stopped { .. } | Report::Exited(_) => {}
            Report::Gone => break,
            Report::Failed(error) => return Err(error),
        }
    }
    Ok(Summary {
        outcome: outcome.ok_or(Error::Ended)?,
        elapsed: supervised.clock().now(),
        real: began.elapsed(),
        waits,
    })
}
