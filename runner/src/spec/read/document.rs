//! Joins clauses and tables to a [`Spec`].

use std::path::Path;

use sha2::{Digest, Sha256};

use super::branches::Names;
use super::fault::Fault;
use super::markdown::{Found, Lines, table, walk};
use super::tables::Table;
use super::{branches, clauses, loops, parsers, tables};
use crate::diagnostic::{Diagnostics, Source};
use crate::spec::{
    Anchor, BranchRow, LoopRow, Machine, ParserRow, Spec, Term, ToldSource, UntoldWait,
};

impl Spec {
    /// Reads a specification. `file` is its name in messages.
    ///
    /// # Errors
    /// Every mistake of the document, in order of place: unknown, missing,
    /// doubled or surplus columns, cells, rows and clauses, names that nothing
    /// defines, and cells that contradict each other.
    pub fn parse(file: &Path, text: &str) -> Result<Self, Diagnostics> {
        let lines = Lines::new(text);
        let found = walk(text, &lines);
        let mut faults = Vec::new();
        let clauses = clauses::clauses(&found.bracketed, &lines, &mut faults);
        let tables = Tables::cut(text, &found, &mut faults);
        let spec = Self {
            clauses,
            digest: digest(text),
            ..tables.read(&mut faults)
        };
        let source = Source::new(file, text);
        let mut diagnostics = Diagnostics::new();
        diagnostics.extend(
            faults
                .into_iter()
                .map(|fault| fault.into_diagnostic(&source)),
        );
        diagnostics.into_result(spec)
    }
}

fn digest(text: &str) -> String {
    let hash = Sha256::digest(text.as_bytes());
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The rows of the three tables, not yet read.
struct Tables {
    loops: Table,
    branches: Table,
    parsers: Table,
}

impl Tables {
    fn cut(text: &str, found: &Found, faults: &mut Vec<Fault>) -> Self {
        let lines: Vec<&str> = text.lines().collect();
        let mut rows = |number, title, columns| {
            table(found, number, title, faults)
                .map(|place| tables::cut(&lines, place, columns, faults))
                .unwrap_or_default()
        };
        Self {
            loops: rows("6.1", "Loops", loops::COLUMNS),
            branches: rows("6.2", "Branches", branches::COLUMNS),
            parsers: rows("6.3", "Reading a told wait", parsers::COLUMNS),
        }
    }

    fn read(&self, faults: &mut Vec<Fault>) -> Spec {
        let names = Names {
            loops: self.loops.names.as_deref(),
            parsers: self.parsers.names.as_deref(),
        };
        let mut spec = Spec {
            clauses: Vec::new(),
            loops: Vec::new(),
            branches: Vec::new(),
            parsers: Vec::new(),
            digest: String::new(),
        };
        for row in &self.loops.rows {
            spec.loops.extend(loops::row(row, faults));
        }
        for row in &self.parsers.rows {
            spec.parsers.extend(parsers::row(row, faults));
        }
        for row in &self.branches.rows {
            spec.branches.extend(branches::row(row, names, faults));
        }
        // What is wrong by itself would only be repeated by what follows.
        if faults.is_empty() {
            self.join(&spec, faults);
        }
        spec
    }

    /// Checks that need more than one table.
    fn join(&self, spec: &Spec, faults: &mut Vec<Fault>) {
        for (row, cells) in spec.loops.iter().zip(&self.loops.rows) {
            if spec.branches_of(&row.id).next().is_none() {
                faults.push(cells.cells[0].fault("the loop has no branch in table 6.2"));
            }
        }
        for (branch, cells) in spec.branches.iter().zip(&self.branches.rows) {
            let parser = branch.parser.as_ref().and_then(|id| spec.parser(id));
            let owner = spec.loop_row(&branch.owner);
            if let Some(message) = contradiction(branch, parser, owner) {
                faults.push(cells.cells[0].fault(message).found(branch.id.as_str()));
            }
        }
    }
}

/// What a branch says that its parser or its loop forbids.
fn contradiction(
    branch: &BranchRow,
    parser: Option<&ParserRow>,
    owner: Option<&LoopRow>,
) -> Option<String> {
    let ceiling = parser.and_then(|parser| parser.wait_ceiling);
    if branch.untold_wait == UntoldWait::Ceiling && ceiling.is_none() {
        return Some("the untold wait is a ceiling that the parser does not have".to_owned());
    }
    if let Some(parser) = parser
        && branch.told_by.contains(&ToldSource::Date)
        && parser.dates.is_empty()
    {
        return Some(format!(
            "told by a date, which parser `{}` does not read",
            parser.id
        ));
    }
    let owner = owner.filter(|owner| owner.machine == Machine::Queue)?;
    let throttle = owner
        .budgets
        .iter()
        .find(|budget| budget.anchor == Anchor::FirstThrottle)?;
    match (throttle.length, ceiling) {
        (Term::Duration(budget), Some(ceiling)) if budget < ceiling * 2 => Some(format!(
            "a budget of {budget} leaves no room for two waits of {ceiling}"
        )),
        _ => None,
    }
}
