//! Reads the cells of table 6.1.

use super::cell::Cell;
use super::delay::term;
use super::fault::Fault;
use super::lex::{Reader, pieces};
use super::tables::Row;
use crate::model::LoopId;
use crate::spec::{
    Anchor, AttemptsRule, Budget, LoopRow, Machine, Overrun, RepeatedMethod, Repeats, Resets,
};

/// Columns of table 6.1.
pub(super) const COLUMNS: &[&str] = &[
    "Loop", "Machine", "Repeats", "Attempts", "Budget", "Overrun", "Resets",
];

/// Reads one row; its mistakes go to `faults`, and then there is no row.
pub(super) fn row(row: &Row, faults: &mut Vec<Fault>) -> Option<LoopRow> {
    let [name, machine, repeated, attempted, budgeted, overrun, reset] = row.cells.as_slice()
    else {
        return None;
    };
    let mut keep = |fault| faults.push(fault);
    let machine = word(machine, "machine", Machine::from_word, Machine::ALL).map_err(&mut keep);
    let repeats = repeats(repeated).map_err(&mut keep);
    let attempts = attempts(attempted).map_err(&mut keep);
    let budgets = budgets(budgeted).map_err(&mut keep);
    let overrun = word(overrun, "overrun", Overrun::from_word, Overrun::ALL).map_err(&mut keep);
    let resets = resets(reset).map_err(&mut keep);
    Some(LoopRow {
        id: LoopId::new(name.text.as_str()),
        machine: machine.ok()?,
        repeats: repeats.ok()?,
        attempts: attempts.ok()?,
        budgets: budgets.ok()?,
        overrun: overrun.ok()?,
        resets: resets.ok()?,
        line: row.line,
    })
}

/// A cell that is one word of a closed set.
pub(super) fn word<T: Copy + std::fmt::Display>(
    cell: &Cell,
    what: &str,
    from_word: fn(&str) -> Option<T>,
    all: &[T],
) -> Result<T, Fault> {
    from_word(&cell.text).ok_or_else(|| {
        let words: Vec<String> = all.iter().map(ToString::to_string).collect();
        cell.unknown(what, &words)
    })
}

/// The pieces of a cell as text, to be matched against patterns.
pub(super) fn matched<T>(cell: &Cell, pattern: impl FnOnce(&[&str]) -> Option<T>) -> Option<T> {
    let pieces = pieces(&cell.text);
    let texts: Vec<&str> = pieces.iter().map(String::as_str).collect();
    pattern(&texts)
}

fn repeats(cell: &Cell) -> Result<Repeats, Fault> {
    match cell.text.as_str() {
        "none" => return Ok(Repeats::None),
        "any" => return Ok(Repeats::Any),
        "connect" => return Ok(Repeats::Connect),
        _ => {}
    }
    let method = |part: &Cell| {
        RepeatedMethod::from_word(&part.text).ok_or_else(|| {
            let words = RepeatedMethod::ALL.iter().map(|method| method.as_str());
            let allowed: Vec<&str> = ["none", "any", "connect"]
                .into_iter()
                .chain(words)
                .collect();
            part.unknown("method", &allowed)
        })
    };
    let methods: Result<Vec<_>, Fault> = cell.split(',').iter().map(method).collect();
    methods.map(Repeats::Methods)
}

fn attempts(cell: &Cell) -> Result<AttemptsRule, Fault> {
    let count = |text: &str| text.parse().ok().filter(|count| *count > 0);
    matched(cell, |pieces| match pieces {
        ["unbounded"] => Some(AttemptsRule::Unbounded),
        ["unbounded", "throttled", ";", number, "otherwise"] => {
            let otherwise = count(number)?;
            Some(AttemptsRule::UnboundedThrottled { otherwise })
        }
        ["min", "(", "max_attempts", ",", number, ")"] => {
            let ceiling = count(number)?;
            Some(AttemptsRule::KnobUpTo { ceiling })
        }
        ["max_attempts", "=", number] => {
            let default = count(number)?;
            Some(AttemptsRule::Knob { default })
        }
        [number] => count(number).map(AttemptsRule::Fixed),
        [
            number,
            "per",
            "call",
            ",",
            "charged",
            "to",
            "the",
            "running",
            "loop",
        ] => {
            let per_call = count(number)?;
            Some(AttemptsRule::Charged { per_call })
        }
        _ => None,
    })
    .ok_or_else(|| {
        cell.unknown(
            "number of attempts",
            &[
                "a number from 1",
                "unbounded",
                "max_attempts = N",
                "min(max_attempts, N)",
                "unbounded throttled; N otherwise",
                "N per call, charged to the running loop",
            ],
        )
    })
}

fn budgets(cell: &Cell) -> Result<Vec<Budget>, Fault> {
    if cell.text == "none" {
        return Ok(Vec::new());
    }
    cell.split(';').iter().map(budget).collect()
}

fn budget(cell: &Cell) -> Result<Budget, Fault> {
    let mut reader = Reader::new(cell);
    let length = term(&mut reader).map_err(|fault| *fault)?;
    reader.expect("from").map_err(|fault| *fault)?;
    let unknown = reader.fault("unknown anchor of a budget");
    let mut words = Vec::new();
    while let Some(text) = reader.peek() {
        words.push(text.to_owned());
        reader.skip();
    }
    let found = words.join(" ");
    Anchor::from_word(&found)
        .map(|anchor| Budget { length, anchor })
        .ok_or_else(|| {
            let anchors: Vec<&str> = Anchor::ALL.iter().map(|anchor| anchor.as_str()).collect();
            unknown.found(&found).allowed(&anchors)
        })
}

fn resets(cell: &Cell) -> Result<Resets, Fault> {
    match cell.text.as_str() {
        "—" => return Ok(Resets::Never),
        "backoff: any answer" => return Ok(Resets::BackoffAtAnyAnswer),
        "index: confirmed subscription" => return Ok(Resets::IndexAtSubscription),
        "index: page, or socket teardown" => return Ok(Resets::IndexAtPageOrTeardown),
        "both: success" => return Ok(Resets::BudgetsAtSuccess),
        _ => {}
    }
    matched(cell, |pieces| match pieces {
        [
            "gate",
            ":",
            "remaining",
            ">",
            above,
            "or",
            "unstated",
            ",",
            "on",
            "success",
        ] => {
            let above = above.parse().ok()?;
            Some(Resets::GateAtSuccess { above })
        }
        _ => None,
    })
    .ok_or_else(|| {
        cell.unknown(
            "reset",
            &[
                "—",
                "backoff: any answer",
                "index: confirmed subscription",
                "index: page, or socket teardown",
                "both: success",
                "gate: remaining > N or unstated, on success",
            ],
        )
    })
}
