//! The command line: one file a command.

mod adapters;
mod args;
mod build;
mod check;
mod completions;
mod doctor;
mod explain;
mod failure;
mod fixtures;
mod inputs;
mod interrupt;
mod known;
mod list;
mod mutants;
mod new;
mod report;
mod run;
mod serve;
mod sinks;
mod vtime;

pub use args::{Cli, main};
pub use failure::Failure;
