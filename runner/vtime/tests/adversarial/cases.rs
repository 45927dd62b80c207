//! The programs, and how each is to end.

use std::time::Duration;

use holdoff_vtime::{Exit, Outcome, Stop};

use crate::support::tree::Ran;
use crate::support::trials::{Checked, require};

/// A program.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) wanted: Wanted,
}

/// How a program is to end.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wanted {
    /// With 0, after so many seconds.
    Ended(u64),
    Hung,
    /// Asked for a wait of at least so many days.
    NeverEnded(u64),
    Starved,
    /// As above; a thread that the filter stops at each turn may not be found.
    StarvedOrOutOfTime,
    TooManyThreads,
    Corrupt,
    /// By a signal.
    Crashed(i32),
    /// Either is right: it depends on what the system allows.
    EndedOrCrashed(i32),
}

impl Wanted {
    /// What it is given of real time.
    pub(crate) fn real_time(self) -> Duration {
        match self {
            Self::Starved | Self::StarvedOrOutOfTime => crate::STARVED,
            _ => crate::REAL_TIME,
        }
    }

    /// Fails unless the tree ended so.
    pub(crate) fn check(self, ran: &Ran) -> Checked {
        match self {
            Self::Ended(seconds) => {
                ran.succeeded()?;
                let (elapsed, wanted) = (ran.summary.elapsed, Duration::from_secs(seconds));
                require(elapsed >= wanted, || format!("{elapsed:?} passed, not {wanted:?}"))
            }
            Self::Hung => ran.stopped("hung", |stop| *stop == Stop::Hung),
            Self::NeverEnded(days) => ran.stopped("never ended", |stop| {
                let Stop::NeverEnded { wait: Some(wait) } = stop else {
                    return false;
                };
                wait.asked >= Duration::from_secs(days * 86_400)
            }),
            Self::Starved => ran.stopped("starved", |stop| matches!(stop, Stop::Starved { .. })),
            Self::StarvedOrOutOfTime => ran.stopped("starved, or out of time", |stop| {
                matches!(stop, Stop::Starved { .. } | Stop::OutOfTime)
            }),
            Self::TooManyThreads => ran.stopped("too many threads", |stop| {
                matches!(stop, Stop::TooManyThreads { threads } if *threads > crate::THREADS)
            }),
            Self::Corrupt => ran.stopped("corrupt", |stop| matches!(stop, Stop::Corrupt { .. })),
            Self::Crashed(signal) => {
                let outcome = &ran.summary.outcome;
                let wanted = Outcome::Crashed(Exit::Signal(signal));
                require(*outcome == wanted, || format!("{outcome:?} instead of {wanted:?}"))
            }
            Self::EndedOrCrashed(signal) => Self::Crashed(signal)
                .check(ran)
                .or_else(|_| Self::Ended(0).check(ran)),
        }
    }
}

const SIGBUS: i32 = 7;
const SIGSEGV: i32 = 11;
const HOUR: u64 = 3600;

const fn case(name: &'static str, wanted: Wanted) -> Case {
    Case { name, wanted }
}

/// Programs of `adversary.c`.
pub(crate) const C: &[Case] = &[
    case("spin_on_the_clock", Wanted::Starved),
    case("spin", Wanted::Starved),
    case("spin_in_the_kernel", Wanted::Starved),
    case("spin_in_the_filter", Wanted::StarvedOrOutOfTime),
    case("spin_beside_a_short_sleep", Wanted::Ended(1)),
    case("spin_beside_a_long_sleep", Wanted::Starved),
    case("fork_without_end", Wanted::TooManyThreads),
    case("fork_in_a_chain", Wanted::Ended(0)),
    case("thread_without_end", Wanted::TooManyThreads),
    case("block_every_signal_and_sleep", Wanted::Ended(HOUR)),
    case("block_every_signal_and_wait", Wanted::Hung),
    case("stop_itself", Wanted::Hung),
    case("stop_itself_beside_a_sleep", Wanted::Ended(HOUR)),
    // The clock starts in 2030.
    case("sleep_until_2200", Wanted::NeverEnded(169 * 365)),
    case("sleep_for_ever", Wanted::NeverEnded(200 * 365)),
    case("daemonize", Wanted::Ended(0)),
    case("write_a_late_clock", Wanted::Corrupt),
    case("write_an_early_clock", Wanted::Corrupt),
    case("write_everywhere", Wanted::Corrupt),
    case("unmap_the_clock", Wanted::Crashed(SIGSEGV)),
    case("truncate_the_clock", Wanted::EndedOrCrashed(SIGBUS)),
    case("hide_from_tracers", Wanted::Ended(HOUR)),
];

/// Programs of `adversary.py`.
pub(crate) const PYTHON: &[Case] = &[
    case("spin_on_the_clock", Wanted::Starved),
    case("spin_beside_a_short_sleep", Wanted::Ended(1)),
    case("fork_without_end", Wanted::TooManyThreads),
    case("stop_itself", Wanted::Hung),
    case("become_another", Wanted::Ended(HOUR + HOUR / 2)),
    case("daemonize", Wanted::Ended(0)),
    case("ignore_the_end", Wanted::Hung),
];
