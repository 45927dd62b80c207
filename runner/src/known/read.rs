//! `known.yaml` to entries.

use std::collections::BTreeMap;

use super::entry::Place;
use super::{Entry, Signature, State, Timeline};
use crate::diagnostic::{Diagnostics, Source};
use crate::fixture::{CALL_EXPECT_KEYS, CallExpect, Glob, call_expect};
use crate::manifest::{RangeError, VersionRange};
use crate::model::{CallId, DefectId};
use crate::yaml::{Fields, Node, Reader, Value};

/// Keys of an entry.
pub(super) const KEYS: [&str; 10] = [
    "versions",
    "variant",
    "case",
    "signature",
    "issue",
    "undecided",
    "wont_fix",
    "because",
    "until",
    "owner",
];

/// Reads a list of entries.
pub(super) fn entries(source: &Source<'_>, root: &Node) -> Result<Vec<Entry>, Diagnostics> {
    let reader = Reader::new(source);
    let entries = reader.seq(root, "known.yaml").map(|items| {
        items
            .iter()
            .filter_map(|item| entry(&reader, item))
            .collect()
    });
    reader
        .into_errors()
        .into_result(entries.unwrap_or_default())
}

fn entry(reader: &Reader<'_, '_>, item: &Node) -> Option<Entry> {
    let fields = reader.map(item, "an entry", &KEYS)?;
    let text = |key: &str| {
        fields
            .get(key)
            .map(|node| reader.text(node, key).map(str::to_owned))
    };
    let versions = fields.required(reader, "versions");
    let range = versions.and_then(|node| range(reader, node));
    let variant = text("variant");
    let case = fields
        .required(reader, "case")
        .and_then(|node| glob(reader, node));
    let signature_node = fields.required(reader, "signature");
    let signature = signature_node.and_then(|node| signature(reader, node));
    let state = state(reader, &fields);
    let because = fields
        .required(reader, "because")
        .and_then(|node| reader.text(node, "because"));
    let until = fields.get("until").map(|node| {
        let date = reader
            .text(node, "until")
            .and_then(|text| text.parse().ok());
        date.or_else(|| reader.unexpected(node, "until", "a day such as 2027-01-31"))
    });
    let owner = text("owner");
    Some(Entry {
        versions: range?,
        variant: stated(variant)?,
        case: case?,
        signature: signature?,
        state: state?,
        because: because?.to_owned(),
        until: stated(until)?,
        owner: stated(owner)?,
        line: item.line,
        versions_place: place(versions?),
        signature_place: signature_node
            .filter(|node| node.scalar().is_some())
            .map(place),
    })
}

/// From "there, and well formed" to "well formed, and there".
fn stated<T>(value: Option<Option<T>>) -> Option<Option<T>> {
    match value {
        None => Some(None),
        Some(value) => value.map(Some),
    }
}

fn place(node: &Node) -> Place {
    Place {
        line: node.line,
        col: node.col,
        len: node.len,
    }
}

fn range(reader: &Reader<'_, '_>, node: &Node) -> Option<VersionRange> {
    let text = reader.text(node, "versions")?;
    text.parse()
        .map_err(|error: RangeError| {
            let error = reader.at(node, error.to_string()).found(text);
            reader.note::<()>(error.allowed(RangeError::FORMS));
        })
        .ok()
}

fn glob(reader: &Reader<'_, '_>, node: &Node) -> Option<Glob> {
    let is_allowed =
        |c: char| matches!(c, 'a'..='z' | '0'..='9' | '.' | '_' | '/' | '-' | '@' | '*' | '?');
    reader
        .name(node, "case", is_allowed, "a-z 0-9 . _ / - @ and * ** ?")
        .map(Glob::new)
}

fn signature(reader: &Reader<'_, '_>, node: &Node) -> Option<Signature> {
    match &node.value {
        Value::Map(_) => {}
        Value::Seq(items) => {
            let [left, right] = items.as_slice() else {
                return reader.unexpected(node, "signature", "a list of two defects");
            };
            let (left, right) = (defect(reader, left), defect(reader, right));
            return Some(Signature::Pair(left?, right?));
        }
        _ => return defect(reader, node).map(Signature::Defect),
    }
    if node.get("calls").is_none() {
        return timeline(reader, node)
            .map(|call| Signature::Timeline(Timeline::OneCall(Box::new(call))));
    }
    let fields = reader.map(node, "signature", &["calls"])?;
    let calls: Vec<_> = reader
        .entries(fields.get("calls")?, "signature.calls")?
        .named()
        .map(|(id, node)| Some((CallId::new(id), timeline(reader, node)?)))
        .collect();
    let calls: Option<BTreeMap<_, _>> = calls.into_iter().collect();
    Some(Signature::Timeline(Timeline::Calls(calls?)))
}

fn defect(reader: &Reader<'_, '_>, node: &Node) -> Option<DefectId> {
    let is_allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let allowed = "a defect, a list of two, or a mapping in the words of `expect`";
    reader
        .name(node, "signature", is_allowed, allowed)
        .map(DefectId::new)
}

fn timeline(reader: &Reader<'_, '_>, node: &Node) -> Option<CallExpect> {
    let fields = reader.map(node, "signature", &CALL_EXPECT_KEYS)?;
    if fields.is_empty() {
        return reader.note(
            reader
                .at(node, "`signature` says nothing")
                .allowed(CALL_EXPECT_KEYS),
        );
    }
    call_expect(reader, &fields, &|_, _| {})
}

fn state(reader: &Reader<'_, '_>, fields: &Fields<'_>) -> Option<State> {
    const STATES: [&str; 3] = ["issue", "undecided", "wont_fix"];
    let there: Vec<_> = STATES
        .into_iter()
        .filter(|key| fields.key(key).is_some())
        .collect();
    let [key] = there[..] else {
        let message = match there.as_slice() {
            [] => "an entry says what is to become of it",
            _ => "an entry has one of these, not several",
        };
        let place = there
            .get(1)
            .and_then(|key| fields.key(key))
            .unwrap_or(fields.node);
        let mut error = reader.at(place, message).allowed(STATES);
        error.len = if there.is_empty() { 1 } else { error.len };
        return reader.note(error);
    };
    let node = fields.required(reader, key)?;
    let text = reader.text(node, key)?;
    match key {
        "undecided" => Some(State::Undecided(text.to_owned())),
        "wont_fix" => Some(State::WontFix(text.to_owned())),
        _ if text.starts_with("https://") || text.starts_with("http://") => {
            Some(State::Issue(text.to_owned()))
        }
        _ => reader.unexpected(node, key, "the address of an issue"),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::{Known, Target};
    use super::*;
    use crate::fixture::WaitExpr;
    use crate::manifest::Version;
    use crate::model::CaseId;

    const GOOD: &str = r#"
- versions: "<0.18"
  case: holdoff/parsing/retry-after-values@plus
  signature: sign-accepted
  issue: https://example.org/issues/1
  because: int() takes a sign
- versions: ">=0.18, <0.30"
  variant: async
  case: holdoff/operation/**
  signature: { attempts: 1, waits: [1s..1.1s], outcome: { kind: returned } }
  undecided: the RFC is silent
  because: asyncio rounds
  until: 2027-01-31
  owner: jan
- { versions: "<0.18", case: "holdoff/dates/utc", signature: [lenient-dates, date-truncated], undecided: two causes, because: two lines }
- { versions: "*", case: "holdoff/gate/*", signature: { calls: { a: { attempts: 2 } } }, wont_fix: by design, because: one gate a call }
"#;

    fn known(text: &str) -> Known {
        Known::read(Path::new("known.yaml"), text).unwrap_or_else(|errors| panic!("{errors}"))
    }

    #[test]
    fn entries_are_read() {
        let known = known(GOOD);
        assert_eq!(known.entries.len(), 4);
        assert_eq!(
            known.entries[2].signature,
            Signature::Pair("lenient-dates".into(), "date-truncated".into())
        );
        assert_eq!(
            known.entries[0].signature,
            Signature::Defect("sign-accepted".into())
        );
        assert_eq!(
            known.entries[0].state,
            State::Issue("https://example.org/issues/1".into())
        );
        let Signature::Timeline(Timeline::OneCall(call)) = &known.entries[1].signature else {
            panic!()
        };
        assert!(matches!(call.waits.as_deref(), Some([WaitExpr::Within(_)])));
        assert!(known.entries[1].is_stale("2027-01-31".parse().unwrap()));
        assert!(!known.entries[1].is_stale("2027-01-30".parse().unwrap()));
        assert!(
            matches!(&known.entries[3].signature, Signature::Timeline(Timeline::Calls(calls)) if calls.len() == 1)
        );
        assert!(self::known("# nothing yet\n").entries.is_empty());
        assert!(self::known("[]\n").entries.is_empty());
    }

    #[test]
    fn the_first_entry_that_names_a_case_counts() {
        let known = known(GOOD);
        let line = |version: &str, variant: Option<&str>, case: &str| {
            known
                .entry_for(&Version::new(version), variant, &CaseId::from(case))
                .map(|entry| entry.line)
        };
        assert_eq!(
            line(
                "0.15.0",
                Some("sync"),
                "holdoff/parsing/retry-after-values@plus"
            ),
            Some(2)
        );
        assert_eq!(
            line(
                "0.29.1",
                Some("sync"),
                "holdoff/parsing/retry-after-values@plus"
            ),
            None
        );
        assert_eq!(
            line("0.29.1", Some("async"), "holdoff/operation/budget@3"),
            Some(7)
        );
        assert_eq!(
            line("0.29.1", Some("sync"), "holdoff/operation/budget@3"),
            None
        );
        assert_eq!(line("9", None, "holdoff/gate/a"), Some(16));
    }

    #[test]
    fn overlaps_and_entries_without_a_case_are_errors() {
        let text = "
- { versions: '*', case: 'holdoff/a@*', signature: x, undecided: y, because: z }
- { versions: '<2', case: 'holdoff/**', signature: x, undecided: y, because: z }
- { versions: '>2', case: 'holdoff/**', signature: x, undecided: y, because: z }
- { versions: '*', case: 'holdoff/operatoin/budget', signature: x, undecided: y, because: z }
";
        let known = known(text);
        let version = Version::new("1.0");
        let cases = [
            CaseId::from("holdoff/a@x"),
            CaseId::from("holdoff/operation/budget"),
        ];
        let all: Vec<_> = cases
            .iter()
            .map(|case| Target {
                version: &version,
                variant: None,
                case,
            })
            .collect();
        let pairs: Vec<_> = known
            .overlaps(&all)
            .iter()
            .map(|pair| (pair.first.line, pair.second.line))
            .collect();
        assert_eq!(pairs, [(2, 3)]);
        insta::assert_snapshot!("known_check", known.check(&all));
    }

    #[test]
    fn everything_that_is_wrong_is_said() {
        let text = "
- { versions: 0.18, case: 'Holdoff/*', signature: [x], issue: '12', because: '', until: soon, ower: jan }
- { versions: '*', case: a, signature: {}, because: y }
- { versions: '*', case: a, signature: { wiats: [1] }, issue: 'https://x', wont_fix: y }
- 7
";
        let errors = Known::read(Path::new("known.yaml"), text).unwrap_err();
        insta::assert_snapshot!("known_errors", errors);
        let errors = Known::read(Path::new("known.yaml"), "versions: '*'").unwrap_err();
        assert_eq!(
            errors.iter().next().unwrap().message,
            "`known.yaml` must be a list"
        );
    }
}
