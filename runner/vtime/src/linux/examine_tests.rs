//! A refusal is made by a filter of kernel calls, in a process of its own: the
//! same test again, with a name that says what is refused.

use std::os::unix::process::CommandExt;
use std::process::Command;

use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, TargetArch, apply_filter};

use super::*;

const NAME: &str = "linux::examine::tests::a_process_of_its_own";
const MARK: &str = "HOLDOFF_EXAMINE";

/// What a process finds in which these calls answer EPERM.
fn found_without(calls: &[i64]) -> String {
    let rules = calls.iter().map(|number| (*number, Vec::new())).collect();
    let refuse = SeccompAction::Errno(libc::EPERM.cast_unsigned());
    let filter =
        SeccompFilter::new(rules, SeccompAction::Allow, refuse, TargetArch::x86_64).unwrap();
    let program: BpfProgram = filter.try_into().unwrap();
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", NAME, "--ignored", "--nocapture"])
        .env(MARK, "1");
    let has_any = !calls.is_empty();
    let refuse = move || match has_any {
        true => apply_filter(&program).map_err(|_| io::Error::last_os_error()),
        false => Ok(()),
    };
    // SAFETY: between fork and exec the closure makes kernel calls only.
    unsafe { command.pre_exec(refuse) };
    let output = command.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}");
    let lines = text.lines().filter_map(|line| line.strip_prefix("found: "));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
#[ignore = "is run by the others"]
fn a_process_of_its_own() {
    if std::env::var_os(MARK).is_none() {
        return;
    }
    // The harness has just begun a line.
    println!();
    for finding in examine() {
        let trouble = finding.trouble.map_or("ok".to_owned(), |trouble| {
            format!("{} | {}", trouble.reason, trouble.remedy)
        });
        println!("found: {}: {trouble}", finding.precondition);
    }
}

#[test]
fn what_is_there_is_found() {
    let found = found_without(&[]);
    let all = "system: ok\nmemfd: ok\nptrace: ok\nseccomp: ok\nsock_diag: ok\nself-test: ok";
    assert_eq!(found, all);
}

#[test]
fn each_refusal_is_found_and_named() {
    for (call, reason, remedy) in [
        (
            libc::SYS_ptrace,
            "ptrace: cannot trace a child: Operation not permitted",
            "--cap-add=SYS_PTRACE",
        ),
        (
            libc::SYS_memfd_create,
            "memfd: cannot create memory to share: Operation not permitted",
            "memfd_create",
        ),
        (
            libc::SYS_prctl,
            "seccomp: cannot put a child under a filter: Operation not permitted",
            "seccomp=unconfined",
        ),
        (
            libc::SYS_seccomp,
            "seccomp: cannot put a child under a filter: Operation not permitted",
            "seccomp=unconfined",
        ),
        (
            libc::SYS_socket,
            "sock_diag: cannot talk to this computer itself: Operation not permitted",
            "loopback",
        ),
    ] {
        let found = found_without(&[call]);
        assert!(found.contains(reason), "{reason}: {found}");
        assert!(found.contains(remedy), "{remedy}: {found}");
        assert!(!found.contains("self-test"), "{found}");
    }
}

#[test]
fn the_remedy_follows_from_what_the_system_says_of_itself() {
    for (status, yama, part) in [
        ("TracerPid:\t17\nSeccomp:\t2\n", "1", "process 17 traces"),
        ("TracerPid:\t0\nSeccomp:\t0\n", "2", "ptrace_scope=1"),
        ("TracerPid:\t0\nSeccomp:\t0\n", "3", "boot"),
        ("TracerPid:\t0\nSeccomp:\t2\n", "1", "--cap-add=SYS_PTRACE"),
        ("TracerPid:\t0\nSeccomp:\t0\n", "", "gVisor"),
        ("", "", "gVisor"),
    ] {
        let remedy = tracing_remedy_by(status, yama);
        assert!(remedy.contains(part), "{part}: {remedy}");
    }
}
