//! [`Starvation`]: a thread that computes without end, and does not read the
//! clock, while others wait for time to pass.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use libc::pid_t;

use super::procfs::ThreadFiles;
use super::tracee::Tracee;

/// Time of the processor that a tree may use at one instant of its clock. It is
/// not real time: a tree that is kept from its processor is not spinning.
const PATIENCE: u64 = 2_000_000_000;

/// Since when the tree has not come to rest, and what it has computed by then.
#[derive(Debug, Default)]
pub(super) struct Starvation {
    since: Option<Since>,
    looked: Option<Instant>,
    busy: Option<pid_t>,
}

#[derive(Debug)]
struct Since {
    real: Instant,
    computed: u64,
    clock: u64,
}

/// Between two looks at what the tree has computed.
const LOOK: Duration = Duration::from_millis(20);

impl Starvation {
    /// The tree came to rest.
    pub(super) fn rested(&mut self) {
        self.since = None;
    }

    /// A thread of the tree runs, at this instant of the clock. Returns how far
    /// the clock may creep on, once patience is at an end: as fast as the tree
    /// computes.
    pub(super) fn runs(
        &mut self,
        busy: pid_t,
        threads: &HashMap<pid_t, Tracee>,
        clock: u64,
    ) -> Option<u64> {
        self.busy = Some(busy);
        if self.looked.is_some_and(|looked| looked.elapsed() < LOOK) {
            return None;
        }
        self.looked = Some(Instant::now());
        let computed: u64 = threads
            .values()
            .filter_map(|tracee| tracee.files.as_ref().and_then(ThreadFiles::computed))
            .sum();
        let since = self.since.get_or_insert_with(|| Since {
            real: Instant::now(),
            computed,
            clock,
        });
        let spent = computed.saturating_sub(since.computed);
        (spent >= PATIENCE).then(|| since.clock.saturating_add(spent))
    }

    /// The thread that has run for most of so much real time without a rest.
    pub(super) fn spinning(&self, limit: Duration) -> Option<pid_t> {
        let since = self.since.as_ref()?;
        (since.real.elapsed() >= limit / 2)
            .then_some(self.busy)
            .flatten()
    }
}
