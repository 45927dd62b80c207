//! Clauses: the sentences that fixtures cite.

use super::words::words;
use crate::model::ClauseId;

/// One clause: a list item that starts with its name in bold brackets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    /// Its name, such as `HONOUR-1`.
    pub id: ClauseId,
    /// How binding it is: the strongest keyword of RFC 2119 in it.
    pub keyword: Keyword,
    /// What it says, without its name, as plain text on one line.
    pub text: String,
    /// Whether an exchange can show that it is kept.
    pub observable: Observable,
    /// Line of its first word in the document, from 1.
    pub line: usize,
}

words! {
    /// How binding a clause is (RFC 2119; only capitals count). `MUST NOT`,
    /// `SHALL` and `REQUIRED` are as binding as `MUST`.
    pub enum Keyword {
        /// A breach is a divergence.
        Must = "MUST",
        /// A breach is a warning.
        Should = "SHOULD",
        /// A permission: there is no breach.
        May = "MAY",
    }
}

/// Whether an exchange can show that a clause is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Observable {
    /// It can, so `check` wants a case.
    Yes,
    /// It cannot.
    No {
        /// Why not, from the clause's last parenthesis.
        reason: String,
    },
}
