//! [`Options`]: what a process tree is run with.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// How far a phase of the clock may go; see [`crate::Clock::run`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Instant of the clock that is not passed.
    pub horizon: Duration,
    /// Real time that the phase may take.
    pub real_time: Duration,
    /// Deadlines that may be met.
    pub events: u64,
    /// Threads that the tree may have at one time.
    pub threads: usize,
}

impl Default for Limits {
    /// A hundred years, a minute of real time, a million deadlines and 400
    /// threads: two files are open for each, and a process has a thousand.
    fn default() -> Self {
        Self {
            horizon: Duration::from_secs(100 * 366 * 86_400),
            real_time: Duration::from_secs(60),
            events: 1_000_000,
            threads: 400,
        }
    }
}

/// The connections by which the tree talks to the calling process: pairs of
/// our own and the other side's address. The clock does not move while bytes of
/// one of them are between two sockets.
#[derive(Clone)]
pub struct Connections(Arc<ListConnections>);

type ListConnections = dyn Fn() -> Vec<(SocketAddr, SocketAddr)> + Send + Sync;

impl Connections {
    /// Those that `list` names, which is asked before each jump of the clock. It
    /// must not wait for another thread longer than for a lock.
    pub fn new(list: impl Fn() -> Vec<(SocketAddr, SocketAddr)> + Send + Sync + 'static) -> Self {
        Self(Arc::new(list))
    }

    /// None.
    pub fn none() -> Self {
        Self::new(Vec::new)
    }

    /// Those that there are now.
    pub fn list(&self) -> Vec<(SocketAddr, SocketAddr)> {
        (self.0)()
    }
}

impl fmt::Debug for Connections {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Connections").finish_non_exhaustive()
    }
}

/// What a process tree is run with.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where the wall clock stands at the start: 1970 or later.
    pub start: SystemTime,
    /// How far each reading moves the clock, at least a nanosecond.
    pub tick: Duration,
    /// Seed of what the kernel gives out as random bytes: getrandom and the
    /// sixteen bytes of each new program. None: the kernel's own.
    pub seed: Option<u64>,
    /// Bounds of the first phase, which begins at once.
    pub limits: Limits,
    /// Names of threads that only keep house: their waits end last, and those
    /// of 49 ms and more do not move the clock.
    pub housekeeping: Vec<String>,
    /// Connections between the tree and this process.
    pub connections: Connections,
}

impl Options {
    /// Threads of known runtimes that keep house. Waking late is always legal,
    /// and a Java machine alone would wake 53,000 times in half an hour.
    pub const HOUSEKEEPING: &'static [&'static str] = &[
        "VM Periodic Tas",
        "VM Thread",
        "G1 Service",
        "G1 Main Marker",
        "G1 Refine#0",
        "Monitor Deflati",
        "C1 CompilerThre",
        "C2 CompilerThre",
        "Sweeper thread",
        "Common-Cleaner",
        "Signal Dispatch",
        "Notification T",
    ];
}

impl Default for Options {
    /// The first of January 2030, a nanosecond a reading, no seed.
    fn default() -> Self {
        Self {
            start: SystemTime::UNIX_EPOCH + Duration::from_secs(1_893_456_000),
            tick: Duration::from_nanos(1),
            seed: None,
            limits: Limits::default(),
            housekeeping: Self::HOUSEKEEPING
                .iter()
                .map(|name| (*name).to_owned())
                .collect(),
            connections: Connections::none(),
        }
    }
}
