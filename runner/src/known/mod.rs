//! `known.yaml`: divergences that are recorded, each with a reason.

mod entry;
mod file;
mod propose;
mod read;

pub use entry::{Entry, Signature, State, Timeline};
pub use file::{Known, Overlap, Target, Unmatched};
pub use propose::{Edit, ProposeError, Seen, propose};
