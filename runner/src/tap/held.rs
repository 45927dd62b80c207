use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use tokio::sync::oneshot;

use super::clock::CaseClock;
use super::event::{CaseKey, DelayReason, ExchangeId};
use super::flight::{Flight, InFlight};
use crate::model::{CallId, Span};

/// A reply that is not written for now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldReply {
    /// The request.
    pub exchange: ExchangeId,
    /// The call that it belongs to.
    pub call: Option<CallId>,
    /// Until when.
    pub kind: HeldKind,
}

/// Until when a reply is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HeldKind {
    /// Until the case's clock shows this instant.
    Delayed {
        /// The instant.
        until: Span,
        /// Why.
        reason: DelayReason,
    },
    /// For ever.
    Stalled,
}

/// What became of a reply that was released.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Released {
    /// It is being written; the work is in flight already.
    Writing,
    /// There is none: it was released before, or its connection is closed.
    Gone,
}

/// All held replies of a tap.
#[derive(Debug, Default)]
pub(super) struct HeldReplies(Mutex<BTreeMap<ExchangeId, Slot>>);

#[derive(Debug)]
struct Slot {
    reply: HeldReply,
    release: oneshot::Sender<InFlight>,
}

impl HeldReplies {
    /// Enters a reply. What is received at its release is the work, in flight
    /// again; a stalled one is never released.
    pub(super) fn enter(&self, reply: HeldReply) -> oneshot::Receiver<InFlight> {
        let (release, released) = oneshot::channel();
        let slot = Slot { reply, release };
        self.slots().insert(slot.reply.exchange, slot);
        released
    }

    /// Releases a delayed reply. The work is announced before anybody can see
    /// that the reply is no longer held.
    pub(super) fn release(
        &self,
        exchange: ExchangeId,
        flight: &Flight,
        clock: &dyn CaseClock,
    ) -> Released {
        let mut slots = self.slots();
        let delayed = |slot: &Slot| slot.reply.kind != HeldKind::Stalled;
        if !slots.get(&exchange).is_some_and(delayed) {
            return Released::Gone;
        }
        let work = flight.begin(clock);
        let Some(slot) = slots.remove(&exchange) else {
            return Released::Gone;
        };
        match slot.release.send(work) {
            Ok(()) => Released::Writing,
            Err(_) => Released::Gone,
        }
    }

    /// Forgets a reply whose connection is closed.
    pub(super) fn forget(&self, exchange: ExchangeId) {
        self.slots().remove(&exchange);
    }

    /// The held replies of a case, in the order of their requests.
    pub(super) fn of(&self, case: CaseKey) -> Vec<HeldReply> {
        self.slots()
            .values()
            .filter(|slot| slot.reply.exchange.case == case)
            .map(|slot| slot.reply.clone())
            .collect()
    }

    fn slots(&self) -> std::sync::MutexGuard<'_, BTreeMap<ExchangeId, Slot>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
