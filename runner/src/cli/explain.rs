//! `holdoff explain`.

use std::io::{self, Write};
use std::path::Path;

use super::adapters::selected as adapters;
use super::args::{CaseArgs, InputArgs};
use super::failure::Failure;
use super::fixtures::selected as cases;
use super::inputs::Inputs;
use crate::adapter::protocol::{ClockKind, ParamValue};
use crate::check::Matrix;
use crate::diagnostic::Diagnostics;
use crate::escape::log_line;
use crate::fixture::{Case, ClockNeed};
use crate::judge::expected_words;
use crate::model::{CallId, Host};
use crate::oracle::{
    Behaviour, CallExpectation, GapKind, Setting, describe_step, expectation, rows, supports,
};
use crate::run::{ExitCode, canonical, start_of};
use crate::spec::Spec;

#[derive(Debug, clap::Args)]
pub(super) struct ExplainArgs {
    /// Cases by name; knows *, ** and ?
    #[arg(value_name = "CASE")]
    case: String,
    /// For this adapter
    #[arg(long, default_value = "reference", value_name = "NAME")]
    adapter: String,
    #[command(flatten)]
    inputs: InputArgs,
}

pub(super) fn explain(args: &ExplainArgs, _holdoff: &Path) -> Result<ExitCode, Failure> {
    let inputs = Inputs::find(&args.inputs);
    let mut errors = Diagnostics::new();
    let spec = inputs.read_spec().map_err(|more| errors.extend(more));
    let fixtures = inputs.read_fixtures().map_err(|more| errors.extend(more));
    let launches = inputs.read_manifests().map_err(|more| errors.extend(more));
    let (Ok(spec), Ok(fixtures), Ok(launches)) = (spec, fixtures, launches) else {
        return Err(errors.sorted().into());
    };
    let filter = CaseArgs {
        cases: vec![args.case.clone()],
        loops: Vec::new(),
        clauses: Vec::new(),
    };
    let chosen = cases(&fixtures, &filter, &spec)?;
    let hosts = adapters(&launches, std::slice::from_ref(&args.adapter))?;
    let cited = chosen.iter().map(|case| &**case);
    crate::check::load_errors(&spec, cited, &super::inputs::text_of).into_result(())?;
    let mut text = Vec::new();
    for case in &chosen {
        for launch in &hosts {
            if !text.is_empty() {
                text.push(String::new());
            }
            explained(&spec, case, &launch.host, &mut text);
        }
    }
    let text = text.join("\n") + "\n";
    io::stdout().lock().write_all(text.as_bytes())?;
    Ok(ExitCode::AsExpected)
}

fn explained(spec: &Spec, case: &Case, host: &Host, text: &mut Vec<String>) {
    text.push(format!("{} on {}", case.id, host.name));
    text.push(format!("  {}", log_line(&case.title)));
    for id in &case.clauses {
        let clause = spec.clause(id).map_or("", |clause| &clause.text);
        text.push(format!("  [{id}] {}", log_line(clause)));
    }
    let clock = match case.needs.clock {
        ClockNeed::Virtual => ClockKind::Virtual,
        _ if host.clocks.contains(&ClockKind::Injected) => ClockKind::Injected,
        _ => host.clocks.first().copied().unwrap_or(ClockKind::Real),
    };
    let setting = Setting {
        spec,
        case,
        host,
        clock,
        wall: start_of(case, canonical()),
        horizon: None,
    };
    text.push(format!(
        "  loop {} ({})",
        case.loop_id,
        setting
            .loop_row()
            .map_or("unknown".to_owned(), |row| row.machine.to_string())
    ));
    let params: Vec<_> = case
        .params
        .iter()
        .map(|(name, value)| format!("{name} = {}", shown(*value)))
        .collect();
    if !params.is_empty() {
        text.push(format!("  with {}", params.join(", ")));
    }
    if let Err(reason) = supports(&setting) {
        text.push(format!("  not judged: {reason}"));
        return;
    }
    text.extend(
        rows(&setting)
            .iter()
            .map(|row| format!("  {}", log_line(row))),
    );
    for step in &case.script {
        text.push(format!("  served: {}", log_line(&describe_step(step))));
    }
    let right = expectation(&setting, &Behaviour::default());
    for (id, call) in &right.calls {
        call_lines(id, call, text);
    }
    let kills = Matrix::new(spec, std::slice::from_ref(case));
    let kills: Vec<_> = kills
        .cases()
        .iter()
        .flat_map(|case| &case.kills)
        .map(ToString::to_string)
        .collect();
    text.push(match kills.as_slice() {
        [] => "  caught here: nothing; a control".to_owned(),
        kills => format!("  caught here: {}", kills.join(", ")),
    });
}

fn call_lines(id: &CallId, call: &CallExpectation, text: &mut Vec<String>) {
    text.push(format!("  call {id}"));
    for (index, attempt) in call.attempts.iter().enumerate() {
        if let Some(gap) = &attempt.gap {
            let word = match gap.kind {
                GapKind::Wait => "wait",
                GapKind::Next => "next",
            };
            text.push(format!("    {word} {}: {}", gap.length, log_line(&gap.why)));
        }
        text.push(format!(
            "    #{} at {}, answered with {}",
            index + 1,
            attempt.at,
            log_line(&attempt.reply)
        ));
    }
    for hook in &call.hooks {
        text.push(format!(
            "    hook: attempt {} failed, {} comes after {}",
            hook.failed_attempt, hook.next_attempt, hook.delay
        ));
    }
    if call.refreshes > 0 {
        text.push(format!("    refreshes: {}", call.refreshes));
    }
    text.push(format!(
        "    ends at {}: {}",
        call.ends,
        expected_words(&call.outcome)
    ));
}

fn shown(value: ParamValue) -> String {
    match value {
        ParamValue::Count(count) => count.to_string(),
        ParamValue::Duration(span) => span.to_string(),
    }
}
