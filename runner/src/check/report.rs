//! What `check` says.

use serde::Serialize;

use crate::diagnostic::Diagnostics;
use crate::model::{ClauseId, DefectId};

/// The outcome of a check.
#[derive(Clone, Debug)]
pub struct Checked {
    /// Everything that is wrong.
    pub diagnostics: Diagnostics,
    /// The numbers.
    pub report: CheckReport,
}

/// The numbers of a check, as `check --format json` prints them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CheckReport {
    /// Clauses of the specification.
    pub clauses: usize,
    /// Observable clauses that no case cites.
    pub clauses_without_case: Vec<ClauseId>,
    /// Fixture files.
    pub fixtures: usize,
    /// Cases.
    pub cases: usize,
    /// Different kill sets among them.
    pub kill_sets: usize,
    /// Defects of the catalogue.
    pub defects: usize,
    /// Defects that no case catches.
    pub survivors: Vec<DefectId>,
}
