//! Clauses and cases: every observable clause has a case, every citation a
//! clause.

use std::collections::BTreeSet;

use crate::fixture::Case;
use crate::model::ClauseId;
use crate::spec::{Observable, Spec};

/// Observable clauses that no case of this specification cites.
pub(super) fn clauses_without_case(spec: &Spec, cases: &[Case]) -> Vec<ClauseId> {
    let cited: BTreeSet<_> = cases.iter().flat_map(|case| &case.clauses).collect();
    spec.clauses
        .iter()
        .filter(|clause| clause.observable == Observable::Yes && !cited.contains(&clause.id))
        .map(|clause| clause.id.clone())
        .collect()
}
