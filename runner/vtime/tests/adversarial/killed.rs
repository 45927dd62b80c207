//! The supervisor itself is killed: nobody of its tree outlives it.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use holdoff_vtime::{Limits, Options, spawn};
use libtest_mimic::Trial;

use crate::support::marker::Marker;
use crate::support::trials::{Checked, require};

/// First argument of this program when it is to be the supervisor.
pub(crate) const AS_SUPERVISOR: &str = "--as-supervisor";
/// What it says when its tree is there.
const READY: &str = "ready";
/// Bounds of a tree whose supervisor nobody kills.
const REAL_TIME: Duration = Duration::from_secs(20);
const THREADS: usize = 200;
/// A tree has as many processes as it is to have within this.
const PATIENCE: Duration = Duration::from_secs(5);

/// Runs a command until somebody ends this process.
pub(crate) fn supervise(arguments: Vec<String>) -> ExitCode {
    let [marker, binary, name] = &arguments[..] else {
        return ExitCode::FAILURE;
    };
    let marker = Marker::from(marker.clone());
    let mut command = Command::new(binary);
    command.arg(name).stdin(Stdio::null()).stdout(Stdio::null());
    marker.put_on(&mut command);
    let options = Options {
        limits: Limits {
            real_time: REAL_TIME,
            threads: THREADS,
            ..Limits::default()
        },
        ..Options::default()
    };
    let Ok(_supervised) = spawn(command, options, |_| {}) else {
        return ExitCode::FAILURE;
    };
    println!("{READY}");
    std::thread::sleep(2 * REAL_TIME);
    ExitCode::FAILURE
}

/// The trial.
pub(crate) fn trial(binary: &Path) -> Trial {
    let binary = binary.to_owned();
    Trial::test("supervisor_is_killed", move || {
        for (name, processes) in [
            ("spin", 1),
            ("spin_in_the_filter", 1),
            ("block_every_signal_and_wait", 1),
            ("stop_itself", 1),
            ("daemonize", 1),
            ("fork_without_end", 10),
        ] {
            killed(&binary, name, processes)?;
        }
        Ok(())
    })
}

/// Kills a supervisor as soon as its tree has so many processes.
fn killed(binary: &Path, name: &str, processes: usize) -> Checked {
    let marker = Marker::new();
    let mut supervisor = Command::new(std::env::current_exe()?)
        .args([AS_SUPERVISOR, marker.value()])
        .args([binary.as_os_str(), name.as_ref()])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()?;
    let output = supervisor.stdout.take();
    let mut line = String::new();
    let said = output.map(|output| BufReader::new(output).read_line(&mut line));
    let began = Instant::now();
    let mut alive = 0;
    while line.trim() == READY && alive < processes && began.elapsed() < PATIENCE {
        alive = marker.alive().len();
    }
    supervisor.kill()?;
    let ended = supervisor.wait()?;
    require(alive >= processes, || {
        format!("{name}: {alive} processes of {processes}; {said:?}, {line}, {ended}")
    })?;
    marker.is_gone()
}
