//! Cells of a table, cut from the source by us: the Markdown parser drops
//! surplus cells without a word and pads short rows, so it cannot tell a lost
//! value from an absent one.

use super::fault::Fault;

/// The text of one cell, without code spans and escapes, that still knows
/// where each of its characters stood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cell {
    /// The text, trimmed.
    pub(super) text: String,
    /// Line, from 1.
    pub(super) line: usize,
    /// Column of each character, and of the place after the last.
    cols: Vec<usize>,
}

impl Cell {
    /// A cell of `(column, character)` pairs that ends before column `end`.
    fn new(line: usize, mut chars: &[(usize, char)], end: usize) -> Self {
        while let [(_, first), rest @ ..] = chars
            && first.is_whitespace()
        {
            chars = rest;
        }
        while let [rest @ .., (_, last)] = chars
            && last.is_whitespace()
        {
            chars = rest;
        }
        let after = chars.last().map_or(end, |(col, _)| col + 1);
        Self {
            text: chars.iter().map(|(_, char)| *char).collect(),
            line,
            cols: chars.iter().map(|(col, _)| *col).chain([after]).collect(),
        }
    }

    /// A cell that is a text of its own.
    pub(super) fn of(text: &str) -> Self {
        let chars: Vec<(usize, char)> = (1..).zip(text.chars()).collect();
        Self::new(1, &chars, chars.len() + 1)
    }

    /// Column of the character with that index; of the end if there is none.
    pub(super) fn col(&self, index: usize) -> usize {
        let last = self.cols.len() - 1;
        self.cols[index.min(last)]
    }

    /// A mistake that is the whole cell.
    pub(super) fn fault(&self, message: impl Into<String>) -> Fault {
        let len = self.col(self.cols.len()) - self.col(0);
        Fault::new(self.line, self.col(0), len, message)
    }

    /// A mistake: the cell is none of what is allowed.
    pub(super) fn unknown<S: AsRef<str>>(&self, what: &str, allowed: &[S]) -> Fault {
        self.fault(format!("unknown {what}"))
            .found(&self.text)
            .allowed(allowed)
    }

    /// The parts between separators, trimmed.
    pub(super) fn split(&self, separator: char) -> Vec<Self> {
        let chars: Vec<(usize, char)> = self.cols.iter().copied().zip(self.text.chars()).collect();
        let mut parts = Vec::new();
        let mut from = 0;
        for (index, (col, char)) in chars.iter().enumerate() {
            if *char == separator {
                parts.push(Self::new(self.line, &chars[from..index], *col));
                from = index + 1;
            }
        }
        parts.push(Self::new(self.line, &chars[from..], self.col(chars.len())));
        parts
    }
}

/// Cuts one line of a table into cells. `\|` is a bar within a cell; the bars
/// at both ends of the line are not separators; backticks are dropped.
pub(super) fn split_row(line: usize, source: &str) -> Vec<Cell> {
    let mut cells = Vec::new();
    let mut cell = Vec::new();
    let mut open = false;
    let mut escaped = false;
    let mut col = 0;
    for char in source.trim_end().chars() {
        col += 1;
        match char {
            '|' if escaped => cell.push((col, '|')),
            '|' => {
                if open
                    || cell
                        .iter()
                        .any(|(_, char): &(usize, char)| !char.is_whitespace())
                {
                    cells.push(Cell::new(line, &cell, col));
                }
                cell.clear();
                open = true;
            }
            '\\' if !escaped => {}
            '`' => {}
            other => {
                if escaped {
                    cell.push((col - 1, '\\'));
                }
                cell.push((col, other));
            }
        }
        escaped = char == '\\' && !escaped;
    }
    if cell.iter().any(|(_, char)| !char.is_whitespace()) {
        cells.push(Cell::new(line, &cell, col + 1));
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(cells: &[Cell]) -> Vec<&str> {
        cells.iter().map(|cell| cell.text.as_str()).collect()
    }

    #[test]
    fn cuts_at_bars_that_are_not_escaped() {
        let row = split_row(7, r"| `a` | 429 \| 503 | | — |");
        assert_eq!(texts(&row), ["a", "429 | 503", "", "—"]);
        assert_eq!(row[0].col(0), 4);
        assert_eq!(row[1].col(0), 9);
        // Behind the escape, columns are those of the source.
        assert_eq!(row[1].col(4), 14);
        assert_eq!(row[1].line, 7);
    }

    #[test]
    fn keeps_every_surplus_cell() {
        assert_eq!(split_row(1, "| a | b | c | d |").len(), 4);
        assert_eq!(texts(&split_row(1, "a | b")), ["a", "b"]);
        assert_eq!(texts(&split_row(1, "| a | b")), ["a", "b"]);
    }

    #[test]
    fn parts_know_where_they_stand() {
        let row = split_row(3, "| GET,  POST |");
        let parts = row[0].split(',');
        assert_eq!(texts(&parts), ["GET", "POST"]);
        assert_eq!(parts[1].col(0), 9);
    }
}
