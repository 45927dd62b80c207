//! [`AdapterProcess`]: one adapter's process tree, its pipes and its end.

use std::hash::{BuildHasher, RandomState};
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use process_wrap::tokio::{ChildWrapper, CommandWrap, KillOnDrop};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::ChildStdin;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::lines::{LINE_CAP, Line, LineReader};
use super::log::LogRing;
use super::protocol::{FromAdapter, ToAdapter};
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
    /// One message.
    Message(Box<FromAdapter>),
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
    /// Starts the process; its pipes are drained from the first moment on.
    pub(super) fn spawn(spec: &LaunchSpec) -> Result<Self, AdapterFault> {
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
        let mut child = grouped(spec, home.path(), &tag)
            .spawn()
            .map(Group)
            .map_err(|error| refused(&error))?;

        let log = LogRing::default();
        let (to_lines, lines) = mpsc::channel(AHEAD);
        let (stdout, stderr) = (child.0.stdout().take(), child.0.stderr().take());
        let stdin = child.0.stdin().take();
        let readers = [
            stdout.map(|pipe| tokio::spawn(read_messages(pipe, tag, to_lines, log.clone()))),
            stderr.map(|pipe| tokio::spawn(read_log(pipe, log.clone()))),
        ];
        let (to_exit, exit) = oneshot::channel();
        let (stop, stopped) = oneshot::channel();
        let leader = Leader {
            id: child.0.id(),
            is_gone: Arc::default(),
        };
        tokio::spawn(supervise(child, leader.clone(), readers, stopped, to_exit));
        Ok(Self {
            stdin,
            lines,
            exit: Exit::Awaited(exit),
            stop: Some(stop),
            leader,
            log,
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
            Some(FromProcess::Message(message)) => Ok(*message),
            Some(FromProcess::Junk(detail)) => Err(AdapterFault::protocol(detail)),
            None => Err(self.crash().await),
        }
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

/// A process group that is killed when it is dropped: the runtime may end
/// before its supervisor does.
#[derive(Debug)]
struct Group(Box<dyn ChildWrapper>);

impl Drop for Group {
    fn drop(&mut self) {
        // Fails when nobody is left, which is what it is for.
        let _ = self.0.start_kill();
    }
}

fn grouped(spec: &LaunchSpec, home: &std::path::Path, tag: &str) -> CommandWrap {
    let mut command = CommandWrap::with_new(&spec.argv[0], |command| {
        command
            .args(&spec.argv[1..])
            .current_dir(&spec.directory)
            .env_clear()
            .envs(super::environment::environment(spec, home, tag))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
    });
    command.wrap(KillOnDrop);
    group::own(&mut command);
    command
}

/// Waits for the leader's end or for the word to end it, sees to it that
/// nobody of the group is left, and tells the status last, when all that the
/// process wrote has been passed on.
async fn supervise(
    mut child: Group,
    leader: Leader,
    readers: [Option<JoinHandle<()>>; 2],
    mut stopped: oneshot::Receiver<Stop>,
    exit: oneshot::Sender<String>,
) {
    let status = tokio::select! {
        status = child.0.wait() => status,
        stop = &mut stopped => end(&mut child, stop.unwrap_or(Stop::AtOnce)).await,
    };
    leader.is_gone.store(true, Ordering::SeqCst);
    drain(child, readers).await;
    let status = match status {
        Ok(status) => status.to_string(),
        Err(error) => format!("an unknown status ({error})"),
    };
    // Nobody may be left to be told.
    let _ = exit.send(status);
}

async fn end(child: &mut Group, how: Stop) -> std::io::Result<ExitStatus> {
    if let Stop::Politely = how {
        group::ask_to_end(&mut *child.0);
        if let Ok(status) = timeout(GRACE, child.0.wait()).await {
            return status;
        }
    }
    // Fails when nobody is left.
    let _ = child.0.start_kill();
    child.0.wait().await
}

/// Kills what is left of the group and lets the readers take what is left in
/// the pipes.
async fn drain(child: Group, readers: [Option<JoinHandle<()>>; 2]) {
    drop(child);
    for mut reader in readers.into_iter().flatten() {
        if timeout(DRAIN, &mut reader).await.is_err() {
            reader.abort();
        }
    }
}

async fn read_messages(
    mut pipe: impl AsyncRead + Unpin,
    tag: String,
    to: mpsc::Sender<FromProcess>,
    log: LogRing,
) {
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
                Line::Tagged(text) => parse(&text),
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

fn parse(text: &str) -> FromProcess {
    match serde_json::from_str(text) {
        Ok(message) => FromProcess::Message(Box::new(message)),
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
