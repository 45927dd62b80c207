//! Reads the cells of table 6.2.

use super::cell::Cell;
use super::delay::local_delay;
use super::fault::Fault;
use super::loops::{matched, word};
use super::tables::{Row, named};
use super::when::when;
use crate::model::{BranchId, LoopId, ParserId, Span};
use crate::spec::{BranchRow, Composition, Lasts, Scope, ToldSource, UntoldWait};

/// Columns of table 6.2.
pub(super) const COLUMNS: &[&str] = &[
    "Branch",
    "Scope",
    "When",
    "Told by",
    "Parser",
    "Composition",
    "Local delay",
    "Untold wait",
    "Lasts",
];

/// Names that a branch may refer to; none where the table cannot be read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Names<'a> {
    /// Loops of table 6.1.
    pub(super) loops: Option<&'a [String]>,
    /// Parsers of table 6.3.
    pub(super) parsers: Option<&'a [String]>,
}

/// Reads one row; its mistakes go to `faults`, and then there is no row.
pub(super) fn row(row: &Row, names: Names<'_>, faults: &mut Vec<Fault>) -> Option<BranchRow> {
    let [
        name,
        scope,
        condition,
        told,
        parser_name,
        composed,
        local,
        untold,
        lasting,
    ] = row.cells.as_slice()
    else {
        return None;
    };
    let mut keep = |fault| faults.push(fault);
    let owner = owner(name, names.loops).map_err(&mut keep);
    let scope = word(scope, "scope", Scope::from_word, Scope::ALL).map_err(&mut keep);
    let when = when(condition).map_err(|fault| keep(*fault));
    let told_by = told_by(told).map_err(&mut keep);
    let parser = parser(parser_name, names.parsers).map_err(&mut keep);
    let composition = word(
        composed,
        "composition",
        Composition::from_word,
        Composition::ALL,
    )
    .map_err(&mut keep);
    let local_delay = local_delay(local).map_err(|fault| keep(*fault));
    let untold_wait = untold_wait(untold).map_err(&mut keep);
    let lasts = word(lasting, "value of Lasts", Lasts::from_word, Lasts::ALL).map_err(&mut keep);
    let read = BranchRow {
        id: BranchId::new(name.text.as_str()),
        owner: owner.ok()?,
        scope: scope.ok()?,
        when: when.ok()?,
        told_by: told_by.ok()?,
        parser: parser.ok()?,
        composition: composition.ok()?,
        local_delay: local_delay.ok()?,
        untold_wait: untold_wait.ok()?,
        lasts: lasts.ok()?,
        line: row.line,
    };
    agrees(&read, row, faults).then_some(read)
}

/// The longest loop name that is the branch's name or a prefix of it.
fn owner(cell: &Cell, loops: Option<&[String]>) -> Result<LoopId, Fault> {
    let Some(loops) = loops else {
        return Ok(LoopId::new(cell.text.as_str()));
    };
    let is_prefix = |name: &&String| {
        cell.text
            .strip_prefix(name.as_str())
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    loops
        .iter()
        .filter(is_prefix)
        .max_by_key(|name| name.len())
        .map(|name| LoopId::new(name.as_str()))
        .ok_or_else(|| {
            cell.fault("the branch begins with the name of no loop")
                .found(&cell.text)
                .allowed(loops)
        })
}

fn told_by(cell: &Cell) -> Result<Vec<ToldSource>, Fault> {
    if cell.text == "none" {
        return Ok(Vec::new());
    }
    cell.split(',').iter().map(told_source).collect()
}

fn told_source(cell: &Cell) -> Result<ToldSource, Fault> {
    matched(cell, |pieces| match pieces {
        ["seconds"] => Some(ToldSource::Seconds),
        ["date"] => Some(ToldSource::Date),
        ["ms", "(", header, ")"] => Some(ToldSource::Millis((*header).to_owned())),
        ["epoch-s", "(", header, ")"] => Some(ToldSource::EpochSeconds((*header).to_owned())),
        ["epoch-ms", "(", header, ")"] => Some(ToldSource::EpochMillis((*header).to_owned())),
        _ => None,
    })
    .ok_or_else(|| {
        cell.unknown(
            "source of a told wait",
            &[
                "none",
                "seconds",
                "date",
                "ms(header)",
                "epoch-s(header)",
                "epoch-ms(header)",
            ],
        )
    })
}

fn parser(cell: &Cell, parsers: Option<&[String]>) -> Result<Option<ParserId>, Fault> {
    if cell.text == "—" {
        return Ok(None);
    }
    let Some(parsers) = parsers else {
        return Ok(Some(ParserId::new(cell.text.as_str())));
    };
    if parsers.contains(&cell.text) {
        return Ok(Some(ParserId::new(cell.text.as_str())));
    }
    let mut allowed = vec!["—".to_owned()];
    allowed.extend_from_slice(parsers);
    Err(cell.unknown("parser", &allowed))
}

fn untold_wait(cell: &Cell) -> Result<UntoldWait, Fault> {
    match cell.text.as_str() {
        "local" => Ok(UntoldWait::Local),
        "ceiling" => Ok(UntoldWait::Ceiling),
        "—" => Ok(UntoldWait::NotApplicable),
        text => match text.parse::<Span>() {
            Ok(span) if !span.is_negative() => Ok(UntoldWait::Fixed(span)),
            _ => Err(cell.unknown(
                "untold wait",
                &["local", "ceiling", "—", "a duration such as 60s"],
            )),
        },
    }
}

/// Whether the cells of a row agree with each other.
fn agrees(branch: &BranchRow, row: &Row, faults: &mut Vec<Fault>) -> bool {
    let before = faults.len();
    let mut refuse = |column, message: &str| {
        faults.push(
            named(row, COLUMNS, column)
                .fault(message)
                .found(&named(row, COLUMNS, column).text),
        );
    };
    let tells = !branch.told_by.is_empty();
    if branch.scope == Scope::Out && tells {
        refuse("Told by", "out of scope, so nothing can be told");
    }
    if tells != branch.parser.is_some() {
        refuse(
            "Parser",
            "a parser stands where a wait is told, and nowhere else",
        );
    }
    if tells != (branch.composition != Composition::None) {
        refuse(
            "Composition",
            "a composition stands where a wait is told, and nowhere else",
        );
    }
    faults.len() == before
}
