//! `holdoff doctor`.

use std::path::Path;

use super::failure::Failure;
use crate::run::ExitCode;

#[derive(Debug, clap::Args)]
pub(super) struct DoctorArgs {}

pub(super) fn doctor(_args: &DoctorArgs, _holdoff: &Path) -> Result<ExitCode, Failure> {
    Err(Failure::Usage("not yet".to_owned()))
}
