//! `holdoff build`.

use std::path::Path;

use super::failure::Failure;
use crate::run::ExitCode;

#[derive(Debug, clap::Args)]
pub(super) struct BuildArgs {}

pub(super) fn build(_args: &BuildArgs, _holdoff: &Path) -> Result<ExitCode, Failure> {
    Err(Failure::Usage("not yet".to_owned()))
}
