//! A world: one process with a clock, a tap, wiremock and one adapter's process
//! tree. Cases go in, observations come out.

mod agenda;
mod calm;
mod case;
mod failure;
mod handle;
mod live;
mod messages;
mod mock;
mod pace;
mod probes;
mod process;
#[cfg(test)]
mod process_tests;
mod record;
mod requests;
mod serve;
#[cfg(test)]
mod tests;
mod tree_time;
mod worker;

pub use failure::WorldFailure;
pub use handle::WorldHandle;
pub use messages::{LateTraffic, WorldEvent, WorldOrder};
pub use probes::{Probe, ProbeFailure, ProbeHost, probes};
pub use process::WorldCommand;
pub use serve::{serve, serve_on};
pub use worker::World;
