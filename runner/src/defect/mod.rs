//! The catalogue of defects: named wrong behaviours, each a change to a
//! [`Behaviour`]. A defect is a hypothesis for
//! diagnosis and a mutant for self-test.

mod catalogue;
mod entry;

pub use catalogue::catalogue;
pub use entry::{Defect, find};

#[cfg(doc)]
use crate::oracle::Behaviour;
