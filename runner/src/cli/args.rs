//! The commands and where each of them is carried out.

use std::path::PathBuf;
use std::process;

use clap::{Parser, Subcommand};

use super::failure::Failure;
use super::{
    build, check, completions, doctor, explain, known, list, mutants, new, report, run, serve,
    vtime,
};
use crate::run::ExitCode;

/// What stands below `--help`.
const EXIT_CODES: &str = "Exit codes: 0 as expected, 1 divergences, 2 usage, specification, fixture or manifest error, \
3 an adapter or the runner failed, 4 nothing was judged, 130 interrupted.";

/// Does your client hold off as long as the server told it to?
#[derive(Debug, Parser)]
#[command(name = "holdoff", version, after_help = EXIT_CODES, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Play cases on adapters and judge them
    Run(Box<run::RunArgs>),
    /// Show the cases without running anything
    List(list::ListArgs),
    /// Check specification, fixtures and manifests: can every case fail?
    Check(check::CheckArgs),
    /// Show how a case's expectation follows from the specification
    Explain(explain::ExplainArgs),
    /// Find out whether this computer, or an adapter, can be relied on
    Doctor(doctor::DoctorArgs),
    /// Install the SDK that an adapter drives
    Build(build::BuildArgs),
    /// Write a new adapter
    New(new::NewArgs),
    /// Play every defect of the catalogue and show which cases catch it
    Mutants(mutants::MutantsArgs),
    /// Show divergences that are recorded, or propose edits from a saved run
    Known(known::KnownArgs),
    /// Turn a saved run into a report
    Report(report::ReportArgs),
    /// Run any command under a clock of its own: an hour's sleep is over at once
    Vtime(vtime::VtimeArgs),
    /// Print a completion script for a shell
    Completions(completions::CompletionsArgs),
    /// Serve one world over standard input and output
    #[command(hide = true)]
    World,
    /// Serve the reference client as an adapter
    #[command(hide = true)]
    Reference(serve::ReferenceArgs),
}

/// Runs the command that the process was started with.
pub fn main() -> process::ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are no errors, and clap knows which is which.
            let code = if error.use_stderr() {
                ExitCode::Usage
            } else {
                ExitCode::AsExpected
            };
            let _ = error.print();
            return code.into();
        }
    };
    match cli.command {
        // They end as what they run does.
        Command::Reference(args) => serve::reference(args),
        Command::Vtime(args) => vtime::vtime(&args),
        command => match carry_out(command) {
            Ok(code) => code.into(),
            Err(failure) => failure.tell().into(),
        },
    }
}

fn carry_out(command: Command) -> Result<ExitCode, Failure> {
    let holdoff = std::env::current_exe()
        .map_err(|error| Failure::Harness(format!("this program cannot be found: {error}")))?;
    match command {
        Command::Run(args) => run::run(&args, &holdoff),
        Command::List(args) => list::list(&args),
        Command::Check(args) => check::check(&args),
        Command::Explain(args) => explain::explain(&args, &holdoff),
        Command::Doctor(args) => doctor::doctor(&args, &holdoff),
        Command::Build(args) => build::build(&args, &holdoff),
        Command::New(args) => new::new(&args),
        Command::Mutants(args) => mutants::mutants(&args, &holdoff),
        Command::Known(args) => known::known(&args),
        Command::Report(args) => report::report(&args),
        Command::Completions(args) => completions::completions(&args),
        Command::World => serve::world(),
        command @ (Command::Reference(_) | Command::Vtime(_)) => {
            Err(Failure::Usage(format!("{command:?} is served elsewhere")))
        }
    }
}

/// Where specification, fixtures and adapters are.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct InputArgs {
    /// The specification to judge by [default: SPEC.md]
    #[arg(long, value_name = "FILE")]
    pub(super) spec: Option<PathBuf>,
    /// Folder of fixtures [default: fixtures]
    #[arg(long, value_name = "DIR")]
    pub(super) fixtures: Option<PathBuf>,
    /// Folder of adapters; repeatable [default: adapters]
    #[arg(long, value_name = "DIR")]
    pub(super) adapters: Vec<PathBuf>,
    /// A working tree of the SDK, tested instead of the pinned version
    #[arg(long, value_name = "DIR")]
    pub(super) sdk_path: Option<PathBuf>,
}

/// Which cases.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct CaseArgs {
    /// Cases by name; knows *, ** and ?; repeatable
    #[arg(long = "case", value_name = "GLOB")]
    pub(super) cases: Vec<String>,
    /// Cases of this loop; repeatable
    #[arg(long = "loop", value_name = "LOOP")]
    pub(super) loops: Vec<String>,
    /// Cases of this clause; repeatable
    #[arg(long = "clause", value_name = "ID")]
    pub(super) clauses: Vec<String>,
}

impl CaseArgs {
    /// Whether anything may be left out.
    pub(super) fn is_filtered(&self) -> bool {
        !(self.cases.is_empty() && self.loops.is_empty() && self.clauses.is_empty())
    }
}
