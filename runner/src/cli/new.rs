//! `holdoff new`.

use std::path::Path;

use super::failure::Failure;
use crate::run::ExitCode;

#[derive(Debug, clap::Args)]
pub(super) struct NewArgs {}

pub(super) fn new(_args: &NewArgs, _holdoff: &Path) -> Result<ExitCode, Failure> {
    Err(Failure::Usage("not yet".to_owned()))
}
