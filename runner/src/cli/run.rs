//! `holdoff run`.

use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::adapters;
use super::args::{CaseArgs, InputArgs};
use super::failure::{Failure, say_aside};
use super::fixtures;
use super::inputs::{Inputs, fixtures_digest, text_of};
use super::interrupt::{interrupt, runtime};
use super::sinks::{Format, palette, saved};
use crate::adapter::protocol::ClockKind;
use crate::check;
use crate::diagnostic::Diagnostics;
use crate::escape::terminal;
use crate::fixture::Case;
use crate::judge::Verdict;
use crate::known::Target as Named;
use crate::manifest::Launch;
use crate::model::Span;
use crate::report::Sink;
use crate::run::{
    ClockChoice, ClockMissing, DEFAULT_SEED, Demands, ExitCode, RunEnd, RunEvent, RunFooter,
    RunRequest, Target, Warnings, run as run_all, virtual_clock,
};
use crate::world::WorldCommand;

#[derive(Debug, clap::Args)]
pub(super) struct RunArgs {
    /// Adapters: NAME, NAME/VARIANT, NAME@VERSION, NAME/VARIANT@VERSION, each part may have wildcards; repeatable [default: reference]
    #[arg(long = "adapter", value_name = "NAME")]
    adapters_named: Vec<String>,
    #[command(flatten)]
    cases: CaseArgs,
    #[command(flatten)]
    inputs: InputArgs,
    /// Who owns time: auto, virtual, injected, real
    #[arg(long, default_value_t, value_name = "CLOCK")]
    clock: ClockChoice,
    /// Real clock: longer cases are only watched for what comes too early
    #[arg(long, default_value_t = RunRequest::MAX_WAIT, value_name = "DURATION", value_parser = duration)]
    max_wait: Span,
    /// Real clock: for how long
    #[arg(long, default_value_t = RunRequest::EARLY_WATCH, value_name = "DURATION", value_parser = duration)]
    early_watch: Span,
    /// How standard output is written
    #[arg(long, value_enum, default_value = "console")]
    format: Format,
    /// Cases at the same time [default: one for each processor, eight under the real clock]
    #[arg(long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
    /// Seed of all chance
    #[arg(long, default_value_t = DEFAULT_SEED, value_name = "N")]
    seed: u64,
    /// Fail if any case ends so; repeatable: inconclusive, needs-clock, unsupported, unavailable
    #[arg(long, value_name = "VERDICT", value_parser = required)]
    require: Vec<Verdict>,
    /// `warnings`: a breach of a SHOULD fails
    #[arg(long, value_name = "WHAT", value_parser = ["warnings"])]
    deny: Option<String>,
    /// Save the run as JSON lines
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
}

fn duration(text: &str) -> Result<Span, String> {
    let span: Span = text.parse().map_err(|error| format!("{error}"))?;
    if span < Span::ZERO {
        return Err("a length of time is not negative here".to_owned());
    }
    Ok(span)
}

fn required(word: &str) -> Result<Verdict, String> {
    let names = [
        Verdict::Inconclusive,
        Verdict::NeedsClock,
        Verdict::Unsupported,
        Verdict::Unavailable,
    ];
    names
        .into_iter()
        .find(|verdict| verdict.as_str() == word)
        .ok_or_else(|| "one of inconclusive, needs-clock, unsupported, unavailable".to_owned())
}

pub(super) fn run(args: &RunArgs, holdoff: &Path) -> Result<ExitCode, Failure> {
    if args.clock == ClockChoice::Only(ClockKind::Virtual) {
        virtual_clock().map_err(|missing| Failure::Usage(missing.to_string()))?;
    }
    let request = request(args, holdoff)?;
    if let Some(line) = fallback(args.clock, &request.targets) {
        say_aside(terminal(&line));
    }
    let mut sinks = vec![args.format.sink(std::io::stdout().lock(), palette())];
    if let Some(file) = &args.save {
        sinks.push(saved(file)?);
    }
    let footer = drive(request, sinks)?;
    let demands = Demands {
        excluded: args.require.iter().copied().collect(),
        warnings: if args.deny.is_some() {
            Warnings::Denied
        } else {
            Warnings::Allowed
        },
    };
    Ok(match footer.end {
        RunEnd::Interrupted => ExitCode::Interrupted,
        RunEnd::Complete => match footer.census.exit_code(&demands) {
            ExitCode::AsExpected if !footer.stale.is_empty() => ExitCode::Divergences,
            code => code,
        },
    })
}

/// Reads everything, and refuses what `check` would refuse of the selected
/// cases' expectations.
fn request(args: &RunArgs, holdoff: &Path) -> Result<RunRequest, Failure> {
    let inputs = Inputs::find(&args.inputs);
    let mut errors = Diagnostics::new();
    let spec = inputs.read_spec().map_err(|more| errors.extend(more));
    let cases = inputs.read_fixtures().map_err(|more| errors.extend(more));
    let launches = inputs.read_manifests().map_err(|more| errors.extend(more));
    let (Ok(spec), Ok(cases), Ok(launches)) = (spec, cases, launches) else {
        return Err(errors.sorted().into());
    };
    let names = if args.adapters_named.is_empty() {
        vec!["reference".to_owned()]
    } else {
        args.adapters_named.clone()
    };
    let all_cases = cases;
    let cases = fixtures::selected(&all_cases, &args.cases, &spec)?;
    let chosen = adapters::selected(&launches, &names)?;
    let cited = cases.iter().map(|case| &**case);
    check::load_errors(&spec, cited, &text_of).into_result(())?;
    let targets = adapters::targets(&inputs, chosen, holdoff)?;
    let mut options = inputs.options.clone();
    if args.seed != DEFAULT_SEED {
        options.extend(["--seed".to_owned(), args.seed.to_string()]);
    }
    let stale = stale(args, &all_cases, &launches, &targets);
    let jobs = args.jobs.unwrap_or_else(|| jobs(args.clock, &targets));
    Ok(RunRequest {
        spec,
        fixtures_digest: fixtures_digest(&cases),
        cases,
        targets,
        clock: args.clock,
        max_wait: args.max_wait,
        early_watch: args.early_watch,
        jobs,
        seed: args.seed,
        world: WorldCommand {
            argv: vec![holdoff.to_string_lossy().into_owned(), "world".to_owned()],
        },
        options,
        stale,
    })
}

/// Why `auto` does not take the clock that it would like best.
fn fallback(clock: ClockChoice, targets: &[Arc<Target>]) -> Option<String> {
    let claims = |target: &Arc<Target>| target.launch.host.clocks.contains(&ClockKind::Virtual);
    if clock != ClockChoice::Auto || !targets.iter().any(claims) {
        return None;
    }
    let ClockMissing::Virtual { what, reason, .. } = virtual_clock().err()?;
    Some(format!(
        "note: other clocks are used, because there is no virtual one here: {what}: {reason} \
         (`holdoff doctor --system` says what to do)"
    ))
}

/// A case under the real clock is mostly spent waiting: sixteen at a time keep
/// two processors half busy, and what comes late is repeated alone.
const CASES_A_PROCESSOR: usize = 8;

fn jobs(clock: ClockChoice, targets: &[Arc<Target>]) -> NonZeroUsize {
    let processors = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let owned = |target: &Arc<Target>| {
        let clocks = &target.launch.host.clocks;
        let is_virtual = clocks.contains(&ClockKind::Virtual) && virtual_clock().is_ok();
        clocks.contains(&ClockKind::Injected) || is_virtual
    };
    let is_real = clock == ClockChoice::Only(ClockKind::Real) || !targets.iter().all(owned);
    match NonZeroUsize::new(CASES_A_PROCESSOR) {
        Some(more) if is_real => processors.saturating_mul(more),
        _ => processors,
    }
}

/// Entries of known.yaml that name no case of any version. A selection says
/// nothing about what it left out.
fn stale(
    args: &RunArgs,
    cases: &[Arc<Case>],
    launches: &[Launch],
    targets: &[Arc<Target>],
) -> Vec<String> {
    if args.cases.is_filtered() {
        return Vec::new();
    }
    let mut stale = Vec::new();
    for target in targets {
        let own = launches
            .iter()
            .filter(|launch| launch.adapter == target.launch.adapter);
        let all: Vec<_> = own
            .flat_map(|launch| {
                cases.iter().map(|case| Named {
                    version: &launch.version,
                    variant: launch.variant.as_deref(),
                    case: &case.id,
                })
            })
            .collect();
        stale.extend(target.known.unmatched(&all).iter().map(|unmatched| {
            format!(
                "{}:{}: `{}` names no case of any version",
                target.known.file.display(),
                unmatched.entry.line,
                unmatched.entry.case
            )
        }));
    }
    stale.sort();
    stale.dedup();
    stale
}

fn drive(request: RunRequest, mut sinks: Vec<Box<dyn Sink + '_>>) -> Result<RunFooter, Failure> {
    let runtime = runtime()?;
    let footer = runtime.block_on(async {
        let (sender, mut events) = tokio::sync::mpsc::unbounded_channel();
        let running = tokio::spawn(run_all(request, sender, interrupt()));
        while let Some(event) = events.recv().await {
            feed(&mut sinks, &event)?;
            if matches!(event, RunEvent::Finished(_)) {
                break;
            }
        }
        running
            .await
            .map_err(|error| Failure::Harness(format!("the run failed: {error}")))
    });
    runtime.shutdown_background();
    footer
}

/// A sink whose reader has read enough is left out; a run that nobody sees any
/// more ends, and says that it has no verdict.
fn feed(sinks: &mut Vec<Box<dyn Sink + '_>>, event: &RunEvent) -> Result<(), Failure> {
    let mut refused = Ok(());
    sinks.retain_mut(|sink| match sink.take(event) {
        Ok(()) => true,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => false,
        Err(error) => {
            refused = Err(error.into());
            true
        }
    });
    if sinks.is_empty() {
        let reason = "nobody reads the output any more: the run was ended without a verdict";
        return Err(Failure::Harness(reason.to_owned()));
    }
    refused
}
