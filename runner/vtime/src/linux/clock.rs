//! [`Clock`]: the caller's handle on the clock of a tree.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::Thread;
use std::time::{Duration, SystemTime};

use super::page::ClockPage;
use super::queue::{Queue, Scheduled};
use crate::{Error, EventId, Limits, Options, WallStep};

/// The clock of a process tree. All instants are counted from the start of the
/// tree.
#[derive(Clone)]
pub struct Clock(pub(super) Arc<Shared>);

/// Keeps a clock still while it lives.
#[derive(Debug)]
pub struct Hold(Clock);

/// What the supervisor's thread and everybody else share.
pub(super) struct Shared {
    pub(super) page: ClockPage,
    holds: AtomicUsize,
    queue: Mutex<Queue>,
    phase: Mutex<Phase>,
    /// Counts changes of the phase.
    orders: AtomicU64,
    seed: Mutex<Option<u64>>,
    /// Counts changes of the seed.
    seeds: AtomicU64,
    doomed: AtomicBool,
    supervisor: OnceLock<Thread>,
}

/// Whether the clock runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Phase {
    Stands,
    Runs(Limits),
}

impl Clock {
    pub(super) fn new(options: &Options) -> Result<Self, Error> {
        let wall = since_epoch(options.start).ok_or(Error::Start)?;
        let page = ClockPage::create(wall, nanoseconds(options.tick).max(1))?;
        Ok(Self(Arc::new(Shared {
            page,
            holds: AtomicUsize::new(0),
            queue: Mutex::default(),
            phase: Mutex::new(Phase::Runs(options.limits)),
            orders: AtomicU64::new(1),
            seed: Mutex::new(options.seed),
            seeds: AtomicU64::new(1),
            doomed: AtomicBool::new(false),
            supervisor: OnceLock::new(),
        })))
    }

    /// Where the clock stands. This is no reading of the tree: it moves
    /// nothing.
    pub fn now(&self) -> Duration {
        Duration::from_nanos(self.0.page.now())
    }

    /// What the wall clock shows.
    pub fn wall(&self) -> SystemTime {
        let shown = self.0.page.now().wrapping_add(self.0.page.wall_start());
        SystemTime::UNIX_EPOCH + Duration::from_nanos(shown)
    }

    /// Puts an event on the queue. One whose time is over fires at the next rest.
    pub fn schedule(&self, at: Duration) -> EventId {
        self.enqueue(at, Scheduled::Event)
    }

    /// Puts a jump of the wall clock on the queue; nobody is told when it
    /// happens.
    pub fn schedule_step(&self, at: Duration, step: WallStep) -> EventId {
        self.enqueue(at, Scheduled::Step(step))
    }

    /// Takes an event off the queue; false if it has fired.
    pub fn cancel(&self, event: EventId) -> bool {
        self.0.queue().remove(event)
    }

    /// Keeps the clock still until the hold is dropped.
    pub fn hold(&self) -> Hold {
        self.0.holds.fetch_add(1, Ordering::SeqCst);
        Hold(self.clone())
    }

    /// Lets the clock run, within these limits from now on.
    pub fn run(&self, limits: Limits) {
        self.0.set_phase(Phase::Runs(limits));
    }

    /// Makes the clock stand until [`Clock::run`].
    pub fn stand(&self) {
        self.0.set_phase(Phase::Stands);
    }

    /// Sets what the wall clock shows now.
    ///
    /// # Errors
    /// If it cannot show that.
    pub fn set_wall(&self, wall: SystemTime) -> Result<(), Error> {
        let wall = since_epoch(wall).ok_or(Error::Start)?;
        let now = self.0.page.now();
        self.0.page.set_wall_start(wall.wrapping_sub(now));
        Ok(())
    }

    /// Sets how far each reading moves the clock, at least a nanosecond.
    pub fn set_tick(&self, tick: Duration) {
        self.0.page.set_tick(nanoseconds(tick).max(1));
    }

    /// Starts the random bytes anew from a seed. A tree that was started
    /// without one keeps the kernel's.
    pub fn reseed(&self, seed: u64) {
        *lock(&self.0.seed) = Some(seed);
        self.0.seeds.fetch_add(1, Ordering::SeqCst);
    }

    fn enqueue(&self, at: Duration, scheduled: Scheduled) -> EventId {
        let id = self.0.queue().add(nanoseconds(at), scheduled);
        self.0.wake();
        id
    }
}

impl std::fmt::Debug for Clock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Clock")
            .field("now", &self.now())
            .field("wall", &self.wall())
            .finish_non_exhaustive()
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        self.0.0.holds.fetch_sub(1, Ordering::SeqCst);
        self.0.0.wake();
    }
}

impl Shared {
    pub(super) fn queue(&self) -> MutexGuard<'_, Queue> {
        lock(&self.queue)
    }

    pub(super) fn is_held(&self) -> bool {
        self.holds.load(Ordering::SeqCst) > 0
    }

    pub(super) fn set_phase(&self, phase: Phase) {
        *lock(&self.phase) = phase;
        self.orders.fetch_add(1, Ordering::SeqCst);
        self.wake();
    }

    /// The phase, if it changed since `seen`, which is brought up to date.
    pub(super) fn new_phase(&self, seen: &mut u64) -> Option<Phase> {
        let orders = self.orders.load(Ordering::SeqCst);
        if orders == *seen {
            return None;
        }
        *seen = orders;
        Some(*lock(&self.phase))
    }

    /// Stops the clock, unless somebody has changed its phase since `seen`.
    pub(super) fn end_phase(&self, seen: u64) {
        let mut phase = lock(&self.phase);
        if self.orders.load(Ordering::SeqCst) == seen {
            *phase = Phase::Stands;
        }
    }

    /// The seed, if it changed since `seen`, which is brought up to date.
    pub(super) fn new_seed(&self, seen: &mut u64) -> Option<u64> {
        let seeds = self.seeds.load(Ordering::SeqCst);
        if seeds == *seen {
            return None;
        }
        *seen = seeds;
        *lock(&self.seed)
    }

    /// Everybody of the tree is to be killed.
    pub(super) fn doom(&self) {
        self.doomed.store(true, Ordering::SeqCst);
        self.wake();
    }

    pub(super) fn is_doomed(&self) -> bool {
        self.doomed.load(Ordering::SeqCst)
    }

    /// Names the calling thread as the supervisor's.
    pub(super) fn supervise(&self) {
        // There is one supervisor, and it says so once.
        let _ = self.supervisor.set(std::thread::current());
    }

    fn wake(&self) {
        if let Some(supervisor) = self.supervisor.get() {
            supervisor.unpark();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whole nanoseconds; what is longer than a clock can count never ends.
pub(super) fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// Nanoseconds since 1970, up to what a signed count of them can show.
fn since_epoch(wall: SystemTime) -> Option<u64> {
    let since = wall.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    let since = i64::try_from(since.as_nanos()).ok()?;
    Some(since.unsigned_abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wall_clock_is_set_without_moving_the_other() {
        let clock = Clock::new(&Options::default()).unwrap();
        let wall = SystemTime::UNIX_EPOCH + Duration::from_millis(1_999_999_999_500);
        clock.set_wall(wall).unwrap();
        assert_eq!((clock.now(), clock.wall()), (Duration::ZERO, wall));
        let before = SystemTime::UNIX_EPOCH - Duration::from_nanos(1);
        assert!(matches!(clock.set_wall(before), Err(Error::Start)));
    }

    #[test]
    fn a_hold_ends_when_it_is_dropped() {
        let clock = Clock::new(&Options::default()).unwrap();
        let hold = clock.hold();
        assert!(clock.0.is_held());
        drop(hold);
        assert!(!clock.0.is_held());
    }

    #[test]
    fn an_order_is_seen_once_and_wins_over_the_end_of_the_phase_before() {
        let clock = Clock::new(&Options::default()).unwrap();
        let mut seen = 0;
        assert!(matches!(clock.0.new_phase(&mut seen), Some(Phase::Runs(_))));
        assert_eq!(clock.0.new_phase(&mut seen), None);
        clock.run(Limits::default());
        clock.0.end_phase(seen);
        let again = clock.0.new_phase(&mut seen);
        assert_eq!(again, Some(Phase::Runs(Limits::default())));
    }
}
