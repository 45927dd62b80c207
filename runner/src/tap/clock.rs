use holdoff_vtime::Hold;
use jiff::Timestamp;

use crate::model::Span;

/// The clock of one case, as the tap reads it.
///
/// Readings are the runner's own: they never advance a clock, whatever the
/// case's `tick` is.
pub trait CaseClock: Send + Sync + 'static {
    /// The instant of the case; zero is its `open`.
    fn now(&self) -> Span;

    /// The wall clock as the SDK sees it, its steps included.
    fn wall(&self) -> Timestamp;

    /// Keeps a clock still that moves when everybody rests.
    fn hold(&self) -> Option<Hold> {
        None
    }
}
