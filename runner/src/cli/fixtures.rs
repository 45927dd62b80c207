//! Which cases a command is about.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::args::CaseArgs;
use super::failure::Failure;
use crate::diagnostic::nearest;
use crate::fixture::{Case, Glob};
use crate::spec::Spec;

/// The cases that all given filters let through. A filter that matches nothing
/// is an error.
pub(super) fn selected(
    cases: &[Arc<Case>],
    args: &CaseArgs,
    spec: &Spec,
) -> Result<Vec<Arc<Case>>, Failure> {
    if cases.is_empty() {
        return Err(Failure::Usage("there is no fixture".to_owned()));
    }
    check_globs(cases, &args.cases)?;
    check_names("loop", &args.loops, || {
        spec.loops.iter().map(|row| row.id.to_string()).collect()
    })?;
    check_names("clause", &args.clauses, || {
        spec.clauses
            .iter()
            .map(|clause| clause.id.to_string())
            .collect()
    })?;
    let globs: Vec<_> = args.cases.iter().map(|glob| Glob::new(glob)).collect();
    let is_selected = |case: &Case| {
        (globs.is_empty() || globs.iter().any(|glob| glob.matches(case.id.as_str())))
            && (args.loops.is_empty() || args.loops.iter().any(|id| id == case.loop_id.as_str()))
            && (args.clauses.is_empty()
                || case
                    .clauses
                    .iter()
                    .any(|id| args.clauses.iter().any(|wanted| wanted == id.as_str())))
    };
    let selected: Vec<_> = cases
        .iter()
        .filter(|case| is_selected(case))
        .cloned()
        .collect();
    if selected.is_empty() {
        return Err(Failure::Usage(
            "no case fits all of --case, --loop and --clause".to_owned(),
        ));
    }
    Ok(selected)
}

fn check_globs(cases: &[Arc<Case>], globs: &[String]) -> Result<(), Failure> {
    for text in globs {
        let glob = Glob::new(text);
        if cases.iter().any(|case| glob.matches(case.id.as_str())) {
            continue;
        }
        let near = glob.suggestions(cases.iter().map(|case| case.id.as_str()));
        let hint = match near.as_slice() {
            [] => "; `holdoff list` shows all".to_owned(),
            near => format!("; near: {}", near.join(", ")),
        };
        return Err(Failure::Usage(format!("no case matches `{text}`{hint}")));
    }
    Ok(())
}

fn check_names(
    what: &str,
    given: &[String],
    known: impl Fn() -> BTreeSet<String>,
) -> Result<(), Failure> {
    for name in given {
        let known = known();
        if known.contains(name) {
            continue;
        }
        let hint = nearest(name, known.iter().map(String::as_str))
            .map(|word| format!("; did you mean `{word}`?"))
            .unwrap_or_default();
        return Err(Failure::Usage(format!(
            "the specification has no {what} `{name}`{hint}"
        )));
    }
    Ok(())
}
