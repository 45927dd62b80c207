//! `holdoff new adapter`.

use std::path::PathBuf;

use clap::Subcommand;

use super::args::InputArgs;
use super::failure::Failure;
use super::inputs::Inputs;
use super::sinks::say;
use crate::run::ExitCode;
use crate::scaffold::{Language, ScaffoldError, write_adapter};

#[derive(Debug, clap::Args)]
pub(super) struct NewArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Write an adapter that works as it is, on a stand-in for an SDK
    Adapter(AdapterArgs),
}

#[derive(Debug, clap::Args)]
struct AdapterArgs {
    /// Its name: a-z, 0-9 and -
    name: String,
    /// The SDK's language: python, node
    #[arg(long, value_parser = language)]
    language: Language,
    #[command(flatten)]
    inputs: InputArgs,
}

fn language(word: &str) -> Result<Language, String> {
    Language::ALL
        .into_iter()
        .find(|language| language.as_str() == word)
        .ok_or_else(|| "one of python, node".to_owned())
}

pub(super) fn new(args: &NewArgs) -> Result<ExitCode, Failure> {
    let What::Adapter(args) = &args.what;
    let inputs = Inputs::find(&args.inputs);
    let default = PathBuf::from("adapters");
    let adapters = inputs.adapters.first().unwrap_or(&default);
    let folder =
        write_adapter(adapters, &args.name, args.language).map_err(|error| match error {
            ScaffoldError::Write { .. } => Failure::Harness(error.to_string()),
            _ => Failure::Usage(error.to_string()),
        })?;
    say(format!("wrote {}", folder.display()))?;
    say(format!("next: holdoff doctor {}", args.name))?;
    Ok(ExitCode::AsExpected)
}
