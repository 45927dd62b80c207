//! Reports: one sink a format, all fed by the same events. Whatever a peer
//! wrote is escaped in every one of them.

mod case_text;
mod causes;
mod console;
mod diff;
mod github;
mod html;
mod json;
mod junit;
mod known_groups;
mod markdown;
mod palette;
mod record;
mod sink;
#[cfg(test)]
mod tests;

pub use case_text::case_text;
pub use console::Console;
pub use diff::{DiffLine, LineKind, diff};
pub use github::github;
pub use html::html;
pub use json::{SavedError, ascii_controls, from_json_lines, to_json_lines};
pub use junit::junit;
pub use markdown::markdown;
pub use palette::Palette;
pub use record::{Recorder, RunRecord};
pub use sink::{Sink, WholeRun};
