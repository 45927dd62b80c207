//! [`Diagnostics`]: all errors of one or several files.

use std::error::Error;
use std::fmt;

use super::Diagnostic;

/// How many errors are written out; the rest are counted.
const SHOWN: usize = 100;

/// How many errors of one file are looked for: a hostile file of one line has
/// as many errors as bytes, and each carries its line.
pub const MAX_ERRORS: usize = 200;

/// All errors that were found, of one or several files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnostics(Vec<Diagnostic>);

impl Diagnostics {
    /// No errors yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.0.push(diagnostic);
    }

    /// Whether nothing is wrong.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Each of them.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.0.iter()
    }

    /// In order of file, line and column, each once.
    #[must_use]
    pub fn sorted(mut self) -> Self {
        self.0.sort();
        self.0.dedup();
        self
    }

    /// `value` if nothing is wrong.
    ///
    /// # Errors
    /// Itself, sorted, if anything is.
    pub fn into_result<T>(self, value: T) -> Result<T, Self> {
        if self.is_empty() {
            Ok(value)
        } else {
            Err(self.sorted())
        }
    }

    /// All as text, without colours; one empty line between two.
    pub fn render(&self) -> String {
        self.render_by(Diagnostic::render)
    }

    /// As [`render`](Self::render), with the colours of a terminal.
    pub fn render_coloured(&self) -> String {
        self.render_by(Diagnostic::render_coloured)
    }

    fn render_by(&self, render: fn(&Diagnostic) -> String) -> String {
        let mut texts: Vec<_> = self.0.iter().take(SHOWN).map(render).collect();
        if let Some(more) = self.len().checked_sub(SHOWN).filter(|more| *more > 0) {
            texts.push(format!("and {more} more errors"));
        }
        texts.join("\n\n")
    }
}

impl Extend<Diagnostic> for Diagnostics {
    fn extend<I: IntoIterator<Item = Diagnostic>>(&mut self, more: I) {
        self.0.extend(more);
    }
}

impl IntoIterator for Diagnostics {
    type Item = Diagnostic;
    type IntoIter = std::vec::IntoIter<Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl From<Diagnostic> for Diagnostics {
    fn from(diagnostic: Diagnostic) -> Self {
        Self(vec![diagnostic])
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render())
    }
}

impl Error for Diagnostics {}

#[cfg(test)]
mod tests {
    use super::super::Source;
    use super::*;

    #[test]
    fn all_are_shown_in_order_and_once() {
        let source = Source::new("a.yaml", "one: 1\ntwo: 2\n");
        let mut errors = Diagnostics::new();
        errors.push(
            source
                .at(2, 1, 3, "unknown key")
                .found("two")
                .allowed(["tow"]),
        );
        errors.push(source.at(1, 1, 3, "unknown key").found("one"));
        errors.push(
            source
                .at(2, 1, 3, "unknown key")
                .found("two")
                .allowed(["tow"]),
        );
        let errors = errors.into_result(()).unwrap_err();
        assert_eq!(errors.len(), 2);
        insta::assert_snapshot!("diagnostics_two_errors", errors);
        assert!(errors.render_coloured().contains("\u{1b}["));
    }

    #[test]
    fn no_error_is_a_result() {
        assert_eq!(Diagnostics::new().into_result(7), Ok(7));
    }

    #[test]
    fn a_flood_is_counted() {
        let errors: Vec<_> = (0..250)
            .map(|n| Diagnostic::of_file("a.yaml".as_ref(), format!("error {n}")))
            .collect();
        assert!(
            Diagnostics(errors)
                .render()
                .ends_with("and 150 more errors")
        );
    }
}
