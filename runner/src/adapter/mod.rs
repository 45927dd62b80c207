//! The adapter protocol and the processes that speak it.

mod environment;
mod fault;
mod hello;
mod launch;
mod lines;
mod log;
mod process;
pub mod protocol;
mod schema;
mod session;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
mod time;
mod tree;

pub use fault::AdapterFault;
pub use hello::{Hello, PROBE};
pub use launch::{LaunchSpec, ProcessClock};
pub use schema::protocol_schema;
pub use session::{OpenRequest, Opened, Said, Session};
pub(crate) use time::OwnedTime;
