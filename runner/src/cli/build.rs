//! `holdoff build`.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};

use super::adapters::{availability, mark_built, selected};
use super::args::InputArgs;
use super::failure::{Failure, say_aside};
use super::inputs::Inputs;
use super::sinks::say;
use crate::escape::terminal_lines;
use crate::manifest::{Launch, Places};
use crate::run::{Availability, ExitCode};

/// What a package manager needs to be started and to reach its index; nothing
/// else is inherited, least of all credentials of other services.
const INHERITED: [&str; 12] = [
    "PATH",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "NODE_EXTRA_CA_CERTS",
    "REQUESTS_CA_BUNDLE",
    "SystemRoot",
    "ComSpec",
    "PATHEXT",
];
/// Beginnings of names of variables that set up a package manager.
const INHERITED_PREFIXES: [&str; 6] = [
    "SSL_CERT_",
    "PIP_",
    "npm_config_",
    "NPM_CONFIG_",
    "GOPROXY",
    "GOSUMDB",
];

#[derive(Debug, clap::Args)]
pub(super) struct BuildArgs {
    /// Adapters: NAME, NAME@VERSION; parts may have wildcards
    #[arg(required = true, value_name = "ADAPTER")]
    adapters_named: Vec<String>,
    #[command(flatten)]
    inputs: InputArgs,
    /// Build again what is built already
    #[arg(long)]
    force: bool,
}

pub(super) fn build(args: &BuildArgs, holdoff: &Path) -> Result<ExitCode, Failure> {
    let inputs = Inputs::find(&args.inputs);
    let launches = inputs.read_manifests()?;
    let mut chosen = selected(&launches, &args.adapters_named)?;
    let places = inputs.places(holdoff)?;
    // Variants of a version share one build folder.
    chosen.sort_by_key(|launch| launch.build_folder(&places));
    chosen.dedup_by_key(|launch| launch.build_folder(&places));
    let mut failed = Vec::new();
    for launch in &chosen {
        let name = format!("{}@{}", launch.adapter, launch.version);
        if launch.build(&places).is_empty() {
            say(format!("{name}: nothing to build"))?;
        } else if !args.force && availability(launch, &places) == Availability::Ready {
            say(format!("{name}: built already"))?;
        } else if let Err(error) = build_one(launch, &places, &name) {
            say_aside(format_args!("error: {name}: {}", terminal_lines(&error)));
            failed.push(name);
        } else {
            say(format!("{name}: built"))?;
        }
    }
    if failed.is_empty() {
        Ok(ExitCode::AsExpected)
    } else {
        Err(Failure::Harness(format!(
            "not built: {}",
            failed.join(", ")
        )))
    }
}

fn build_one(launch: &Launch, places: &Places, name: &str) -> Result<(), String> {
    let argv = launch.build(places);
    let folder = launch.build_folder(places);
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let home = tempfile::tempdir().map_err(|error| format!("no temporary folder: {error}"))?;
    say(format!("{name}: {}", argv.join(" "))).map_err(|error| error.to_string())?;
    let (program, arguments) = argv.split_first().ok_or("the build command is empty")?;
    let directory = if launch.folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        &launch.folder
    };
    let status = Command::new(program)
        .args(arguments)
        .current_dir(directory)
        .env_clear()
        .envs(inherited())
        .envs(launch.env(places))
        .env("HOME", home.path())
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::null())
        .status()
        .map_err(|error| format!("`{program}` could not be started: {error}"))?;
    if !status.success() {
        return Err(format!("`{program}` ended with {status}"));
    }
    mark_built(launch, places).map_err(|error| format!("the build could not be marked: {error}"))
}

fn inherited() -> impl Iterator<Item = (OsString, OsString)> {
    std::env::vars_os().filter(|(name, _)| {
        let name = name.to_string_lossy();
        INHERITED.iter().any(|known| name == *known)
            || INHERITED_PREFIXES
                .iter()
                .any(|prefix| name.starts_with(prefix))
    })
}
