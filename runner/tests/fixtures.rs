//! Every fixture of the repository: author and oracle agree, every case can
//! fail, every clause has a case, every defect is caught by two cases, and
//! every two defects are told apart by some case.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on says so")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use holdoff::adapter::protocol::ClockKind;
use holdoff::defect::{Defect, catalogue};
use holdoff::fixture::{self, Case, Control, Distinct};
use holdoff::judge::{authored, visibility};
use holdoff::manifest::Manifest;
use holdoff::model::{Host, Span, wall_shifted};
use holdoff::oracle::{
    Behaviour, Expectation, Seen, Setting, Visibility, expectation, supports, tells_apart,
};
use holdoff::spec::{Observable, Spec};
use jiff::Timestamp;

/// Defects that no exchange under an owned clock tells apart, and why.
const ALIASES: &[(&str, &str)] = &[];

/// Clauses whose cases are still to be written, and why.
const WITHOUT_CASE: &[&str] = &[];

/// So many cases can be judged on real clocks without long waits.
const LEAST_REAL: usize = 45;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap()
        .to_owned()
}

struct World {
    spec: Spec,
    cases: Vec<Case>,
    host: Host,
}

fn world() -> &'static World {
    static WORLD: OnceLock<World> = OnceLock::new();
    WORLD.get_or_init(|| {
        let root = repository();
        let file = root.join("SPEC.md");
        let text = fs::read_to_string(&file).unwrap();
        let spec = Spec::parse(&file, &text).unwrap_or_else(|errors| panic!("{errors}"));
        let cases =
            fixture::load(&root.join("fixtures")).unwrap_or_else(|errors| panic!("{errors}"));
        World {
            spec,
            cases,
            host: host(),
        }
    })
}

/// What the reference client's manifest says of it.
fn host() -> Host {
    let folder = repository().join("adapters/reference");
    let manifest = Manifest::load(&folder).unwrap_or_else(|errors| panic!("{errors}"));
    manifest.hosts().remove(0).host
}

impl World {
    fn setting<'a>(&'a self, case: &'a Case, clock: ClockKind) -> Setting<'a> {
        let year_2030 = Timestamp::from_second(1_893_456_000).unwrap();
        let phase = case.clock.phase.unwrap_or(Span::ZERO);
        Setting {
            spec: &self.spec,
            case,
            host: &self.host,
            clock,
            wall: case
                .clock
                .start
                .unwrap_or_else(|| wall_shifted(year_2030, phase)),
            horizon: None,
        }
    }

    fn seen(&self, case: &Case, clock: ClockKind) -> Visibility {
        let differ = case
            .expect
            .calls
            .values()
            .any(|call| call.distinct == Some(Distinct::Differ));
        Visibility {
            draws_differ: Seen::when(differ),
            ..visibility(clock, &self.host, case.runs)
        }
    }
}

/// What a case shows: of the specified client, and of each defective one.
struct Shown<'a> {
    case: &'a Case,
    seen: Visibility,
    right: Expectation,
    wrong: Vec<Expectation>,
    kills: BTreeSet<usize>,
}

fn shown(case: &'static Case, clock: ClockKind) -> Shown<'static> {
    let world = world();
    let setting = world.setting(case, clock);
    let seen = world.seen(case, clock);
    let right = expectation(&setting, &Behaviour::default());
    let bent = |defect: &Defect| expectation(&setting, &defect.behaviour());
    let wrong: Vec<_> = catalogue().iter().map(bent).collect();
    let kills = (0..wrong.len())
        .filter(|index| tells_apart(&right, &wrong[*index], &seen))
        .collect();
    Shown {
        case,
        seen,
        right,
        wrong,
        kills,
    }
}

fn matrix() -> &'static [Shown<'static>] {
    static MATRIX: OnceLock<Vec<Shown<'static>>> = OnceLock::new();
    MATRIX.get_or_init(|| {
        let cases = world().cases.iter();
        cases.map(|case| shown(case, ClockKind::Injected)).collect()
    })
}

fn name(index: usize) -> &'static str {
    catalogue()[index].name
}

fn refuse(errors: &[String]) {
    assert!(
        errors.is_empty(),
        "{} errors\n{}",
        errors.len(),
        errors.join("\n")
    );
}

#[test]
fn the_host_runs_every_case() {
    let errors = world().cases.iter().filter_map(|case| {
        let setting = world().setting(case, ClockKind::Injected);
        supports(&setting)
            .err()
            .map(|why| format!("{}: {why}", case.id))
    });
    refuse(&errors.collect::<Vec<_>>());
}

#[test]
fn author_and_oracle_agree() {
    let mut errors = Vec::new();
    for shown in matrix() {
        let setting = world().setting(shown.case, ClockKind::Injected);
        for mismatch in authored(&setting, &shown.right) {
            let (line, _) = shown.case.positions.of(&mismatch.path);
            errors.push(format!(
                "{} line {line}: {}: the author says {}, the oracle {} ({})",
                shown.case.id, mismatch.path, mismatch.stated, mismatch.derived, mismatch.why
            ));
        }
    }
    refuse(&errors);
}

#[test]
fn every_case_states_attempts_end_and_outcome() {
    let mut errors = Vec::new();
    for case in &world().cases {
        let calls = case.expect.calls.iter();
        for (id, call) in calls {
            let stated = call.attempts.is_some() && call.ends.is_some() && call.outcome.is_some();
            if !stated {
                errors.push(format!(
                    "{}: call {id} does not state attempts, ends and outcome",
                    case.id
                ));
            }
        }
        if case.expect.calls.is_empty() {
            errors.push(format!("{}: nothing is stated of any call", case.id));
        }
    }
    refuse(&errors);
}

#[test]
fn every_case_catches_what_it_claims() {
    let mut errors = Vec::new();
    for shown in matrix() {
        let id = &shown.case.id;
        let set: BTreeSet<_> = shown.kills.iter().map(|index| name(*index)).collect();
        match &shown.case.control {
            Control::Yes { .. } if !set.is_empty() => {
                errors.push(format!("{id}: a control catches {set:?}"));
            }
            Control::No if set.is_empty() => errors.push(format!("{id}: no defect can fail it")),
            Control::No if shown.case.kills.is_empty() => {
                errors.push(format!("{id}: claims no defect of {set:?}"));
            }
            _ => {}
        }
        for kill in &shown.case.kills {
            if !set.contains(kill.as_str()) {
                errors.push(format!("{id}: `{kill}` is not caught; {set:?} are"));
            }
        }
    }
    refuse(&errors);
}

#[test]
fn every_observable_clause_has_a_case_and_every_citation_a_clause() {
    let world = world();
    let cited: BTreeSet<_> = world.cases.iter().flat_map(|case| &case.clauses).collect();
    let mut errors = Vec::new();
    for clause in &world.spec.clauses {
        let wanted = clause.observable == Observable::Yes;
        if wanted && !cited.contains(&clause.id) && !WITHOUT_CASE.contains(&clause.id.as_str()) {
            errors.push(format!("{} has no case", clause.id));
        }
    }
    for id in cited {
        if world.spec.clause(id).is_none() {
            errors.push(format!("{id} is no clause"));
        }
    }
    refuse(&errors);
}

#[test]
fn every_defect_is_caught_by_two_cases() {
    let mut errors = Vec::new();
    for (index, defect) in catalogue().iter().enumerate() {
        let by = |shown: &&Shown<'_>| shown.kills.contains(&index);
        let catching: Vec<_> = matrix().iter().filter(by).collect();
        if catching.len() < 2 {
            errors.push(format!(
                "{} is caught by {} cases",
                defect.name,
                catching.len()
            ));
        }
        let claims = |shown: &&Shown<'_>| {
            let mut kills = shown.case.kills.iter();
            kills.any(|kill| kill.as_str() == defect.name)
        };
        if matrix().iter().filter(claims).count() == 0 {
            errors.push(format!("{} is claimed by no case", defect.name));
        }
    }
    refuse(&errors);
}

#[test]
fn every_two_defects_are_told_apart() {
    let mut errors = Vec::new();
    for left in 0..catalogue().len() {
        for right in left + 1..catalogue().len() {
            let apart = |shown: &Shown<'_>| {
                let relevant = shown.kills.contains(&left) || shown.kills.contains(&right);
                let (one, other) = (&shown.wrong[left], &shown.wrong[right]);
                relevant
                    && (tells_apart(one, other, &shown.seen)
                        || tells_apart(other, one, &shown.seen))
            };
            let known = ALIASES.contains(&(name(left), name(right)));
            match (matrix().iter().any(apart), known) {
                (false, false) => errors.push(format!("{} and {}", name(left), name(right))),
                (true, true) => errors.push(format!(
                    "{} and {} are told apart now",
                    name(left),
                    name(right)
                )),
                _ => {}
            }
        }
    }
    refuse(&errors);
}

/// Cases that can be judged on real clocks, each within five seconds.
fn judged_on_real_clocks() -> Vec<Shown<'static>> {
    let short = Span::from_secs(5);
    let is_short = |case: &&'static Case| {
        let setting = world().setting(case, ClockKind::Real);
        let right = expectation(&setting, &Behaviour::default());
        let mut calls = right.calls.values();
        supports(&setting).is_ok()
            && calls.all(|call| call.ends.longest().is_some_and(|end| end <= short))
    };
    let cases = world().cases.iter().filter(is_short);
    cases.map(|case| shown(case, ClockKind::Real)).collect()
}

#[test]
fn enough_cases_fail_on_real_clocks_too() {
    let judged = judged_on_real_clocks();
    let able = judged.iter().filter(|shown| !shown.kills.is_empty());
    let able = able.count();
    assert!(
        able >= LEAST_REAL,
        "{able} of {} short cases catch a defect on real clocks",
        judged.len()
    );
}

#[test]
fn summary() {
    let mut sets = BTreeMap::<_, usize>::new();
    for shown in matrix() {
        *sets.entry(&shown.kills).or_default() += 1;
    }
    println!(
        "{} cases, {} distinct kill sets, {} short enough for real clocks",
        matrix().len(),
        sets.len(),
        judged_on_real_clocks().len()
    );
}
