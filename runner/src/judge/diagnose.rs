//! [`diagnose`]: which defects would show just this.

use super::compare::unpredicted;
use super::recorded::recorded_text;
use super::verdict::Diagnosis;
use crate::defect::{Defect, catalogue};
use crate::model::{Allowed, Observation, Span};
use crate::oracle::{Behaviour, Expectation, Setting, expectation};

/// Names the defects, or the pair of them, under which the oracle predicts what
/// was seen; the most specific predictions first.
pub fn diagnose(setting: &Setting<'_>, observations: &[Observation]) -> Diagnosis {
    let right = expectation(setting, &Behaviour::default());
    let differing: Vec<(&Defect, Expectation)> = catalogue()
        .iter()
        .map(|defect| (defect, expectation(setting, &defect.behaviour())))
        .filter(|(_, wrong)| *wrong != right)
        .collect();
    let explains = |wrong: &Expectation| unpredicted(setting, wrong, observations).is_empty();
    let mut matching: Vec<_> = differing
        .iter()
        .filter(|(_, wrong)| explains(wrong))
        .collect();
    if let Some(narrowest) = matching.iter().map(|(_, wrong)| spread(wrong)).min() {
        // A draw that happens to fall on a value is no evidence beside a
        // defect that predicts just this value.
        matching.retain(|(_, wrong)| spread(wrong) <= narrowest * 2);
        return Diagnosis::ConsistentWith(matching.iter().map(|(defect, _)| defect.id()).collect());
    }
    pair(setting, &differing, &explains).unwrap_or(Diagnosis::Unexplained)
}

fn pair(
    setting: &Setting<'_>,
    differing: &[(&Defect, Expectation)],
    explains: &dyn Fn(&Expectation) -> bool,
) -> Option<Diagnosis> {
    for (index, (left, _)) in differing.iter().enumerate() {
        for (right, _) in &differing[index + 1..] {
            let mut behaviour = left.behaviour();
            (right.bend)(&mut behaviour);
            if explains(&expectation(setting, &behaviour)) {
                return Some(Diagnosis::Pair(left.id(), right.id()));
            }
        }
    }
    None
}

/// How much room a prediction leaves; nothing if every value is exact.
fn spread(expectation: &Expectation) -> Span {
    let width = |length: &Allowed| match length {
        Allowed::AnyOf(intervals) => intervals
            .iter()
            .fold(Span::ZERO, |sum, interval| sum + interval.width()),
        Allowed::Observed => Span::from_secs(1_000_000_000),
    };
    let gaps = expectation
        .calls
        .values()
        .flat_map(|call| call.gaps().map(|gap| width(&gap.length)));
    gaps.fold(Span::ZERO, |sum, width| sum + width)
}

/// Whether the oracle predicts what was seen under that defect.
pub fn shows_defect(setting: &Setting<'_>, defect: &Defect, observations: &[Observation]) -> bool {
    unpredicted(
        setting,
        &expectation(setting, &defect.behaviour()),
        observations,
    )
    .is_empty()
}

/// A short name of how a case differs, for known.yaml: the defect that is
/// diagnosed, or the timeline.
pub fn signature(
    diagnosis: &Diagnosis,
    observation: &Observation,
    setting: &Setting<'_>,
) -> String {
    match diagnosis {
        Diagnosis::ConsistentWith(defects) if !defects.is_empty() => defects[0].to_string(),
        _ => recorded_text(setting, observation),
    }
}
