//! [`Report`]: what the supervisor of a tree tells its caller.

use std::fmt;
use std::time::Duration;

use crate::{Error, Hold};

/// An event on the queue of a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventId(pub(crate) u64);

/// A jump of the wall clock; the monotonic one does not know of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WallStep {
    /// The wall clock is put forward.
    Forward(Duration),
    /// The wall clock is put back.
    Back(Duration),
}

/// By which call of the kernel a thread waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WaitKind {
    /// nanosleep, clock_nanosleep.
    Sleep,
    /// A futex: locks, conditions, semaphores.
    Futex,
    /// poll, select, epoll_wait and their kin.
    Poll,
    /// sigtimedwait.
    Signal,
    /// System V and POSIX queues and semaphores.
    Queue,
    /// Reading from a socket that has a timeout.
    Receive,
    /// A timer of the process: timerfd, POSIX timer, setitimer, alarm.
    Timer,
}

impl fmt::Display for WaitKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Sleep => "sleep",
            Self::Futex => "futex",
            Self::Poll => "poll",
            Self::Signal => "signal",
            Self::Queue => "queue",
            Self::Receive => "receive",
            Self::Timer => "timer",
        })
    }
}

/// Something that the tree waited for until its time was over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimedWait {
    /// The thread, by its kernel id; the process for a timer.
    pub thread: u32,
    /// The process.
    pub process: u32,
    /// By which call.
    pub kind: WaitKind,
    /// How long it was asked to be, counted from when it was asked.
    pub asked: Duration,
    /// Instant at which it was asked for.
    pub began: Duration,
    /// Whether the thread only keeps house.
    pub role: Role,
}

/// What a thread is there for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// It does the program's work.
    Worker,
    /// It is on the list of [`crate::Options::housekeeping`].
    Housekeeping,
}

/// A scheduled event whose time has come.
#[derive(Debug)]
pub struct Fired {
    /// Which.
    pub event: EventId,
    /// When it was to come, which is where the clock stands.
    pub at: Duration,
    /// Keeps the clock where it is until it is dropped.
    pub hold: Hold,
}

/// Why the clock stopped before its caller stopped it. It stands; the tree is
/// as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Everybody waits, and nothing has a deadline.
    Hung,
    /// The next deadline lies beyond the horizon.
    NeverEnded {
        /// The wait whose deadline it is; none: an event of the caller.
        wait: Option<TimedWait>,
    },
    /// More deadlines were met than allowed.
    TooManyEvents,
    /// The real-time bound was reached while a thread ran without rest.
    Starved {
        /// The thread that ran.
        thread: u32,
    },
    /// The real-time bound was reached otherwise.
    OutOfTime,
    /// The tree has more threads than allowed.
    TooManyThreads {
        /// How many it has.
        threads: usize,
    },
    /// A process has written to the page that holds the clock.
    Corrupt {
        /// What was found.
        found: String,
    },
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hung => f.write_str("hung: everybody waits, and nothing has a deadline"),
            Self::NeverEnded { wait: Some(wait) } => {
                write!(
                    f,
                    "never ended: asked to wait {:?} ({})",
                    wait.asked, wait.kind
                )
            }
            Self::NeverEnded { wait: None } => f.write_str("never ended within the horizon"),
            Self::TooManyEvents => f.write_str("never ended: too many deadlines"),
            Self::Starved { thread } => write!(f, "starved: thread {thread} runs without rest"),
            Self::OutOfTime => f.write_str("out of real time"),
            Self::TooManyThreads { threads } => write!(f, "too many threads: {threads}"),
            Self::Corrupt { found } => write!(f, "a process wrote to its clock: {found}"),
        }
    }
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Exit {
    /// It exited with this code.
    Code(i32),
    /// This signal killed it.
    Signal(i32),
}

impl Exit {
    /// Whether it exited with 0.
    pub fn success(self) -> bool {
        self == Self::Code(0)
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(f, "exit status: {code}"),
            Self::Signal(signal) => write!(f, "signal: {signal}"),
        }
    }
}

/// What the supervisor of a tree tells its caller, in order.
#[derive(Debug)]
pub enum Report {
    /// A timed wait was over.
    Waited(TimedWait),
    /// A scheduled event's time has come.
    Fired(Fired),
    /// The clock stopped; [`crate::Clock::run`] starts it again.
    Stopped {
        /// Where it stands.
        at: Duration,
        /// Why.
        stop: Stop,
    },
    /// The first process of the tree has ended; the others go on.
    Exited(Exit),
    /// Nobody of the tree is left. The last report but `Failed`.
    Gone,
    /// The supervisor failed; the tree was killed. The last report.
    Failed(Error),
}

/// How a tree ended that was run to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Its first process exited.
    Ended(Exit),
    /// A signal killed its first process.
    Crashed(Exit),
    /// The clock stopped, and the tree was killed.
    Stopped(Stop),
}

impl Outcome {
    /// How a tree ends of which this is told; none: it goes on.
    pub fn reached(report: &Report) -> Option<Self> {
        match report {
            Report::Exited(exit @ Exit::Code(_)) => Some(Self::Ended(*exit)),
            Report::Exited(exit @ Exit::Signal(_)) => Some(Self::Crashed(*exit)),
            Report::Stopped { stop, .. } => Some(Self::Stopped(stop.clone())),
            Report::Waited(_) | Report::Fired(_) | Report::Gone | Report::Failed(_) => None,
        }
    }
}
