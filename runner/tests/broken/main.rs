//! Broken adapters, each blamed for what it does, within its bound, and with
//! nothing left running afterwards.
//!
//! One program in four roles: the adapters (`--act-as NAME`), their world
//! (`--world`), a main process to be killed (`--main NAME`), and the tests.
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod acts;
mod blame;
mod command;
mod floods;
mod killed;
mod left;
mod stage;
mod virtual_time;

use std::future::Future;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial, run};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["--act-as", name] => acts::play(name, None),
        ["--act-as", name, "--tell", address] => acts::play(name, Some(address)),
        ["--world"] => serve_world(),
        ["--main", name] => runtime().block_on(killed::main_process(name)),
        _ => return tests(),
    }
    ExitCode::SUCCESS
}

/// A main process that is killed does not read what its world still says.
fn serve_world() {
    if let Err(failure) = runtime().block_on(holdoff::world::serve()) {
        eprintln!("the world failed: {failure}");
    }
}

fn tests() -> ExitCode {
    let mut trials = blame::trials();
    trials.extend(floods::trials());
    trials.extend(killed::trials());
    trials.extend(command::trials());
    trials.extend(virtual_time::trials());
    run(&Arguments::from_args(), trials).exit_code()
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap()
}

/// A test with a runtime of its own.
fn trial<F: Future<Output = ()>>(name: &str, test: impl FnOnce() -> F + Send + 'static) -> Trial {
    Trial::test(name, move || {
        runtime().block_on(test());
        Ok(())
    })
}
