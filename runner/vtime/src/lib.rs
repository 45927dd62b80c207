//! Runs a process tree, in any language and unmodified, under a clock that the
//! caller owns: a program that sleeps for an hour is done in milliseconds, and
//! every instant that it can read agrees that an hour has passed.
//!
//! ```no_run
//! use std::process::Command;
//! use std::time::Duration;
//!
//! use holdoff_vtime::{Options, Outcome, run};
//!
//! let mut command = Command::new("sleep");
//! command.arg("3600");
//! let summary = run(command, Options::default())?;
//! assert!(matches!(summary.outcome, Outcome::Ended(exit) if exit.success()));
//! assert!(summary.elapsed >= Duration::from_secs(3600));
//! # Ok::<(), holdoff_vtime::Error>(())
//! ```
//!
//! # How time passes
//!
//! The clock stands while code runs; computing takes no time. It moves
//!
//! - by one nanosecond ([`Options::tick`]) at every reading, so that loops that
//!   wait for the time to change end;
//! - by one microsecond at a timed wait whose deadline has already passed;
//! - by fifty nanoseconds at the end of a wait in whole milliseconds, so
//!   that programs which truncate what is left of one do not wait again;
//! - to the next deadline, when every thread of the tree and of this process
//!   waits for something that only time can bring. Deadlines are those of the
//!   tree's timed waits and timers, and the events that the caller has put on
//!   the same queue with [`Clock::schedule`].
//!
//! # What the caller owes
//!
//! The rule looks at every thread of the calling process, too: a thread that
//! works on behalf of the tree (a server that it talks to) keeps the clock
//! still by running. Work that is announced to nobody, in another process or
//! behind a real timer, looks like rest: hold the clock meanwhile
//! ([`Clock::hold`]).
//!
//! # Where it works
//!
//! On Linux, x86-64, wherever a process may trace its own children; no
//! privilege is needed. [`examine`] tells what a computer lacks. Elsewhere
//! everything compiles, and [`spawn`] refuses with [`Error::Unsupported`].

mod error;
mod examine;
mod options;
mod report;
mod run;

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod linux;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
use linux as system;

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
mod absent;
#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
use absent as system;

pub use error::Error;
pub use examine::{Finding, Precondition, Trouble, examine};
pub use options::{Connections, Limits, Options};
pub use report::{
    EventId, Exit, Fired, Outcome, Report, Role, Stop, TimedWait, WaitKind, WallStep,
};
pub use run::{Summary, run, run_scripted};
pub use system::{Clock, Hold, Supervised, spawn};
