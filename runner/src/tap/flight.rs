use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts work that is in flight: requests that are complete and neither
/// answered, delayed nor stalled. A clock may not move while it is not zero.
#[derive(Clone, Debug, Default)]
pub(super) struct Flight(Arc<AtomicUsize>);

/// One piece of work in flight; it lands when this is dropped.
#[derive(Debug)]
pub(super) struct InFlight(Arc<AtomicUsize>);

impl Flight {
    /// Announces work.
    pub(super) fn begin(&self) -> InFlight {
        self.0.fetch_add(1, Ordering::SeqCst);
        InFlight(Arc::clone(&self.0))
    }

    /// How much is in flight.
    pub(super) fn count(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_lands_when_it_is_dropped() {
        let flight = Flight::default();
        let (one, two) = (flight.begin(), flight.begin());
        assert_eq!(flight.count(), 2);
        drop(one);
        assert_eq!(flight.count(), 1);
        drop(two);
        assert_eq!(flight.count(), 0);
    }
}
