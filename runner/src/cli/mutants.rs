//! `holdoff mutants`.

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::Path;

use similar::TextDiff;

use super::adapters;
use super::args::{CaseArgs, InputArgs};
use super::failure::Failure;
use super::fixtures;
use super::inputs::Inputs;
use super::interrupt::runtime;
use crate::defect::{Defect, catalogue, find};
use crate::diagnostic::{Diagnostics, nearest};
use crate::escape::log_line;
use crate::known::Known;
use crate::run::{
    Availability, DEFAULT_SEED, ExitCode, MutantMismatch, MutantReport, MutantRequest, MutantScope,
    Target, mutants as run_mutants,
};
use crate::world::WorldCommand;

/// Mismatches of one mutant that are written out.
const SHOWN: usize = 3;

/// After a cancellation a world listens for a tenth of a second whether anybody
/// still acts; mutants spend most of their time there.
const MUTANTS_A_PROCESSOR: NonZeroUsize = NonZeroUsize::new(4).expect("four is not zero");

#[derive(Debug, clap::Args)]
pub(super) struct MutantsArgs {
    /// Only this defect; repeatable
    #[arg(long = "defect", value_name = "NAME")]
    defects: Vec<String>,
    #[command(flatten)]
    cases: CaseArgs,
    #[command(flatten)]
    inputs: InputArgs,
    /// Mutants at the same time [default: four for each processor]
    #[arg(long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
    /// Seed of all chance
    #[arg(long, default_value_t = DEFAULT_SEED, value_name = "N")]
    seed: u64,
}

pub(super) fn mutants(args: &MutantsArgs, holdoff: &Path) -> Result<ExitCode, Failure> {
    let request = request(args, holdoff)?;
    let cases = request.cases.len();
    let runtime = runtime()?;
    let reports = runtime.block_on(run_mutants(request));
    io::stdout()
        .lock()
        .write_all(table(&reports, cases).as_bytes())?;
    Ok(if reports.iter().all(MutantReport::is_good) {
        ExitCode::AsExpected
    } else {
        ExitCode::Divergences
    })
}

fn request(args: &MutantsArgs, holdoff: &Path) -> Result<MutantRequest, Failure> {
    let inputs = Inputs::find(&args.inputs);
    let mut errors = Diagnostics::new();
    let spec = inputs.read_spec().map_err(|more| errors.extend(more));
    let cases = inputs.read_fixtures().map_err(|more| errors.extend(more));
    let launches = inputs.read_manifests().map_err(|more| errors.extend(more));
    let (Ok(spec), Ok(cases), Ok(launches)) = (spec, cases, launches) else {
        return Err(errors.sorted().into());
    };
    let defects = defects(&args.defects)?;
    let cases = fixtures::selected(&cases, &args.cases, &spec)?;
    let launch = adapters::selected(&launches, &["reference".to_owned()])?
        .into_iter()
        .next()
        .ok_or_else(|| Failure::Usage("there is no reference client".to_owned()))?;
    let processors = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let jobs = processors.saturating_mul(MUTANTS_A_PROCESSOR);
    Ok(MutantRequest {
        spec,
        cases,
        reference: Target::new(
            launch,
            &inputs.places(holdoff)?,
            Availability::Ready,
            Known::default(),
        ),
        defects,
        scope: MutantScope::All,
        jobs: args.jobs.unwrap_or(jobs),
        seed: args.seed,
        world: WorldCommand {
            argv: vec![holdoff.to_string_lossy().into_owned(), "world".to_owned()],
        },
    })
}

fn defects(names: &[String]) -> Result<Vec<&'static Defect>, Failure> {
    if names.is_empty() {
        return Ok(catalogue().iter().collect());
    }
    names
        .iter()
        .map(|name| {
            find(name).ok_or_else(|| {
                let known = catalogue().iter().map(|defect| defect.name);
                let hint = nearest(name, known)
                    .map(|near| format!("; did you mean `{near}`?"))
                    .unwrap_or_default();
                Failure::Usage(format!("no defect is named `{name}`{hint}"))
            })
        })
        .collect()
}

fn table(reports: &[MutantReport], cases: usize) -> String {
    let widest = reports
        .iter()
        .map(|report| report.defect.as_str().len())
        .max();
    let width = widest.unwrap_or(0);
    let mut text = String::new();
    for report in reports {
        let kills = report.killed_by.len();
        let word = match kills {
            0 => "SURVIVES".to_owned(),
            1 => "killed by 1 case".to_owned(),
            many => format!("killed by {many} cases"),
        };
        let first = report.killed_by.first().map(|case| format!(": {case}"));
        text.push_str(&format!(
            "{:width$}  {word}{}\n",
            report.defect,
            first.filter(|_| kills == 1).unwrap_or_default()
        ));
        for mismatch in report.mismatches.iter().take(SHOWN) {
            push_mismatch(&mut text, mismatch);
        }
        if let Some(more) = report.mismatches.len().checked_sub(SHOWN + 1) {
            text.push_str(&format!("  and {} more mismatches\n", more + 1));
        }
    }
    let killed = reports.iter().filter(|report| !report.killed_by.is_empty());
    let mismatches: usize = reports.iter().map(|report| report.mismatches.len()).sum();
    text.push_str(&format!(
        "\n{} defects over {cases} cases: {} killed, {} survive; {mismatches} timelines are not what the oracle predicts\n",
        reports.len(),
        killed.clone().count(),
        reports.len() - killed.count(),
    ));
    text
}

fn push_mismatch(text: &mut String, mismatch: &MutantMismatch) {
    text.push_str(&format!("  MISMATCH in {}\n", mismatch.case));
    for difference in &mismatch.differences {
        text.push_str(&format!("  - {}\n", log_line(difference)));
    }
    let whole = |lines: &[String]| lines.join("\n") + "\n";
    let (predicted, observed) = (whole(&mismatch.predicted), whole(&mismatch.observed));
    let diff = TextDiff::from_lines(predicted.as_str(), observed.as_str())
        .unified_diff()
        .header("predicted", "observed")
        .to_string();
    for line in diff.lines() {
        text.push_str(&format!("  | {}\n", log_line(line)));
    }
}
