//! `holdoff explain`.

use std::path::Path;

use super::failure::Failure;
use crate::run::ExitCode;

#[derive(Debug, clap::Args)]
pub(super) struct ExplainArgs {}

pub(super) fn explain(_args: &ExplainArgs, _holdoff: &Path) -> Result<ExitCode, Failure> {
    Err(Failure::Usage("not yet".to_owned()))
}
