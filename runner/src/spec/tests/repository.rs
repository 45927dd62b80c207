//! The specification of this repository.

use std::path::Path;

use crate::model::{BranchId, ClauseId, LoopId, Span};
use crate::spec::{
    AttemptsRule, Condition, Digits, LocalDelay, Machine, Observable, Param, Resets, Spec,
    ToldSource, UntoldWait,
};

const TEXT: &str = include_str!("../../../../SPEC.md");

fn spec() -> Spec {
    Spec::parse(Path::new("SPEC.md"), TEXT).unwrap_or_else(|errors| panic!("{errors}"))
}

#[test]
fn every_row_is_read() {
    let spec = spec();
    assert_eq!(spec.loops.len(), 10);
    assert_eq!(spec.branches.len(), 18);
    assert_eq!(spec.parsers.len(), 4);
    assert_eq!(spec.digest().len(), 64);
}

#[test]
fn loops_have_their_rules() {
    let spec = spec();
    let row = |name: &str| spec.loop_row(&LoopId::from(name)).unwrap();
    assert_eq!(row("operation").machine, Machine::Retry);
    assert_eq!(
        row("operation").attempts,
        AttemptsRule::KnobUpTo { ceiling: 3 }
    );
    assert_eq!(row("download").attempts, AttemptsRule::Knob { default: 3 });
    assert_eq!(
        row("auth-refresh").attempts,
        AttemptsRule::Charged { per_call: 1 }
    );
    let queue = row("batch-upload");
    assert_eq!(
        queue.attempts,
        AttemptsRule::UnboundedThrottled { otherwise: 11 }
    );
    assert_eq!(queue.budgets.len(), 2);
    assert_eq!(
        row("forge-call.github").resets,
        Resets::GateAtSuccess { above: 10 }
    );
}

#[test]
fn a_branch_belongs_to_the_longest_loop_name() {
    let spec = spec();
    let of = |name: &str| {
        let id = LoopId::from(name);
        let branches = spec.branches_of(&id);
        branches.map(|row| row.id.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(
        of("forge-call.github"),
        ["forge-call.github", "forge-call.github.low"]
    );
    assert_eq!(of("download"), ["download.hop-2", "download"]);
    assert_eq!(of("reconnect"), ["reconnect", "reconnect.unauthorized"]);
}

#[test]
fn the_first_branch_that_holds_governs() {
    let spec = spec();
    let id = LoopId::from("batch-upload");
    let governs = |status: u16, told: bool| {
        let test = |condition: &Condition| match condition {
            Condition::Word(word) => told && word.as_str() == "told",
            other => other.of_status(status).unwrap_or(false),
        };
        let branch = spec.branches_of(&id).find(|row| row.when.holds(&test));
        branch.map(|row| row.id.to_string())
    };
    assert_eq!(governs(429, false).as_deref(), Some("batch-upload"));
    assert_eq!(governs(503, true).as_deref(), Some("batch-upload"));
    assert_eq!(governs(503, false).as_deref(), Some("batch-upload.backoff"));
    assert_eq!(governs(501, true), None);
    assert_eq!(governs(404, true), None);
}

#[test]
fn delays_grow_to_their_cap() {
    let spec = spec();
    let row = spec.branch(&BranchId::from("operation")).unwrap();
    let LocalDelay::Jittered { delay, max } = &row.local_delay else {
        panic!("{}", row.local_delay);
    };
    let LocalDelay::Exponential(growth) = delay.as_ref() else {
        panic!("{delay}");
    };
    let unset = |_: Param| None;
    assert_eq!(max.resolve(&unset), Some(Span::from_millis(100)));
    let at = |index| growth.at(index, &unset);
    assert_eq!(at(0), Some(Span::from_secs(1)));
    assert_eq!(at(4), Some(Span::from_secs(16)));
    assert_eq!(at(5), Some(Span::from_secs(30)));
    assert_eq!(at(u64::MAX), Some(Span::from_secs(30)));
}

#[test]
fn a_multiple_of_a_knob_needs_the_knob() {
    let spec = spec();
    let row = spec.branch(&BranchId::from("device-poll.timeout")).unwrap();
    let LocalDelay::Max(left, right) = &row.local_delay else {
        panic!("{}", row.local_delay);
    };
    assert_eq!(**left, LocalDelay::Interval);
    let LocalDelay::Exponential(growth) = right.as_ref() else {
        panic!("{right}");
    };
    let five = |param: Param| (param == Param::Interval).then(|| Span::from_secs(5));
    let waits = [0, 1, 2, 3].map(|index| growth.at(index, &five).unwrap().floor_secs());
    assert_eq!(waits, [10, 20, 40, 60]);
    assert_eq!(growth.at(0, &|_| None), None);
}

#[test]
fn gates_are_told_by_their_reset_headers() {
    let spec = spec();
    let row = spec.branch(&BranchId::from("forge-call.linear")).unwrap();
    let reset = "x-ratelimit-requests-reset".to_owned();
    assert_eq!(
        row.told_by,
        [
            ToldSource::Seconds,
            ToldSource::Date,
            ToldSource::EpochMillis(reset)
        ]
    );
    assert_eq!(row.untold_wait, UntoldWait::Fixed(Span::from_secs(60)));
    assert!(row.repeats());
    let parser = spec.parser(row.parser.as_ref().unwrap()).unwrap();
    assert_eq!(parser.digits, Digits::I64);
}

#[test]
fn every_cell_is_read_back() {
    for row in spec().branches {
        assert_eq!(row.when.to_string().parse().ok(), Some(row.when));
        assert_eq!(
            row.local_delay.to_string().parse().ok(),
            Some(row.local_delay)
        );
    }
}

#[test]
fn clauses_keep_their_names() {
    let spec = spec();
    let mut families: Vec<(&str, Vec<u32>)> = Vec::new();
    for clause in &spec.clauses {
        let (family, number) = clause.id.as_str().rsplit_once('-').unwrap();
        let number = number.parse().unwrap();
        match families.iter_mut().find(|(name, _)| *name == family) {
            Some((_, numbers)) => numbers.push(number),
            None => families.push((family, vec![number])),
        }
    }
    // Fixtures and reports cite these names, so a number is never given anew.
    let numbered = |last: u32| (1..=last).collect::<Vec<_>>();
    assert_eq!(
        families,
        [
            ("FAULT", numbered(3)),
            ("CLOCK", numbered(3)),
            ("HONOUR", numbered(6)),
            ("SCOPE", numbered(6)),
            ("PAGE", numbered(3)),
            ("DOWNLOAD", numbered(5)),
            ("AUTH", numbered(6)),
            ("PARSE", numbered(12)),
            ("COMPOSE", numbered(3)),
            ("ATTEMPT", numbered(8)),
            ("BACKOFF", numbered(5)),
            ("HOOK", numbered(3)),
            ("SURFACE", numbered(3)),
            ("CANCEL", numbered(6)),
            ("REPRESENT", numbered(3)),
        ]
    );
}

#[test]
fn nearly_every_clause_is_observable() {
    let spec = spec();
    let hidden = spec
        .clauses
        .iter()
        .filter(|clause| clause.observable != Observable::Yes);
    let hidden: Vec<&str> = hidden.map(|clause| clause.id.as_str()).collect();
    assert_eq!(hidden, ["CANCEL-6"]);
    assert!(spec.clause(&ClauseId::from("PARSE-9")).is_some());
    assert!(spec.clause(&ClauseId::from("PARSE-99")).is_none());
}

#[test]
fn sections_have_the_numbers_that_others_cite() {
    let titles: Vec<&str> = TEXT
        .lines()
        .filter_map(|line| line.strip_prefix("## "))
        .collect();
    assert_eq!(
        titles,
        [
            "1. Scope and terms",
            "2. What is observed",
            "3. Clocks",
            "4. When a repeat is a retry, and when a poll",
            "5. Parsing",
            "6. Composition",
            "7. Attempts, backoff and saturation",
            "8. Budgets",
            "9. Gates and the error surface",
            "10. Cancellation",
            "11. Representability",
            "12. Verdicts",
            "Appendix",
        ]
    );
}
