//! Running trials one at a time: the clock of a tree looks at every thread of
//! the calling process, and other trials would keep it still.

use std::process::ExitCode;

use holdoff_vtime::examine;
use libtest_mimic::{Arguments, Failed, Trial};

/// Why a trial failed, or may not be run.
pub type Checked = Result<(), Failed>;

/// Runs trials one at a time. Where there is no virtual time all are ignored.
pub fn run(target: &str, trials: impl FnOnce() -> Vec<Trial>) -> ExitCode {
    let mut arguments = Arguments::from_args();
    arguments.test_threads = Some(1);
    let trouble = examine().into_iter().find(|finding| !finding.is_met());
    let trials = match trouble {
        None => trials(),
        Some(finding) => {
            let reason = finding
                .trouble
                .map(|trouble| trouble.reason)
                .unwrap_or_default();
            let precondition = finding.precondition;
            vec![ignored(
                target,
                &format!("no virtual time here: {precondition}: {reason}"),
            )]
        }
    };
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// A trial that cannot be run here. It says so loudly, and does not pass.
pub fn ignored(name: &str, reason: &str) -> Trial {
    eprintln!("IGNORED: {name}: {reason}");
    Trial::test(name, || Ok(())).with_ignored_flag(true)
}

/// Fails with these words unless the condition holds.
pub fn require(condition: bool, words: impl FnOnce() -> String) -> Checked {
    if condition {
        Ok(())
    } else {
        Err(words().into())
    }
}
