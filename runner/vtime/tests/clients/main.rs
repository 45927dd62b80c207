//! Clients in every language, each against a server of ours, under a clock of
//! ours. What the server sees is judged.
//!
//! A client gets the address of the server and does, one after the other:
//!
//! 1. `/date`: is told to come back at an HTTP-date 120 s ahead, and does;
//! 2. `/wait`: is told to come back after 1800 s, and does;
//! 3. `/silent`: gets no answer, and gives up after 30 s;
//! 4. `/delay`: gets its answer after 20 s;
//! 5. `/parts`: gets the head of the answer, and ten seconds later the body;
//! 6. `/end`.
//!
//! Two clients on bare sockets do other things: `client_raw.py` sends its
//! request in parts, `client_nagle.py` lets the kernel wait.

#[path = "../support/mod.rs"]
mod support;

mod judge;
mod languages;
mod measures;
mod raw;
mod script;

#[expect(clippy::unwrap_used, reason = "a client that fails is to end")]
#[path = "../programs/client_std.rs"]
mod client_std;
#[expect(clippy::unwrap_used, reason = "a client that fails is to end")]
#[path = "../programs/client_tokio.rs"]
mod client_tokio;
#[expect(clippy::unwrap_used, reason = "a client that fails is to end")]
#[path = "../programs/replies.rs"]
mod replies;

use std::process::ExitCode;
use std::time::Duration;

use holdoff_vtime::Options;
use libtest_mimic::{Failed, Trial};

use languages::Client;
use measures::Measures;
use support::server::Server;
use support::tree;
use support::trials;

/// Bound of a run that hangs.
const REAL_TIME: Duration = Duration::from_secs(20);
/// How often a client is run, and how often one is that is slow.
const MANY: u32 = 50;
const FEW: u32 = 10;
const SLOW: Duration = Duration::from_millis(300);

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    if arguments.next().as_deref() == Some(languages::AS_CLIENT) {
        let (way, address) = (arguments.next(), arguments.next());
        let address = address.unwrap_or_default();
        let address = address.trim_start_matches("http://");
        match way.as_deref() {
            Some("std") => client_std::run(address),
            Some("tokio") => client_tokio::run(address),
            _ => return ExitCode::FAILURE,
        }
        return ExitCode::SUCCESS;
    }
    let Ok(folder) = tempfile::tempdir() else {
        eprintln!("no temporary folder");
        return ExitCode::FAILURE;
    };
    let code = trials::run("clients", || {
        let mut trials = languages::trials(folder.path(), |client| {
            let name = client.name.clone();
            Trial::test(name, move || repeat(&client))
        });
        trials.extend(raw::trials());
        trials
    });
    measures::print();
    code
}

/// Runs a client again and again, and judges each run.
fn repeat(client: &Client) -> Result<(), Failed> {
    let mut measures = Measures::default();
    let mut result = Ok(());
    let mut repetitions = client.repetitions.unwrap_or(MANY);
    let mut round = 0;
    while round < repetitions {
        if let Err(failed) = once(client, &mut measures) {
            let words = failed.message().unwrap_or_default();
            result = Err(format!("repetition {round}: {words}").into());
            break;
        }
        round += 1;
        if client.repetitions.is_none() && measures.fastest() > SLOW {
            repetitions = FEW;
        }
    }
    measures.keep(&client.name);
    result
}

fn once(client: &Client, measures: &mut Measures) -> Result<(), Failed> {
    let server = Server::start(script::answer)?;
    let options = Options {
        start: script::start(),
        limits: tree::within(REAL_TIME),
        connections: server.connections(),
        ..Options::default()
    };
    let ran = tree::run(
        (client.command)(&server.url()),
        options,
        |clock| server.set_clock(clock),
        |_, fired| server.fired(fired),
    )?;
    ran.succeeded().map_err(|failed| {
        let words = failed.message().unwrap_or_default();
        Failed::from(format!("{words}\nthe server saw {:#?}", server.log()))
    })?;
    measures.ran(ran.summary.real);
    judge::judge(&server.log(), client, measures)
}
