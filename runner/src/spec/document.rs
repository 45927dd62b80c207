//! [`Spec`]: a parsed specification.

use super::branches::BranchRow;
use super::clause::Clause;
use super::loops::LoopRow;
use super::parsers::ParserRow;
use crate::model::{BranchId, ClauseId, LoopId, ParserId};

/// A parsed specification: its clauses and its three tables, in the order of
/// the document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spec {
    /// Every clause.
    pub clauses: Vec<Clause>,
    /// Table 6.1.
    pub loops: Vec<LoopRow>,
    /// Table 6.2.
    pub branches: Vec<BranchRow>,
    /// Table 6.3.
    pub parsers: Vec<ParserRow>,
    pub(super) digest: String,
}

impl Spec {
    /// The clause of that name.
    pub fn clause(&self, id: &ClauseId) -> Option<&Clause> {
        self.clauses.iter().find(|clause| clause.id == *id)
    }

    /// The loop of that name.
    pub fn loop_row(&self, id: &LoopId) -> Option<&LoopRow> {
        self.loops.iter().find(|row| row.id == *id)
    }

    /// The branch of that name.
    pub fn branch(&self, id: &BranchId) -> Option<&BranchRow> {
        self.branches.iter().find(|row| row.id == *id)
    }

    /// The branches of a loop, in the order in which they are tried.
    pub fn branches_of<'a>(&'a self, id: &'a LoopId) -> impl Iterator<Item = &'a BranchRow> + 'a {
        self.branches.iter().filter(move |row| row.owner == *id)
    }

    /// The parser of that name.
    pub fn parser(&self, id: &ParserId) -> Option<&ParserRow> {
        self.parsers.iter().find(|row| row.id == *id)
    }

    /// SHA-256 of the document's text, in hexadecimal.
    pub fn digest(&self) -> &str {
        &self.digest
    }
}
