//! Linux on x86-64.

mod calls;
mod clock;
mod diag;
mod examine;
mod exec;
mod jump;
mod memory;
mod page;
mod probe;
mod procfs;
mod ptrace;
mod queue;
mod quiet;
mod random;
mod receive;
mod signals;
mod spawn;
mod starved;
mod stops;
mod supervisor;
mod timerfd;
mod timers;
mod tracee;
mod waits;
mod wire;
mod x86_64;

pub use clock::{Clock, Hold};
pub(crate) use examine::examine;
pub use spawn::{Supervised, spawn};
