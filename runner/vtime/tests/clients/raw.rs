//! Clients on bare sockets, whose requests come in pieces.

use std::process::Command;
use std::time::Duration;

use holdoff_vtime::{Clock, Options};
use libtest_mimic::{Failed, Trial};

use crate::script::{DELAY, PAUSE};
use crate::support::server::{Answer, Reply, Seen, Server, Then, What};
use crate::support::tools::{find, program};
use crate::support::tree;
use crate::support::trials::{Checked, ignored, require};

const REPETITIONS: u32 = 10;
/// What a piece may be late by.
const LATE: Duration = Duration::from_micros(10);

/// A trial for each.
pub(crate) fn trials() -> Vec<Trial> {
    let python = match find("python3", &["--version"]) {
        Ok(python) => python,
        Err(reason) => return vec![ignored("raw", &reason)],
    };
    let command = move |file: &str| {
        let mut command = Command::new(&python);
        command.arg("-B").arg(program(file));
        command
    };
    let other = command.clone();
    vec![
        Trial::test("raw::request_in_parts", move || {
            repeat(|| in_parts(command("client_raw.py")))
        }),
        Trial::test("raw::small_pieces", move || {
            repeat(|| small_pieces(other("client_nagle.py")))
        }),
    ]
}

fn repeat(mut once: impl FnMut() -> Checked) -> Checked {
    (0..REPETITIONS).try_for_each(|_| once())
}

/// A request that comes half, while its sender sleeps, does not keep the clock.
fn in_parts(command: Command) -> Checked {
    let log = run(command, |_, _, _| {
        Answer::Reply(Reply {
            delay: DELAY,
            pause: PAUSE,
            ..Reply::new(200)
        })
    })?;
    let at = |what| {
        let found = log
            .iter()
            .find(|seen| seen.what == what)
            .map(|seen| seen.at);
        found.ok_or_else(|| Failed::from(format!("no {what:?} in {log:#?}")))
    };
    let within = |span: Duration, wanted: Duration, name: &str| {
        require(span >= wanted && span <= wanted + LATE, || {
            format!("{name}: {span:?} instead of {wanted:?}")
        })
    };
    let (first, head, request) = (at(What::FirstByte)?, at(What::Head)?, at(What::Request)?);
    within(head - first, Duration::ZERO, "head")?;
    within(request - head, 2 * PAUSE, "body, by halves")?;
    within(at(What::Reply)? - request, DELAY, "answer")?;
    within(at(What::Body)? - request, DELAY + PAUSE, "its body")
}

/// The kernel delays what is small, for forty milliseconds of its own; the
/// client's limit of half a minute must not be reached meanwhile.
fn small_pieces(command: Command) -> Checked {
    let log = run(command, |_, _, _| {
        Answer::Reply(Reply {
            then: Then::Keep,
            ..Reply::new(200)
        })
    })?;
    let last = log.iter().map(|seen| seen.at).max().unwrap_or_default();
    require(last < Duration::from_millis(1), || {
        format!("time passed: {last:?}")
    })
}

fn run(
    mut command: Command,
    script: impl Fn(&str, usize, &Clock) -> Answer + Send + Sync + 'static,
) -> Result<Vec<Seen>, Failed> {
    let server = Server::start(script)?;
    command.arg(server.url());
    let options = Options {
        limits: tree::within(crate::REAL_TIME),
        connections: server.connections(),
        ..Options::default()
    };
    let ran = tree::run(
        command,
        options,
        |clock| server.set_clock(clock),
        |_, fired| server.fired(fired),
    )?;
    ran.succeeded()?;
    Ok(server.log())
}
