use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use holdoff_vtime::Hold;

use super::clock::CaseClock;

/// Counts work that is in flight: requests that are complete and neither
/// answered, delayed nor stalled. A clock may not move while it is not zero.
#[derive(Clone, Debug, Default)]
pub(super) struct Flight(Arc<AtomicUsize>);

/// One piece of work in flight; it lands when this is dropped.
#[derive(Debug)]
pub(super) struct InFlight {
    count: Arc<AtomicUsize>,
    /// Dropped after the count has gone down.
    _still: Option<Hold>,
}

impl Flight {
    /// Announces work of a case with this clock.
    pub(super) fn begin(&self, clock: &dyn CaseClock) -> InFlight {
        let still = clock.hold();
        self.0.fetch_add(1, Ordering::SeqCst);
        InFlight {
            count: Arc::clone(&self.0),
            _still: still,
        }
    }

    /// How much is in flight.
    pub(super) fn count(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.count.fetch_sub(1, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::model::Span;

    struct Stands;

    impl CaseClock for Stands {
        fn now(&self) -> Span {
            Span::ZERO
        }

        fn wall(&self) -> Timestamp {
            Timestamp::UNIX_EPOCH
        }
    }

    #[test]
    fn work_lands_when_it_is_dropped() {
        let flight = Flight::default();
        let (one, two) = (flight.begin(&Stands), flight.begin(&Stands));
        assert_eq!(flight.count(), 2);
        drop(one);
        assert_eq!(flight.count(), 1);
        drop(two);
        assert_eq!(flight.count(), 0);
    }
}
