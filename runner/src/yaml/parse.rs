//! Text to tree.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, Span};

use super::{Node, Style, Value};
use crate::diagnostic::{Diagnostic, Diagnostics, MAX_ERRORS, Source};

/// Values may be nested so deep.
pub const MAX_DEPTH: usize = 32;

/// The one document of a file.
///
/// # Errors
/// All at once where that is possible: syntax, tabs, doubled keys, anchors,
/// aliases and tags (none is allowed, so that a short file stays small),
/// several documents, no document at all, nesting below [`MAX_DEPTH`].
pub fn parse(source: &Source<'_>) -> Result<Node, Diagnostics> {
    let mut builder = Builder::new(source);
    builder.refuse_tabs();
    let parser = Parser::new_from_str(source.text());
    for event in parser {
        let step = match event {
            Ok((event, span)) => builder.take(event, span),
            Err(error) => Err(builder.syntax(&error)),
        };
        if let Err(fatal) = step {
            // Syntax errors behind a tab are its consequence.
            if builder.errors.is_empty() || !fatal.message.starts_with("not YAML") {
                builder.errors.push(fatal);
            }
            return Err(builder.errors.sorted());
        }
    }
    let root = builder.root.take();
    match root {
        Some(root) if !root.is_null() => builder.errors.into_result(root),
        _ => {
            builder
                .errors
                .push(Diagnostic::of_file(source.file(), "the file is empty"));
            Err(builder.errors.sorted())
        }
    }
}

/// A list or mapping that is not complete.
struct Open {
    node: Node,
    key: Option<Node>,
    /// Lines of the keys so far.
    lines: HashMap<String, usize>,
}

struct Builder<'s, 't> {
    source: &'s Source<'t>,
    errors: Diagnostics,
    open: Vec<Open>,
    root: Option<Node>,
    documents: usize,
    cursor: Cursor,
}

/// A place up to which a line was counted; the column from 1.
#[derive(Default)]
struct Cursor {
    line: usize,
    col: usize,
    byte: usize,
}

impl<'s, 't> Builder<'s, 't> {
    fn new(source: &'s Source<'t>) -> Self {
        Self {
            source,
            errors: Diagnostics::new(),
            open: Vec::new(),
            root: None,
            documents: 0,
            cursor: Cursor::default(),
        }
    }

    fn refuse_tabs(&mut self) {
        for (index, line) in self.source.text().lines().enumerate() {
            let content = line.trim_start_matches([' ', '\t']);
            let indent = &line[..line.len() - content.len()];
            if self.errors.len() >= MAX_ERRORS {
                break;
            }
            if let Some(at) = indent.find('\t').filter(|_| !content.is_empty()) {
                self.errors.push(
                    self.source
                        .at(index + 1, at + 1, 1, "tabs are not allowed in indentation")
                        .hint("indent with spaces"),
                );
            }
        }
    }

    fn syntax(&self, error: &ScanError) -> Diagnostic {
        let mark = error.marker();
        let diagnostic = |message: String| self.source.at(mark.line(), mark.col() + 1, 1, message);
        match error.info() {
            info if info.contains("unknown anchor") => diagnostic("aliases are not allowed".into()),
            info if info.contains("recursion limit") => too_deep(diagnostic),
            info => diagnostic(format!("not YAML: {info}")),
        }
    }

    /// An error ends the reading: what follows would only repeat it.
    fn take(&mut self, event: Event<'_>, span: Span) -> Result<(), Diagnostic> {
        let place = Place::of(span);
        match event {
            Event::DocumentStart(_) => self.start_document(place)?,
            Event::Alias(_) => return Err(self.at(place, "aliases are not allowed")),
            Event::Scalar(text, style, anchor, tag) => {
                self.refuse_decoration(place, anchor, tag.is_some())?;
                let mut place = place;
                if matches!(style, ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted) {
                    place.len = self.quoted_len(place);
                }
                let style = match style {
                    ScalarStyle::Plain => Style::Plain,
                    ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => Style::Quoted,
                    ScalarStyle::Literal | ScalarStyle::Folded => Style::Block,
                };
                self.add(place.node(Value::Scalar {
                    text: text.into_owned(),
                    style,
                }))?;
            }
            Event::SequenceStart(anchor, tag) => {
                self.start(place, Value::Seq(Vec::new()), anchor, tag.is_some())?;
            }
            Event::MappingStart(anchor, tag) => {
                self.start(place, Value::Map(Vec::new()), anchor, tag.is_some())?;
            }
            Event::SequenceEnd | Event::MappingEnd => {
                if let Some(done) = self.open.pop() {
                    self.add(done.node)?;
                }
            }
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => {}
        }
        Ok(())
    }

    /// The parser's end of a quoted scalar lies behind the blanks and the
    /// comment that follow it.
    fn quoted_len(&mut self, place: Place) -> usize {
        let line = self.source.line(place.line);
        if self.cursor.line != place.line || self.cursor.col > place.col {
            self.cursor = Cursor {
                line: place.line,
                col: 1,
                byte: 0,
            };
        }
        // Values come in the order of the line, which may be as long as a file.
        let skipped = place.col - self.cursor.col;
        let rest = &line[self.cursor.byte..];
        let ahead = rest
            .char_indices()
            .nth(skipped)
            .map_or(rest.len(), |(at, _)| at);
        self.cursor.col = place.col;
        self.cursor.byte += ahead;
        let mut text = line[self.cursor.byte..].chars();
        let quote = text.next();
        let mut len = 1;
        let mut is_escaped = false;
        for character in text {
            len += 1;
            match character {
                _ if is_escaped => is_escaped = false,
                '\\' if quote == Some('"') => is_escaped = true,
                end if Some(end) == quote => return len,
                _ => {}
            }
        }
        place.len
    }

    fn at(&self, place: Place, message: &str) -> Diagnostic {
        self.source.at(place.line, place.col, place.len, message)
    }

    fn start_document(&mut self, place: Place) -> Result<(), Diagnostic> {
        self.documents += 1;
        if self.documents > 1 {
            return Err(self
                .at(place, "several documents in one file")
                .allowed(["one document"]));
        }
        Ok(())
    }

    fn refuse_decoration(
        &self,
        place: Place,
        anchor: usize,
        has_tag: bool,
    ) -> Result<(), Diagnostic> {
        if anchor != 0 {
            return Err(self.at(place, "anchors and aliases are not allowed"));
        }
        if has_tag {
            return Err(self.at(place, "YAML tags (`!…`) are not allowed"));
        }
        Ok(())
    }

    fn start(
        &mut self,
        place: Place,
        empty: Value,
        anchor: usize,
        has_tag: bool,
    ) -> Result<(), Diagnostic> {
        self.refuse_decoration(place, anchor, has_tag)?;
        if self.open.len() >= MAX_DEPTH {
            return Err(too_deep(|message| self.at(place, &message)));
        }
        self.open.push(Open {
            node: place.node(empty),
            key: None,
            lines: HashMap::new(),
        });
        Ok(())
    }

    fn add(&mut self, node: Node) -> Result<(), Diagnostic> {
        if self.errors.len() >= MAX_ERRORS {
            return Err(Diagnostic::of_file(self.source.file(), "too many errors"));
        }
        let Some(open) = self.open.last_mut() else {
            self.root = Some(node);
            return Ok(());
        };
        match &mut open.node.value {
            Value::Seq(items) => items.push(node),
            Value::Map(entries) => match open.key.take() {
                Some(key) => {
                    let text = key.scalar().map_or("", |(text, _)| text).to_owned();
                    match open.lines.entry(text) {
                        Entry::Vacant(line) => {
                            line.insert(key.line);
                            entries.push((key, node));
                        }
                        Entry::Occupied(first) => {
                            let message =
                                format!("the key `{}` stands twice in one mapping", first.key());
                            let error = self.source.at(key.line, key.col, key.len, message);
                            let label = format!("first written in line {}", first.get());
                            self.errors.push(error.label(label));
                        }
                    }
                }
                None if node.scalar().is_some() => open.key = Some(node),
                None => return Err(self.compound_key(&node)),
            },
            Value::Scalar { .. } => {}
        }
        Ok(())
    }

    fn compound_key(&self, node: &Node) -> Diagnostic {
        let error = self
            .source
            .at(node.line, node.col, node.len, "a key must be a word");
        let rest: String = self
            .source
            .line(node.line)
            .chars()
            .skip(node.col.saturating_sub(2))
            .collect();
        if rest.starts_with("{{") {
            error.hint("put quotes around it: YAML reads an unquoted `{{…}}` as two mappings")
        } else {
            error.found(node.kind())
        }
    }
}

fn too_deep(diagnostic: impl FnOnce(String) -> Diagnostic) -> Diagnostic {
    diagnostic("nested too deep".into()).allowed([format!("at most {MAX_DEPTH} levels")])
}

#[derive(Clone, Copy)]
struct Place {
    line: usize,
    col: usize,
    len: usize,
}

impl Place {
    fn of(span: Span) -> Self {
        let (start, end) = (span.start, span.end);
        let len = if start.line() == end.line() {
            end.col().saturating_sub(start.col())
        } else {
            1
        };
        Self {
            line: start.line().max(1),
            col: start.col() + 1,
            len: len.max(1),
        }
    }

    fn node(self, value: Value) -> Node {
        Node {
            value,
            line: self.line,
            col: self.col,
            len: self.len,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(text: &str) -> Node {
        parse(&Source::new("a.yaml", text)).unwrap_or_else(|errors| panic!("{errors}"))
    }

    fn refused(text: &str) -> Diagnostics {
        parse(&Source::new("a.yaml", text)).unwrap_err()
    }

    #[test]
    fn places_and_styles_are_kept() {
        let root = tree("# head\ntitle: An \"apple\"\nlist: [1, \"1\", '1']\n");
        let list = root.get("list").unwrap();
        let Value::Seq(items) = &list.value else {
            panic!()
        };
        let seen: Vec<_> = items
            .iter()
            .map(|item| (item.scalar().unwrap(), item.line, item.col, item.len))
            .collect();
        assert_eq!(
            seen,
            [
                (("1", Style::Plain), 3, 8, 1),
                (("1", Style::Quoted), 3, 11, 3),
                (("1", Style::Quoted), 3, 16, 3),
            ]
        );
        assert_eq!(root.get("title").unwrap().plain(), Some("An \"apple\""));
    }

    #[test]
    fn escapes_arrive_as_characters() {
        let root = tree("a: \"\\u00a05\\u0665\\uff15\\t\"\nb: 'x\\u00a0'\n");
        assert_eq!(
            root.get("a").unwrap().scalar().unwrap().0,
            "\u{a0}5\u{665}\u{ff15}\t"
        );
        assert_eq!(root.get("b").unwrap().scalar().unwrap().0, "x\\u00a0");
    }

    #[test]
    fn a_quoted_value_ends_at_its_quote() {
        let root = tree("a: \"x\\\"y\"   # why\nb: 'it' # because\nc: plain   # so\n");
        let len = |key| root.get(key).unwrap().len;
        assert_eq!((len("a"), len("b"), len("c")), (6, 4, 5));
    }

    #[test]
    fn syntax_errors_point() {
        insta::assert_snapshot!(
            "yaml_syntax",
            refused("title: a\nwaits: [1s, 2s\nexpect: {}\n")
        );
    }

    #[test]
    fn every_tab_and_every_doubled_key_is_named() {
        insta::assert_snapshot!(
            "yaml_tab",
            refused("expect:\n\tattempts: 2\n  \tends: 2s\n")
        );
        insta::assert_snapshot!(
            "yaml_doubled_key",
            refused("a: 1\nb: { c: 1, c: 2 }\na: 2\n")
        );
    }

    #[test]
    fn aliases_are_refused_outright() {
        let bomb = "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nd: [*c, *c]\n";
        insta::assert_snapshot!("yaml_alias_bomb", refused(bomb));
        insta::assert_snapshot!("yaml_unknown_alias", refused("a: *nothing\n"));
        insta::assert_snapshot!("yaml_tag", refused("a: !!binary aGk=\n"));
    }

    #[test]
    fn one_document_a_file() {
        insta::assert_snapshot!("yaml_several_documents", refused("a: 1\n---\nb: 2\n"));
        insta::assert_snapshot!("yaml_empty", refused(""));
        assert_eq!(refused("# only a comment\n"), refused(""));
        assert_eq!(refused("---\n"), refused(""));
    }

    #[test]
    fn depth_is_bounded() {
        assert!(parse(&Source::new("a.yaml", &("[".repeat(31) + &"]".repeat(31)))).is_ok());
        insta::assert_snapshot!(
            "yaml_too_deep",
            refused(&("[".repeat(40) + &"]".repeat(40)))
        );
        let flood = refused(&"[".repeat(1 << 20));
        assert_eq!(flood.len(), 1);
        let blocks: String = (0..1000).map(|n| " ".repeat(n) + "a:\n").collect();
        assert_eq!(refused(&blocks).len(), 1);
    }

    #[test]
    fn an_unquoted_token_is_explained() {
        insta::assert_snapshot!(
            "yaml_unquoted_token",
            refused("script: [{ status: {{status}} }]\n")
        );
    }
}
