//! [`check`]: everything that can be said of fixtures without running them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::clocks::only_injected;
use super::coverage::clauses_without_case;
use super::kills::{CaseKills, Matrix};
use super::nominal::{nominal_host, nominal_setting};
use super::report::{CheckReport, Checked};
use crate::adapter::protocol::ClockKind;
use crate::defect::{self, catalogue};
use crate::diagnostic::{Diagnostic, Diagnostics, Source};
use crate::fixture::{Case, ClockNeed, Control};
use crate::judge::authored;
use crate::model::{CaseId, DefectId, Host};
use crate::oracle::{Behaviour, Expectation, Setting, expectation};
use crate::spec::{Machine, Spec};

/// Checks cases against a specification and against each other. `text_of`
/// gives the text of a fixture's file, so that errors can show the line.
pub fn check(spec: &Spec, cases: &[Case], text_of: &dyn Fn(&Path) -> Option<String>) -> Checked {
    let named: Vec<Case> = cases
        .iter()
        .filter(|case| citations(spec, case, None).is_empty())
        .cloned()
        .collect();
    let matrix = Matrix::new(spec, &named);
    let mut texts = Texts {
        text_of,
        read: BTreeMap::new(),
    };
    let host = nominal_host(spec);
    let mut diagnostics = Diagnostics::new();
    for case in cases {
        for found in citations(spec, case, Some(&mut texts)) {
            diagnostics.push(found);
        }
    }
    let by_id: BTreeMap<&CaseId, &CaseKills> = matrix
        .cases()
        .iter()
        .map(|kills| (&kills.case, kills))
        .collect();
    for (case, kills) in named.iter().zip(matrix.cases()) {
        let mut checked = OneCase {
            spec,
            case,
            kills,
            host: &host,
            by_id: &by_id,
            texts: &mut texts,
            found: Vec::new(),
        };
        checked.author_and_oracle();
        checked.can_fail();
        checked.claims();
        checked.asserts();
        checked.clocks();
        checked
            .found
            .into_iter()
            .for_each(|found| diagnostics.push(found));
    }
    let catches = matrix.catches();
    let report = CheckReport {
        clauses: spec.clauses.len(),
        clauses_without_case: clauses_without_case(spec, cases),
        fixtures: cases
            .iter()
            .map(|case| &case.fixture)
            .collect::<BTreeSet<_>>()
            .len(),
        cases: cases.len(),
        kill_sets: matrix.distinct(),
        defects: catalogue().len(),
        survivors: catches
            .iter()
            .filter(|(_, count)| **count == 0)
            .map(|(id, _)| id.clone())
            .collect(),
    };
    Checked {
        diagnostics: diagnostics.sorted(),
        report,
    }
}

/// What is wrong with cases so that they cannot even be played: names that do
/// not exist, and authors that the oracle contradicts. A part of [`check`].
pub fn load_errors<'a>(
    spec: &Spec,
    cases: impl IntoIterator<Item = &'a Case>,
    text_of: &dyn Fn(&Path) -> Option<String>,
) -> Diagnostics {
    let mut texts = Texts {
        text_of,
        read: BTreeMap::new(),
    };
    let host = nominal_host(spec);
    let mut diagnostics = Diagnostics::new();
    for case in cases {
        let wrong = citations(spec, case, Some(&mut texts));
        if !wrong.is_empty() {
            diagnostics.extend(wrong);
            continue;
        }
        let setting = nominal_setting(spec, case, &host, derived_clock(case));
        let right = expectation(&setting, &Behaviour::default());
        let found = contradictions(&setting, &right);
        diagnostics.extend(found.into_iter().map(|(path, message, hint)| {
            let message = format!("case `{}`: {message}", case.id);
            Diagnostic {
                hint,
                ..texts.at(case, &path, message)
            }
        }));
    }
    diagnostics.sorted()
}

/// Where, what and why author and oracle do not agree.
fn contradictions(
    setting: &Setting<'_>,
    right: &Expectation,
) -> Vec<(String, String, Option<String>)> {
    let mismatches = authored(setting, right).into_iter();
    mismatches
        .map(|mismatch| {
            let message = format!(
                "the author says {}, the oracle derives {}",
                mismatch.stated, mismatch.derived
            );
            let hint = (!mismatch.why.is_empty())
                .then(|| format!("the oracle's reason: {}", mismatch.why));
            (mismatch.path, message, hint)
        })
        .collect()
}

fn derived_clock(case: &Case) -> ClockKind {
    match case.needs.clock {
        ClockNeed::Virtual => ClockKind::Virtual,
        _ => ClockKind::Injected,
    }
}

/// Texts of fixture files, each read once.
struct Texts<'a> {
    text_of: &'a dyn Fn(&Path) -> Option<String>,
    read: BTreeMap<PathBuf, String>,
}

impl Texts<'_> {
    fn at(&mut self, case: &Case, path: &str, message: String) -> Diagnostic {
        let file = &case.positions.file;
        let text = self
            .read
            .entry(file.clone())
            .or_insert_with(|| (self.text_of)(file).unwrap_or_default());
        let (line, col) = case.positions.of(path);
        Source::new(file.clone(), text).at(line, col, 1, message)
    }
}

/// Names that a case cites and that do not exist; without texts only whether
/// there are any.
fn citations(spec: &Spec, case: &Case, texts: Option<&mut Texts<'_>>) -> Vec<Diagnostic> {
    let mut wrong: Vec<(String, String, String, Vec<String>)> = Vec::new();
    if spec.loop_row(&case.loop_id).is_none() {
        let loops = spec.loops.iter().map(|row| row.id.to_string()).collect();
        wrong.push((
            "loop".into(),
            "unknown loop".into(),
            case.loop_id.to_string(),
            loops,
        ));
    } else if let Some(row) = spec.loop_row(&case.loop_id)
        && !matches!(row.machine, Machine::Retry | Machine::Replay)
    {
        let message = format!(
            "cases of the machine `{}` cannot be derived yet",
            row.machine
        );
        wrong.push(("loop".into(), message, case.loop_id.to_string(), Vec::new()));
    }
    for (index, id) in case.clauses.iter().enumerate() {
        if spec.clause(id).is_none() {
            let clauses = spec
                .clauses
                .iter()
                .map(|clause| clause.id.to_string())
                .collect();
            wrong.push((
                format!("clauses[{index}]"),
                "unknown clause".into(),
                id.to_string(),
                clauses,
            ));
        }
    }
    for (index, id) in case.kills.iter().enumerate() {
        if defect::find(id.as_str()).is_none() {
            let names = catalogue()
                .iter()
                .map(|defect| defect.name.to_owned())
                .collect();
            wrong.push((
                format!("kills[{index}]"),
                "unknown defect".into(),
                id.to_string(),
                names,
            ));
        }
    }
    let mut nothing = Texts {
        text_of: &|_| None,
        read: BTreeMap::new(),
    };
    let texts = texts.unwrap_or(&mut nothing);
    wrong
        .into_iter()
        .map(|(path, message, found, allowed)| {
            let diagnostic = texts.at(case, &path, message).found(found);
            if allowed.is_empty() {
                diagnostic
            } else {
                diagnostic.allowed(allowed)
            }
        })
        .collect()
}

struct OneCase<'a, 'b> {
    spec: &'a Spec,
    case: &'a Case,
    kills: &'a CaseKills,
    host: &'a Host,
    by_id: &'a BTreeMap<&'a CaseId, &'a CaseKills>,
    texts: &'a mut Texts<'b>,
    found: Vec<Diagnostic>,
}

impl OneCase<'_, '_> {
    fn error(&mut self, path: &str, message: impl Into<String>) -> &mut Diagnostic {
        let message = format!("case `{}`: {}", self.case.id, message.into());
        let at = self.found.len();
        self.found.push(self.texts.at(self.case, path, message));
        &mut self.found[at]
    }

    fn author_and_oracle(&mut self) {
        let setting = nominal_setting(self.spec, self.case, self.host, derived_clock(self.case));
        for (path, message, hint) in contradictions(&setting, &self.kills.right) {
            self.error(&path, message).hint = hint;
        }
    }

    /// A case that no defect changes proves nothing, unless it is a control.
    fn can_fail(&mut self) {
        match &self.case.control {
            Control::No if self.kills.kills.is_empty() => {
                let hint = "a case that is there to pass says `control: true` and names its `twin`"
                    .to_owned();
                self.error("title", "no defect of the catalogue can make it fail")
                    .hint = Some(hint);
            }
            Control::Yes { twin } => {
                if !self.kills.kills.is_empty() {
                    let list = list(self.kills.kills.iter());
                    self.error("control", format!("is no control: {list} make it fail"));
                }
                let twin = twin.clone();
                match self.by_id.get(&twin) {
                    None => {
                        self.error("twin", format!("its twin `{twin}` does not exist"));
                    }
                    Some(kills) if kills.kills.is_empty() => {
                        self.error("twin", format!("its twin `{twin}` cannot fail either"));
                    }
                    Some(_) => {}
                }
            }
            Control::No => {}
        }
    }

    fn claims(&mut self) {
        let missed: Vec<_> = self
            .case
            .kills
            .iter()
            .enumerate()
            .filter(|(_, id)| !self.kills.kills.contains(*id))
            .map(|(index, id)| (index, id.clone()))
            .collect();
        for (index, id) in missed {
            let does = defect::find(id.as_str()).map_or("", |defect| defect.does);
            let message =
                format!("claims to catch `{id}`, but a client that {does} looks the same here");
            let caught = list(self.kills.kills.iter());
            self.error(&format!("kills[{index}]"), message).hint =
                Some(format!("it does catch: {caught}"));
        }
    }

    /// A case that may run under the virtual clock asks nothing that only the
    /// injected one can give.
    fn clocks(&mut self) {
        for found in only_injected(self.spec, self.case, self.host) {
            self.error(&found.path, found.message).hint = Some(found.hint);
        }
    }

    /// An expectation that states nothing cannot be checked against the oracle.
    fn asserts(&mut self) {
        let silent: Vec<_> = self
            .case
            .expect
            .calls
            .iter()
            .filter(|(_, call)| {
                call.attempts.is_none() && call.waits.is_none() && call.outcome.is_none()
            })
            .map(|(id, _)| id.clone())
            .collect();
        for id in silent {
            self.error(
                "expect",
                format!("states neither attempts nor waits nor outcome of call `{id}`"),
            );
        }
    }
}

fn list<'a>(ids: impl Iterator<Item = &'a DefectId>) -> String {
    let names: Vec<_> = ids.map(|id| format!("`{id}`")).collect();
    if names.is_empty() {
        "nothing".to_owned()
    } else {
        names.join(", ")
    }
}
