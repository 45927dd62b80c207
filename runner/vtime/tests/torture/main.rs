//! Checks of single timing calls, in C and in Python: each is a function of a
//! program that knows what the kernel, or the language, promises, and is run
//! in a tree of its own.

#[path = "../support/mod.rs"]
mod support;

mod steps;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

use holdoff_vtime::{Options, WaitKind};
use libtest_mimic::{Failed, Trial};

use support::tools;
use support::tree::{self, Ran};
use support::trials::{self, Checked, ignored, require};

/// Bound of a check that hangs; two hundred threads on a busy computer take long.
const REAL_TIME: Duration = Duration::from_secs(60);

/// Checks of which a wait is to be reported to the caller, too: which, and for
/// how many seconds it asked.
const ASKED: &[(&str, WaitKind, u64)] = &[
    ("sleep_seconds", WaitKind::Sleep, 1000),
    ("clock_nanosleep_absolute_monotonic", WaitKind::Sleep, 500),
    ("clock_nanosleep_absolute_wall", WaitKind::Sleep, 500),
    ("poll_timeout", WaitKind::Poll, 60),
    ("select_timeout", WaitKind::Poll, 60),
    ("epoll_timeout", WaitKind::Poll, 60),
    ("sigtimedwait_timeout", WaitKind::Signal, 44),
    ("condition_wall", WaitKind::Futex, 77),
    ("condition_monotonic", WaitKind::Futex, 77),
    ("mutex_timeout_inheriting", WaitKind::Futex, 33),
    ("system_v_semaphore", WaitKind::Queue, 11),
    ("receive_timeout", WaitKind::Receive, 25),
    ("timerfd_blocking", WaitKind::Timer, 300),
    ("alarm_and_pause", WaitKind::Timer, 120),
    ("posix_timer_signal", WaitKind::Timer, 40),
];

/// Checks that do not hold yet, and why. Not run unless asked for
/// (`-- --ignored`).
const LIMITS: &[(&str, &str)] = &[
    (
        "timerfd_counts_what_was_missed",
        "the kernel counts one expiration, however many there were",
    ),
    (
        "ignored_signals_without_a_timeout",
        "a tracer's presence makes ignored signals end epoll_wait",
    ),
    (
        "posix_timer_overrun",
        "expirations that were missed are not counted",
    ),
    (
        "posix_timer_overrun_of_a_queued_signal",
        "expirations that were missed are queued one by one",
    ),
    (
        "receive_timeout_is_told",
        "the kernel does not know the timeout of a socket",
    ),
    (
        "receive_with_a_signal",
        "the kernel does not know the timeout of a socket, and makes a read again",
    ),
];

fn main() -> ExitCode {
    // Lives as long as the trials.
    let folder = match tempfile::tempdir() {
        Ok(folder) => folder,
        Err(error) => {
            eprintln!("no temporary folder: {error}");
            return ExitCode::FAILURE;
        }
    };
    trials::run("torture", || {
        let mut trials = c(folder.path());
        trials.extend(python());
        trials
    })
}

fn c(folder: &Path) -> Vec<Trial> {
    let compiler = match tools::find("cc", &["--version"]) {
        Ok(compiler) => compiler,
        Err(reason) => return vec![ignored("c", &reason)],
    };
    let binary = folder.join("torture");
    if let Err(error) = tools::compile_c(&compiler, tools::TORTURE, &binary) {
        return vec![Trial::test("c", || Err(error))];
    }
    let mut trials = steps::trials(&binary);
    trials.extend(of_program("c", move || Command::new(&binary)));
    trials
}

fn python() -> Vec<Trial> {
    match tools::find("python3", &["--version"]) {
        Ok(interpreter) => of_program("python", move || {
            python_program(&interpreter, &tools::program("torture.py"))
        }),
        Err(reason) => vec![ignored("python", &reason)],
    }
}

fn python_program(interpreter: &Path, program: &PathBuf) -> Command {
    let mut command = Command::new(interpreter);
    command.arg("-B").arg(program);
    command
}

/// A trial for each check that a program lists.
fn of_program(
    language: &str,
    command: impl Fn() -> Command + Clone + Send + 'static,
) -> Vec<Trial> {
    let listed = match command().output() {
        Ok(output) if output.status.success() => output.stdout,
        other => {
            let error = Failed::from(format!("it lists no checks: {other:?}"));
            return vec![Trial::test(language, || Err(error))];
        }
    };
    let names = String::from_utf8_lossy(&listed).into_owned();
    names
        .lines()
        .filter(|name| !steps::is_here(name))
        .map(|name| {
            let title = format!("{language}::{name}");
            let limit = LIMITS.iter().find(|(limited, _)| *limited == name);
            if let Some((_, reason)) = limit {
                eprintln!("IGNORED: {title}: {reason}");
            }
            let (command, name) = (command.clone(), name.to_owned());
            let trial = Trial::test(title, move || {
                let mut command = command();
                command.arg(&name);
                check(command, &name)
            });
            trial.with_ignored_flag(limit.is_some())
        })
        .collect()
}

fn check(command: Command, name: &str) -> Checked {
    let options = Options {
        limits: tree::within(REAL_TIME),
        ..Options::default()
    };
    let ran = tree::run_plain(command, options)?;
    ran.succeeded()?;
    let asked = ASKED.iter().find(|(check, ..)| *check == name);
    asked.map_or(Ok(()), |(_, kind, seconds)| {
        was_asked(&ran, *kind, *seconds)
    })
}

/// Fails unless a wait of this kind was reported. An absolute one asks for what
/// was left of it when it was called.
fn was_asked(ran: &Ran, kind: WaitKind, seconds: u64) -> Checked {
    let wanted = Duration::from_secs(seconds);
    let nearly = wanted.saturating_sub(Duration::from_micros(1))..=wanted;
    let waits = &ran.summary.waits;
    let is_it = waits
        .iter()
        .any(|wait| wait.kind == kind && nearly.contains(&wait.asked));
    require(is_it, || format!("no {kind} of {wanted:?} among {waits:?}"))
}
