//! Timelines as text, one fact a line, so that two can be compared by any
//! diff.

use super::measure::shown;
use super::tolerance::case_tolerance;
use super::view::CallView;
use super::words::{expected_words, outcome_words};
use crate::fixture::Step;
use crate::model::{Allowed, Exchange, Observation, Outcome, Span};
use crate::oracle::{
    CallExpectation, Expectation, ExpectedOutcome, GapKind, Setting, describe_step,
};

/// The expected timeline.
pub fn expected_lines(expectation: &Expectation) -> Vec<String> {
    let mut lines = Vec::new();
    for (id, call) in &expectation.calls {
        lines.push(format!("call {id}"));
        for (index, attempt) in call.attempts.iter().enumerate() {
            if let Some(gap) = &attempt.gap {
                lines.push(gap_line(gap.kind, &gap.length.to_string()));
            }
            lines.push(attempt_line(index, &attempt.reply));
        }
        lines.push(end_line(
            &expected_words(&call.outcome),
            &expected_told(&call.outcome),
        ));
    }
    lines
}

/// The observed timeline. A length inside its expectation is printed as the
/// expectation, so that only real differences show.
pub fn observed_lines(
    setting: &Setting<'_>,
    expectation: &Expectation,
    observation: &Observation,
) -> Vec<String> {
    let mut lines = Vec::new();
    for (id, call) in &expectation.calls {
        let seen = CallView::new(observation, id, expectation.calls.len());
        lines.push(format!("call {id}"));
        for (index, exchange) in seen.attempts.iter().enumerate() {
            if let Some(gap) = seen.gap_before(index) {
                let wanted = call
                    .attempts
                    .get(index)
                    .and_then(|attempt| attempt.gap.as_ref());
                let length = gap.length.map_or("(no reply)".to_owned(), |length| {
                    as_expected(setting, wanted.map(|gap| &gap.length), length)
                });
                lines.push(gap_line(gap.kind, &length));
            }
            lines.push(attempt_line(
                index,
                &reply_words(&setting.case.script, exchange),
            ));
        }
        lines.push(seen_end(setting, call, &seen));
    }
    lines
}

fn seen_end(setting: &Setting<'_>, call: &CallExpectation, seen: &CallView<'_>) -> String {
    let Some(result) = seen.result() else {
        return "  (no result while it was watched)".to_owned();
    };
    let told = match &result.outcome {
        Outcome::Raised { error } => {
            let wanted = match &call.outcome {
                ExpectedOutcome::Raised { retry_after, .. } => retry_after.as_ref(),
                _ => None,
            };
            error
                .retry_after
                .map(|told| as_expected(setting, wanted, told))
        }
        _ => None,
    };
    end_line(&outcome_words(&result.outcome), &told)
}

fn as_expected(setting: &Setting<'_>, wanted: Option<&Allowed>, seen: Span) -> String {
    match wanted {
        Some(wanted) if wanted.contains(seen, case_tolerance(setting)) => wanted.to_string(),
        _ => shown(setting.clock, seen),
    }
}

fn expected_told(outcome: &ExpectedOutcome) -> Option<String> {
    match outcome {
        ExpectedOutcome::Raised { retry_after, .. } => {
            retry_after.as_ref().map(ToString::to_string)
        }
        _ => None,
    }
}

fn gap_line(kind: GapKind, length: &str) -> String {
    match kind {
        GapKind::Wait => format!("  wait {length}"),
        GapKind::Next => format!("  next request after {length}"),
    }
}

fn attempt_line(index: usize, reply: &str) -> String {
    format!("  attempt {}: {reply}", index + 1)
}

fn end_line(words: &str, told: &Option<String>) -> String {
    match told {
        Some(told) => format!("  {words}, showing the told wait {told}"),
        None => format!("  {words}"),
    }
}

fn reply_words(script: &[Step], exchange: &Exchange) -> String {
    match exchange.step.and_then(|index| script.get(index)) {
        Some(step) => describe_step(step),
        None => "500 (beyond the script)".to_owned(),
    }
}
