//! What is wrong in a document, and where.

use crate::diagnostic::{Diagnostic, Source};

/// One mistake in a document. Cells do not know their file, so it becomes a
/// [`Diagnostic`] only when it is reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    line: usize,
    col: usize,
    len: usize,
    message: String,
    found: Option<String>,
    allowed: Vec<String>,
}

impl Fault {
    /// A mistake at a line and column, both from 1, over `len` characters.
    pub(super) fn new(line: usize, col: usize, len: usize, message: impl Into<String>) -> Self {
        Self {
            line,
            col,
            len: len.max(1),
            message: message.into(),
            found: None,
            allowed: Vec::new(),
        }
    }

    /// Says what was found.
    pub(super) fn found(mut self, found: &str) -> Self {
        self.found = Some(found.to_owned());
        self
    }

    /// Says what is allowed.
    pub(super) fn allowed<S: AsRef<str>>(mut self, allowed: &[S]) -> Self {
        let owned = allowed.iter().map(|text| text.as_ref().to_owned());
        self.allowed = owned.collect();
        self
    }

    /// The mistake as people see it.
    pub(super) fn into_diagnostic(self, source: &Source<'_>) -> Diagnostic {
        let mut diagnostic = source.at(self.line, self.col, self.len, self.message);
        if let Some(found) = self.found {
            diagnostic = diagnostic.found(found);
        }
        if self.allowed.is_empty() {
            return diagnostic;
        }
        diagnostic.allowed(self.allowed)
    }
}

/// A text that is no cell of its column.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message} at character {col} of `{text}`")]
pub struct CellError {
    text: String,
    col: usize,
    message: String,
}

impl CellError {
    /// The mistake in a text that stands alone.
    pub(super) fn of(text: &str, fault: Fault) -> Self {
        Self {
            text: text.to_owned(),
            col: fault.col,
            message: fault.message,
        }
    }
}
