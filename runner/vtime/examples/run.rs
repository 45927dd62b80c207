//! Runs a command under a clock of its own and says what it waited for:
//! `cargo run -p holdoff-vtime --example run -- sleep 3600`.

use std::process::Command;

use holdoff_vtime::{Error, Options, run};

fn main() -> Result<(), Error> {
    let mut words = std::env::args_os().skip(1);
    let Some(program) = words.next() else {
        eprintln!("usage: run PROGRAM [ARGUMENT…]");
        return Ok(());
    };
    let mut command = Command::new(program);
    command.args(words);
    let summary = run(command, Options::default())?;
    for wait in &summary.waits {
        eprintln!(
            "waited {:?} ({}, thread {})",
            wait.asked, wait.kind, wait.thread
        );
    }
    eprintln!(
        "{:?} after {:?} of its clock, {:?} of ours",
        summary.outcome, summary.elapsed, summary.real
    );
    Ok(())
}
