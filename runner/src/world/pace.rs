//! [`Pace`]: the clock of one case, as the world moves it.

use std::sync::Arc;
use std::time::Instant;

use jiff::Timestamp;

use super::WorldFailure;
use crate::adapter::protocol::{ClockKind, OpenClock};
use crate::clock::{InjectedClock, RealClock};
use crate::model::{ClockPlan, Span};
use crate::tap::CaseClock;

/// The clock of one case.
#[derive(Clone, Debug)]
pub(super) enum Pace {
    /// Moves when all is quiet.
    Injected(Arc<InjectedClock>),
    /// Moves by itself.
    Real(Arc<RealClock>),
}

impl Pace {
    pub(super) fn new(plan: &ClockPlan) -> Result<Self, WorldFailure> {
        match plan.kind {
            ClockKind::Injected => Ok(Self::Injected(Arc::new(InjectedClock::new(plan.clone())))),
            ClockKind::Real => Ok(Self::Real(Arc::default())),
            ClockKind::Virtual => Err(WorldFailure::NoClock {
                reason: "this world has no virtual clock".to_owned(),
            }),
        }
    }

    /// The clock for the tap.
    pub(super) fn for_tap(&self) -> Arc<dyn CaseClock> {
        match self {
            Self::Injected(clock) => Arc::clone(clock) as Arc<dyn CaseClock>,
            Self::Real(clock) => Arc::clone(clock) as Arc<dyn CaseClock>,
        }
    }

    /// What the adapter is told at `open`.
    pub(super) fn for_open(&self, plan: &ClockPlan) -> OpenClock {
        let injected = matches!(self, Self::Injected(_));
        OpenClock {
            kind: plan.kind,
            now: injected.then_some(Span::ZERO),
            wall: injected.then(|| self.wall()),
            tick: plan.tick.filter(|_| injected),
        }
    }

    /// The case is open.
    pub(super) fn start(&self) {
        if let Self::Real(clock) = self {
            clock.start();
        }
    }

    pub(super) fn now(&self) -> Span {
        match self {
            Self::Injected(clock) => clock.now(),
            Self::Real(clock) => clock.now(),
        }
    }

    pub(super) fn wall(&self) -> Timestamp {
        match self {
            Self::Injected(clock) => clock.wall(),
            Self::Real(clock) => clock.wall(),
        }
    }

    /// Moves a clock that the runner owns.
    pub(super) fn move_to(&self, to: Span) {
        if let Self::Injected(clock) = self {
            clock.move_to(to);
        }
    }

    /// The machine's instant at an instant of the case, if nobody owns time.
    pub(super) fn instant(&self, at: Span) -> Option<Instant> {
        match self {
            Self::Injected(_) => None,
            Self::Real(clock) => clock.instant(at),
        }
    }

    pub(super) fn is_owned(&self) -> bool {
        matches!(self, Self::Injected(_))
    }
}
