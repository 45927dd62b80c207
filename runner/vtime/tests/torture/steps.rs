//! Checks that need something of their caller: a jump of the wall clock in the
//! middle of a wait, or a seed.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use holdoff_vtime::{Options, WallStep};
use libtest_mimic::{Failed, Trial};

use crate::support::tree;
use crate::support::trials::{Checked, require};

const HOUR: Duration = Duration::from_secs(3600);
/// When the wall clock jumps.
const AT: Duration = Duration::from_secs(100);

const FORWARD: &[&str] = &[
    "step_forward_absolute",
    "step_forward_beyond",
    "step_forward_relative",
    "step_forward_monotonic",
    "step_forward_timer",
    "step_forward_semaphore",
];
const BACK: &[&str] = &["step_back_absolute", "step_back_relative"];

const RANDOM: &str = "random_bytes";

/// Whether a check is run here, and not with the others.
pub(crate) fn is_here(name: &str) -> bool {
    FORWARD
        .iter()
        .chain(BACK)
        .chain([&RANDOM])
        .any(|here| *here == name)
}

/// A trial for each check of a program that needs its caller.
pub(crate) fn trials(binary: &Path) -> Vec<Trial> {
    let steps = FORWARD
        .iter()
        .map(|name| (name, WallStep::Forward(HOUR)))
        .chain(BACK.iter().map(|name| (name, WallStep::Back(HOUR))));
    let mut trials: Vec<Trial> = steps
        .map(|(name, step)| {
            let binary = binary.to_owned();
            Trial::test(format!("c::{name}"), move || stepped(&binary, name, step))
        })
        .collect();
    let binary = binary.to_owned();
    trials.push(Trial::test("c::random_bytes_of_a_seed", move || {
        random(&binary)
    }));
    trials
}

fn stepped(binary: &PathBuf, name: &str, step: WallStep) -> Checked {
    let mut command = Command::new(binary);
    command.arg(name);
    let prepare = |clock: &holdoff_vtime::Clock| {
        clock.schedule_step(AT, step);
    };
    let ran = tree::run(command, Options::default(), prepare, |_, _| {})?;
    ran.succeeded()
}

/// Equal seeds give equal bytes, to each process its own, and never the same
/// again; other seeds give others, and none gives the kernel's.
fn random(binary: &PathBuf) -> Checked {
    let draw = |seed| -> Result<String, Failed> {
        let mut command = Command::new(binary);
        command.arg("random_bytes");
        let options = Options {
            seed,
            ..Options::default()
        };
        let ran = tree::run_plain(command, options)?;
        ran.succeeded()?;
        Ok(ran.printed)
    };
    let (first, again, other) = (draw(Some(7))?, draw(Some(7))?, draw(Some(8))?);
    require(first == again, || {
        format!("one seed, two outcomes:\n{first}{again}")
    })?;
    let (unseeded, unseeded_again) = (draw(None)?, draw(None)?);
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    require(lines(&first).len() == 6, || {
        format!("not all is printed:\n{first}")
    })?;
    let mut all: Vec<String> = [first, other, unseeded, unseeded_again]
        .iter()
        .flat_map(|text| lines(text))
        .map(|line| line.split(' ').skip(1).collect())
        .collect();
    let count = all.len();
    all.sort();
    all.dedup();
    require(all.len() == count, || {
        format!("bytes that were given twice: {all:#?}")
    })
}
