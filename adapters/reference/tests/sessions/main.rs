//! Whole sessions: the client over in-memory pipes, a scripted server on
//! loopback, and a clock that the test owns.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod bench;
mod compare;
mod loops;
mod protocol;
mod server;
mod waits;
