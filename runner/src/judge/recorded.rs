//! Recorded timelines: whether one is shown, and how one is written down.

use super::allowed;
use super::measure::without_noise;
use super::tolerance::case_tolerance;
use super::view::CallView;
use crate::adapter::protocol::{ClockKind, EventName};
use crate::fixture::{CallExpect, OutcomeExpect, ToldExpect, WaitExpr};
use crate::model::{CallId, Observation, Outcome, RaisedError, Span};
use crate::oracle::{Behaviour, GapKind, Setting, expectation};

/// Whether a call of an observation is as `recorded` says. What it does not
/// state is not compared, and neither is what an early watch did not reach.
pub fn shows_recorded(
    setting: &Setting<'_>,
    call: &CallId,
    recorded: &CallExpect,
    observation: &Observation,
) -> bool {
    let calls = expectation(setting, &Behaviour::default()).calls.len();
    let shown = Shown {
        setting,
        seen: CallView::new(observation, call, calls),
        calls,
    };
    shown.counts(recorded) && shown.times(recorded) && shown.says(recorded)
}

struct Shown<'a> {
    setting: &'a Setting<'a>,
    seen: CallView<'a>,
    calls: usize,
}

impl Shown<'_> {
    fn is_cut_off(&self) -> bool {
        self.seen.is_watched() && self.seen.result().is_none()
    }

    fn within(&self, wanted: &WaitExpr, seen: Span) -> bool {
        let tolerance = case_tolerance(self.setting);
        allowed(self.setting, wanted).contains(seen, tolerance)
    }

    fn all_within(&self, wanted: &[WaitExpr], seen: &[Span]) -> bool {
        let length_fits = if self.is_cut_off() {
            seen.len() <= wanted.len()
        } else {
            seen.len() == wanted.len()
        };
        length_fits
            && wanted
                .iter()
                .zip(seen)
                .all(|(wanted, seen)| self.within(wanted, *seen))
    }

    fn counts(&self, recorded: &CallExpect) -> bool {
        let seen = self.seen.attempts.len();
        recorded.attempts.is_none_or(|attempts| {
            let attempts = attempts as usize;
            seen == attempts || (self.is_cut_off() && seen <= attempts)
        })
    }

    fn gaps(&self, kind: GapKind) -> Vec<Span> {
        (1..self.seen.attempts.len())
            .filter_map(|index| self.seen.gap_before(index))
            .filter(|gap| gap.kind == kind)
            .filter_map(|gap| gap.length)
            .collect()
    }

    fn times(&self, recorded: &CallExpect) -> bool {
        let all = |wanted: &Option<Vec<WaitExpr>>, seen: Vec<Span>| {
            wanted
                .as_ref()
                .is_none_or(|wanted| self.all_within(wanted, &seen))
        };
        let one = |wanted: &Option<WaitExpr>, seen: Option<Span>| match (wanted, seen) {
            (Some(wanted), Some(seen)) => self.within(wanted, seen),
            (Some(_), None) => self.is_cut_off(),
            (None, _) => true,
        };
        all(&recorded.waits, self.gaps(GapKind::Wait))
            && all(&recorded.next, self.gaps(GapKind::Next))
            && one(&recorded.lead, self.seen.lead())
            && one(&recorded.ends, self.seen.result().map(|result| result.at))
            && (self.setting.clock == ClockKind::Real
                || all(&recorded.asked, self.seen.asked(self.calls)))
    }

    fn says(&self, recorded: &CallExpect) -> bool {
        let outcome = match (&recorded.outcome, self.seen.result()) {
            (Some(wanted), Some(result)) => self.ended(wanted, &result.outcome),
            (Some(_), None) => self.is_cut_off(),
            (None, _) => true,
        };
        let Some(hooks) = &recorded.hooks else {
            return outcome;
        };
        let retries = self.seen.events(EventName::Retry);
        let hook = hooks.retry.as_ref().is_none_or(|wanted| {
            wanted.len() == retries.len()
                && wanted.iter().zip(&retries).all(|(wanted, seen)| {
                    let same =
                        |wanted: Option<u32>, seen: Option<u32>| wanted.is_none() || wanted == seen;
                    same(wanted.failed_attempt, seen.failed_attempt)
                        && same(wanted.next_attempt, seen.next_attempt)
                        && (wanted.status.is_none() || wanted.status == seen.status)
                        && wanted.delay.as_ref().is_none_or(|delay| {
                            seen.delay.is_some_and(|seen| self.within(delay, seen))
                        })
                })
        });
        let refreshes = self.seen.events(EventName::Refresh).len();
        outcome
            && hook
            && hooks
                .refresh
                .is_none_or(|wanted| wanted as usize == refreshes)
    }

    fn ended(&self, wanted: &OutcomeExpect, seen: &Outcome) -> bool {
        match (wanted, seen) {
            (OutcomeExpect::Returned { status }, Outcome::Returned { status: seen }) => {
                status.is_none() || seen.is_none() || status == seen
            }
            (
                OutcomeExpect::Raised {
                    kind,
                    status,
                    retry_after,
                },
                Outcome::Raised { error },
            ) => {
                *kind == error.kind
                    && (status.is_none() || *status == error.status)
                    && self.told(retry_after.as_ref(), error)
            }
            (OutcomeExpect::Cancelled, Outcome::Cancelled)
            | (OutcomeExpect::Hung, Outcome::Hung) => true,
            _ => false,
        }
    }

    fn told(&self, wanted: Option<&ToldExpect>, error: &RaisedError) -> bool {
        match (wanted, error.retry_after) {
            (None, _) | (Some(ToldExpect::Absent), None) => true,
            (Some(ToldExpect::Within(wanted)), Some(seen)) => self.within(wanted, seen),
            _ => false,
        }
    }
}

/// What was seen, as a `signature` of known.yaml writes it: flow YAML in the
/// words of `expect`. Under the real clock times are written as intervals that
/// a busy machine keeps to.
pub fn recorded_text(setting: &Setting<'_>, observation: &Observation) -> String {
    let right = expectation(setting, &Behaviour::default());
    let calls = right.calls.len();
    let texts: Vec<_> = right
        .calls
        .keys()
        .map(|id| {
            let shown = Shown {
                setting,
                seen: CallView::new(observation, id, calls),
                calls,
            };
            (id, call_parts(&shown))
        })
        .collect();
    match texts.as_slice() {
        [(_, only)] => flow(only),
        several => {
            let entries: Vec<_> = several
                .iter()
                .map(|(id, parts)| format!("{id}: {}", flow(parts)))
                .collect();
            format!("{{ calls: {} }}", flow(&entries))
        }
    }
}

fn flow(parts: &[String]) -> String {
    format!("{{ {} }}", parts.join(", "))
}

/// Never empty: a signature that says nothing would fit everything.
fn call_parts(shown: &Shown<'_>) -> Vec<String> {
    let mut parts = Vec::new();
    let attempts = format!("attempts: {}", shown.seen.attempts.len());
    if !shown.is_cut_off() {
        parts.push(attempts.clone());
    }
    let waits: Vec<_> = shown
        .gaps(GapKind::Wait)
        .into_iter()
        .map(|wait| wait_text(shown.setting.clock, wait))
        .collect();
    if !waits.is_empty() {
        parts.push(format!("waits: [{}]", waits.join(", ")));
    }
    // Where the waits are seen, announced ones say nothing new.
    let delays: Vec<_> = shown
        .seen
        .events(EventName::Retry)
        .iter()
        .filter(|_| shown.is_cut_off())
        .filter_map(|event| event.delay)
        .map(|delay| {
            format!(
                "{{ delay: {} }}",
                announced_text(shown.setting.clock, delay)
            )
        })
        .collect();
    if !delays.is_empty() {
        parts.push(format!("hooks: {{ retry: [{}] }}", delays.join(", ")));
    }
    parts.extend(
        shown
            .seen
            .result()
            .and_then(|result| outcome_text(&result.outcome)),
    );
    if parts.is_empty() {
        parts.push(attempts);
    }
    parts
}

/// An announced delay is exact on any clock, unless it is drawn: then the next
/// run draws another.
fn announced_text(clock: ClockKind, delay: Span) -> String {
    if delay.as_nanos() % 1_000_000 == 0 {
        delay.to_string()
    } else {
        wait_text(clock, delay)
    }
}

fn wait_text(clock: ClockKind, wait: Span) -> String {
    const STEP: i128 = 100_000_000;
    match clock {
        ClockKind::Real => {
            let low = Span::from_nanos(wait.as_nanos().div_euclid(STEP).saturating_mul(STEP));
            format!("{low}..{}", low + Span::from_nanos(STEP))
        }
        ClockKind::Injected => wait.to_string(),
        ClockKind::Virtual => without_noise(wait).to_string(),
    }
}

/// `None` for what `expect` has no word for.
fn outcome_text(outcome: &Outcome) -> Option<String> {
    let text = match outcome {
        Outcome::Returned { .. } => "{ kind: returned }".to_owned(),
        Outcome::Cancelled => "{ kind: cancelled }".to_owned(),
        Outcome::Hung => "{ kind: hung }".to_owned(),
        Outcome::Raised { error } => {
            let mut parts = vec![format!("kind: {}", error.kind.as_str())];
            parts.extend(error.status.map(|status| format!("status: {status}")));
            parts.extend(error.retry_after.map(|told| format!("retry_after: {told}")));
            format!("{{ kind: raised, error: {{ {} }} }}", parts.join(", "))
        }
        _ => return None,
    };
    Some(format!("outcome: {text}"))
}
