//! Saved runs: JSON lines, and how they are read again.

use std::io::BufRead;

use serde::{Deserialize, Serialize};

use super::record::RunRecord;
use crate::judge::CaseReport;
use crate::run::{RunFooter, RunHeader, SCHEMA};

/// One line of a saved run: a header, then cases, then a footer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
enum Line {
    Header(Box<RunHeader>),
    Case(Box<CaseReport>),
    Footer(RunFooter),
}

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
    let header = Line::Header(Box::new(record.header.clone()));
    let cases = record
        .cases
        .iter()
        .map(|case| Line::Case(Box::new(case.clone())));
    let footer = Line::Footer(record.footer.clone());
    for line in std::iter::once(header)
        .chain(cases)
        .chain(std::iter::once(footer))
    {
        let json = serde_json::to_string(&line).expect("every field is representable in JSON");
        text.push_str(&ascii_controls(&json));
        text.push('\n');
    }
    text
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

/// Reads a saved run.
///
/// # Errors
/// If it cannot be read, is of another version, cut off or miscounted.
pub fn from_json_lines(reader: impl BufRead) -> Result<RunRecord, SavedError> {
    let (mut header, mut cases, mut footer) = (None, Vec::new(), None);
    for (index, text) in reader.lines().enumerate() {
        let text = text?;
        let fault = |reason: String| SavedError::Line {
            line: index + 1,
            reason,
        };
        if index == 0 {
            check_schema(&text)?;
        }
        match serde_json::from_str(&text).map_err(|error| fault(error.to_string()))? {
            Line::Header(found) if index == 0 => header = Some(*found),
            Line::Case(case) if footer.is_none() && header.is_some() => cases.push(*case),
            Line::Footer(found) if footer.is_none() && header.is_some() => footer = Some(found),
            _ => {
                return Err(fault(
                    "header, cases and footer come in this order".to_owned(),
                ));
            }
        }
    }
    let (Some(header), Some(footer)) = (header, footer) else {
        return Err(SavedError::CutOff);
    };
    let counted = footer.census.counted();
    if counted != cases.len() {
        return Err(SavedError::Miscounted {
            found: cases.len(),
            counted,
        });
    }
    Ok(RunRecord::new(header, cases, footer))
}

/// Another version may have other fields, so it is looked at before them.
fn check_schema(first: &str) -> Result<(), SavedError> {
    let found = serde_json::from_str::<serde_json::Value>(first)
        .ok()
        .and_then(|value| value.get("header")?.get("schema")?.as_u64())
        .and_then(|schema| u32::try_from(schema).ok());
    match found {
        Some(found) if found != SCHEMA => Err(SavedError::Schema { found }),
        _ => Ok(()),
    }
}
