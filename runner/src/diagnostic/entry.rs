//! [`Diagnostic`]: one error in one place.

use std::fmt;
use std::path::{Path, PathBuf};

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use super::nearest;
use crate::escape;

/// How many allowed words a message lists.
const LISTED: usize = 40;

/// How much of a text from a file is shown, in characters.
const WINDOW: usize = 400;

/// One error in one place of a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Diagnostic {
    /// The file, as given.
    pub file: PathBuf,
    /// Line from 1; 0 if the file as a whole is meant.
    pub line: usize,
    /// Column from 1, in characters.
    pub col: usize,
    /// Length of what is wrong, in characters.
    pub len: usize,
    /// What is wrong; a lower-case fragment.
    pub message: String,
    /// What stands there.
    pub found: Option<String>,
    /// What may stand there.
    pub allowed: Vec<String>,
    /// The nearest right spelling, or another way to put it right.
    pub hint: Option<String>,
    /// What is written under the line.
    pub label: Option<String>,
    /// The line itself, or the part of it around the place.
    pub source: Option<String>,
    /// How many characters of the line were cut off before `source`.
    pub skipped: usize,
}

impl Diagnostic {
    /// An error of a file as a whole.
    pub fn of_file(file: &Path, message: impl Into<String>) -> Self {
        Self {
            file: file.to_owned(),
            line: 0,
            col: 0,
            len: 0,
            message: message.into(),
            found: None,
            allowed: Vec::new(),
            hint: None,
            label: None,
            source: None,
            skipped: 0,
        }
    }

    /// Says what was found.
    #[must_use]
    pub fn found(mut self, found: impl Into<String>) -> Self {
        self.found = Some(found.into());
        self
    }

    /// Says what is allowed, and which of it comes nearest to what was found,
    /// if [`found`](Self::found) was called before.
    #[must_use]
    pub fn allowed<S: AsRef<str>>(mut self, allowed: impl IntoIterator<Item = S>) -> Self {
        self.allowed = allowed
            .into_iter()
            .map(|word| word.as_ref().to_owned())
            .collect();
        let words = self.allowed.iter().map(String::as_str);
        if let Some(word) = self
            .found
            .as_deref()
            .and_then(|found| nearest(found, words))
        {
            self.hint = Some(format!("did you mean `{word}`?"));
        }
        self
    }

    /// Says how to put it right.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// What is written under the line.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }

    /// The error as text, without colours and without a line feed at the end.
    pub fn render(&self) -> String {
        self.render_with(&Renderer::plain())
    }

    /// As [`render`](Self::render), with the colours of a terminal.
    pub fn render_coloured(&self) -> String {
        self.render_with(&Renderer::styled())
    }

    fn render_with(&self, renderer: &Renderer) -> String {
        let title = short(&self.message);
        let mut group = Group::with_title(Level::ERROR.primary_title(title));
        let file = escape::terminal(&self.file.to_string_lossy()).into_owned();
        match self.source.as_deref().filter(|_| self.line > 0) {
            Some(source) => group = self.pointed(group, file, source),
            None if self.line == 0 => group = group.element(Origin::path(file)),
            None => {
                let origin = Origin::path(file)
                    .line(self.line)
                    .char_column(self.col.max(1));
                group = group.element(origin);
            }
        }
        for (level, text) in self.notes() {
            group = group.element(level.message(text));
        }
        renderer.render(&[group])
    }

    fn pointed<'a>(&self, group: Group<'a>, file: String, source: &str) -> Group<'a> {
        let shown = Shown::new(self, source);
        let label = self.label.as_deref().map(short);
        let annotation = AnnotationKind::Primary
            .span(shown.start..shown.end)
            .label(label);
        let is_changed = shown.text != source;
        let snippet = Snippet::source(shown.text)
            .line_start(self.line)
            .annotation(annotation);
        if is_changed {
            // The renderer would count columns in the text as shown.
            let origin = Origin::path(file).line(self.line).char_column(self.col);
            group.element(origin).element(snippet)
        } else {
            group.element(snippet.path(file))
        }
    }

    fn notes(&self) -> Vec<(Level<'static>, String)> {
        let mut notes = Vec::new();
        if let Some(found) = &self.found {
            notes.push((Level::NOTE.with_name("found"), quoted(found)));
        }
        if !self.allowed.is_empty() {
            notes.push((Level::NOTE.with_name("allowed"), list(&self.allowed)));
        }
        if let Some(hint) = &self.hint {
            notes.push((Level::HELP, short(hint)));
        }
        notes
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render())
    }
}

fn quoted(text: &str) -> String {
    let (short, rest) = shortened(text);
    format!("`{short}`{rest}")
}

/// The beginning of a text, safe for a terminal, and the sign that it goes on.
fn shortened(text: &str) -> (String, &'static str) {
    let end = text
        .char_indices()
        .nth(WINDOW)
        .map_or(text.len(), |(at, _)| at);
    let rest = if end < text.len() { " …" } else { "" };
    (escape::terminal(&text[..end]).into_owned(), rest)
}

fn short(text: &str) -> String {
    let (short, rest) = shortened(text);
    short + rest
}

fn list(allowed: &[String]) -> String {
    let mut words: Vec<_> = allowed
        .iter()
        .take(LISTED)
        .map(|word| short(word))
        .collect();
    if let Some(more) = allowed.len().checked_sub(LISTED).filter(|more| *more > 0) {
        words.push(format!("and {more} more"));
    }
    words.join(", ")
}

/// A line as a terminal may see it, and where the place is in it, in bytes.
struct Shown {
    text: String,
    start: usize,
    end: usize,
}

impl Shown {
    fn new(diagnostic: &Diagnostic, source: &str) -> Self {
        let at = diagnostic.col.saturating_sub(1 + diagnostic.skipped);
        let mut text = String::new();
        if diagnostic.skipped > 0 {
            text.push('…');
        }
        let (mut start, mut end) = (None, None);
        for (index, character) in source.chars().enumerate() {
            if index == at {
                start = Some(text.len());
            }
            if index == at + diagnostic.len.max(1) {
                end = Some(text.len());
            }
            text.push_str(&escape::terminal(character.encode_utf8(&mut [0; 4])));
        }
        let start = start.unwrap_or(text.len());
        let end = end.unwrap_or(text.len()).max(start);
        Self { text, start, end }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Source;

    #[test]
    fn an_unknown_word_is_shown_in_its_place() {
        let source = Source::new(
            "fixtures/holdoff/a.yaml",
            "title: t\nexpect: { wiats: [120s] }\n",
        );
        let diagnostic = source
            .at(2, 11, 5, "unknown key in `expect`")
            .found("wiats")
            .allowed(["attempts", "ends", "waits"])
            .label("not a key");
        insta::assert_snapshot!("diagnostic_unknown_word", diagnostic);
    }

    #[test]
    fn what_a_terminal_would_obey_is_written_out() {
        let source = Source::new(
            "a\u{1b}[2J.yaml",
            "title: \u{1b}[31mred\u{9b}0m \u{202e}x\n",
        );
        let diagnostic = source
            .at(1, 15, 3, "bad \u{7} word")
            .found("\u{1b}[0m")
            .hint("\u{1b}]0;x");
        let text = diagnostic.render();
        assert!(
            text.chars().all(|c| c == '\n' || !c.is_control()),
            "{text:?}"
        );
        insta::assert_snapshot!("diagnostic_hostile_text", text);
    }

    #[test]
    fn a_long_line_is_cut_around_the_place() {
        let line = format!("{}X{}", "a".repeat(100_000), "b".repeat(100_000));
        let source = Source::new("a.yaml", &line);
        let text = source.at(1, 100_001, 1, "here").render();
        assert!(text.len() < 2_000, "{}", text.len());
        assert!(text.contains("a.yaml:1:100001"), "{text}");
        assert!(text.contains("aXb"), "{text}");
    }

    #[test]
    fn a_place_behind_the_end_of_a_line_is_shown_there() {
        let source = Source::new("a.yaml", "ab");
        insta::assert_snapshot!(
            "diagnostic_behind_the_end",
            source.at(1, 3, 1, "`:` is missing")
        );
        insta::assert_snapshot!(
            "diagnostic_beyond_the_file",
            source.at(9, 1, 1, "`expect` is missing")
        );
    }

    #[test]
    fn a_file_as_a_whole_has_no_line() {
        let diagnostic = super::Diagnostic::of_file("a.yaml".as_ref(), "the file is empty");
        insta::assert_snapshot!("diagnostic_whole_file", diagnostic);
    }
}
