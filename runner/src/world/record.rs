//! [`Record`]: an observation while it is being made.

use crate::adapter::{AdapterFault, Said};
use crate::model::{
    Asked, CallId, CasePlan, Ending, Exchange, Observation, ObservedEvent, ObservedResult, Outcome,
    Span,
};
use crate::replay::unserved;

/// Why the world stopped playing a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// All calls had results and the quiet time passed.
    Quiet,
    /// All was quiet, nothing armed, and a call without a result.
    Hung,
    /// The clock would have passed the horizon, by this sleep if by one.
    Horizon(Option<Beyond>),
    /// Too many clock events.
    Events,
    /// Too much real time.
    RealTime,
    /// Too much real time, in which a thread ran without rest.
    Starved,
    /// The early watch was over.
    Watched,
    /// The adapter failed.
    Dead(AdapterFault),
}

/// A sleep that ends beyond the horizon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Beyond {
    /// Whose it is; unknown under the virtual clock.
    pub(super) call: Option<CallId>,
    /// How long it was asked to be.
    pub(super) duration: Span,
}

impl Stop {
    pub(super) fn ending(&self) -> Ending {
        match self {
            Self::Quiet | Self::Hung => Ending::Quiet,
            Self::Horizon(_) => Ending::Horizon,
            Self::Events => Ending::Events,
            Self::RealTime | Self::Starved => Ending::RealTime,
            Self::Watched => Ending::Watched,
            Self::Dead(_) => Ending::Dead,
        }
    }

    /// How a call ended that had no result by then. None: nothing is known.
    fn outcome(&self, call: &CallId) -> Option<Outcome> {
        match self {
            Self::Quiet | Self::Watched => None,
            Self::Hung => Some(Outcome::Hung),
            Self::Horizon(beyond) => Some(Outcome::NeverEnded {
                asked: beyond
                    .as_ref()
                    .filter(|sleep| sleep.call.as_ref().is_none_or(|whose| whose == call))
                    .map(|sleep| sleep.duration),
            }),
            Self::Events => Some(Outcome::NeverEnded { asked: None }),
            Self::RealTime => Some(Outcome::OutOfTime),
            Self::Starved => Some(Outcome::Starved),
            Self::Dead(fault) => Some(fault.outcome()),
        }
    }
}

/// An observation while it is being made.
#[derive(Debug, Default)]
pub(super) struct Record {
    observation: Observation,
}

impl Record {
    /// A call was asked for.
    pub(super) fn started(&mut self, call: &CallId, at: Span) {
        self.observation.started.insert(call.clone(), at);
    }

    /// The adapter said something.
    pub(super) fn said(&mut self, said: &Said, at: Span) {
        let seen = &mut self.observation;
        match said.clone() {
            Said::Event {
                call,
                event,
                failed_attempt,
                next_attempt,
                delay,
                status,
            } => seen.events.push(ObservedEvent {
                at,
                call,
                event,
                failed_attempt,
                next_attempt,
                delay,
                status,
            }),
            Said::Result { call, outcome } => {
                seen.results.insert(call, ObservedResult { at, outcome });
            }
            Said::Sleep {
                call,
                duration,
                during,
                ..
            } => seen.asked.push(Asked {
                at,
                call: Some(call),
                duration,
                during,
            }),
            Said::Held { .. } | Said::Advanced | Said::Closed => {}
        }
    }

    /// The process asked its kernel for a wait.
    pub(super) fn asked(&mut self, asked: Asked) {
        self.observation.asked.push(asked);
    }

    /// Instant of the last result.
    pub(super) fn last_result(&self) -> Option<Span> {
        let results = self.observation.results.values();
        results.map(|result| result.at).max()
    }

    /// The case is over: calls without a result get what the stop says.
    pub(super) fn conclude(&mut self, stop: &Stop, at: Span) {
        let seen = &mut self.observation;
        seen.ending = stop.ending();
        if let Stop::Horizon(Some(Beyond {
            call: None,
            duration,
        })) = *stop
        {
            // It was asked for, but is never over.
            seen.asked.push(Asked {
                at,
                call: None,
                duration,
                during: None,
            });
        }
        for call in seen.started.keys() {
            if seen.results.contains_key(call) {
                continue;
            }
            if let Some(outcome) = stop.outcome(call) {
                let result = ObservedResult { at, outcome };
                seen.results.insert(call.clone(), result);
            }
        }
    }

    /// The adapter failed while the case was being ended. What it had said by
    /// then stands, unless it broke the protocol: then nothing it said does.
    pub(super) fn failed_at_the_end(&mut self, fault: &AdapterFault) {
        self.observation.ending = Ending::Dead;
        if matches!(fault, AdapterFault::Protocol { .. }) {
            for result in self.observation.results.values_mut() {
                result.outcome = fault.outcome();
            }
        }
    }

    /// The finished observation.
    pub(super) fn finish(
        mut self,
        plan: &CasePlan,
        exchanges: Vec<Exchange>,
        log_tail: Vec<String>,
        real_time: Span,
    ) -> Observation {
        self.observation.unserved = unserved(&plan.script, &exchanges);
        self.observation.exchanges = exchanges;
        self.observation.log_tail = log_tail;
        self.observation.real_time = real_time;
        if self.observation.ending == Ending::Watched {
            self.observation.watched_until = plan.bounds.watch;
        }
        self.observation
    }
}
