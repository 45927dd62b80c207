//! Programs that this computer may or may not have: compilers, interpreters.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use libtest_mimic::Failed;

/// Files of the checks in C.
pub const TORTURE: &[&str] = &[
    "torture.c",
    "torture_waits.c",
    "torture_timers.c",
    "torture_signals.c",
    "torture_sockets.c",
    "torture_processes.c",
    "torture_steps.c",
];

/// A program of these tests.
pub fn program(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/programs")
        .join(name)
}

/// Where a program is found by the `PATH`. What a version manager puts there
/// is a script that looks for the real one, and costs more than the program.
///
/// # Errors
/// If there is none, or it does not run: what it said.
pub fn find(name: &str, probe: &[&str]) -> Result<PathBuf, String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found: Vec<PathBuf> = std::env::split_paths(&path)
        .map(|folder| folder.join(name))
        .filter(|file| file.is_file())
        .collect();
    let is_script =
        |file: &PathBuf| std::fs::read(file).is_ok_and(|bytes| bytes.starts_with(b"#!"));
    let best = found.iter().find(|file| !is_script(file)).or(found.first());
    let file = best.ok_or_else(|| format!("there is no `{name}` on this computer"))?;
    let probed = Command::new(file).args(probe).stdin(Stdio::null()).output();
    match probed {
        Ok(output) if output.status.success() => Ok(file.clone()),
        Ok(output) => Err(format!(
            "`{name} {}` fails: {}",
            probe.join(" "),
            String::from_utf8_lossy(&output.stderr).trim()
        )),
        Err(error) => Err(format!("`{name}` does not run: {error}")),
    }
}

/// Compiles C.
///
/// # Errors
/// What the compiler said.
pub fn compile_c(compiler: &Path, sources: &[&str], to: &Path) -> Result<(), Failed> {
    let mut command = Command::new(compiler);
    command
        .args(["-std=gnu11", "-O1", "-Wall", "-Wextra", "-pthread", "-o"])
        .arg(to)
        .args(sources.iter().map(|source| program(source)))
        .arg("-lrt");
    build(command)
}

/// Runs a step of a build.
///
/// # Errors
/// What it said.
pub fn build(mut command: Command) -> Result<(), Failed> {
    let output = command.stdin(Stdio::null()).output()?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!("{command:?} fails:\n{said}").into())
}
