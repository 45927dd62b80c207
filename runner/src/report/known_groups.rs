//! [`known_groups`]: what is known of an adapter, one group an entry.

use std::collections::BTreeMap;

use crate::judge::{CaseReport, Verdict};

/// What no defect explains, and is recorded as it is seen.
pub(super) const OWN_TIMELINE: &str = "a timeline of its own";

/// Known divergences with one cause.
#[derive(Clone, Debug)]
pub(super) struct KnownGroup<'a> {
    /// The cases, in order; never empty.
    pub(super) cases: Vec<&'a CaseReport>,
}

impl<'a> KnownGroup<'a> {
    /// The case that stands for all.
    pub(super) fn example(&self) -> &'a CaseReport {
        self.cases[0]
    }

    /// The defect or the two of them, unless a timeline is recorded.
    pub(super) fn signature(&self) -> Option<&'a str> {
        self.example().signature.as_deref()
    }

    /// What in the SDK causes it.
    pub(super) fn because(&self) -> &'a str {
        self.example().reason.as_deref().unwrap_or("—")
    }

    /// Where it is reported, or why it is not.
    pub(super) fn recorded(&self) -> &'a str {
        self.example().issue.as_deref().unwrap_or("—")
    }
}

/// The known cases among those of one adapter; the largest group first.
pub(super) fn known_groups<'a>(
    cases: impl IntoIterator<Item = &'a CaseReport>,
) -> Vec<KnownGroup<'a>> {
    let mut groups: BTreeMap<(Option<&str>, Option<&str>), Vec<&CaseReport>> = BTreeMap::new();
    for case in cases {
        if case.verdict == Verdict::Known {
            let cause = (case.reason.as_deref(), case.issue.as_deref());
            groups.entry(cause).or_default().push(case);
        }
    }
    let mut groups: Vec<_> = groups
        .into_values()
        .map(|mut cases| {
            cases.sort_by(|a, b| a.case.cmp(&b.case));
            KnownGroup { cases }
        })
        .collect();
    groups.sort_by_key(|group| (usize::MAX - group.cases.len(), &group.example().case));
    groups
}

#[cfg(test)]
mod tests {
    use super::super::tests::case;
    use super::*;

    #[test]
    fn one_group_for_each_cause_the_largest_first() {
        let of = |name: &str, verdict, because: &str| CaseReport {
            reason: Some(because.to_owned()),
            ..case(name, verdict, "")
        };
        let cases = [
            of("holdoff/d", Verdict::Known, "another"),
            of("holdoff/b", Verdict::Known, "int()"),
            of("holdoff/a", Verdict::Known, "int()"),
            of("holdoff/c", Verdict::Diverges, "int()"),
        ];
        let groups = known_groups(&cases);
        let shown: Vec<_> = groups
            .iter()
            .map(|group| {
                let names: Vec<_> = group.cases.iter().map(|case| case.case.as_str()).collect();
                (group.because(), names)
            })
            .collect();
        assert_eq!(
            shown,
            [
                ("int()", vec!["holdoff/a", "holdoff/b"]),
                ("another", vec!["holdoff/d"])
            ]
        );
    }
}
