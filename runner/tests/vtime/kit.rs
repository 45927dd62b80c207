//! What the tests share.

use std::process::{Command, Output, Stdio};

use libtest_mimic::Trial;

pub(super) const HOLDOFF: &str = env!("CARGO_BIN_EXE_holdoff");

pub(super) fn holdoff(arguments: &[&str]) -> Output {
    Command::new(HOLDOFF)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// A test that is ignored, loudly, if something is lacking.
pub(super) fn trial(name: &str, lack: Option<&str>, test: impl FnOnce() + Send + 'static) -> Trial {
    if let Some(lack) = lack {
        eprintln!("IGNORED: {name}: no {lack} on this computer");
    }
    Trial::test(name, || {
        test();
        Ok(())
    })
    .with_ignored_flag(lack.is_some())
}

pub(super) fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Standard error without real time.
pub(super) fn stderr(output: &Output) -> String {
    let text = String::from_utf8(output.stderr.clone()).unwrap();
    let line = |line: &str| match line.split_once(" passed in ") {
        Some((before, _)) => format!("{before} passed in REAL\n"),
        None => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

#[track_caller]
pub(super) fn ends(output: &Output, code: i32) {
    assert_eq!(
        output.status.code(),
        Some(code),
        "{}\n{}",
        stdout(output),
        stderr(output)
    );
}
