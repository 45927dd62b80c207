//! `holdoff list`.

use std::io::{self, Write};
use std::sync::Arc;

use serde::Serialize;

use super::args::{CaseArgs, InputArgs};
use super::failure::Failure;
use super::fixtures::selected;
use super::inputs::Inputs;
use crate::diagnostic::Diagnostics;
use crate::escape::log_line;
use crate::fixture::Case;
use crate::model::{CaseId, ClauseId, DefectId, FixtureId, LoopId};
use crate::run::ExitCode;

#[derive(Debug, clap::Args)]
pub(super) struct ListArgs {
    #[command(flatten)]
    cases: CaseArgs,
    #[command(flatten)]
    inputs: InputArgs,
    /// How standard output is written
    #[arg(long, value_enum, default_value = "console")]
    format: TextOrJson,
}

/// Formats of commands that run nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum TextOrJson {
    /// For people
    Console,
    /// JSON
    Json,
}

/// A case as `list --format json` shows it.
#[derive(Debug, Serialize)]
struct Listed<'a> {
    case: &'a CaseId,
    fixture: &'a FixtureId,
    title: &'a str,
    #[serde(rename = "loop")]
    loop_id: &'a LoopId,
    clauses: &'a [ClauseId],
    kills: &'a [DefectId],
}

pub(super) fn list(args: &ListArgs) -> Result<ExitCode, Failure> {
    let inputs = Inputs::find(&args.inputs);
    let mut errors = Diagnostics::new();
    let spec = inputs.read_spec().map_err(|more| errors.extend(more));
    let cases = inputs.read_fixtures().map_err(|more| errors.extend(more));
    let (Ok(spec), Ok(cases)) = (spec, cases) else {
        return Err(errors.sorted().into());
    };
    let cases = selected(&cases, &args.cases, &spec)?;
    let text = match args.format {
        TextOrJson::Json => json(&cases),
        TextOrJson::Console => table(&cases),
    };
    io::stdout().lock().write_all(text.as_bytes())?;
    Ok(ExitCode::AsExpected)
}

fn json(cases: &[Arc<Case>]) -> String {
    let listed: Vec<_> = cases
        .iter()
        .map(|case| Listed {
            case: &case.id,
            fixture: &case.fixture,
            title: &case.title,
            loop_id: &case.loop_id,
            clauses: &case.clauses,
            kills: &case.kills,
        })
        .collect();
    let json = serde_json::to_string_pretty(&listed).expect("names and texts are JSON");
    crate::report::ascii_controls(&json) + "\n"
}

fn table(cases: &[Arc<Case>]) -> String {
    let widest = cases.iter().map(|case| case.id.as_str().len()).max();
    let width = widest.unwrap_or(0);
    let mut text = String::new();
    for case in cases {
        let clauses: Vec<_> = case.clauses.iter().map(ClauseId::as_str).collect();
        text.push_str(&format!(
            "{:width$}  {}  [{}]\n",
            case.id,
            log_line(&case.title),
            log_line(&clauses.join(", "))
        ));
    }
    let cases = cases.len();
    text.push_str(&format!("\n{cases} cases\n"));
    text
}
