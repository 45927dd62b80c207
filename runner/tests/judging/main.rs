//! Judge and oracle, with simulated observations.
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod diagnosis;
mod enact;
mod signatures;
mod stage;
mod topics;
