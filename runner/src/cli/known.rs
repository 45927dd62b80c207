//! `holdoff known`.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use jiff::tz::Offset;
use similar::TextDiff;

use super::args::InputArgs;
use super::failure::Failure;
use super::inputs::Inputs;
use super::sinks::say;
use crate::defect::find;
use crate::diagnostic::Diagnostics;
use crate::escape::log_line;
use crate::judge::{CaseReport, Diagnosis, Verdict};
use crate::known::{Edit, Entry, Known, Seen, Signature, State, Target, propose};
use crate::manifest::{Launch, Version};
use crate::model::DefectId;
use crate::report::from_json_lines;
use crate::run::{Cause, ExitCode};

#[derive(Debug, clap::Args)]
pub(super) struct KnownArgs {
    /// Only entries that have expired or name nothing; fails if there are any
    #[arg(long)]
    stale: bool,
    /// Propose edits from a run that was saved by `run --save`
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    /// Make the proposed edits; no reason is ever removed
    #[arg(long, requires = "from")]
    write: bool,
    #[command(flatten)]
    inputs: InputArgs,
}

pub(super) fn known(args: &KnownArgs) -> Result<ExitCode, Failure> {
    let inputs = Inputs::find(&args.inputs);
    let launches = inputs.read_manifests()?;
    let mut folders: BTreeMap<PathBuf, Vec<Launch>> = BTreeMap::new();
    for launch in launches {
        folders
            .entry(launch.folder.clone())
            .or_default()
            .push(launch);
    }
    match &args.from {
        Some(file) => edit(&folders, file, args.write),
        None => list(&inputs, &folders, args.stale),
    }
}

fn list(
    inputs: &Inputs,
    folders: &BTreeMap<PathBuf, Vec<Launch>>,
    only_stale: bool,
) -> Result<ExitCode, Failure> {
    let mut errors = Diagnostics::new();
    let cases = inputs.read_fixtures().map_err(|more| errors.extend(more));
    let mut read = Vec::new();
    for (folder, launches) in folders {
        match Known::load(folder) {
            Ok(known) => read.push((known, launches)),
            Err(more) => errors.extend(more),
        }
    }
    let Ok(cases) = cases else {
        return Err(errors.sorted().into());
    };
    errors.into_result(())?;
    let today = Offset::UTC.to_datetime(Timestamp::now()).date();
    let (mut text, mut stale) = (String::new(), 0);
    for (known, launches) in &read {
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
        let unmatched = known.unmatched(&all);
        for entry in &known.entries {
            let why = if unmatched.iter().any(|found| found.entry == entry) {
                Some("names no case")
            } else if entry.is_stale(today) {
                Some("has expired")
            } else {
                None
            };
            stale += usize::from(why.is_some());
            if why.is_some() || !only_stale {
                text.push_str(&entry_text(known, entry, why));
            }
        }
    }
    let entries: usize = read.iter().map(|(known, _)| known.entries.len()).sum();
    text.push_str(&format!("{entries} entries, {stale} stale\n"));
    io::stdout().lock().write_all(text.as_bytes())?;
    Ok(if only_stale && stale > 0 {
        ExitCode::Divergences
    } else {
        ExitCode::AsExpected
    })
}

fn entry_text(known: &Known, entry: &Entry, why: Option<&str>) -> String {
    let signature = match &entry.signature {
        Signature::Defect(defect) => defect.to_string(),
        Signature::Pair(left, right) => format!("[{left}, {right}]"),
        Signature::Timeline(_) => "a timeline".to_owned(),
    };
    let state = match &entry.state {
        State::Issue(address) => address.clone(),
        State::Undecided(reason) => format!("undecided: {reason}"),
        State::WontFix(reason) => format!("won't fix: {reason}"),
    };
    let variant = entry
        .variant
        .as_ref()
        .map(|variant| format!(" {variant}"))
        .unwrap_or_default();
    let why = why.map(|why| format!(" STALE: {why}")).unwrap_or_default();
    format!(
        "{}:{}: {}{variant} {}: {signature}{why}\n    {}; {}\n",
        known.file.display(),
        entry.line,
        entry.versions,
        entry.case,
        log_line(&entry.because),
        log_line(&state)
    )
}

fn edit(
    folders: &BTreeMap<PathBuf, Vec<Launch>>,
    file: &Path,
    write: bool,
) -> Result<ExitCode, Failure> {
    let refuse = |error: String| Failure::Usage(format!("{}: {error}", file.display()));
    let opened = File::open(file).map_err(|error| refuse(error.to_string()))?;
    let record =
        from_json_lines(BufReader::new(opened)).map_err(|error| refuse(error.to_string()))?;
    let mut edited = 0;
    for (folder, launches) in folders {
        let known = Known::load(folder)?;
        let edits: Vec<_> = record
            .cases
            .iter()
            .filter_map(|report| {
                let launch = launches
                    .iter()
                    .find(|launch| launch.host.name == report.adapter)?;
                edit_of(&known, launch, report, &record.footer.causes)
            })
            .collect();
        if edits.is_empty() {
            continue;
        }
        edited += edits.len();
        let text = std::fs::read_to_string(&known.file).unwrap_or_default();
        let versions: Vec<Version> = launches
            .iter()
            .map(|launch| launch.version.clone())
            .collect();
        let proposed = propose(&known, &text, &edits, &versions)
            .map_err(|error| Failure::Usage(format!("{}: {error}", known.file.display())))?;
        let name = known.file.display().to_string();
        let diff = TextDiff::from_lines(text.as_str(), proposed.as_str())
            .unified_diff()
            .header(&name, &name)
            .to_string();
        io::stdout().lock().write_all(diff.as_bytes())?;
        if write {
            written(&known.file, &proposed)?;
        }
    }
    let edits = if edited == 1 { "edit" } else { "edits" };
    let done = if write { "made" } else { "proposed" };
    say(format!("{edited} {edits} {done}"))?;
    Ok(ExitCode::AsExpected)
}

/// A file that the next command refuses is worse than none: the saved run may
/// be of another version, or edited.
fn written(file: &Path, proposed: &str) -> Result<(), Failure> {
    Known::read(file, proposed)?;
    std::fs::write(file, proposed)
        .map_err(|error| Failure::Usage(format!("{} cannot be written: {error}", file.display())))
}

/// What a report means for known.yaml. An entry that names several cases is
/// narrowed only if all of them pass, which one report cannot say: the entry is
/// left to a person then.
fn edit_of(known: &Known, launch: &Launch, report: &CaseReport, causes: &[Cause]) -> Option<Edit> {
    let entry = known.entry_for(&launch.version, launch.variant.as_deref(), &report.case);
    match (report.verdict, entry) {
        (Verdict::Diverges | Verdict::Warns, None) => Some(Edit::Add {
            version: launch.version.clone(),
            variant: launch.variant.clone(),
            case: report.case.clone(),
            signature: seen(report, causes)?,
            because: report
                .differences
                .first()
                .map(|difference| difference.text.clone())
                .unwrap_or_default(),
        }),
        (Verdict::Fixed, Some(entry)) if !entry.case.as_str().contains(['*', '?']) => {
            Some(Edit::Fixed {
                line: entry.line,
                version: launch.version.clone(),
            })
        }
        (Verdict::Changed, Some(entry)) if !entry.case.as_str().contains(['*', '?']) => {
            Some(Edit::Changed {
                line: entry.line,
                signature: seen(report, causes)?,
            })
        }
        _ => None,
    }
}

/// Of several defects that would do, the one that the whole run speaks for.
fn seen(report: &CaseReport, causes: &[Cause]) -> Option<Seen> {
    let text = report.signature.as_deref()?;
    let Some(defect) = find(text) else {
        return Some(Seen::Timeline(text.to_owned()));
    };
    let consistent: &[DefectId] = match &report.diagnosis {
        Some(Diagnosis::ConsistentWith(defects)) => defects,
        _ => &[],
    };
    let cause = causes
        .iter()
        .filter(|cause| cause.adapter == report.adapter)
        .filter_map(|cause| cause.defect.as_ref())
        .find(|cause| consistent.contains(cause) && find(cause.as_str()).is_some());
    Some(Seen::Defect(cause.cloned().unwrap_or_else(|| defect.id())))
}
