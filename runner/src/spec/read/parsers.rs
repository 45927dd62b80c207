//! Reads the cells of table 6.3.

use super::cell::Cell;
use super::delay::spread;
use super::fault::Fault;
use super::loops::{matched, word};
use super::tables::{Row, named};
use crate::model::{ParserId, Span};
use crate::spec::{
    AboveThreshold, DateShape, DateWait, Digits, FractionRule, ParserRow, RepeatedLines, Surfaced,
    ToldJitter, Whitespace, ZeroRule,
};

/// Columns of table 6.3.
pub(super) const COLUMNS: &[&str] = &[
    "Parser",
    "Whitespace",
    "Digits",
    "Zero",
    "Fraction",
    "Dates",
    "Date wait",
    "Repeated lines",
    "Wait ceiling",
    "Above threshold",
    "Jitter on told",
    "Surfaced",
];

/// Reads one row; its mistakes go to `faults`, and then there is no row.
pub(super) fn row(row: &Row, faults: &mut Vec<Fault>) -> Option<ParserRow> {
    let [
        name,
        space,
        digit,
        zero,
        part,
        date,
        date_wait,
        lines,
        ceiling,
        above,
        jitter,
        surface,
    ] = row.cells.as_slice()
    else {
        return None;
    };
    let mut keep = |fault| faults.push(fault);
    let whitespace =
        word(space, "whitespace", Whitespace::from_word, Whitespace::ALL).map_err(&mut keep);
    let digits = digits(digit).map_err(&mut keep);
    let zero = word(zero, "rule for zero", ZeroRule::from_word, ZeroRule::ALL).map_err(&mut keep);
    let fraction = word(
        part,
        "rule for a fraction",
        FractionRule::from_word,
        FractionRule::ALL,
    )
    .map_err(&mut keep);
    let dates = dates(date).map_err(&mut keep);
    let date_wait =
        word(date_wait, "date wait", DateWait::from_word, DateWait::ALL).map_err(&mut keep);
    let repeated_lines = word(
        lines,
        "rule for repeated lines",
        RepeatedLines::from_word,
        RepeatedLines::ALL,
    )
    .map_err(&mut keep);
    let wait_ceiling = wait_ceiling(ceiling).map_err(&mut keep);
    let above_threshold = above_threshold(above).map_err(&mut keep);
    let jitter_on_told = told_jitter(jitter).map_err(&mut keep);
    let surfaced = word(surface, "surface", Surfaced::from_word, Surfaced::ALL).map_err(&mut keep);
    let read = ParserRow {
        id: ParserId::new(name.text.as_str()),
        whitespace: whitespace.ok()?,
        digits: digits.ok()?,
        zero: zero.ok()?,
        fraction: fraction.ok()?,
        dates: dates.ok()?,
        date_wait: date_wait.ok()?,
        repeated_lines: repeated_lines.ok()?,
        wait_ceiling: wait_ceiling.ok()?,
        above_threshold: above_threshold.ok()?,
        jitter_on_told: jitter_on_told.ok()?,
        surfaced: surfaced.ok()?,
        line: row.line,
    };
    if read.dates.is_empty() == (read.date_wait == DateWait::NotApplicable) {
        return Some(read);
    }
    let cell = named(row, COLUMNS, "Date wait");
    let message = "a date wait stands where dates are read, and nowhere else";
    faults.push(cell.fault(message).found(&cell.text));
    None
}

fn duration(text: &str) -> Option<Span> {
    text.parse().ok().filter(|span: &Span| !span.is_negative())
}

fn digits(cell: &Cell) -> Result<Digits, Fault> {
    matched(cell, |pieces| match pieces {
        ["unlimited"] => Some(Digits::Unlimited),
        ["i64"] => Some(Digits::I64),
        [number, "significant"] => number.parse().ok().map(Digits::Significant),
        _ => None,
    })
    .ok_or_else(|| cell.unknown("rule for digits", &["unlimited", "i64", "N significant"]))
}

fn dates(cell: &Cell) -> Result<Vec<DateShape>, Fault> {
    if cell.text == "none" {
        return Ok(Vec::new());
    }
    let shape = |part: &Cell| {
        DateShape::from_word(&part.text)
            .ok_or_else(|| part.unknown("date shape", &["none", "IMF", "RFC 850", "asctime"]))
    };
    cell.split(',').iter().map(shape).collect()
}

fn wait_ceiling(cell: &Cell) -> Result<Option<Span>, Fault> {
    if cell.text == "none" {
        return Ok(None);
    }
    duration(&cell.text)
        .map(Some)
        .ok_or_else(|| cell.unknown("wait ceiling", &["none", "a duration such as 300s"]))
}

fn above_threshold(cell: &Cell) -> Result<AboveThreshold, Fault> {
    matched(cell, |pieces| match pieces {
        ["—"] => Some(AboveThreshold::Nothing),
        [">", length, ":", "discard"] => duration(length).map(AboveThreshold::Discard),
        [">", length, ":", "give-up"] => duration(length).map(AboveThreshold::GiveUp),
        _ => None,
    })
    .ok_or_else(|| cell.unknown("threshold", &["—", "> 60s: discard", "> 120s: give-up"]))
}

fn told_jitter(cell: &Cell) -> Result<ToldJitter, Fault> {
    if cell.text == "none" {
        return Ok(ToldJitter::None);
    }
    if cell.text.starts_with("spread") {
        let (lo, hi) = spread(cell).map_err(|fault| *fault)?;
        return Ok(ToldJitter::Spread { lo, hi });
    }
    duration(&cell.text).map(ToldJitter::Up).ok_or_else(|| {
        cell.unknown(
            "jitter",
            &["none", "a duration such as 1s", "spread(lo, hi)"],
        )
    })
}
