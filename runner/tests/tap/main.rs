//! The tap and the replay over real sockets, on a clock that the test moves.
//! Nothing here waits for time to pass.
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod calls;
mod faults;
mod kit;
mod limits;
mod requests;
mod saved;
mod timing;
