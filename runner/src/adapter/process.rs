//! [`AdapterProcess`]: one adapter's process tree, its pipes and its end.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use holdoff_vtime::{Clock, Connections, Hold};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::ChildStdin;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::lines::{LINE_CAP, Line, LineReader};
use super::log::LogRing;
use super::protocol::{FromAdapter, ToAdapter};
use super::time::OwnedTime;
use super::tree::{Spawned, Tree};
use super::{AdapterFault, LaunchSpec};
use crate::group;
use crate::model::Span;

/// Real time between the polite and the forced end of a process group: a JVM
/// runs its shutdown hooks in well under a second.
const GRACE: Duration = Duration::from_secs(2);
/// Real time that the readers get for what is left in the pipes of an ended
/// process: a grandchild may hold them open for ever.
const DRAIN: Duration = Duration::from_millis(500);
/// Real time for one message to go into the pipe: it holds 64 KiB, so a writer
/// that waits has an adapter that does not read.
const WRITE: Duration = Duration::from_secs(10);
/// Messages read ahead; beyond that the adapter waits at its pipe.
const AHEAD: usize = 256;
/// Lines of the log that a crash shows.
const CRASH_LOG: usize = 40;
/// Bytes of a line that a protocol fault shows.
const SHOWN: usize = 200;

/// What comes from a process, in order.
#[derive(Debug)]
pub(super) enum FromProcess {
    /// One message. Nobody has acted on it yet: a virtual clock stands still
    /// until somebody takes it.
    Message(Box<FromAdapter>, Option<Hold>),
    /// A line with the tag that is no message.
    Junk(String),
}

/// One adapter process in a group of its own. Dropping it kills the group.
#[derive(Debug)]
pub(super) struct AdapterProcess {
    stdin: Option<ChildStdin>,
    lines: mpsc::Receiver<FromProcess>,
    exit: Exit,
    stop: Option<oneshot::Sender<Stop>>,
    leader: Leader,
    log: LogRing,
    time: Option<OwnedTime>,
    /// Its home; removed when the process is gone.
    _home: tempfile::TempDir,
}

#[derive(Debug)]
enum Exit {
    Awaited(oneshot::Receiver<String>),
    Known(String),
}

/// What is needed to kill the group without its supervisor.
#[derive(Clone, Debug)]
struct Leader {
    id: Option<u32>,
    is_gone: Arc<AtomicBool>,
}

#[derive(Clone, Copy, Debug)]
enum Stop {
    /// SIGTERM first, SIGKILL after the grace.
    Politely,
    /// At once.
    AtOnce,
}

impl AdapterProcess {
    /// Starts the process; its pipes are drained from the first moment on. A
    /// virtual clock does not move while bytes of `connections` are under way.
    pub(super) fn spawn(spec: &LaunchSpec, connections: Connections) -> Result<Self, AdapterFault> {
        let program = spec.argv.first().map_or("", String::as_str);
        let refused = |error: &dyn std::fmt::Display| AdapterFault::Spawn {
            program: program.to_owned(),
            reason: error.to_string(),
        };
        if program.is_empty() {
            return Err(refused(&"the command is empty"));
        }
        let home = tempfile::Builder::new()
            .prefix("holdoff-")
            .tempdir()
            .map_err(|error| refused(&format!("no temporary folder: {error}")))?;
        let tag = format!("@h:{:016x} ", RandomState::new().hash_one(program));
        let Spawned {
            tree,
            stdin,
            stdout,
            stderr,
            time,
        } = Tree::spawn(spec, home.path(), &tag, connections).map_err(|error| refused(&error))?;

        let log = LogRing::default();
        let (to_lines, lines) = mpsc::channel(AHEAD);
        let told = Told {
            to: to_lines,
            log: log.clone(),
            clock: time.as_ref().map(|time| time.clock.clone()),
        };
        let readers = [
            stdout.map(|pipe| tokio::spawn(read_messages(pipe, tag, told))),
            stderr.map(|pipe| tokio::spawn(read_log(pipe, log.clone()))),
        ];
        let (to_exit, exit) = oneshot::channel();
        let (stop, stopped) = oneshot::channel();
        let leader = Leader {
            id: tree.id(),
            is_gone: Arc::default(),
        };
        tokio::spawn(supervise(tree, leader.clone(), readers, stopped, to_exit));
        Ok(Self {
            stdin,
            lines,
            exit: Exit::Awaited(exit),
            stop: Some(stop),
            leader,
            log,
            time,
            _home: home,
        })
    }

    /// Writes one message.
    ///
    /// # Errors
    /// If the process has ended, or does not read its standard input.
    pub(super) async fn send(&mut self, message: &ToAdapter) -> Result<(), AdapterFault> {
        let mut line = serde_json::to_vec(message).expect("a protocol message is JSON");
        line.push(b'\n');
        let written = match self.stdin.as_mut() {
            Some(stdin) => timeout(WRITE, async {
                stdin.write_all(&line).await?;
                stdin.flush().await
            })
            .await
            .map_err(|_| {
                let limit = Span::from_nanos(WRITE.as_nanos().cast_signed());
                self.silent("reading of standard input", limit)
            })?
            .is_ok(),
            None => false,
        };
        if written {
            return Ok(());
        }
        self.stdin = None;
        Err(self.crash().await)
    }

    /// The next message; nothing is lost when the future is dropped.
    ///
    /// # Errors
    /// If the process has ended, or wrote a line that is no message.
    pub(super) async fn next(&mut self) -> Result<FromAdapter, AdapterFault> {
        match self.lines.recv().await {
            Some(FromProcess::Message(message, still)) => {
                // Whoever is given it acts before it waits for anything.
                drop(still);
                Ok(*message)
            }
            Some(FromProcess::Junk(detail)) => Err(AdapterFault::protocol(detail)),
            None => Err(self.crash().await),
        }
    }

    /// The clock of a process that lives under a virtual one; once.
    pub(super) fn take_time(&mut self) -> Option<OwnedTime> {
        self.time.take()
    }

    /// The fault of a process that did not do what was `awaited`.
    pub(super) fn silent(&self, awaited: &str, limit: Span) -> AdapterFault {
        AdapterFault::Silent {
            awaited: awaited.to_owned(),
            limit,
            log: self.log.tail(CRASH_LOG),
        }
    }

    /// Last lines of the log, oldest first.
    pub(super) fn log_tail(&self, count: usize) -> Vec<String> {
        self.log.tail(count)
    }

    /// Closes the process's standard input, waits for its own end, and after
    /// the grace ends its group.
    pub(super) async fn finish(mut self) {
        self.stdin = None;
        let exited = async {
            while self.lines.recv().await.is_some() {}
            self.exit_status().await;
        };
        if timeout(GRACE, exited).await.is_err() {
            self.end(Stop::Politely).await;
        }
    }

    /// Ends the process group: politely, then by force.
    pub(super) async fn kill(mut self) {
        self.end(Stop::Politely).await;
    }

    async fn end(&mut self, how: Stop) {
        if let Some(stop) = self.stop.take() {
            // The supervisor is gone only when the process is.
            let _ = stop.send(how);
        }
        self.lines.close();
        self.exit_status().await;
    }

    /// The process closed its standard output: it has ended, or has made
    /// itself useless and is ended.
    async fn crash(&mut self) -> AdapterFault {
        let status = match timeout(DRAIN * 2, self.exit_status()).await {
            Ok(status) => status,
            Err(_) => {
                self.end(Stop::AtOnce).await;
                return AdapterFault::protocol("standard output was closed by a running process");
            }
        };
        AdapterFault::Crashed {
            status,
            log: self.log.tail(CRASH_LOG),
        }
    }

    async fn exit_status(&mut self) -> String {
        if let Exit::Awaited(exit) = &mut self.exit {
            let status = exit
                .await
                .unwrap_or_else(|_| "an unknown status".to_owned());
            self.exit = Exit::Known(status);
        }
        match &self.exit {
            Exit::Known(status) => status.clone(),
            Exit::Awaited(_) => unreachable!("the status was awaited above"),
        }
    }
}

impl Drop for AdapterProcess {
    /// Kills the group here and now: this process may exit before the
    /// supervisor is polled again.
    fn drop(&mut self) {
        if !self.leader.is_gone.load(Ordering::SeqCst) {
            group::kill(self.leader.id);
        }
    }
}

/// Waits for the leader's end or for the word to end it, sees to it that
/// nobody of the group is left, and tells the status last, when all that the
/// process wrote has been passed on.
async fn supervise(
    mut tree: Tree,
    leader: Leader,
    readers: [Option<JoinHandle<()>>; 2],
    mut stopped: oneshot::Receiver<Stop>,
    exit: oneshot::Sender<String>,
) {
    let status = tokio::select! {
        status = tree.wait() => status,
        stop = &mut stopped => end(&mut tree, stop.unwrap_or(Stop::AtOnce)).await,
    };
    leader.is_gone.store(true, Ordering::SeqCst);
    drain(tree, readers).await;
    // Nobody may be left to be told.
    let _ = exit.send(status);
}

async fn end(tree: &mut Tree, how: Stop) -> String {
    if let Stop::Politely = how
        && tree.ask_to_end()
        && let Ok(status) = timeout(GRACE, tree.wait()).await
    {
        return status;
    }
    tree.kill();
    tree.wait().await
}

/// Kills what is left of the tree and lets the readers take what is left in
/// the pipes.
async fn drain(tree: Tree, readers: [Option<JoinHandle<()>>; 2]) {
    drop(tree);
    for mut reader in readers.into_iter().flatten() {
        if timeout(DRAIN, &mut reader).await.is_err() {
            reader.abort();
        }
    }
}

/// Where what a process writes goes to.
struct Told {
    to: mpsc::Sender<FromProcess>,
    log: LogRing,
    clock: Option<Clock>,
}

async fn read_messages(mut pipe: impl AsyncRead + Unpin, tag: String, told: Told) {
    let Told { to, log, clock } = told;
    let mut reader = LineReader::new(&tag);
    let mut chunk = vec![0; 64 << 10];
    let mut lines = Vec::new();
    loop {
        let read = pipe.read(&mut chunk).await.unwrap_or(0);
        match read {
            0 => reader.finish(&mut lines),
            _ => reader.feed(&chunk[..read], &mut lines),
        }
        for line in lines.drain(..) {
            let told = match line {
                Line::Log(line) => {
                    log.push(&line);
                    continue;
                }
                Line::Tagged(text) => parse(&text, clock.as_ref()),
                Line::TooLong => {
                    FromProcess::Junk(format!("a message is longer than {LINE_CAP} bytes"))
                }
            };
            // Nobody listens any more, but the pipe must still be drained.
            let _ = to.send(told).await;
        }
        if read == 0 {
            return;
        }
    }
}

fn parse(text: &str, clock: Option<&Clock>) -> FromProcess {
    match serde_json::from_str(text) {
        Ok(message) => FromProcess::Message(Box::new(message), clock.map(Clock::hold)),
        Err(error) => {
            let shown: String = text.chars().take(SHOWN).collect();
            FromProcess::Junk(format!("`{shown}` is no message: {error}"))
        }
    }
}

async fn read_log(mut pipe: impl AsyncRead + Unpin, log: LogRing) {
    // No tag is ever found in what only splits lines.
    let mut reader = LineReader::new("\n");
    let mut chunk = vec![0; 64 << 10];
    let mut lines = Vec::new();
    while let Ok(read @ 1..) = pipe.read(&mut chunk).await {
        reader.feed(&chunk[..read], &mut lines);
        for line in lines.drain(..) {
            if let Line::Log(line) = line {
                log.push(&line);
            }
        }
    }
    reader.finish(&mut lines);
    for line in lines {
        if let Line::Log(line) = line {
            log.push(&line);
        }
    }
}
