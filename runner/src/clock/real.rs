//! [`RealClock`]: the machine's own.

use std::sync::OnceLock;
use std::time::Instant;

use jiff::Timestamp;

use crate::model::Span;
use crate::tap::CaseClock;

/// The clock of a case whose time nobody owns. It stands at zero until the
/// case is open: making a client takes as long as it takes.
#[derive(Debug, Default)]
pub struct RealClock {
    opened: OnceLock<Instant>,
}

impl RealClock {
    /// Starts the clock; a second start is none.
    pub fn start(&self) {
        self.opened.get_or_init(Instant::now);
    }

    /// The machine's instant at an instant of the case, for a timer. None: too
    /// far away for one, or not started.
    pub fn instant(&self, at: Span) -> Option<Instant> {
        self.opened.get()?.checked_add(at.to_std())
    }
}

impl CaseClock for RealClock {
    fn now(&self) -> Span {
        let elapsed = self.opened.get().map(Instant::elapsed).unwrap_or_default();
        Span::from_std(elapsed)
    }

    fn wall(&self) -> Timestamp {
        Timestamp::now()
    }
}
