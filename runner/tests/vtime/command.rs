//! What the command passes on, and what it says.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use libtest_mimic::Trial;

use super::kit::{HOLDOFF, ends, holdoff, stderr, stdout, trial};

pub(super) fn trials(lack: Option<&str>) -> Vec<Trial> {
    let tests: [(&str, fn()); 7] = [
        ("an_hour_is_over_at_once", an_hour_is_over_at_once),
        ("exit_codes_are_the_commands", exit_codes_are_the_commands),
        ("what_cannot_start", what_cannot_start),
        ("the_wall_clock_starts_where_told", the_wall_clock),
        ("a_stop_says_why", a_stop_says_why),
        ("input_and_output_are_the_commands", input_and_output),
        ("an_interrupt_is_for_the_command", an_interrupt),
    ];
    tests
        .into_iter()
        .map(|(name, test)| trial(&format!("command::{name}"), lack, test))
        .collect()
}

fn an_hour_is_over_at_once() {
    let output = holdoff(&["vtime", "--", "sh", "-c", "sleep 3600; sleep 7; exit 0"]);
    ends(&output, 0);
    insta::assert_snapshot!("an_hour", stderr(&output));
}

fn exit_codes_are_the_commands() {
    for (script, code) in [
        ("exit 0", 0),
        ("exit 7", 7),
        ("exit 255", 255),
        ("kill -9 $$", 137),
        ("kill -TERM $$", 143),
    ] {
        ends(&holdoff(&["vtime", "--", "sh", "-c", script]), code);
    }
}

fn what_cannot_start() {
    let nowhere = holdoff(&["vtime", "--", "no-such-program", "x"]);
    ends(&nowhere, 127);
    let no_program = holdoff(&["vtime", "--", "/dev/null"]);
    ends(&no_program, 126);
    let text = [stderr(&nowhere), stderr(&no_program)].concat();
    insta::assert_snapshot!("what_cannot_start", text);
}

fn the_wall_clock() {
    let script = "date -u +%FT%TZ; sleep 10; date -u +%FT%TZ";
    let start = "2038-01-19T03:14:00Z";
    let output = holdoff(&["vtime", "--start", start, "--", "sh", "-c", script]);
    ends(&output, 0);
    assert_eq!(
        stdout(&output),
        "2038-01-19T03:14:00Z\n2038-01-19T03:14:10Z\n"
    );
}

fn a_stop_says_why() {
    let hung = holdoff(&["vtime", "--", "sh", "-c", "kill -STOP $$"]);
    let arguments = ["vtime", "--limit", "300ms", "--", "sh", "-c"];
    let spins = holdoff(&[&arguments[..], &["while :; do :; done"]].concat());
    for (output, part) in [(&hung, "hung"), (&spins, "--limit")] {
        ends(output, 124);
        assert!(stderr(output).contains(part), "{}", stderr(output));
    }
}

fn input_and_output() {
    let mut child = Command::new(HOLDOFF)
        .args(["vtime", "--", "sh", "-c", "cat; echo aside >&2"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Held by the pipe before anybody reads it.
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"first\nsecond\n").unwrap();
    drop(input);
    let output = child.wait_with_output().unwrap();
    ends(&output, 0);
    assert_eq!(stdout(&output), "first\nsecond\n");
    assert!(stderr(&output).starts_with("aside\n"));
}

/// Ctrl-C at a terminal goes to the whole group of processes.
fn an_interrupt() {
    let script = "trap 'exit 9' INT; echo ready; while :; do :; done";
    let mut child = Command::new(HOLDOFF)
        .args(["vtime", "--", "sh", "-c", script])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .unwrap();
    let mut said = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    said.read_line(&mut line).unwrap();
    assert_eq!(line, "ready\n");
    let group = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process_group(group, rustix::process::Signal::INT).unwrap();
    let mut aside = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut aside)
        .unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(9), "{aside}");
    assert!(aside.contains("passed in"), "{aside}");
}
