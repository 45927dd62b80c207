//! [`Pace`]: the clock of one case, as the world moves it.

use std::sync::Arc;
use std::time::Instant;

use jiff::Timestamp;

use super::WorldFailure;
use crate::adapter::OwnedTime;
use crate::adapter::protocol::{ClockKind, OpenClock};
use crate::clock::{InjectedClock, RealClock, VirtualClock};
use crate::model::{CasePlan, ClockPlan, Span};
use crate::tap::CaseClock;

/// The clock of one case.
#[derive(Clone, Debug)]
pub(super) enum Pace {
    /// Moves when all is quiet.
    Injected(Arc<InjectedClock>),
    /// Moves by itself.
    Real(Arc<RealClock>),
    /// Moves when every thread rests.
    Virtual(Arc<VirtualClock>),
}

impl Pace {
    /// The clock for a process that lives in `time`, or in the machine's.
    pub(super) fn new(plan: &ClockPlan, time: Option<&OwnedTime>) -> Result<Self, WorldFailure> {
        match (plan.kind, time) {
            (ClockKind::Injected, None) => {
                Ok(Self::Injected(Arc::new(InjectedClock::new(plan.clone()))))
            }
            (ClockKind::Real, None) => Ok(Self::Real(Arc::default())),
            (ClockKind::Virtual, Some(time)) => Ok(Self::Virtual(Arc::new(VirtualClock::new(
                time.clock.clone(),
                plan.clone(),
            )))),
            (ClockKind::Virtual, None) => Err(WorldFailure::NoClock {
                reason: "this world has no virtual clock".to_owned(),
            }),
            (ClockKind::Injected | ClockKind::Real, Some(_)) => Err(WorldFailure::NoClock {
                reason: "this world has no clock but the virtual one".to_owned(),
            }),
        }
    }

    /// The clock for the tap.
    pub(super) fn for_tap(&self) -> Arc<dyn CaseClock> {
        match self {
            Self::Injected(clock) => Arc::clone(clock) as Arc<dyn CaseClock>,
            Self::Real(clock) => Arc::clone(clock) as Arc<dyn CaseClock>,
            Self::Virtual(clock) => Arc::clone(clock) as Arc<dyn CaseClock>,
        }
    }

    /// What the adapter is told at `open`.
    pub(super) fn for_open(&self, plan: &ClockPlan) -> OpenClock {
        let injected = self.is_injected();
        OpenClock {
            kind: plan.kind,
            now: injected.then_some(Span::ZERO),
            wall: injected.then(|| self.wall()),
            tick: plan.tick.filter(|_| injected),
        }
    }

    /// The case is about to be opened, within so much real time.
    pub(super) fn prepare(&self, plan: &CasePlan, patience: Span) -> Result<(), WorldFailure> {
        match self {
            Self::Virtual(clock) => clock
                .prepare(plan.seed, patience)
                .map_err(WorldFailure::harness),
            Self::Injected(_) | Self::Real(_) => Ok(()),
        }
    }

    /// The case is open.
    pub(super) fn start(&self, plan: &CasePlan) -> Result<(), WorldFailure> {
        match self {
            Self::Real(clock) => clock.start(),
            Self::Virtual(clock) => clock.open(&plan.bounds).map_err(WorldFailure::harness)?,
            Self::Injected(_) => {}
        }
        Ok(())
    }

    /// The case was played; what the adapter does now is no part of it, and may
    /// take so much real time.
    pub(super) fn run_aside(&self, patience: Span) {
        if let Self::Virtual(clock) = self {
            clock.close();
            clock.run_aside(patience);
        }
    }

    /// The case is over.
    pub(super) fn close(&self) {
        if let Self::Virtual(clock) = self {
            clock.close();
        }
    }

    pub(super) fn now(&self) -> Span {
        match self {
            Self::Injected(clock) => clock.now(),
            Self::Real(clock) => clock.now(),
            Self::Virtual(clock) => clock.now(),
        }
    }

    pub(super) fn wall(&self) -> Timestamp {
        match self {
            Self::Injected(clock) => clock.wall(),
            Self::Real(clock) => clock.wall(),
            Self::Virtual(clock) => clock.wall(),
        }
    }

    /// Moves a clock that the world itself moves.
    pub(super) fn move_to(&self, to: Span) {
        if let Self::Injected(clock) = self {
            clock.move_to(to);
        }
    }

    /// The machine's instant at an instant of the case, if nobody owns time.
    pub(super) fn instant(&self, at: Span) -> Option<Instant> {
        match self {
            Self::Injected(_) | Self::Virtual(_) => None,
            Self::Real(clock) => clock.instant(at),
        }
    }

    /// Whether the runner owns time.
    pub(super) fn is_owned(&self) -> bool {
        !matches!(self, Self::Real(_))
    }

    /// Whether the world itself moves the clock, and tells the adapter.
    pub(super) fn is_injected(&self) -> bool {
        matches!(self, Self::Injected(_))
    }

    /// The clock of the whole process tree, if it is one.
    pub(super) fn of_the_tree(&self) -> Option<&Arc<VirtualClock>> {
        match self {
            Self::Virtual(clock) => Some(clock),
            Self::Injected(_) | Self::Real(_) => None,
        }
    }
}
