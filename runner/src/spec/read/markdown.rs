//! Walks over a document: finds its clauses and the tables below the headings
//! 6.1, 6.2 and 6.3.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::fault::Fault;
use super::tables::Place;

/// A list item or another place whose first bold text is in brackets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bracketed {
    /// What stands in the brackets.
    pub(super) id: String,
    /// Plain text of the item after the name, on one line.
    pub(super) text: String,
    /// Whether it is the start of a list item.
    pub(super) is_item: bool,
    /// Byte offset of the bold text.
    pub(super) offset: usize,
}

/// What was found in a document.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Names in bold brackets, in order.
    pub(super) bracketed: Vec<Bracketed>,
    /// Tables below headings with a number: the number, and where.
    pub(super) tables: Vec<(String, Place)>,
}

/// Byte offsets to lines and columns.
#[derive(Debug)]
pub(super) struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let breaks = text.match_indices('\n').map(|(at, _)| at + 1);
        Self {
            text,
            starts: [0].into_iter().chain(breaks).collect(),
        }
    }

    /// Line, from 1, of a byte offset, which may lie within a character.
    fn line(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset)
    }

    /// Line and column, both from 1, of a byte offset at a character's start.
    pub(super) fn at(&self, offset: usize) -> (usize, usize) {
        let line = self.line(offset);
        let before = &self.text[self.starts[line - 1]..offset];
        (line, before.chars().count() + 1)
    }

    /// First and last line that a range touches.
    fn place(&self, range: &Range<usize>) -> Place {
        let used = self.text[range.clone()].trim_end().len();
        Place {
            first_line: self.line(range.start),
            last_line: self.line(range.start + used.saturating_sub(1)),
        }
    }
}

/// Walks over the document once.
pub(super) fn walk(text: &str, lines: &Lines<'_>) -> Found {
    let mut walk = Walk::default();
    let parser = Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter();
    for (event, range) in parser {
        walk.event(&event, &range, lines);
    }
    walk.found
}

#[derive(Default)]
struct Walk {
    found: Found,
    /// Text of the heading that is being read.
    heading: Option<String>,
    /// Number of the last heading.
    number: String,
    /// Bold text that is being read, and where it began.
    bold: Option<(String, usize)>,
    /// Whether a list item began and nothing of it was read yet.
    is_fresh_item: bool,
    /// Index of the clause whose text is being read, and how deep in lists.
    open: Option<(usize, usize)>,
    depth: usize,
}

impl Walk {
    fn event(&mut self, event: &Event<'_>, range: &Range<usize>, lines: &Lines<'_>) {
        match event {
            Event::Start(Tag::Heading { .. }) => self.heading = Some(String::new()),
            Event::End(TagEnd::Heading(_)) => {
                let heading = self.heading.take().unwrap_or_default();
                let number = heading.split_whitespace().next().unwrap_or_default();
                self.number = number.trim_end_matches('.').to_owned();
            }
            Event::Start(Tag::Table(_)) => {
                let place = lines.place(range);
                self.found.tables.push((self.number.clone(), place));
            }
            Event::Start(Tag::Item) => {
                self.depth += 1;
                self.is_fresh_item = true;
            }
            Event::End(TagEnd::Item) => {
                if self.open.is_some_and(|(_, depth)| depth == self.depth) {
                    self.open = None;
                }
                self.depth -= 1;
            }
            Event::Start(Tag::Strong) => self.bold = Some((String::new(), range.start)),
            Event::End(TagEnd::Strong) => self.end_bold(),
            Event::Text(text) | Event::Code(text) => self.text(text),
            Event::SoftBreak | Event::HardBreak => self.text(" "),
            _ => {}
        }
    }

    fn end_bold(&mut self) {
        let Some((bold, offset)) = self.bold.take() else {
            return;
        };
        let Some(id) = bold
            .strip_prefix('[')
            .and_then(|bold| bold.strip_suffix(']'))
        else {
            self.text(&bold);
            return;
        };
        if self.is_fresh_item {
            self.open = Some((self.found.bracketed.len(), self.depth));
        }
        self.found.bracketed.push(Bracketed {
            id: id.to_owned(),
            text: String::new(),
            is_item: self.is_fresh_item,
            offset,
        });
        self.is_fresh_item = false;
    }

    fn text(&mut self, text: &str) {
        if let Some((bold, _)) = &mut self.bold {
            bold.push_str(text);
            return;
        }
        self.is_fresh_item = false;
        if let Some(heading) = &mut self.heading {
            heading.push_str(text);
        }
        if let Some((index, _)) = self.open {
            self.found.bracketed[index].text.push_str(text);
        }
    }
}

/// The one table below the heading of a number.
pub(super) fn table(
    found: &Found,
    number: &str,
    title: &str,
    faults: &mut Vec<Fault>,
) -> Option<Place> {
    let mut places = found
        .tables
        .iter()
        .filter(|(of, _)| of == number)
        .map(|(_, place)| *place);
    let Some(place) = places.next() else {
        let message = format!("no table below a heading {number}");
        faults.push(Fault::new(1, 1, 1, message).allowed(&[format!("### {number} {title}")]));
        return None;
    };
    for second in places {
        let message = format!("a second table below a heading {number}");
        faults.push(Fault::new(second.first_line, 1, 1, message));
    }
    Some(place)
}
