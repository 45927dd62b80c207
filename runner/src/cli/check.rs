//! `holdoff check`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::args::InputArgs;
use super::failure::Failure;
use super::inputs::{Inputs, text_of};
use super::list::TextOrJson;
use crate::check::{CheckReport, check as check_cases};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::fixture::Case;
use crate::known::{Known, Target};
use crate::manifest::Launch;
use crate::run::ExitCode;
use crate::spec::Spec;

#[derive(Debug, clap::Args)]
pub(super) struct CheckArgs {
    #[command(flatten)]
    inputs: InputArgs,
    /// How standard output is written
    #[arg(long, value_enum, default_value = "console")]
    format: TextOrJson,
}

pub(super) fn check(args: &CheckArgs) -> Result<ExitCode, Failure> {
    let inputs = Inputs::find(&args.inputs);
    let mut errors = Diagnostics::new();
    let spec = inputs.read_spec().map_err(|more| errors.extend(more));
    let cases = inputs.read_fixtures().map_err(|more| errors.extend(more));
    let launches = inputs.read_manifests().map_err(|more| errors.extend(more));
    let (Ok(spec), Ok(cases)) = (spec, cases) else {
        return Err(errors.sorted().into());
    };
    let cases: Vec<Case> = cases.iter().map(|case| (**case).clone()).collect();
    if let Ok(launches) = &launches {
        errors.extend(adapter_errors(&spec, &cases, launches));
    }
    let checked = check_cases(&spec, &cases, &text_of);
    errors.extend(checked.diagnostics);
    errors.extend(coverage_errors(&inputs.spec, &spec, &checked.report));
    let text = match args.format {
        TextOrJson::Json => {
            let json =
                serde_json::to_string_pretty(&checked.report).expect("numbers and names are JSON");
            format!("{json}\n")
        }
        TextOrJson::Console => numbers(&checked.report),
    };
    io::stdout().lock().write_all(text.as_bytes())?;
    errors.into_result(())?;
    Ok(ExitCode::AsExpected)
}

/// Loops that a manifest claims and no specification has, and entries of
/// known.yaml that name nothing.
fn adapter_errors(spec: &Spec, cases: &[Case], launches: &[Launch]) -> Diagnostics {
    let mut errors = Diagnostics::new();
    let mut by_folder: BTreeMap<&PathBuf, Vec<&Launch>> = BTreeMap::new();
    for launch in launches {
        by_folder.entry(&launch.folder).or_default().push(launch);
    }
    for (folder, launches) in by_folder {
        for id in launches.iter().flat_map(|launch| launch.host.loops.keys()) {
            if spec.loop_row(id).is_none() && launches[0].spec.is_none() {
                let loops = spec.loops.iter().map(|row| row.id.to_string());
                let file = folder.join(crate::manifest::Manifest::FILE);
                errors.push(
                    Diagnostic::of_file(&file, "unknown loop")
                        .found(id.as_str())
                        .allowed(loops),
                );
            }
        }
        match Known::load(folder) {
            Ok(known) => {
                let all: Vec<_> = launches
                    .iter()
                    .flat_map(|launch| {
                        cases.iter().map(|case| Target {
                            version: &launch.version,
                            variant: launch.variant.as_deref(),
                            case: &case.id,
                        })
                    })
                    .collect();
                errors.extend(known.check(&all));
            }
            Err(more) => errors.extend(more),
        }
    }
    errors.sorted()
}

fn coverage_errors(file: &Path, spec: &Spec, report: &CheckReport) -> Diagnostics {
    let mut errors = Diagnostics::new();
    let text = text_of(file).unwrap_or_default();
    let source = crate::diagnostic::Source::new(file, &text);
    for id in &report.clauses_without_case {
        let line = spec.clause(id).map_or(1, |clause| clause.line);
        errors.push(
            source
                .at(line, 1, 1, format!("no case tests the clause `{id}`"))
                .hint("write a fixture that cites it, or say why no exchange can show it: `(not observable: reason)`"),
        );
    }
    for defect in &report.survivors {
        errors.push(Diagnostic::of_file(
            Path::new("fixtures"),
            format!("no case catches the defect `{defect}`"),
        ));
    }
    errors
}

fn numbers(report: &CheckReport) -> String {
    let mut text = String::new();
    let tested = report.clauses - report.clauses_without_case.len();
    writeln!(
        text,
        "{} cases in {} fixtures, {} distinct kill sets",
        report.cases, report.fixtures, report.kill_sets
    )
    .and_then(|()| {
        writeln!(
            text,
            "{} defects, {} caught by some case",
            report.defects,
            report.defects - report.survivors.len()
        )
    })
    .and_then(|()| {
        writeln!(
            text,
            "{} clauses, {tested} tested or not observable",
            report.clauses
        )
    })
    .expect("writing to a string cannot fail");
    text
}
