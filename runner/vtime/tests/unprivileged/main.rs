//! Virtual time without any privilege: under a user that owns nothing, has no
//! capability and can get none. Root becomes that user and runs this again.

#[path = "../support/mod.rs"]
mod support;

mod nobody;

use std::path::Path;
use std::process::ExitCode;

use libtest_mimic::Trial;

use nobody::{AS_NOBODY, Nobody, as_nobody, is_root};
use support::tools::{TORTURE, compile_c, find, program};
use support::trials::{self, ignored};

/// Checks of the torture that need the most of the system.
const C: &[&str] = &[
    "sleep_seconds",
    "timerfd_in_epoll",
    "posix_timer_thread",
    "receive_timeout",
    "exec_by_another_thread",
    "stopped_in_the_middle",
    "thread_churn",
];
const PYTHON: &[&str] = &["sleep_both_clocks", "asyncio_mix", "subprocess_talks"];
/// The system's own interpreter: nobody may not enter other folders.
const INTERPRETER: &str = "/usr/bin/python3";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [first, command @ ..] = &arguments[..]
        && first == AS_NOBODY
    {
        return match as_nobody(command) {
            Ok(()) => ExitCode::SUCCESS,
            Err(failed) => {
                println!("{}", failed.message().unwrap_or_default());
                ExitCode::FAILURE
            }
        };
    }
    let Ok(folder) = tempfile::tempdir() else {
        eprintln!("no temporary folder");
        return ExitCode::FAILURE;
    };
    trials::run("unprivileged", || {
        if is_root() {
            of_root(folder.path())
        } else {
            vec![ignored("unprivileged", "only root can become nobody")]
        }
    })
}

fn of_root(folder: &Path) -> Vec<Trial> {
    let setpriv = match find("setpriv", &["--version"]) {
        Ok(setpriv) => setpriv,
        Err(reason) => return vec![ignored("unprivileged", &reason)],
    };
    let nobody = match Nobody::new(setpriv, folder) {
        Ok(nobody) => nobody,
        Err(error) => return vec![Trial::test("unprivileged", move || Err(error.into()))],
    };
    let mut trials = vec![nobody.trial("examine".to_owned(), Vec::new())];
    trials.extend(of_c(folder, &nobody));
    trials.extend(of_python(folder, &nobody));
    trials
}

fn of_c(folder: &Path, nobody: &Nobody) -> Vec<Trial> {
    let compiler = match find("cc", &["--version"]) {
        Ok(compiler) => compiler,
        Err(reason) => return vec![ignored("c", &reason)],
    };
    let binary = folder.join("torture");
    if let Err(error) = compile_c(&compiler, TORTURE, &binary) {
        return vec![Trial::test("c", || Err(error))];
    }
    let of = |check: &&str| {
        let command = vec![binary.clone().into(), (*check).into()];
        nobody.trial(format!("c::{check}"), command)
    };
    C.iter().map(of).collect()
}

fn of_python(folder: &Path, nobody: &Nobody) -> Vec<Trial> {
    if !Path::new(INTERPRETER).exists() {
        return vec![ignored("python", &format!("there is no {INTERPRETER}"))];
    }
    let copy = folder.join("torture.py");
    if let Err(error) = std::fs::copy(program("torture.py"), &copy) {
        return vec![Trial::test("python", move || Err(error.into()))];
    }
    let of = |check: &&str| {
        let command = vec![
            INTERPRETER.into(),
            "-B".into(),
            copy.clone().into(),
            (*check).into(),
        ];
        nobody.trial(format!("python::{check}"), command)
    };
    PYTHON.iter().map(of).collect()
}
