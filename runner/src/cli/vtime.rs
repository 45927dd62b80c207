//! `holdoff vtime`: any command under a clock of its own.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io;
use std::process::{self, Command};
use std::sync::mpsc;
use std::time::{Duration, Instant, SystemTime};

use holdoff_vtime::{
    Error, Exit, Limits, Options, Outcome, Report, Role, Stop, TimedWait, WaitKind, examine, spawn,
};
use jiff::Timestamp;

use super::failure::say_aside;
use crate::escape::terminal;
use crate::model::{Span, wall_span};

/// What stands below `--help`.
const EXIT_CODES: &str = "Exit codes: the command's own, 128 + n if signal n ended it, 124 if the clock stopped first, \
125 if there is no virtual time here, 126 if the command cannot be started, 127 if it is not there.";

#[derive(Debug, clap::Args)]
#[command(after_help = EXIT_CODES)]
pub(super) struct VtimeArgs {
    /// Where the wall clock stands at the start
    #[arg(long, default_value = "2030-01-01T00:00:00Z", value_name = "INSTANT", value_parser = instant)]
    start: Timestamp,
    /// How far each reading moves the clock
    #[arg(long, default_value = "1ns", value_name = "DURATION", value_parser = some_time)]
    tick: Span,
    /// Real time after which the command is ended
    #[arg(long, default_value = "60s", value_name = "DURATION", value_parser = some_time)]
    limit: Span,
    /// Seed of the random bytes that the kernel gives out [default: none, they are the kernel's own]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// The command and its arguments
    #[arg(last = true, required = true, value_name = "CMD")]
    command: Vec<OsString>,
}

/// The last second that a clock of 64 bits can show.
const LAST_SECOND: i64 = i64::MAX / 1_000_000_000 - 1;

fn instant(text: &str) -> Result<Timestamp, String> {
    let instant: Timestamp = text
        .parse()
        .map_err(|_| "an instant is written as 2030-01-01T00:00:00Z".to_owned())?;
    if instant < Timestamp::UNIX_EPOCH || instant.as_second() > LAST_SECOND {
        return Err("a wall clock starts between 1970 and 2261".to_owned());
    }
    Ok(instant)
}

fn some_time(text: &str) -> Result<Span, String> {
    let span: Span = text.parse().map_err(|error| format!("{error}"))?;
    if span <= Span::ZERO {
        return Err("some time, more than none, is needed here".to_owned());
    }
    Ok(span)
}

pub(super) fn vtime(args: &VtimeArgs) -> process::ExitCode {
    let code = match run(args) {
        Ok(passage) => {
            say_aside(passage.text());
            passage.exit_code()
        }
        Err(error) => {
            say_aside(format_args!(
                "holdoff vtime: {}",
                terminal(&error.to_string())
            ));
            refused(&error)
        }
    };
    process::ExitCode::from(code)
}

/// The code for a command that did not begin, as other commands that run
/// commands have it; with what is missing here, if that is the cause.
fn refused(error: &Error) -> u8 {
    if let Error::Spawn { source, .. } = error {
        return match source.kind() {
            io::ErrorKind::NotFound => 127,
            _ => 126,
        };
    }
    for finding in examine() {
        if let Some(trouble) = finding.trouble {
            say_aside(format_args!(
                "  {}: {}",
                finding.precondition, trouble.reason
            ));
            say_aside(format_args!("    {}", trouble.remedy));
        }
    }
    125
}

fn options(args: &VtimeArgs) -> Options {
    let since_epoch = wall_span(args.start).to_std();
    let left = Duration::from_secs(LAST_SECOND.unsigned_abs()).saturating_sub(since_epoch);
    let defaults = Limits::default();
    Options {
        start: SystemTime::UNIX_EPOCH + since_epoch,
        tick: args.tick.to_std(),
        seed: args.seed,
        limits: Limits {
            real_time: args.limit.to_std(),
            horizon: defaults.horizon.min(left),
            ..defaults
        },
        ..Options::default()
    }
}

/// As the library's own function of this name, but asks each thread that waited
/// for its name while there is one.
fn run(args: &VtimeArgs) -> Result<Passage, Error> {
    let _guard = interrupts_are_for_the_command();
    let (program, arguments) = args.command.split_first().ok_or(Error::Ended)?;
    let mut command = Command::new(program);
    command.args(arguments);
    let began = Instant::now();
    let (sender, reports) = mpsc::channel();
    let supervised = spawn(command, options(args), move |report| {
        let name = match &report {
            Report::Waited(wait) => thread_name(wait),
            _ => String::new(),
        };
        // Nobody listens any more once the outcome is known.
        let _ = sender.send((report, name));
    })?;
    let mut tally = Tally::default();
    let mut outcome = None;
    for (report, name) in reports {
        if let Some(reached) = Outcome::reached(&report) {
            outcome.get_or_insert(reached);
            supervised.kill();
        }
        match report {
            Report::Waited(wait) => tally.add(&wait, name),
            Report::Fired(_) | Report::Stopped { .. } | Report::Exited(_) => {}
            Report::Gone => break,
            Report::Failed(error) => return Err(error),
        }
    }
    Ok(Passage {
        outcome: outcome.ok_or(Error::Ended)?,
        elapsed: supervised.clock().now(),
        real: began.elapsed(),
        tally,
    })
}

/// Ctrl-C goes to everybody at the terminal. The command decides what it means,
/// and this program lives on to say how the command ended.
fn interrupts_are_for_the_command() -> impl Sized {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_io()
            .build();
        runtime.ok().map(|runtime| {
            let caught = {
                let _entered = runtime.enter();
                signal(SignalKind::interrupt()).ok()
            };
            (caught, runtime)
        })
    }
}

fn thread_name(wait: &TimedWait) -> String {
    let path = format!("/proc/{}/task/{}/comm", wait.process, wait.thread);
    std::fs::read_to_string(path).map_or_else(
        |_| String::new(),
        |name| terminal(name.trim_end()).into_owned(),
    )
}

/// How a command passed.
#[derive(Debug)]
struct Passage {
    outcome: Outcome,
    elapsed: Duration,
    real: Duration,
    tally: Tally,
}

impl Passage {
    fn exit_code(&self) -> u8 {
        match &self.outcome {
            Outcome::Ended(exit) | Outcome::Crashed(exit) => match exit {
                // The kernel hands on no more than eight bits of either.
                Exit::Code(code) => u8::try_from(code & 0xff).unwrap_or(u8::MAX),
                Exit::Signal(signal) => u8::try_from(128 + signal).unwrap_or(u8::MAX),
            },
            Outcome::Stopped(_) => 124,
        }
    }

    fn text(&self) -> String {
        let mut text = String::from("holdoff vtime: ");
        if let Outcome::Stopped(stop) = &self.outcome {
            text.push_str(&format!("{}\n", stopped(stop)));
        }
        if let Outcome::Crashed(exit) = &self.outcome {
            text.push_str(&format!("ended by {exit}\n"));
        }
        let aside = if text.ends_with('\n') { "  " } else { "" };
        let milliseconds = i64::try_from(self.real.as_millis()).unwrap_or(i64::MAX);
        text.push_str(&format!(
            "{aside}{} passed in {} of real time",
            Span::from_std(self.elapsed),
            Span::from_millis(milliseconds)
        ));
        for line in self.tally.lines() {
            text.push_str(&format!("\n  {line}"));
        }
        text
    }
}

/// Why the clock stopped, in the notation of the command line, and what may be
/// behind it.
fn stopped(stop: &Stop) -> String {
    match stop {
        Stop::Hung => "hung: everybody waits, and nothing has a deadline \
                       (what comes from outside, by a terminal or a network, is no deadline)"
            .to_owned(),
        Stop::NeverEnded { wait: Some(wait) } => format!(
            "never ended: asked to wait {} ({})",
            Span::from_std(wait.asked),
            wait.kind
        ),
        Stop::OutOfTime => "out of real time: see --limit".to_owned(),
        Stop::Starved { .. } => format!("{stop}: see --limit"),
        other => terminal(&other.to_string()).into_owned(),
    }
}

/// What was waited for, by kind, in the order of the first wait of each.
#[derive(Debug, Default)]
struct Tally(Vec<Group>);

#[derive(Debug)]
struct Group {
    kind: WaitKind,
    role: Role,
    count: u64,
    longest: Duration,
    names: BTreeSet<String>,
}

/// Names that are shown of a group.
const NAMES: usize = 4;

impl Tally {
    fn add(&mut self, wait: &TimedWait, name: String) {
        let same = |group: &Group| group.kind == wait.kind && group.role == wait.role;
        let at = self.0.iter().position(same).unwrap_or_else(|| {
            self.0.push(Group {
                kind: wait.kind,
                role: wait.role,
                count: 0,
                longest: Duration::ZERO,
                names: BTreeSet::new(),
            });
            self.0.len() - 1
        });
        let group = &mut self.0[at];
        group.count += 1;
        group.longest = group.longest.max(wait.asked);
        if !name.is_empty() {
            group.names.insert(name);
        }
    }

    fn lines(&self) -> Vec<String> {
        if self.0.is_empty() {
            return vec!["no timed wait came to its end".to_owned()];
        }
        self.0.iter().map(Group::line).collect()
    }
}

impl Group {
    fn line(&self) -> String {
        let waits = if self.count == 1 { "wait" } else { "waits" };
        let longest = Span::from_std(self.longest);
        let (kind, count) = (self.kind, self.count);
        let mut line = format!("{kind:<8} {count:>6} {waits:<5}  longest {longest}");
        let shown: Vec<_> = self.names.iter().take(NAMES).map(String::as_str).collect();
        if !shown.is_empty() {
            line.push_str(&format!("  by {}", shown.join(", ")));
        }
        if self.names.len() > NAMES {
            line.push_str(&format!(" and {} more", self.names.len() - NAMES));
        }
        if self.role == Role::Housekeeping {
            line.push_str(" (housekeeping)");
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wait(kind: WaitKind, role: Role, seconds: u64) -> TimedWait {
        TimedWait {
            thread: 1,
            process: 1,
            kind,
            asked: Duration::from_secs(seconds),
            began: Duration::ZERO,
            role,
        }
    }

    fn passage(outcome: Outcome) -> Passage {
        Passage {
            outcome,
            elapsed: Duration::new(3_600, 12),
            real: Duration::from_micros(14_900),
            tally: Tally::default(),
        }
    }

    #[test]
    fn waits_are_grouped_by_kind_and_role() {
        let mut passage = passage(Outcome::Ended(Exit::Code(0)));
        let worker = Role::Worker;
        passage
            .tally
            .add(&wait(WaitKind::Sleep, worker, 5), "main".into());
        for n in 0..6 {
            let name = format!("pool-{n}");
            passage.tally.add(&wait(WaitKind::Futex, worker, n), name);
        }
        let housekeeping = wait(WaitKind::Futex, Role::Housekeeping, 1);
        passage.tally.add(&housekeeping, "VM Thread".into());
        passage
            .tally
            .add(&wait(WaitKind::Sleep, worker, 3_600), String::new());
        insta::assert_snapshot!("vtime_groups", passage.text());
    }

    #[test]
    fn the_exit_code_is_that_of_the_command() {
        for (outcome, code) in [
            (Outcome::Ended(Exit::Code(0)), 0),
            (Outcome::Ended(Exit::Code(7)), 7),
            (Outcome::Crashed(Exit::Signal(9)), 137),
            (Outcome::Stopped(Stop::Hung), 124),
        ] {
            assert_eq!(passage(outcome.clone()).exit_code(), code, "{outcome:?}");
        }
    }

    #[test]
    fn a_stop_says_why() {
        let endless = wait(WaitKind::Sleep, Role::Worker, 9_999_999_999);
        let text: Vec<_> = [
            Stop::Hung,
            Stop::NeverEnded {
                wait: Some(endless),
            },
            Stop::OutOfTime,
            Stop::Starved { thread: 7 },
            Stop::Corrupt {
                found: "\u{1b}[2J".into(),
            },
        ]
        .into_iter()
        .map(|stop| passage(Outcome::Stopped(stop)).text())
        .collect();
        insta::assert_snapshot!("vtime_stops", text.join("\n\n"));
    }

    #[test]
    fn instants_and_lengths_that_no_clock_can_show_are_refused() {
        for text in ["1969-12-31T23:59:59Z", "2263-01-01T00:00:00Z", "tomorrow"] {
            assert!(instant(text).is_err(), "{text}");
        }
        for text in ["1970-01-01T00:00:00Z", "2030-01-01T00:00:00.25+02:00"] {
            assert!(instant(text).is_ok(), "{text}");
        }
        assert!(some_time("0s").is_err() && some_time("-1s").is_err() && some_time("5").is_err());
        assert_eq!(some_time("1ms"), Ok(Span::from_millis(1)));
    }
}
