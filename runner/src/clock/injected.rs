//! [`InjectedClock`]: a clock that stands until the runner moves it.

use std::sync::{Mutex, PoisonError};

use jiff::Timestamp;

use super::wall::wall_at;
use crate::model::{ClockPlan, Span};
use crate::tap::CaseClock;

/// The clock of a case whose SDK takes a clock and a sleeper. It moves only
/// forward, and only by [`InjectedClock::move_to`].
#[derive(Debug)]
pub struct InjectedClock {
    plan: ClockPlan,
    now: Mutex<Span>,
}

impl InjectedClock {
    /// A clock that stands at the case's open.
    pub fn new(plan: ClockPlan) -> Self {
        Self {
            plan,
            now: Mutex::new(Span::ZERO),
        }
    }

    /// Moves to an instant of the case; an earlier one is no move.
    pub fn move_to(&self, to: Span) {
        let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        *now = (*now).max(to);
    }
}

impl CaseClock for InjectedClock {
    fn now(&self) -> Span {
        *self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wall(&self) -> Timestamp {
        wall_at(&self.plan, self.now())
    }
}
