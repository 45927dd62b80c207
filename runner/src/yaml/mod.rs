//! YAML as people write it, with the place of every value.
//!
//! serde's YAML cannot tell a quoted value from an unquoted one, keeps the last
//! of two equal keys and stops at the first error; files that people write are
//! therefore read through this tree.

mod file;
mod node;
mod parse;
mod reader;

pub use file::{MAX_BYTES, read_text};
pub use node::{Node, Style, Value};
pub use parse::{MAX_DEPTH, parse};
pub use reader::{Fields, Reader};
