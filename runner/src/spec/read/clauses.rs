//! Reads clauses.

use super::fault::Fault;
use super::markdown::{Bracketed, Lines};
use crate::model::ClauseId;
use crate::spec::{Clause, Keyword, Observable};

const MARK: &str = "(not observable:";

/// Reads all clauses of a document; mistakes go to `faults`.
pub(super) fn clauses(
    bracketed: &[Bracketed],
    lines: &Lines<'_>,
    faults: &mut Vec<Fault>,
) -> Vec<Clause> {
    let mut clauses: Vec<Clause> = Vec::new();
    for item in bracketed {
        let (line, col) = lines.at(item.offset);
        // The two asterisks and the bracket stand before the name.
        let at = |message: String| {
            Fault::new(line, col + 3, item.id.chars().count(), message).found(&item.id)
        };
        if !is_id(&item.id) {
            if item.is_item {
                let fault = at("no name of a clause".to_owned());
                faults.push(fault.allowed(&["FAMILY-N, such as HONOUR-1"]));
            }
            continue;
        }
        if !item.is_item {
            faults.push(at("a clause is a list item of its own".to_owned()));
            continue;
        }
        if let Some(first) = clauses.iter().find(|clause| clause.id.as_str() == item.id) {
            faults.push(at(format!(
                "the clause stands twice, first in line {}",
                first.line
            )));
            continue;
        }
        match clause(item, line) {
            Ok(clause) => clauses.push(clause),
            Err((message, allowed)) => faults.push(at(message.to_owned()).allowed(allowed)),
        }
    }
    clauses
}

type Wrong = (&'static str, &'static [&'static str]);

fn clause(item: &Bracketed, line: usize) -> Result<Clause, Wrong> {
    let text = item.text.split_whitespace().collect::<Vec<_>>().join(" ");
    let keyword = keyword(&text).ok_or((
        "the clause has no keyword",
        &["MUST", "MUST NOT", "SHOULD", "SHOULD NOT", "MAY"][..],
    ))?;
    Ok(Clause {
        id: ClauseId::new(item.id.as_str()),
        keyword,
        observable: observable(&text)?,
        text,
        line,
    })
}

/// `HONOUR-1`: capitals, a hyphen, a number from 1.
fn is_id(text: &str) -> bool {
    text.rsplit_once('-').is_some_and(|(family, number)| {
        let capitals =
            |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_uppercase());
        family.split('-').all(capitals)
            && !number.is_empty()
            && !number.starts_with('0')
            && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// The strongest keyword of RFC 2119 in a text.
fn keyword(text: &str) -> Option<Keyword> {
    text.split(|char: char| !char.is_ascii_alphabetic())
        .filter_map(|word| match word {
            "MUST" | "SHALL" | "REQUIRED" => Some(Keyword::Must),
            "SHOULD" | "RECOMMENDED" => Some(Keyword::Should),
            "MAY" | "OPTIONAL" => Some(Keyword::May),
            _ => None,
        })
        .min()
}

fn observable(text: &str) -> Result<Observable, Wrong> {
    let wrong = (
        "the reason why the clause is not observable is not its end",
        &["… (not observable: reason)"][..],
    );
    let Some(at) = text.find("(not observable") else {
        return Ok(Observable::Yes);
    };
    let reason = text[at..]
        .trim_end_matches('.')
        .strip_prefix(MARK)
        .and_then(|rest| rest.strip_suffix(')'))
        .map(str::trim)
        .filter(|reason| !reason.is_empty())
        .ok_or(wrong)?;
    Ok(Observable::No {
        reason: reason.to_owned(),
    })
}
