//! `holdoff world` and `holdoff reference`: what other processes of a run are.

use std::process;

use super::failure::Failure;
use crate::run::ExitCode;

#[derive(Debug, clap::Args)]
pub(super) struct ReferenceArgs {
    /// Misbehave in this way; several are joined by +
    #[arg(long, value_name = "NAME")]
    defect: Option<String>,
}

pub(super) fn reference(args: ReferenceArgs) -> process::ExitCode {
    holdoff_reference::run(holdoff_reference::Args {
        defect: args.defect,
    })
}

pub(super) fn world() -> Result<ExitCode, Failure> {
    let runtime = super::interrupt::runtime()?;
    runtime
        .block_on(crate::world::serve())
        .map_err(|failure| Failure::Harness(failure.to_string()))?;
    // A reader that is still waiting for input must not keep the process.
    runtime.shutdown_background();
    Ok(ExitCode::AsExpected)
}
