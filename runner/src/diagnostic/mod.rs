//! What is wrong in a file that people write: where it stands, what was found,
//! what is allowed, and the nearest right spelling. All of a file at once.

mod entry;
mod list;
mod nearest;
mod source;

pub use entry::Diagnostic;
pub use list::{Diagnostics, MAX_ERRORS};
pub use nearest::nearest;
pub use source::Source;
