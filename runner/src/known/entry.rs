//! [`Entry`]: one recorded divergence.

use std::collections::BTreeMap;

use jiff::civil::Date;

use super::Target;
use crate::fixture::{CallExpect, Glob};
use crate::manifest::VersionRange;
use crate::model::{CallId, DefectId};

/// One recorded divergence.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Versions of the SDK that show it.
    pub versions: VersionRange,
    /// The variant that shows it; none: all.
    pub variant: Option<String>,
    /// The cases that show it.
    pub case: Glob,
    /// What is seen.
    pub signature: Signature,
    /// What is to become of it.
    pub state: State,
    /// What in the SDK causes it.
    pub because: String,
    /// The day from which the entry is stale.
    pub until: Option<Date>,
    /// Who looks after it.
    pub owner: Option<String>,
    /// Line of the file, from 1.
    pub line: usize,
    pub(super) versions_place: Place,
    pub(super) signature_place: Option<Place>,
}

/// Where a value stands that can be replaced: on one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// From 1.
    pub(super) line: usize,
    /// From 1, in characters.
    pub(super) col: usize,
    /// In characters.
    pub(super) len: usize,
}

/// What is seen of a divergence.
#[derive(Clone, Debug, PartialEq)]
pub enum Signature {
    /// What the oracle predicts under this defect.
    Defect(DefectId),
    /// What the oracle predicts under both.
    Pair(DefectId, DefectId),
    /// What is written out.
    Timeline(Timeline),
}

/// A timeline in the words of `expect`; what is not stated is not compared.
#[derive(Clone, Debug, PartialEq)]
pub enum Timeline {
    /// Of the only call of the case.
    OneCall(Box<CallExpect>),
    /// By call.
    Calls(BTreeMap<CallId, CallExpect>),
}

/// What is to become of a divergence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// It is reported at this address.
    Issue(String),
    /// It is not decided, for this reason.
    Undecided(String),
    /// It stays, for this reason.
    WontFix(String),
}

impl Entry {
    /// Whether it speaks of this case of this version and variant.
    pub fn names(&self, target: Target<'_>) -> bool {
        self.versions.contains(target.version)
            && self
                .variant
                .as_deref()
                .is_none_or(|variant| Some(variant) == target.variant)
            && self.case.matches(target.case.as_str())
    }

    /// Whether it is stale on `today`.
    pub fn is_stale(&self, today: Date) -> bool {
        self.until.is_some_and(|until| today >= until)
    }
}
