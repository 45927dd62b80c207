//! `holdoff completions`.

use std::io::{self, Write};

use clap::CommandFactory;
use clap_complete::Shell;

use super::args::Cli;
use super::failure::Failure;
use crate::run::ExitCode;

#[derive(Debug, clap::Args)]
pub(super) struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

pub(super) fn completions(args: &CompletionsArgs) -> Result<ExitCode, Failure> {
    // Written in one piece: the generator panics at a closed pipe.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "holdoff", &mut script);
    io::stdout().lock().write_all(&script)?;
    Ok(ExitCode::AsExpected)
}
