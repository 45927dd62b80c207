//! `holdoff doctor`.

use std::path::Path;

use holdoff_vtime::Finding;

use super::adapters::{on_path, selected, targets};
use super::args::InputArgs;
use super::failure::Failure;
use super::inputs::Inputs;
use super::interrupt::runtime;
use super::sinks::say;
use crate::adapter::Hello;
use crate::adapter::protocol::ClockKind;
use crate::diagnostic::Diagnostics;
use crate::escape::{log_line, terminal};
use crate::run::{
    Availability, ExitCode, Probed, Target, clock_name, probe, virtual_clock, virtual_findings,
};
use crate::spec::Spec;
use crate::world::{WorldCommand, WorldHandle};

#[derive(Debug, clap::Args)]
pub(super) struct DoctorArgs {
    /// Adapters to examine; without one this computer is
    #[arg(value_name = "ADAPTER")]
    adapters_named: Vec<String>,
    /// Examine this computer
    #[arg(long)]
    system: bool,
    /// Fail if this computer lacks it: virtual
    #[arg(long, value_name = "CLOCK", value_parser = ["virtual"])]
    require: Option<String>,
    #[command(flatten)]
    inputs: InputArgs,
}

pub(super) fn doctor(args: &DoctorArgs, holdoff: &Path) -> Result<ExitCode, Failure> {
    let mut system_code = ExitCode::AsExpected;
    if args.system || args.adapters_named.is_empty() || args.require.is_some() {
        let lacks = system(&args.inputs, holdoff)?;
        if args.require.is_some() && lacks == Lacks::VirtualTime {
            system_code = ExitCode::Harness;
        }
        if args.adapters_named.is_empty() {
            return Ok(system_code);
        }
    }
    let inputs = Inputs::find(&args.inputs);
    let mut errors = Diagnostics::new();
    let spec = inputs.read_spec().map_err(|more| errors.extend(more));
    let launches = inputs.read_manifests().map_err(|more| errors.extend(more));
    let (Ok(spec), Ok(launches)) = (spec, launches) else {
        return Err(errors.sorted().into());
    };
    let chosen = selected(&launches, &args.adapters_named)?;
    let world = WorldCommand {
        argv: vec![holdoff.to_string_lossy().into_owned(), "world".to_owned()],
    };
    let mut ill = 0;
    let runtime = runtime()?;
    for target in targets(&inputs, chosen, holdoff)? {
        let mut lines = vec![log_line(target.name())];
        let is_well = runtime.block_on(examine(&target, &spec, &world, &mut lines));
        say(lines.join("\n"))?;
        ill += usize::from(!is_well);
    }
    if ill == 0 {
        Ok(system_code)
    } else {
        say(format!("\n{ill} not ready: no verdict on it would count"))?;
        Ok(ExitCode::Harness)
    }
}

/// What a computer lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lacks {
    Nothing,
    VirtualTime,
}

fn system(args: &InputArgs, holdoff: &Path) -> Result<Lacks, Failure> {
    let mut lines = Vec::new();
    let mut line = |what: &str, said: String| lines.push(format!("{what:<12} {said}"));
    line(
        "holdoff",
        format!("{} at {}", env!("CARGO_PKG_VERSION"), holdoff.display()),
    );
    line(
        "system",
        format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
    );
    let findings = virtual_findings();
    let lacks = if findings.iter().all(Finding::is_met) {
        Lacks::Nothing
    } else {
        Lacks::VirtualTime
    };
    let virtual_word = match lacks {
        Lacks::Nothing => "yes",
        Lacks::VirtualTime => "no; `--clock auto` takes another",
    };
    line("virtual", virtual_word.to_owned());
    for (what, said) in findings.iter().flat_map(finding_lines) {
        line(&format!("  {what}"), said);
    }
    line("injected", "yes".to_owned());
    line("real", "yes".to_owned());
    for program in ["python3", "node"] {
        let said =
            on_path(program).map_or("not found".to_owned(), |path| path.display().to_string());
        line(program, said);
    }
    let inputs = Inputs::find(args);
    let found = |path: &Path| if path.exists() { "" } else { " (not there)" };
    line(
        "spec",
        format!("{}{}", inputs.spec.display(), found(&inputs.spec)),
    );
    line(
        "fixtures",
        format!("{}{}", inputs.fixtures.display(), found(&inputs.fixtures)),
    );
    say(lines.join("\n"))?;
    Ok(lacks)
}

/// Whether something is there; if not, why, and what to do.
fn finding_lines(finding: &Finding) -> Vec<(String, String)> {
    let what = finding.precondition.to_string();
    match &finding.trouble {
        None => vec![(what, "ok".to_owned())],
        Some(trouble) => vec![
            (what, terminal(&trouble.reason).into_owned()),
            (
                String::new(),
                format!("to do: {}", terminal(&trouble.remedy)),
            ),
        ],
    }
}

/// Starts the adapter, hears what it says of itself, and probes every loop
/// under every clock that it claims and this computer has.
async fn examine(
    target: &Target,
    spec: &Spec,
    command: &WorldCommand,
    lines: &mut Vec<String>,
) -> bool {
    let mut said = |what: &str, text: String| {
        let mut label = what;
        for line in text.lines() {
            lines.push(format!("  {label:<12} {}", log_line(line)));
            label = "";
        }
    };
    if let Availability::Missing(reason) = &target.availability {
        said("not here", reason.clone());
        return false;
    }
    let mut world = WorldHandle::new(command.clone(), target.start.clone());
    let hello = match world.hello().await {
        Ok(hello) => hello,
        Err(failure) => {
            said("start", with_log(failure.to_string(), failure.log()));
            world.stop().await;
            return false;
        }
    };
    said("sdk", format!("{} {}", hello.sdk.name, hello.sdk.version));
    said("runtime", runtime_line(&hello));
    let mut is_well = true;
    for clock in &target.launch.host.clocks {
        if let (ClockKind::Virtual, Err(missing)) = (clock, virtual_clock()) {
            said("virtual", format!("claimed, not probed: {missing}"));
            continue;
        }
        let mut tree = WorldHandle::new(command.clone(), target.start.under(*clock));
        let world = if *clock == ClockKind::Virtual {
            &mut tree
        } else {
            &mut world
        };
        for loop_id in target.launch.host.loops.keys() {
            let probed = probe(world, target, spec, loop_id, *clock).await;
            let word = match probed {
                Probed::AsClaimed => "as claimed".to_owned(),
                Probed::Failed { reason, log } => {
                    is_well = false;
                    with_log(reason, &log)
                }
                Probed::Unavailable(reason) => {
                    is_well = false;
                    reason
                }
            };
            said(clock_name(*clock), format!("{loop_id}: {word}"));
        }
        tree.stop().await;
    }
    world.stop().await;
    is_well
}

/// Log lines of an adapter that are shown: the end of a trace says what it was.
const LOG_LINES: usize = 20;

fn with_log(reason: String, log: &[String]) -> String {
    let from = log.len().saturating_sub(LOG_LINES);
    let shown = log[from..].iter().map(|line| format!("log| {line}"));
    std::iter::once(reason)
        .chain(shown)
        .collect::<Vec<_>>()
        .join("\n")
}

fn runtime_line(hello: &Hello) -> String {
    format!(
        "{} {}, zone {} and {}, locale {}",
        hello.language,
        hello.runtime,
        hello.environment.zone_offsets[0],
        hello.environment.zone_offsets[1],
        hello.environment.locale
    )
}

#[cfg(test)]
mod tests {
    use holdoff_vtime::Precondition;

    use super::*;

    #[test]
    fn what_is_missing_comes_with_what_to_do() {
        let text = [
            Finding::met(Precondition::Memory),
            Finding::missing(Precondition::Tracing, "refused\u{1b}[2J", "ask for it"),
        ]
        .iter()
        .flat_map(finding_lines)
        .map(|(what, said)| format!("{what:<12} {said}\n"))
        .collect::<String>();
        insta::assert_snapshot!("doctor_findings", text);
    }
}
