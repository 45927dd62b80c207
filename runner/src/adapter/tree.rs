//! [`Tree`]: the processes of one adapter, kept by a group or by the
//! supervisor of a virtual clock.

use std::path::Path;
use std::process::{Command, Stdio};

use holdoff_vtime::{Connections, Error, Exit, Limits, Options, Report, Supervised};
use process_wrap::tokio::{ChildWrapper, CommandWrap, KillOnDrop};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::sync::{mpsc, oneshot};

use super::environment::environment;
use super::time::OwnedTime;
use super::{LaunchSpec, ProcessClock};
use crate::group;

/// Seed until the first case gives its own.
const SEED: u64 = 0;

/// The processes of one adapter. Dropping it kills all of them.
#[derive(Debug)]
pub(super) enum Tree {
    /// A group.
    Group(Box<dyn ChildWrapper>),
    /// Everybody who descends from the first process.
    Supervised {
        tree: Supervised,
        exit: oneshot::Receiver<Exit>,
    },
}

/// A tree that has begun.
pub(super) struct Spawned {
    pub(super) tree: Tree,
    pub(super) stdin: Option<ChildStdin>,
    pub(super) stdout: Option<ChildStdout>,
    pub(super) stderr: Option<ChildStderr>,
    /// Its clock, if it has one of its own.
    pub(super) time: Option<OwnedTime>,
}

/// Why a tree could not be started.
#[derive(Debug, thiserror::Error)]
pub(super) enum NotStarted {
    #[error(transparent)]
    Group(#[from] std::io::Error),
    #[error(transparent)]
    Supervised(#[from] Error),
}

impl Tree {
    /// Starts the first process.
    pub(super) fn spawn(
        spec: &LaunchSpec,
        home: &Path,
        tag: &str,
        connections: Connections,
    ) -> Result<Spawned, NotStarted> {
        match spec.clock {
            ProcessClock::Machine => grouped(spec, home, tag),
            ProcessClock::Virtual => supervised(spec, home, tag, connections),
        }
    }

    /// Process id of the first process.
    pub(super) fn id(&self) -> Option<u32> {
        match self {
            Self::Group(child) => child.id(),
            Self::Supervised { tree, .. } => Some(tree.id()),
        }
    }

    /// Waits for the end of the first process; how it ended, in words.
    pub(super) async fn wait(&mut self) -> String {
        match self {
            Self::Group(child) => match child.wait().await {
                Ok(status) => status.to_string(),
                Err(error) => unknown(&error),
            },
            Self::Supervised { exit, .. } => match exit.await {
                Ok(exit) => group::exit_words(exit),
                Err(_) => unknown(&"nobody saw it end"),
            },
        }
    }

    /// Asks for the end; false: whoever cannot hear is better killed.
    pub(super) fn ask_to_end(&mut self) -> bool {
        match self {
            Self::Group(child) => {
                group::ask_to_end(&mut **child);
                true
            }
            // What it would wait for to end in good order is a clock that stands.
            Self::Supervised { .. } => false,
        }
    }

    /// Kills everybody.
    pub(super) fn kill(&mut self) {
        match self {
            Self::Group(child) => {
                // Fails when nobody is left, which is what it is for.
                let _ = child.start_kill();
            }
            Self::Supervised { tree, .. } => tree.kill(),
        }
    }
}

impl Drop for Tree {
    /// The runtime may end before whoever waits for the end does.
    fn drop(&mut self) {
        self.kill();
    }
}

fn unknown(reason: &dyn std::fmt::Display) -> String {
    format!("an unknown status ({reason})")
}

/// Sets what is the same whoever keeps the tree.
fn prepare(command: &mut Command, spec: &LaunchSpec, home: &Path, tag: &str) {
    command
        .args(&spec.argv[1..])
        .current_dir(&spec.directory)
        .env_clear()
        .envs(environment(spec, home, tag))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
}

fn grouped(spec: &LaunchSpec, home: &Path, tag: &str) -> Result<Spawned, NotStarted> {
    let mut command = CommandWrap::with_new(&spec.argv[0], |command| {
        prepare(command.as_std_mut(), spec, home, tag);
    });
    command.wrap(KillOnDrop);
    group::own(&mut command);
    let mut child = command.spawn()?;
    Ok(Spawned {
        stdin: child.stdin().take(),
        stdout: child.stdout().take(),
        stderr: child.stderr().take(),
        tree: Tree::Group(child),
        time: None,
    })
}

fn supervised(
    spec: &LaunchSpec,
    home: &Path,
    tag: &str,
    connections: Connections,
) -> Result<Spawned, NotStarted> {
    let mut command = Command::new(&spec.argv[0]);
    prepare(&mut command, spec, home, tag);
    group::lead(&mut command);
    let options = Options {
        seed: Some(SEED),
        limits: Limits {
            real_time: spec.start_limit.to_std(),
            ..Limits::default()
        },
        connections,
        ..Options::default()
    };
    let (to_reports, reports) = mpsc::unbounded_channel();
    let (to_exit, exit) = oneshot::channel();
    let mut to_exit = Some(to_exit);
    let mut tree = holdoff_vtime::spawn(command, options, move |report| {
        // Nobody listens any more to a tree that is being killed.
        match report {
            Report::Exited(exit) => drop(to_exit.take().map(|to| to.send(exit))),
            report => drop(to_reports.send(report)),
        }
    })?;
    let stdin = tree.take_stdin().map(ChildStdin::from_std).transpose()?;
    let stdout = tree.take_stdout().map(ChildStdout::from_std).transpose()?;
    let stderr = tree.take_stderr().map(ChildStderr::from_std).transpose()?;
    let time = OwnedTime {
        clock: tree.clock().clone(),
        reports,
    };
    Ok(Spawned {
        tree: Tree::Supervised { tree, exit },
        stdin,
        stdout,
        stderr,
        time: Some(time),
    })
}
