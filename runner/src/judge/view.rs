//! An observation, call by call.

use crate::adapter::protocol::{During, EventName};
use crate::model::{
    CallId, Ending, Exchange, ExchangeKind, Observation, ObservedEvent, ObservedResult, Span,
};
use crate::oracle::GapKind;

/// What was seen of one call.
pub(super) struct CallView<'a> {
    pub(super) observation: &'a Observation,
    pub(super) id: &'a CallId,
    pub(super) attempts: Vec<&'a Exchange>,
}

/// A gap as it was seen.
pub(super) struct SeenGap {
    pub(super) kind: GapKind,
    pub(super) length: Option<Span>,
}

impl<'a> CallView<'a> {
    /// The view of call `id`; `only` if the case has no other.
    pub(super) fn new(observation: &'a Observation, id: &'a CallId, calls: usize) -> Self {
        let is_attempt = |exchange: &&Exchange| {
            matches!(
                exchange.kind,
                ExchangeKind::Scripted | ExchangeKind::Overflow | ExchangeKind::Late
            )
        };
        let belongs = |exchange: &&Exchange| match &exchange.call {
            Some(call) => call == id,
            None => calls == 1,
        };
        let attempts = observation
            .exchanges
            .iter()
            .filter(is_attempt)
            .filter(belongs)
            .collect();
        Self {
            observation,
            id,
            attempts,
        }
    }

    pub(super) fn result(&self) -> Option<&'a ObservedResult> {
        self.observation.results.get(self.id)
    }

    /// The early watch of a real-clock run ended before the case did.
    pub(super) fn is_watched(&self) -> bool {
        self.observation.ending == Ending::Watched
    }

    /// What lies before attempt `index` (from 1 on).
    pub(super) fn gap_before(&self, index: usize) -> Option<SeenGap> {
        let (before, this) = (
            self.attempts.get(index.checked_sub(1)?)?,
            self.attempts.get(index)?,
        );
        let same =
            before.method == this.method && before.path == this.path && before.query == this.query;
        Some(SeenGap {
            kind: if same { GapKind::Wait } else { GapKind::Next },
            length: before.replied_at.map(|replied| this.at - replied),
        })
    }

    pub(super) fn lead(&self) -> Option<Span> {
        Some(self.attempts.first()?.at - *self.observation.started.get(self.id)?)
    }

    /// Attempts after the result.
    pub(super) fn late_attempts(&self) -> usize {
        let Some(result) = self.result() else {
            return 0;
        };
        self.attempts
            .iter()
            .filter(|exchange| exchange.at > result.at || exchange.kind == ExchangeKind::Late)
            .count()
    }

    /// Sleeps between requests; those of no time are left out.
    pub(super) fn asked(&self, calls: usize) -> Vec<Span> {
        self.observation
            .asked
            .iter()
            .filter(|asked| asked.during != Some(During::Request) && !asked.duration.is_zero())
            .filter(|asked| {
                asked
                    .call
                    .as_ref()
                    .map_or(calls == 1, |call| call == self.id)
            })
            .map(|asked| asked.duration)
            .collect()
    }

    pub(super) fn events(&self, name: EventName) -> Vec<&'a ObservedEvent> {
        self.observation
            .events
            .iter()
            .filter(|event| event.call == *self.id && event.event == name)
            .collect()
    }
}
