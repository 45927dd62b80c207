//! [`Queue`]: what the caller has scheduled, in order.

use std::collections::BTreeMap;

use crate::{EventId, WallStep};

/// What happens at an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scheduled {
    /// The caller is told.
    Event,
    /// The wall clock jumps.
    Step(WallStep),
}

/// What the caller has scheduled. Of equal instants the older entry is first.
#[derive(Debug, Default)]
pub(super) struct Queue {
    entries: BTreeMap<(u64, EventId), Scheduled>,
    next: u64,
}

impl Queue {
    pub(super) fn add(&mut self, at: u64, scheduled: Scheduled) -> EventId {
        let id = EventId(self.next);
        self.next += 1;
        self.entries.insert((at, id), scheduled);
        id
    }

    /// Takes an entry out again; false if it is not there any more.
    pub(super) fn remove(&mut self, id: EventId) -> bool {
        let before = self.entries.len();
        self.entries.retain(|(_, entry), _| *entry != id);
        self.entries.len() < before
    }

    /// The first instant.
    pub(super) fn first(&self) -> Option<u64> {
        self.entries.first_key_value().map(|((at, _), _)| *at)
    }

    /// Takes the first entry.
    pub(super) fn pop(&mut self) -> Option<(u64, EventId, Scheduled)> {
        let ((at, id), scheduled) = self.entries.pop_first()?;
        Some((at, id, scheduled))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_come_by_instant_and_then_by_age() {
        let mut queue = Queue::default();
        let late = queue.add(9, Scheduled::Event);
        let first = queue.add(5, Scheduled::Event);
        let second = queue.add(5, Scheduled::Event);
        assert!(queue.remove(late));
        assert!(!queue.remove(late));
        assert_eq!(queue.first(), Some(5));
        let order: Vec<_> = std::iter::from_fn(|| queue.pop()).map(|e| e.1).collect();
        assert_eq!(order, [first, second]);
    }
}
