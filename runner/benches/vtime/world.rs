//! All cases of the reference client, and what a world weighs meanwhile.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const HOLDOFF: &str = env!("CARGO_BIN_EXE_holdoff");

pub(super) fn measure() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let began = Instant::now();
    let mut run = Command::new(HOLDOFF)
        .args(["run", "--clock", "virtual"])
        .current_dir(repository)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut heaviest = 0;
    let status = loop {
        if let Some(status) = run.try_wait().unwrap() {
            break status;
        }
        heaviest = worlds(run.id())
            .into_iter()
            .map(peak)
            .fold(heaviest, u64::max);
        std::thread::sleep(Duration::from_millis(5));
    };
    println!(
        "\nall cases of the reference client: {:.1} s, {status}\na world without its adapter: {:.1} MiB at most",
        began.elapsed().as_secs_f64(),
        heaviest as f64 / 1_024.0
    );
}

/// Worlds that a run has started.
fn worlds(run: u32) -> Vec<String> {
    let tasks = fs::read_dir(format!("/proc/{run}/task"));
    let children = tasks.into_iter().flatten().flatten().map(|task| {
        let children = fs::read_to_string(task.path().join("children"));
        children.unwrap_or_default()
    });
    children
        .flat_map(|children| {
            let ids = children.split_whitespace().map(str::to_owned);
            ids.collect::<Vec<_>>()
        })
        .filter(|id| {
            let arguments = fs::read_to_string(format!("/proc/{id}/cmdline"));
            arguments.is_ok_and(|arguments| arguments.ends_with("\0world\0"))
        })
        .collect()
}

/// The most memory that a process has had, in KiB.
fn peak(process: String) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok())
        .unwrap_or(0)
}
