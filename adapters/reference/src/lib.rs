//! The reference client of Holdoff.
//!
//! A small client that retries as SPEC.md says, written from that document
//! alone: it shares no code with the runner that judges it. Asked to, it shows
//! one of the [`defects()`] instead, in its own code, so that runner and client
//! check each other. It speaks the adapter protocol over standard input and
//! output.
#![forbid(unsafe_code)]

mod auth;
mod backoff;
mod behaviour;
mod call;
mod cancel;
mod case;
mod clock;
mod dates;
mod defects;
mod download;
mod emitter;
mod environment;
mod http;
mod lenient;
mod numbers;
mod operation;
mod pages;
mod protocol;
mod random;
mod retry;
mod retry_after;
mod session;
mod span;
mod wait;

use std::io::{BufRead, Write};
use std::process::ExitCode;
use std::thread;

use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc::{self, UnboundedReceiver};

use crate::emitter::Emitter;
use crate::session::Session;

pub use crate::defects::{UnknownDefect, defects};

/// Environment variable that carries the line tag.
const TAG_VARIABLE: &str = "HOLDOFF_TAG";

/// How the client is started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Args {
    /// Name of the defect to show, one of [`defects()`]; several are joined by
    /// `+`. Without it the client conforms.
    pub defect: Option<String>,
}

/// Why the client stopped serving.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The defect that was asked for does not exist.
    #[error(transparent)]
    UnknownDefect(#[from] UnknownDefect),
    /// Messages could not be read or written.
    #[error("the protocol's streams failed")]
    Io(#[from] std::io::Error),
}

/// Serves the adapter protocol on standard input and output until `shutdown`
/// or the end of the input; lines carry the tag in `HOLDOFF_TAG`.
///
/// Exits with 2 if there is no such defect. Brings its own runtime: call it
/// from outside of one.
pub fn run(args: Args) -> ExitCode {
    match run_on_standard_streams(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("holdoff-reference: {error}");
            match error {
                ServeError::UnknownDefect(_) => ExitCode::from(2),
                ServeError::Io(_) => ExitCode::from(3),
            }
        }
    }
}

fn run_on_standard_streams(args: &Args) -> Result<(), ServeError> {
    let behaviour = defects::behaviour(args.defect.as_deref())?;
    // No process is ever started from here, so that the tag goes no further.
    let tag = std::env::var(TAG_VARIABLE).unwrap_or_default();
    let (emitter, lines) = Emitter::new(tag);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    // Plain threads: tokio's own would wait with a time limit, which a clock
    // that is owned by the runner takes for something that is armed.
    let writer = thread::spawn(move || write_lines(lines));
    let input = read_lines();
    runtime.block_on(Session::new(behaviour, emitter).run(input));
    drop(runtime);
    writer
        .join()
        .unwrap_or_else(|_| Err(std::io::Error::other("the writer panicked")))?;
    Ok(())
}

fn read_lines() -> UnboundedReceiver<String> {
    let (sender, receiver) = mpsc::unbounded_channel();
    thread::spawn(move || {
        let mut input = std::io::stdin().lock();
        let mut line = Vec::new();
        while input
            .read_until(b'\n', &mut line)
            .is_ok_and(|read| read > 0)
        {
            let text = String::from_utf8_lossy(&line).into_owned();
            line.clear();
            if sender.send(text).is_err() {
                break;
            }
        }
    });
    receiver
}

fn write_lines(mut lines: UnboundedReceiver<String>) -> std::io::Result<()> {
    let mut output = std::io::stdout().lock();
    while let Some(line) = lines.blocking_recv() {
        output.write_all(line.as_bytes())?;
        output.flush()?;
    }
    Ok(())
}

/// Serves the adapter protocol on any two streams, until `shutdown` or the end
/// of the input, each line written behind `tag`.
///
/// # Errors
/// If the defect does not exist, or if a stream fails.
pub async fn serve(
    input: impl AsyncBufRead + Unpin,
    mut output: impl AsyncWrite + Unpin,
    tag: String,
    defect: Option<&str>,
) -> Result<(), ServeError> {
    let behaviour = defects::behaviour(defect)?;
    let (emitter, mut emitted) = Emitter::new(tag);
    let (sender, receiver) = mpsc::unbounded_channel();
    let reading = async move {
        let mut lines = input.lines();
        while let Some(line) = lines.next_line().await? {
            if sender.send(line).is_err() {
                break;
            }
        }
        drop(sender);
        // Only the end of the session ends the reading.
        std::future::pending::<std::io::Result<()>>().await
    };
    let writing = async move {
        while let Some(line) = emitted.recv().await {
            output.write_all(line.as_bytes()).await?;
            output.flush().await?;
        }
        Ok::<_, std::io::Error>(())
    };
    let session = Session::new(behaviour, emitter).run(receiver);
    let serving = async {
        let ((), written) = tokio::join!(session, writing);
        written
    };
    tokio::select! {
        served = serving => served?,
        read = reading => read?,
    }
    Ok(())
}
