//! Tries out what virtual time needs.

use super::diag::SocketDiag;
use super::page::ClockPage;
use super::x86_64::{Filters, Randomness};
use crate::{Error, Finding, Precondition};

pub(crate) fn examine() -> Vec<Finding> {
    let tried = |precondition, result: Result<(), Error>| match result {
        Ok(()) => Finding::met(precondition),
        Err(error) => Finding::missing(precondition, error.to_string(), "use another clock"),
    };
    vec![
        Finding::met(Precondition::System),
        tried(Precondition::Memory, ClockPage::create(0, 1).map(drop)),
        tried(
            Precondition::Filter,
            Filters::new(Randomness::Kernel).map(drop),
        ),
        tried(Precondition::Sockets, SocketDiag::open().map(drop)),
    ]
}
