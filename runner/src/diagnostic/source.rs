//! [`Source`]: a file's name and text, for pointing into it.

use std::path::{Path, PathBuf};

use super::Diagnostic;

/// How much of a line is kept on either side of a place, in characters; a line
/// may be as long as a file.
const WINDOW: usize = 200;

/// A file that is being read.
#[derive(Clone, Debug)]
pub struct Source<'a> {
    file: PathBuf,
    text: &'a str,
    lines: Vec<&'a str>,
}

impl<'a> Source<'a> {
    /// A file's name, as messages show it, and its text.
    pub fn new(file: impl Into<PathBuf>, text: &'a str) -> Self {
        Self {
            file: file.into(),
            text,
            lines: text.lines().collect(),
        }
    }

    /// The file's name.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// The whole text.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// Line `line`, from 1; empty beyond the end.
    pub fn line(&self, line: usize) -> &'a str {
        line.checked_sub(1)
            .and_then(|index| self.lines.get(index))
            .copied()
            .unwrap_or_default()
    }

    /// An error at a line and column, both from 1, over `len` characters.
    pub fn at(
        &self,
        line: usize,
        col: usize,
        len: usize,
        message: impl Into<String>,
    ) -> Diagnostic {
        let (skipped, shown) = around(self.line(line), col);
        Diagnostic {
            line,
            col,
            len,
            source: Some(shown.to_owned()),
            skipped,
            ..Diagnostic::of_file(&self.file, message)
        }
    }
}

/// The part of a line around a column, and how many characters were cut off
/// before it.
fn around(line: &str, col: usize) -> (usize, &str) {
    if line.len() <= 2 * WINDOW {
        return (0, line);
    }
    let skipped = col.saturating_sub(1 + WINDOW);
    let mut rest = line.char_indices().skip(skipped);
    let start = rest.next().map_or(line.len(), |(at, _)| at);
    let end = rest.nth(2 * WINDOW - 1).map_or(line.len(), |(at, _)| at);
    (skipped, &line[start..end])
}
