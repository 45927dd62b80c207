//! The edit of a `known.yaml` that `holdoff known --write` proposes.
//!
//! A reason that somebody wrote down is never removed: an entry that no longer
//! holds is narrowed, or, if no version is left that it names, turned into a
//! comment.

use std::collections::BTreeMap;

use super::entry::Place;
use super::{Entry, Known};
use crate::escape;
use crate::manifest::{Version, VersionRange};
use crate::model::{CaseId, DefectId};

/// What a run showed that `known.yaml` does not say.
#[derive(Clone, Debug, PartialEq)]
pub enum Edit {
    /// A divergence that no entry names.
    Add {
        /// Version that shows it.
        version: Version,
        /// Variant that shows it, if the adapter has several.
        variant: Option<String>,
        /// The case.
        case: CaseId,
        /// The defect that explains it, or the timeline as flow YAML in the
        /// words of `expect`.
        signature: Seen,
        /// What is known of the cause.
        because: String,
    },
    /// The entry in this line passes at this version.
    Fixed {
        /// Line of the entry.
        line: usize,
        /// Version that passes.
        version: Version,
    },
    /// The entry in this line shows something else.
    Changed {
        /// Line of the entry.
        line: usize,
        /// What is seen now.
        signature: Seen,
    },
}

/// What was seen, as it is written into a `signature`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    /// A defect explains it.
    Defect(DefectId),
    /// Flow YAML in the words of `expect`, such as `{ attempts: 1 }`.
    Timeline(String),
}

/// A file that cannot be edited.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProposeError {
    /// Entries share lines.
    #[error("the entry in line {0} does not begin with `- ` on a line of its own")]
    NotABlockList(usize),
    /// The text is not the one that was read.
    #[error("no entry begins in line {0}")]
    NoSuchEntry(usize),
}

/// `text`, which `known` was read from, with all edits made.
///
/// An entry is fixed when every case that it names passes at the version and
/// at all later ones; several such edits of one entry count as the oldest.
/// `versions` are the adapter's: an entry that would name none of them any more
/// becomes a comment.
///
/// # Errors
/// If an entry is not written as a block, or an edit names no entry.
pub fn propose(
    known: &Known,
    text: &str,
    edits: &[Edit],
    versions: &[Version],
) -> Result<String, ProposeError> {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    if known.entries.is_empty() {
        lines.retain(|line| line.trim() != "[]");
    }
    for entry in &known.entries {
        let is_block = lines
            .get(entry.line - 1)
            .is_some_and(|line| line.starts_with("- "));
        if !is_block {
            return Err(ProposeError::NotABlockList(entry.line));
        }
    }
    let (fixed, changed) = by_line(known, edits)?;
    // What keeps the number of lines first, the rest from the end on.
    let mut notes = BTreeMap::new();
    for (line, version) in fixed {
        let entry = entry_in(known, line)?;
        let narrowed = entry.versions.before(version).filter(|range| {
            range.parse().is_ok_and(|range: VersionRange| {
                versions.iter().any(|version| range.contains(version))
            })
        });
        match narrowed {
            Some(range) => replace(&mut lines, entry.versions_place, &quoted(&range)),
            None => drop(notes.insert(line, Note::Retire(version))),
        }
    }
    for (line, seen) in changed {
        match entry_in(known, line)?.signature_place {
            Some(place) => replace(&mut lines, place, &seen.to_yaml()),
            None => drop(notes.entry(line).or_insert(Note::Now(seen))),
        }
    }
    for (line, note) in notes.into_iter().rev() {
        note.write(known, &mut lines, line);
    }
    let mut text = lines.join("\n");
    if !text.is_empty() {
        text.push('\n');
    }
    for edit in edits {
        text.push_str(&added(edit));
    }
    Ok(text)
}

type ByLine<'e, T> = BTreeMap<usize, &'e T>;

fn by_line<'e>(
    known: &Known,
    edits: &'e [Edit],
) -> Result<(ByLine<'e, Version>, ByLine<'e, Seen>), ProposeError> {
    let (mut fixed, mut changed) = (BTreeMap::new(), BTreeMap::new());
    for edit in edits {
        match edit {
            Edit::Add { .. } => {}
            Edit::Fixed { line, version } => {
                entry_in(known, *line)?;
                let oldest = fixed.entry(*line).or_insert(version);
                *oldest = version.min(*oldest);
            }
            Edit::Changed { line, signature } => {
                entry_in(known, *line)?;
                changed.insert(*line, signature);
            }
        }
    }
    Ok((fixed, changed))
}

fn entry_in(known: &Known, line: usize) -> Result<&Entry, ProposeError> {
    let entry = known.entries.iter().find(|entry| entry.line == line);
    entry.ok_or(ProposeError::NoSuchEntry(line))
}

/// What is written beside an entry.
enum Note<'e> {
    /// It becomes a comment: it spoke of this version alone.
    Retire(&'e Version),
    /// Its timeline is to be replaced by this one.
    Now(&'e Seen),
}

impl Note<'_> {
    fn write(&self, known: &Known, lines: &mut Vec<String>, line: usize) {
        match self {
            Self::Now(seen) => lines.insert(
                line - 1,
                format!("# the signature below is now: {}", seen.to_yaml()),
            ),
            Self::Retire(version) => {
                let next = known
                    .entries
                    .iter()
                    .map(|entry| entry.line)
                    .find(|next| *next > line);
                let end = next.map_or(lines.len(), |next| next - 1).min(lines.len());
                for text in lines[line - 1..end]
                    .iter_mut()
                    .filter(|text| !text.trim().is_empty() && !text.starts_with('#'))
                {
                    text.insert_str(0, "# ");
                }
                lines.insert(line - 1, format!("# fixed in {version}:"));
            }
        }
    }
}

impl Seen {
    fn to_yaml(&self) -> String {
        match self {
            Self::Defect(defect) => defect.to_string(),
            Self::Timeline(text) => text.clone(),
        }
    }
}

fn added(edit: &Edit) -> String {
    let Edit::Add {
        version,
        variant,
        case,
        signature,
        because,
    } = edit
    else {
        return String::new();
    };
    let variant = variant
        .as_ref()
        .map(|variant| format!("  variant: {variant}\n"))
        .unwrap_or_default();
    format!(
        "- versions: {}\n{variant}  case: {case}\n  signature: {}\n  undecided: nobody has looked at it yet\n  because: {}\n",
        quoted(&format!("={version}")),
        signature.to_yaml(),
        quoted(because)
    )
}

/// Double-quoted YAML, which takes JSON's escapes.
fn quoted(text: &str) -> String {
    serde_json::Value::from(escape::terminal(text).as_ref()).to_string()
}

fn replace(lines: &mut [String], place: Place, text: &str) {
    let Some(line) = lines.get_mut(place.line - 1) else {
        return;
    };
    let before: String = line.chars().take(place.col - 1).collect();
    let after: String = line.chars().skip(place.col - 1 + place.len).collect();
    *line = format!("{before}{text}{after}");
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    const TEXT: &str = "\
# Divergences of acme.
- versions: \"<0.30\"     # all that we have
  case: holdoff/a
  signature: sign-accepted
  issue: https://example.org/1
  because: int() takes a sign

- versions: \"=0.15.0\"
  case: holdoff/b
  signature: { attempts: 1 }
  wont_fix: old
  because: it was rewritten
# a closing word
- { versions: '*', case: holdoff/c, signature: { attempts: 2 }, undecided: x, because: y }
";

    fn proposed(text: &str, edits: &[Edit]) -> String {
        let known = Known::read(Path::new("known.yaml"), text).unwrap();
        let versions = ["0.15.0", "0.17.1", "0.29.1"].map(Version::new);
        let new = propose(&known, text, edits, &versions).unwrap();
        Known::read(Path::new("known.yaml"), &new).unwrap_or_else(|errors| panic!("{errors}"));
        new
    }

    fn add(because: &str) -> Edit {
        Edit::Add {
            version: Version::new("0.29.1"),
            variant: Some("async".into()),
            case: "holdoff/d@x".into(),
            signature: Seen::Timeline("{ attempts: 1, waits: [120s] }".into()),
            because: because.into(),
        }
    }

    #[test]
    fn no_reason_is_ever_removed() {
        let edits = [
            Edit::Fixed {
                line: 2,
                version: Version::new("0.29.1"),
            },
            Edit::Fixed {
                line: 2,
                version: Version::new("0.18.0"),
            },
            Edit::Changed {
                line: 2,
                signature: Seen::Defect("junk-accepted".into()),
            },
            Edit::Fixed {
                line: 8,
                version: Version::new("0.15.0"),
            },
            Edit::Changed {
                line: 14,
                signature: Seen::Timeline("{ attempts: 3 }".into()),
            },
            add("consistent with nothing: \"why\" \u{1b}[31m"),
        ];
        let new = proposed(TEXT, &edits);
        for reason in [
            "int() takes a sign",
            "it was rewritten",
            "wont_fix: old",
            "https://example.org/1",
            "because: y",
            "a closing word",
            "all that we have",
        ] {
            assert!(new.contains(reason), "{reason}");
        }
        insta::assert_snapshot!("known_proposal", new);
    }

    #[test]
    fn what_would_name_no_version_becomes_a_comment() {
        let new = proposed(
            TEXT,
            &[Edit::Fixed {
                line: 2,
                version: Version::new("0.15.0"),
            }],
        );
        assert!(
            new.contains("# fixed in 0.15.0:\n# - versions: \"<0.30\"     # all that we have\n"),
            "{new}"
        );
        assert!(
            new.contains("#   because: int() takes a sign\n\n- versions"),
            "{new}"
        );
    }

    #[test]
    fn an_empty_list_takes_entries() {
        let new = proposed("# nothing yet\n[]\n", &[add("x")]);
        assert!(
            new.starts_with("# nothing yet\n- versions: \"=0.29.1\"\n"),
            "{new}"
        );
        assert_eq!(proposed(TEXT, &[]), TEXT);
    }

    #[test]
    fn what_cannot_be_edited_is_refused() {
        let text = "[{ versions: '*', case: a, signature: x, undecided: x, because: y }]";
        let known = Known::read(Path::new("known.yaml"), text).unwrap();
        assert_eq!(
            propose(&known, text, &[], &[]),
            Err(ProposeError::NotABlockList(1))
        );
        let known = Known::read(Path::new("known.yaml"), TEXT).unwrap();
        let edit = Edit::Fixed {
            line: 3,
            version: Version::new("1"),
        };
        assert_eq!(
            propose(&known, TEXT, &[edit], &[]),
            Err(ProposeError::NoSuchEntry(3))
        );
    }
}
