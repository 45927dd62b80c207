//! Cuts a table into rows whose cells stand in the order of its columns.

use super::cell::{Cell, split_row};
use super::fault::Fault;

/// Where a table stands in the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// Line of its header, from 1.
    pub(super) first_line: usize,
    /// Line of its last row.
    pub(super) last_line: usize,
}

/// One row, its cells in the order of the columns that were asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    /// Its cells, one a column.
    pub(super) cells: Vec<Cell>,
    /// Its line, from 1.
    pub(super) line: usize,
}

/// The cell of a row in a named column.
pub(super) fn named<'a>(row: &'a Row, columns: &[&str], column: &str) -> &'a Cell {
    let index = columns.iter().position(|name| *name == column);
    &row.cells[index.expect("the caller names a column of its own table")]
}

/// A table that was cut into rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Table {
    /// The rows that have a cell for each column.
    pub(super) rows: Vec<Row>,
    /// The names of all rows, those with mistakes included, so that a mistake
    /// is not reported again wherever its row is referred to. None if the
    /// table cannot be read at all.
    pub(super) names: Option<Vec<String>>,
}

/// Cuts a table. Mistakes go to `faults`.
pub(super) fn cut(
    lines: &[&str],
    place: Place,
    columns: &[&str],
    faults: &mut Vec<Fault>,
) -> Table {
    let cells = |line: usize| split_row(line, lines[line - 1]);
    let header = cells(place.first_line);
    let Some(order) = order(&header, place.first_line, lines, columns, faults) else {
        return Table::default();
    };
    let mut rows: Vec<Row> = Vec::new();
    let mut names = Vec::new();
    // The line below the header is the delimiter.
    for line in place.first_line + 2..=place.last_line {
        let found = cells(line);
        if let Some(name) = found.get(order[0])
            && !names.contains(&name.text)
        {
            names.push(name.text.clone());
        }
        if !is_whole(&found, &header, line, lines, faults) {
            continue;
        }
        let row = Row {
            cells: order.iter().map(|index| found[*index].clone()).collect(),
            line,
        };
        let name = &row.cells[0];
        if let Some(first) = rows.iter().find(|row| row.cells[0].text == name.text) {
            let message = format!("the row stands twice, first in line {}", first.line);
            faults.push(name.fault(message).found(&name.text));
            continue;
        }
        if is_name(name, faults) {
            rows.push(row);
        }
    }
    Table {
        rows,
        names: Some(names),
    }
}

/// Index in the header of each column; none if the header has a mistake.
fn order(
    header: &[Cell],
    line: usize,
    lines: &[&str],
    columns: &[&str],
    faults: &mut Vec<Fault>,
) -> Option<Vec<usize>> {
    let before = faults.len();
    for (index, cell) in header.iter().enumerate() {
        if !columns.contains(&cell.text.as_str()) {
            faults.push(cell.unknown("column", columns));
        } else if header[..index].iter().any(|other| other.text == cell.text) {
            faults.push(cell.fault("the column stands twice").found(&cell.text));
        }
    }
    let at = |column: &&str| header.iter().position(|cell| cell.text == **column);
    for missing in columns.iter().filter(|column| at(column).is_none()) {
        let end = lines[line - 1].trim_end().chars().count();
        let message = format!("column `{missing}` is missing");
        faults.push(Fault::new(line, end, 1, message).allowed(columns));
    }
    if faults.len() > before {
        return None;
    }
    columns.iter().map(at).collect()
}

/// Whether a row has exactly the cells of the header, none of them empty.
fn is_whole(
    cells: &[Cell],
    header: &[Cell],
    line: usize,
    lines: &[&str],
    faults: &mut Vec<Fault>,
) -> bool {
    let before = faults.len();
    if let Some(surplus) = cells.get(header.len()) {
        let message = format!(
            "surplus cell: the row has {}, its header {}",
            cells.len(),
            header.len()
        );
        faults.push(surplus.fault(message).found(&surplus.text));
    }
    if cells.len() < header.len() {
        let end = lines[line - 1].trim_end().chars().count();
        let missing: Vec<&str> = header[cells.len()..]
            .iter()
            .map(|cell| cell.text.as_str())
            .collect();
        let message = format!("missing cell: the row ends before {}", missing.join(", "));
        faults.push(Fault::new(line, end, 1, message));
    }
    for (cell, column) in cells.iter().zip(header) {
        if cell.text.is_empty() {
            let message = format!("the cell of column `{}` is empty", column.text);
            faults.push(cell.fault(message).allowed(&["—", "none", "a value"]));
        }
    }
    faults.len() == before
}

/// Whether the first cell is a name that fixtures and manifests can cite.
fn is_name(cell: &Cell, faults: &mut Vec<Fault>) -> bool {
    let is_part = |part: &str| {
        part.starts_with(|char: char| char.is_ascii_lowercase())
            && part
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
    };
    let good = cell.text.split('.').all(is_part);
    if !good {
        faults.push(
            cell.fault("not a name of a row")
                .found(&cell.text)
                .allowed(&["words of a-z, 0-9 and -, joined by dots"]),
        );
    }
    good
}
