//! Programs that mean no good, or know no better. Each ends in the outcome
//! that is its own, within the real time that it was given; nothing of it is
//! left, and nothing else on the machine learns of it.

#[path = "../support/mod.rs"]
mod support;

mod cases;
mod killed;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

use holdoff_vtime::{Limits, Options};
use libtest_mimic::{Failed, Trial};

use cases::Case;
use support::machine::Bystander;
use support::marker::Marker;
use support::server::{Answer, Reply, Server};
use support::tools::{compile_c, find, program};
use support::tree::{self, Ran};
use support::trials::{self, Checked, ignored, require};

/// What a program may take of real time that never rests.
const STARVED: Duration = Duration::from_secs(3);
/// What others may, for which a loaded computer must not be too slow: the clock
/// creeps after two seconds of the processor.
const REAL_TIME: Duration = Duration::from_secs(20);
/// What the end may take more, on a computer that others keep busy: a spinning
/// program and its supervisor share its processors with them.
const END: Duration = Duration::from_secs(10);
const THREADS: usize = 100;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    if arguments.next().as_deref() == Some(killed::AS_SUPERVISOR) {
        return killed::supervise(arguments.collect());
    }
    let Ok(folder) = tempfile::tempdir() else {
        eprintln!("no temporary folder");
        return ExitCode::FAILURE;
    };
    trials::run("adversarial", || {
        let mut trials = c(folder.path());
        trials.extend(python());
        trials
    })
}

fn c(folder: &Path) -> Vec<Trial> {
    let compiler = match find("cc", &["--version"]) {
        Ok(compiler) => compiler,
        Err(reason) => return vec![ignored("c", &reason)],
    };
    let binary = folder.join("adversary");
    if let Err(error) = compile_c(&compiler, &["adversary.c"], &binary) {
        return vec![Trial::test("c", || Err(error))];
    }
    let command = {
        let binary = binary.clone();
        move |name: &str| {
            let mut command = Command::new(&binary);
            command.arg(name);
            command
        }
    };
    let mut trials = of_cases("c", cases::C, &command);
    trials.push(killed::trial(&binary));
    trials.push(Trial::test("c::never_read", move || never_read(&binary)));
    trials
}

fn python() -> Vec<Trial> {
    match find("python3", &["--version"]) {
        Ok(python) => of_cases("python", cases::PYTHON, &move |name: &str| {
            let mut command = Command::new(&python);
            command.arg("-B").arg(program("adversary.py")).arg(name);
            command
        }),
        Err(reason) => vec![ignored("python", &reason)],
    }
}

fn of_cases(
    language: &str,
    cases: &'static [Case],
    command: &(impl Fn(&str) -> Command + Clone + Send + 'static),
) -> Vec<Trial> {
    let trial = |case: &'static Case| {
        let command = command.clone();
        Trial::test(format!("{language}::{}", case.name), move || {
            let ran = alone(command(case.name), case.wanted.real_time())?;
            case.wanted.check(&ran)
        })
    };
    cases.iter().map(trial).collect()
}

fn options(real_time: Duration) -> Options {
    Options {
        limits: Limits {
            threads: THREADS,
            ..tree::within(real_time)
        },
        ..Options::default()
    }
}

/// Runs a command, and looks at what is beside it, and at what is left of it.
fn alone(mut command: Command, real_time: Duration) -> Result<Ran, Failed> {
    let mut bystander = Bystander::start()?;
    let marker = Marker::new();
    marker.put_on(&mut command);
    let ran = tree::run_plain(command, options(real_time))?;
    marker.is_gone()?;
    bystander.is_untouched()?;
    ran.within(real_time + END)?;
    Ok(ran)
}

/// Four megabytes that nobody reads do not keep the clock for long.
fn never_read(binary: &PathBuf) -> Checked {
    let server = Server::start(|_, _, _| {
        Answer::Reply(Reply {
            body: vec![b'x'; 4 << 20],
            ..Reply::new(200)
        })
    })?;
    let mut command = Command::new(binary);
    let marker = Marker::new();
    marker.put_on(&mut command);
    command.args(["never_read", &server.url()]);
    let options = Options {
        connections: server.connections(),
        ..options(REAL_TIME)
    };
    let prepare = |clock: &holdoff_vtime::Clock| server.set_clock(clock);
    let ran = tree::run(command, options, prepare, |_, _| {})?;
    ran.succeeded()?;
    marker.is_gone()?;
    let elapsed = ran.summary.elapsed;
    require(elapsed >= Duration::from_secs(3600), || {
        format!("only {elapsed:?} passed")
    })?;
    ran.within(REAL_TIME)
}
