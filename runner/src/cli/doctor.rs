//! `holdoff doctor`.

use std::path::Path;

use super::adapters::{on_path, selected, targets};
use super::args::InputArgs;
use super::failure::Failure;
use super::inputs::Inputs;
use super::interrupt::runtime;
use super::sinks::say;
use crate::adapter::Hello;
use crate::adapter::protocol::ClockKind;
use crate::diagnostic::Diagnostics;
use crate::escape::log_line;
use crate::run::{Availability, ExitCode, Probed, Target, clock_name, probe, virtual_clock};
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
    #[command(flatten)]
    inputs: InputArgs,
}

pub(super) fn doctor(args: &DoctorArgs, holdoff: &Path) -> Result<ExitCode, Failure> {
    if args.system || args.adapters_named.is_empty() {
        system(&args.inputs, holdoff)?;
        if args.adapters_named.is_empty() {
            return Ok(ExitCode::AsExpected);
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
        Ok(ExitCode::AsExpected)
    } else {
        say(format!("\n{ill} not ready: no verdict on it would count"))?;
        Ok(ExitCode::Harness)
    }
}

fn system(args: &InputArgs, holdoff: &Path) -> Result<(), Failure> {
    let mut lines = Vec::new();
    let mut line = |what: &str, said: String| lines.push(format!("{what:<10} {said}"));
    line(
        "holdoff",
        format!("{} at {}", env!("CARGO_PKG_VERSION"), holdoff.display()),
    );
    line(
        "system",
        format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
    );
    let virtual_word = match virtual_clock() {
        Ok(()) => "yes".to_owned(),
        Err(missing) => missing.to_string(),
    };
    line("virtual", virtual_word);
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
    say(lines.join("\n"))
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
        for loop_id in target.launch.host.loops.keys() {
            let probed = probe(&mut world, target, spec, loop_id, *clock).await;
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
