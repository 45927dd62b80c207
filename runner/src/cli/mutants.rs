//! `holdoff mutants`.

use std::path::Path;

use super::failure::Failure;
use crate::run::ExitCode;

#[derive(Debug, clap::Args)]
pub(super) struct MutantsArgs {}

pub(super) fn mutants(_args: &MutantsArgs, _holdoff: &Path) -> Result<ExitCode, Failure> {
    Err(Failure::Usage("not yet".to_owned()))
}
