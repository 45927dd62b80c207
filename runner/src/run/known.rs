//! What known.yaml makes of a verdict.

use jiff::Timestamp;
use jiff::tz::Offset;

use super::target::Target;
use crate::defect::find;
use crate::fixture::Case;
use crate::judge::{CaseReport, Verdict, shows_defect, shows_pair, shows_recorded};
use crate::known::{Entry, Signature, State, Timeline};
use crate::model::Observation;
use crate::oracle::Setting;

/// A case that differs: `known` if it is recorded and differs as recorded,
/// `changed` if it differs in another way.
pub(super) fn recorded(
    target: &Target,
    setting: &Setting<'_>,
    observations: &[Observation],
    report: &mut CaseReport,
) {
    let Some(entry) = entry(target, setting.case) else {
        return;
    };
    let place = place(target, entry);
    report.issue = Some(state(&entry.state));
    let today = Offset::UTC.to_datetime(Timestamp::now()).date();
    if entry.is_stale(today) {
        report.verdict = Verdict::Changed;
        let until = entry.until.map(|until| until.to_string());
        report.reason = Some(format!("{place} held until {}", until.unwrap_or_default()));
        return;
    }
    if shows(setting, &entry.signature, observations) {
        report.verdict = Verdict::Known;
        // Somebody has read the source: of all defects that fit, it is this.
        match &entry.signature {
            Signature::Defect(defect) => report.signature = Some(defect.to_string()),
            Signature::Pair(left, right) => report.signature = Some(format!("[{left}, {right}]")),
            Signature::Timeline(_) => report.signature = None,
        }
        report.reason = Some(entry.because.clone());
    } else {
        report.verdict = Verdict::Changed;
        report.reason = Some(format!(
            "{place} records {}, this is something else",
            signature(&entry.signature)
        ));
    }
}

/// A case that passes: `fixed` if a divergence is recorded. A recorded defect
/// that would show just this cannot be seen here, and is not said to be gone:
/// a date that is cut to whole seconds is right on a clock that shows a whole one.
pub(super) fn recorded_passes(
    target: &Target,
    setting: &Setting<'_>,
    observations: &[Observation],
    report: &mut CaseReport,
) {
    let Some(entry) = entry(target, setting.case) else {
        return;
    };
    let is_timeline = matches!(entry.signature, Signature::Timeline(_));
    if !is_timeline && shows(setting, &entry.signature, observations) {
        return;
    }
    report.verdict = Verdict::Fixed;
    report.issue = Some(state(&entry.state));
    report.reason = Some(format!(
        "{} records {}, and it passes: narrow `versions` to before {}, or take the entry out",
        place(target, entry),
        signature(&entry.signature),
        target.launch.version
    ));
}

fn entry<'a>(target: &'a Target, case: &Case) -> Option<&'a Entry> {
    let launch = &target.launch;
    target
        .known
        .entry_for(&launch.version, launch.variant.as_deref(), &case.id)
}

fn place(target: &Target, entry: &Entry) -> String {
    format!("{}:{}", target.known.file.display(), entry.line)
}

fn state(state: &State) -> String {
    match state {
        State::Issue(address) => address.clone(),
        State::Undecided(reason) => format!("undecided: {reason}"),
        State::WontFix(reason) => format!("won't fix: {reason}"),
    }
}

fn signature(signature: &Signature) -> String {
    match signature {
        Signature::Defect(defect) => format!("`{defect}`"),
        Signature::Pair(left, right) => format!("`{left}` together with `{right}`"),
        Signature::Timeline(_) => "another timeline".to_owned(),
    }
}

fn shows(setting: &Setting<'_>, signature: &Signature, observations: &[Observation]) -> bool {
    match signature {
        Signature::Defect(id) => {
            find(id.as_str()).is_some_and(|defect| shows_defect(setting, defect, observations))
        }
        Signature::Pair(left, right) => match (find(left.as_str()), find(right.as_str())) {
            (Some(left), Some(right)) => shows_pair(setting, [left, right], observations),
            _ => false,
        },
        Signature::Timeline(Timeline::OneCall(recorded)) => observations.iter().all(|seen| {
            let call = seen.started.keys().next();
            call.is_some_and(|call| shows_recorded(setting, call, recorded, seen))
        }),
        Signature::Timeline(Timeline::Calls(calls)) => observations.iter().all(|seen| {
            calls
                .iter()
                .all(|(call, recorded)| shows_recorded(setting, call, recorded, seen))
        }),
    }
}
