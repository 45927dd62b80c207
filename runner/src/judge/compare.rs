//! [`judge`]: expectation × observations → differences.

use super::call::JudgedCall;
use super::clauses::clause_for;
use super::tolerance::call_tolerance;
use super::verdict::{Difference, Side, Topic};
use super::view::CallView;
use crate::fixture::Distinct;
use crate::model::{CallId, Observation, Span};
use crate::oracle::{Expectation, Setting};

/// Compares what was seen with the prediction for a defective client. What the
/// author states of requests, and which call a reply was meant for, holds for
/// the specified client alone and is left out.
pub fn unpredicted(
    setting: &Setting<'_>,
    prediction: &Expectation,
    observations: &[Observation],
) -> Vec<Difference> {
    compare(setting, prediction, observations, Stated::LeftOut)
}

/// Compares what was seen, over one or more runs, with what was expected.
pub fn judge(
    setting: &Setting<'_>,
    expectation: &Expectation,
    observations: &[Observation],
) -> Vec<Difference> {
    compare(setting, expectation, observations, Stated::Judged)
}

/// Whether what the author states of requests is judged.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Stated {
    Judged,
    LeftOut,
}

fn compare(
    setting: &Setting<'_>,
    expectation: &Expectation,
    observations: &[Observation],
    stated: Stated,
) -> Vec<Difference> {
    let mut differences: Vec<Difference> = Vec::new();
    for observation in observations {
        for difference in one_run(setting, expectation, observation, stated) {
            if !differences.contains(&difference) {
                differences.push(difference);
            }
        }
    }
    differences.extend(draws_agree(setting, expectation, observations));
    differences
}

fn one_run(
    setting: &Setting<'_>,
    expectation: &Expectation,
    observation: &Observation,
    stated: Stated,
) -> Vec<Difference> {
    let mut found = Vec::new();
    for (id, expected) in &expectation.calls {
        let calls = expectation.calls.len();
        let mut judged = JudgedCall {
            setting,
            expected,
            seen: CallView::new(observation, id, calls),
            calls,
            tolerance: call_tolerance(setting, expected),
            found: Vec::new(),
        };
        judged.attempts();
        judged.gaps();
        judged.requests(stated);
        judged.asked();
        judged.hooks();
        judged.outcome();
        judged.end();
        found.append(&mut judged.found);
    }
    if !found
        .iter()
        .any(|difference| difference.topic == Topic::Attempts)
    {
        found.extend(script(setting, expectation, observation, stated));
    }
    found
}

/// Replies that were not fetched, or that another call met.
fn script(
    setting: &Setting<'_>,
    expectation: &Expectation,
    observation: &Observation,
    stated: Stated,
) -> Vec<Difference> {
    let mut found = Vec::new();
    if observation.ending != crate::model::Ending::Watched
        && observation.unserved != expectation.unserved
    {
        let text = format!(
            "replies {:?} of the script were not fetched, expected {:?}",
            observation.unserved, expectation.unserved
        );
        found.push(difference(setting, Topic::Script, None, Side::Other, text));
    }
    for exchange in &observation.exchanges {
        if let (Some(meant), Some(call)) = (&exchange.meant_for, &exchange.call)
            && meant != call
            && stated == Stated::Judged
        {
            let text = format!("call `{call}` met the reply that was meant for call `{meant}`");
            found.push(difference(
                setting,
                Topic::Script,
                Some(call),
                Side::Other,
                text,
            ));
        }
    }
    found
}

pub(super) fn difference(
    setting: &Setting<'_>,
    topic: Topic,
    call: Option<&CallId>,
    side: Side,
    text: String,
) -> Difference {
    Difference {
        topic,
        call: call.cloned(),
        text,
        side,
        clause: clause_for(setting.case, topic),
    }
}

/// Over several runs draws must not all be one value, where the fixture says so.
fn draws_agree(
    setting: &Setting<'_>,
    expectation: &Expectation,
    observations: &[Observation],
) -> Vec<Difference> {
    if observations.len() < 2 {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (id, expected) in &expectation.calls {
        let stated = setting
            .case
            .expect
            .calls
            .get(id)
            .and_then(|call| call.distinct);
        if stated != Some(Distinct::Differ) {
            continue;
        }
        let draws = |index: usize| -> Vec<Span> {
            observations
                .iter()
                .filter_map(|observation| {
                    CallView::new(observation, id, expectation.calls.len())
                        .gap_before(index)?
                        .length
                })
                .collect()
        };
        let drawn = expected.attempts.iter().enumerate().filter(|(_, attempt)| {
            attempt
                .gap
                .as_ref()
                .is_some_and(|gap| gap.length.as_exact().is_none())
        });
        // One draw alone, or a case that was only watched, agrees with nothing.
        let mut drawn = drawn
            .map(|(index, _)| draws(index))
            .filter(|draws| draws.len() > 1)
            .peekable();
        let is_drawn = drawn.peek().is_some();
        let all_agree = drawn.all(|draws| {
            draws
                .windows(2)
                .all(|pair| (pair[0] - pair[1]).abs() <= Span::from_nanos(1_000))
        });
        if is_drawn && all_agree {
            let text = format!("every draw is the same over {} runs", observations.len());
            found.push(difference(
                setting,
                Topic::Draws,
                Some(id),
                Side::Other,
                text,
            ));
        }
    }
    found
}
