//! [`VirtualClock`]: the clock of a process tree, as one case counts it.

use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, SystemTime};

use holdoff_vtime::{Clock, Error, EventId, Hold, Limits, WallStep};
use jiff::Timestamp;

use crate::model::{Bounds, ClockPlan, Span, wall_shifted, wall_span};
use crate::tap::CaseClock;

/// Real time of ours beyond that of the clock: it can say better than we why a
/// case does not come to its end.
pub const REAL_SLACK: Span = Span::from_secs(1);
/// Threads that an adapter may have at one time. A pool for each of a hundred
/// calls stays below; a fork bomb does not.
const THREADS: usize = 1_000;
/// How far a reading moves the clock where no fixture says otherwise; loops
/// that wait for a change of the clock end.
const TICK: Duration = Duration::from_nanos(1);

/// The clock of an adapter's process tree while one case is played. It moves
/// when everybody rests, and stands between cases.
#[derive(Debug)]
pub struct VirtualClock {
    clock: Clock,
    plan: ClockPlan,
    zero: OnceLock<Duration>,
    /// Steps of the wall clock that may still be to come.
    steps: Mutex<Vec<EventId>>,
}

impl VirtualClock {
    /// For a case that is not open yet.
    pub fn new(clock: Clock, plan: ClockPlan) -> Self {
        Self {
            clock,
            plan,
            zero: OnceLock::new(),
            steps: Mutex::default(),
        }
    }

    /// Lets the clock run for `open`: the client is made in the case's time.
    ///
    /// # Errors
    /// If the wall clock cannot show the case's start.
    pub fn prepare(&self, seed: u64, patience: Span) -> Result<(), Error> {
        self.clock.set_wall(self.wall_at_open()?)?;
        self.clock.reseed(seed);
        self.run_aside(patience);
        Ok(())
    }

    /// The case is open: this instant is its zero, and the fixture's tick and
    /// steps begin.
    ///
    /// # Errors
    /// If the wall clock cannot show the case's start.
    pub fn open(&self, bounds: &Bounds) -> Result<(), Error> {
        self.clock.stand();
        self.clock.set_wall(self.wall_at_open()?)?;
        self.zero.get_or_init(|| self.clock.now());
        let steps = self.plan.steps.iter().map(|step| {
            let by = step.by.abs().to_std();
            let by = if step.by < Span::ZERO {
                WallStep::Back(by)
            } else {
                WallStep::Forward(by)
            };
            self.clock.schedule_step(self.instant(step.at), by)
        });
        self.steps().extend(steps);
        if let Some(tick) = self.plan.tick {
            self.clock.set_tick(tick.to_std());
        }
        self.run(bounds, bounds.events);
        Ok(())
    }

    /// Lets the clock run on, for so many events.
    pub fn run(&self, bounds: &Bounds, events: u32) {
        self.clock.run(Limits {
            horizon: self.instant(bounds.horizon),
            real_time: bounds.real_time.to_std(),
            events: u64::from(events),
            threads: THREADS,
        });
    }

    /// Lets the clock run for what is no part of the case, for so much real
    /// time.
    pub fn run_aside(&self, patience: Span) {
        self.clock.set_tick(TICK);
        self.clock.run(Limits {
            real_time: patience.to_std(),
            threads: THREADS,
            ..Limits::default()
        });
    }

    /// The case is over: the clock stands, and nothing of the case is left on
    /// its queue.
    pub fn close(&self) {
        self.clock.stand();
        self.clock.set_tick(TICK);
        for step in self.steps().drain(..) {
            self.clock.cancel(step);
        }
    }

    /// Puts an event on the queue, at an instant of the case.
    pub fn schedule(&self, at: Span) -> EventId {
        self.clock.schedule(self.instant(at))
    }

    /// Takes an event off the queue; false if it has fired.
    pub fn cancel(&self, event: EventId) -> bool {
        self.clock.cancel(event)
    }

    /// The instant of the case at an instant of the tree.
    pub fn of_case(&self, at: Duration) -> Span {
        let zero = self.zero.get().copied().unwrap_or(at);
        Span::from_std(at) - Span::from_std(zero)
    }

    fn steps(&self) -> std::sync::MutexGuard<'_, Vec<EventId>> {
        self.steps.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wall_at_open(&self) -> Result<SystemTime, Error> {
        let since = wall_span(self.plan.wall);
        if since < Span::ZERO {
            return Err(Error::Start);
        }
        Ok(SystemTime::UNIX_EPOCH + since.to_std())
    }

    fn instant(&self, at: Span) -> Duration {
        let zero = self.zero.get().copied().unwrap_or_default();
        zero.saturating_add(at.to_std())
    }
}

impl CaseClock for VirtualClock {
    fn now(&self) -> Span {
        self.of_case(self.clock.now())
    }

    fn wall(&self) -> Timestamp {
        let since = self.clock.wall().duration_since(SystemTime::UNIX_EPOCH);
        wall_shifted(
            Timestamp::UNIX_EPOCH,
            Span::from_std(since.unwrap_or_default()),
        )
    }

    fn hold(&self) -> Option<Hold> {
        Some(self.clock.hold())
    }
}
