//! The adapter protocol and the processes that speak it.

pub mod protocol;
