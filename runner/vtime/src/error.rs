//! [`Error`]: what an attempt to own a clock can fail of.

use std::io;

/// What an attempt to own a clock can fail of.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no virtual time on this system.
    #[error("virtual time needs Linux on x86-64; this is {os} on {architecture}")]
    Unsupported {
        /// The operating system.
        os: &'static str,
        /// The processor.
        architecture: &'static str,
    },
    /// The program could not be started.
    #[error("`{program}` cannot be started: {source}")]
    Spawn {
        /// The program.
        program: String,
        /// Why.
        source: io::Error,
    },
    /// The wall clock cannot start there.
    #[error("the wall clock cannot start before 1970 or after 2261")]
    Start,
    /// A step of the mechanism was refused.
    #[error("cannot {attempted}: {source}")]
    System {
        /// What was attempted.
        attempted: &'static str,
        /// The system's answer.
        source: io::Error,
    },
    /// A step of the mechanism was refused on one thread of the tree.
    #[error("cannot {attempted} thread {thread}: {source}")]
    Thread {
        /// What was attempted.
        attempted: &'static str,
        /// The thread.
        thread: u32,
        /// The system's answer.
        source: io::Error,
    },
    /// The supervisor's thread is gone.
    #[error("the supervisor has ended")]
    Ended,
}
