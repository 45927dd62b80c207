//! `adapter.yaml`: what an adapter says of itself and of its SDK.

mod check;
mod file;
mod launch;
mod read;
mod replies;
#[cfg(test)]
mod tests;
mod version;
mod versioned;

pub use file::{Correlation, LoopClaim, Manifest};
pub use launch::{Launch, Places};
pub use replies::{Replies, Reply};
pub use version::{RangeError, Version, VersionRange};
pub use versioned::{Selector, Versioned};
