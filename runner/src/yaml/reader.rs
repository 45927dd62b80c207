//! [`Reader`]: typed values out of a tree, with every error kept.

use std::cell::RefCell;
use std::fmt::Display;
use std::str::FromStr;

use super::{Node, Style, Value};
use crate::diagnostic::{Diagnostic, Diagnostics, MAX_ERRORS, Source, nearest};
use crate::model::Span;

/// Reads typed values out of a tree. Each method notes what is wrong and
/// returns `None`; the caller goes on with the next value, so that all errors
/// are found at once.
#[derive(Debug)]
pub struct Reader<'s, 't> {
    source: &'s Source<'t>,
    errors: RefCell<Diagnostics>,
}

/// The entries of a mapping whose keys were checked.
#[derive(Clone, Debug)]
pub struct Fields<'n> {
    /// The mapping.
    pub node: &'n Node,
    what: String,
    entries: &'n [(Node, Node)],
    unknown: Vec<&'n str>,
}

impl<'s, 't> Reader<'s, 't> {
    /// A reader of one file.
    pub fn new(source: &'s Source<'t>) -> Self {
        Self {
            source,
            errors: RefCell::default(),
        }
    }

    /// What was wrong.
    pub fn into_errors(self) -> Diagnostics {
        self.errors.into_inner()
    }

    /// Whether nothing was wrong so far.
    pub fn is_clean(&self) -> bool {
        self.errors.borrow().is_empty()
    }

    /// An error at a value, not yet noted.
    pub fn at(&self, node: &Node, message: impl Into<String>) -> Diagnostic {
        if self.is_full() {
            return Diagnostic::of_file(self.source.file(), message);
        }
        self.source.at(node.line, node.col, node.len, message)
    }

    /// Notes an error; always `None`.
    pub fn note<T>(&self, error: Diagnostic) -> Option<T> {
        if !self.is_full() {
            self.errors.borrow_mut().push(error);
        }
        None
    }

    /// Whether so much is wrong that nothing more is looked for.
    fn is_full(&self) -> bool {
        self.errors.borrow().len() >= MAX_ERRORS
    }

    /// Notes that something else was expected; always `None`.
    pub fn unexpected<T>(&self, node: &Node, what: &str, expected: &str) -> Option<T> {
        let found = match node.scalar() {
            Some(_) if node.is_null() => "nothing",
            Some((text, _)) => text,
            None => node.kind(),
        };
        self.note(
            self.at(node, format!("`{what}` must be {expected}"))
                .found(found),
        )
    }

    /// A mapping with these keys and no others.
    pub fn map<'n>(&self, node: &'n Node, what: &str, keys: &[&str]) -> Option<Fields<'n>> {
        let mut fields = self.entries(node, what)?;
        for (key, _) in fields.entries {
            let name = name_of(key);
            if !keys.contains(&name) && !self.is_full() {
                self.note::<()>(
                    self.at(key, format!("unknown key in {what}"))
                        .found(name)
                        .allowed(keys),
                );
                fields.unknown.push(name);
            }
        }
        Some(fields)
    }

    /// A mapping with any keys.
    pub fn entries<'n>(&self, node: &'n Node, what: &str) -> Option<Fields<'n>> {
        match &node.value {
            Value::Map(entries) => Some(Fields {
                node,
                what: what.to_owned(),
                entries,
                unknown: Vec::new(),
            }),
            _ => self.unexpected(node, what, "a mapping"),
        }
    }

    /// A list.
    pub fn seq<'n>(&self, node: &'n Node, what: &str) -> Option<&'n [Node]> {
        match &node.value {
            Value::Seq(items) => Some(items),
            _ => self.unexpected(node, what, "a list"),
        }
    }

    /// A list, each item read by `read`; `None` if any is wrong.
    pub fn list<T>(
        &self,
        node: &Node,
        what: &str,
        read: impl Fn(&Node) -> Option<T>,
    ) -> Option<Vec<T>> {
        let items: Vec<_> = self.seq(node, what)?.iter().map(read).collect();
        items.into_iter().collect()
    }

    /// A text that is not empty.
    pub fn text<'n>(&self, node: &'n Node, what: &str) -> Option<&'n str> {
        match node.scalar() {
            Some((text, _)) if !node.is_null() && !text.trim().is_empty() => Some(text),
            _ => self.unexpected(node, what, "a text"),
        }
    }

    /// A text in quotes, which may be empty.
    pub fn quoted<'n>(&self, node: &'n Node, what: &str) -> Option<&'n str> {
        match node.scalar() {
            Some((text, Style::Quoted | Style::Block)) => Some(text),
            Some((text, Style::Plain)) => self.note(
                self.at(node, format!("`{what}` must be in quotes"))
                    .found(text)
                    .hint(format!(
                        "write \"{text}\": YAML would change unquoted numbers, dates and words"
                    )),
            ),
            None => self.unexpected(node, what, "a text in quotes"),
        }
    }

    /// A name made of these characters, compared as a whole.
    pub fn name<'n>(
        &self,
        node: &'n Node,
        what: &str,
        is_allowed: impl Fn(char) -> bool,
        allowed: &str,
    ) -> Option<&'n str> {
        let text = self.text(node, what)?;
        if text.chars().all(is_allowed) {
            return Some(text);
        }
        self.note(
            self.at(
                node,
                format!("`{what}` has characters that are not allowed"),
            )
            .found(text)
            .allowed([allowed]),
        )
    }

    /// One of these words.
    pub fn word<T: Copy>(&self, node: &Node, what: &str, words: &[(&str, T)]) -> Option<T> {
        let text = self.text(node, what)?;
        let found = words
            .iter()
            .find(|(word, _)| *word == text)
            .map(|(_, value)| *value);
        found.or_else(|| {
            let words = words.iter().map(|(word, _)| *word);
            self.note(
                self.at(node, format!("unknown word for `{what}`"))
                    .found(text)
                    .allowed(words),
            )
        })
    }

    /// A whole number without quotes, from `min` to `max`.
    pub fn number<T>(&self, node: &Node, what: &str, min: T, max: T) -> Option<T>
    where
        T: FromStr + PartialOrd + Display + Copy,
    {
        let digits = node
            .plain()
            .filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
        match digits.and_then(|text| text.parse().ok()) {
            Some(number) if number >= min && number <= max => Some(number),
            _ => self.unexpected(
                node,
                what,
                &format!("a whole number from {min} to {max}, without quotes"),
            ),
        }
    }

    /// `true` or `false`.
    pub fn flag(&self, node: &Node, what: &str) -> Option<bool> {
        match node.plain() {
            Some("true") => Some(true),
            Some("false") => Some(false),
            _ => self.unexpected(node, what, "true or false"),
        }
    }

    /// A duration with a unit.
    pub fn span(&self, node: &Node, what: &str) -> Option<Span> {
        let text = self.text(node, what)?;
        text.parse()
            .map_err(|error| self.note::<()>(self.at(node, format!("`{what}`: {error}"))))
            .ok()
    }

    /// A duration that is not negative.
    pub fn length(&self, node: &Node, what: &str) -> Option<Span> {
        let span = self.span(node, what)?;
        if span.is_negative() {
            return self.unexpected(node, what, "a duration that is not negative");
        }
        Some(span)
    }
}

impl<'n> Fields<'n> {
    /// The value of a key. A key without a value counts as absent.
    pub fn get(&self, key: &str) -> Option<&'n Node> {
        self.stated(key).filter(|value| !value.is_null())
    }

    /// The value of a key, be it `null`.
    pub fn stated(&self, key: &str) -> Option<&'n Node> {
        self.iter()
            .find(|(name, _)| name_of(name) == key)
            .map(|(_, value)| value)
    }

    /// The key itself.
    pub fn key(&self, key: &str) -> Option<&'n Node> {
        self.iter()
            .map(|(name, _)| name)
            .find(|name| name_of(name) == key)
    }

    /// The value of a key that must be there.
    pub fn required(&self, reader: &Reader<'_, '_>, key: &str) -> Option<&'n Node> {
        self.get(key).or_else(|| {
            // A misspelt key was noted already, with the right spelling.
            if self
                .unknown
                .iter()
                .any(|name| nearest(name, [key]).is_some())
            {
                return None;
            }
            let error = match self.key(key) {
                Some(name) => reader.at(name, format!("`{key}` has no value")),
                None => {
                    let mut error =
                        reader.at(self.node, format!("`{key}` is missing in {}", self.what));
                    error.len = 1;
                    error
                }
            };
            reader.note(error)
        })
    }

    /// Keys and values in the order of the file.
    pub fn iter(&self) -> impl Iterator<Item = (&'n Node, &'n Node)> + use<'n> {
        self.entries.iter().map(|(key, value)| (key, value))
    }

    /// Names and values in the order of the file.
    pub fn named(&self) -> impl Iterator<Item = (&'n str, &'n Node)> + use<'n> {
        self.iter().map(|(key, value)| (name_of(key), value))
    }

    /// Whether it has no entries.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

fn name_of(key: &Node) -> &str {
    key.scalar().map_or("", |(text, _)| text)
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    #[test]
    fn all_errors_are_kept() {
        let text = "count: \"3\"\nflag: yes\nspan: 120\nneg: -1s\nquoted: 0\nword: onec\nlist: 7\nempty:\nmpa: 1\n";
        let source = Source::new("a.yaml", text);
        let root = parse(&source).unwrap();
        let reader = Reader::new(&source);
        let keys = [
            "count", "flag", "span", "neg", "quoted", "word", "list", "empty", "map",
        ];
        let fields = reader.map(&root, "the file", &keys).unwrap();
        let get = |key| fields.get(key).unwrap();
        assert_eq!(reader.number(get("count"), "count", 1u32, 9), None);
        assert_eq!(reader.flag(get("flag"), "flag"), None);
        assert_eq!(reader.span(get("span"), "span"), None);
        assert_eq!(reader.length(get("neg"), "neg"), None);
        assert_eq!(reader.quoted(get("quoted"), "quoted"), None);
        assert_eq!(
            reader.word(get("word"), "word", &[("once", 1), ("forever", 2)]),
            None
        );
        assert_eq!(reader.seq(get("list"), "list"), None);
        assert!(fields.required(&reader, "empty").is_none());
        assert!(fields.required(&reader, "map").is_none());
        insta::assert_snapshot!("reader_errors", reader.into_errors().sorted());
    }
}
