//! Who owns time in a case: the clocks that a world plays by, and the rule by
//! which the runner's own clock may move.

mod injected;
mod real;
mod sleepers;
mod virtual_clock;
mod wall;

pub use injected::InjectedClock;
pub use real::RealClock;
pub use sleepers::{Sleepers, Timer, Woken};
pub use virtual_clock::{REAL_SLACK, VirtualClock};
