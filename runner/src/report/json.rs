//! Saved runs: JSON lines, and how they are read again.

use std::io::BufRead;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::record::RunRecord;
use crate::run::{RunFooter, SCHEMA};

/// Why a saved run cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum SavedError {
    /// It cannot be read at all.
    #[error("the saved run cannot be read")]
    Io(#[from] std::io::Error),
    /// A line is not what it should be.
    #[error("line {line} of the saved run is not understood: {reason}")]
    Line {
        /// Line, from 1.
        line: usize,
        /// Why not.
        reason: String,
    },
    /// Another version wrote it.
    #[error("the saved run has schema {found}, this version reads {SCHEMA}")]
    Schema {
        /// What it has.
        found: u32,
    },
    /// The last line is missing.
    #[error("the saved run is cut off: it has no footer")]
    CutOff,
    /// The census does not add up with the cases.
    #[error("the saved run has {found} cases, its census counts {counted}")]
    Miscounted {
        /// Cases in the file.
        found: usize,
        /// Cases in the census.
        counted: usize,
    },
}

/// A run as JSON lines. Text of peers is escaped by JSON itself, control
/// characters of C1 and direction marks on top of it.
pub fn to_json_lines(record: &RunRecord) -> String {
    let mut text = String::new();
    push(&mut text, &record.header);
    record.cases.iter().for_each(|case| push(&mut text, case));
    push(&mut text, &record.footer);
    text
}

fn push(text: &mut String, line: &impl Serialize) {
    let json = serde_json::to_string(line).expect("every field is representable in JSON");
    text.push_str(&ascii_controls(&json));
    text.push('\n');
}

/// JSON leaves C1 and other obeyed characters as they are; a terminal that is
/// shown the file must not obey them.
pub fn ascii_controls(json: &str) -> String {
    let mut safe = String::with_capacity(json.len());
    let mut units = [0; 2];
    for character in json.chars() {
        let is_obeyed = character == '\u{7f}'
            || (character > '\u{7f}'
                && crate::escape::terminal(character.encode_utf8(&mut [0; 4]))
                    != character.to_string());
        if is_obeyed {
            for unit in character.encode_utf16(&mut units) {
                safe.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            safe.push(character);
        }
    }
    safe
}

/// Reads a saved run. The first line is a header, lines with an `adapter` are
/// cases, the last line has the census.
///
/// # Errors
/// If it cannot be read, is of another version, cut off or miscounted.
pub fn from_json_lines(reader: impl BufRead) -> Result<RunRecord, SavedError> {
    let (mut header, mut cases, mut footer) = (None, Vec::new(), None);
    for (index, text) in reader.lines().enumerate() {
        let text = text?;
        let line = Line {
            number: index + 1,
            text: &text,
        };
        let value: serde_json::Value = line.read()?;
        if index == 0 {
            check_schema(&value)?;
            header = Some(line.read()?);
        } else if footer.is_some() {
            return Err(line.fault("nothing follows the census".to_owned()));
        } else if value.get("adapter").is_some() {
            cases.push(line.read()?);
        } else {
            footer = Some(line.read()?);
        }
    }
    let (Some(header), Some(footer)) = (header, footer) else {
        return Err(SavedError::CutOff);
    };
    let footer: RunFooter = footer;
    let counted = footer.census.counted();
    if counted != cases.len() {
        return Err(SavedError::Miscounted {
            found: cases.len(),
            counted,
        });
    }
    Ok(RunRecord::new(header, cases, footer))
}

struct Line<'a> {
    number: usize,
    text: &'a str,
}

impl Line<'_> {
    fn read<T: DeserializeOwned>(&self) -> Result<T, SavedError> {
        serde_json::from_str(self.text).map_err(|error| self.fault(error.to_string()))
    }

    fn fault(&self, reason: String) -> SavedError {
        SavedError::Line {
            line: self.number,
            reason,
        }
    }
}

/// Another version may have other fields, so it is looked at before them.
fn check_schema(first: &serde_json::Value) -> Result<(), SavedError> {
    let found = first
        .get("schema")
        .and_then(serde_json::Value::as_u64)
        .and_then(|schema| u32::try_from(schema).ok());
    match found {
        Some(found) if found != SCHEMA => Err(SavedError::Schema { found }),
        _ => Ok(()),
    }
}
