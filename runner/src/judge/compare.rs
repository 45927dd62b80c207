//! [`judge`]: expectation × observations → differences.

use super::clauses::clause_for;
use super::requests::{authored_requests, derived_requests};
use super::tolerance::{asked_is_seen, tolerance};
use super::verdict::{Difference, Side, Topic};
use super::view::CallView;
use super::words::outcome_words;
use crate::adapter::protocol::{ClockKind, EventName};
use crate::fixture::Distinct;
use crate::model::{Allowed, CallId, Feature, Observation, Outcome, Span, Tolerance};
use crate::oracle::{CallExpectation, Expectation, ExpectedOutcome, GapKind, Setting};

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
enum Stated {
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
            tolerance: tolerance(setting.clock, setting.host),
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

pub(super) struct JudgedCall<'a> {
    pub(super) setting: &'a Setting<'a>,
    pub(super) expected: &'a CallExpectation,
    pub(super) seen: CallView<'a>,
    calls: usize,
    tolerance: Tolerance,
    found: Vec<Difference>,
}

impl JudgedCall<'_> {
    pub(super) fn differs(&mut self, topic: Topic, side: Side, text: String) {
        let found = difference(self.setting, topic, Some(self.seen.id), side, text);
        self.found.push(found);
    }

    fn attempts(&mut self) {
        let (wanted, seen) = (self.expected.attempts.len(), self.seen.attempts.len());
        let too_few = seen < wanted && !self.seen.is_watched();
        if too_few || seen > wanted {
            let side = if seen > wanted {
                Side::Early
            } else {
                Side::Other
            };
            self.differs(
                Topic::Attempts,
                side,
                format!("{} expected, {seen} seen", counted(wanted, "attempt")),
            );
        }
        let late = self.seen.late_attempts();
        let wanted = usize::try_from(self.expected.late_attempts).unwrap_or(usize::MAX);
        if late != wanted && !self.seen.is_watched() {
            self.differs(
                Topic::Late,
                Side::Other,
                format!("{} after the result", counted(late, "attempt")),
            );
        }
    }

    fn gaps(&mut self) {
        if let Some(lead) = self.seen.lead() {
            let wanted = self.expected.lead.clone();
            self.time(
                Topic::Next,
                "the first attempt comes",
                &wanted,
                lead,
                self.tolerance,
            );
        }
        let expected = self.expected;
        for (index, attempt) in expected.attempts.iter().enumerate().skip(1) {
            let (Some(wanted), Some(seen)) = (&attempt.gap, self.seen.gap_before(index)) else {
                continue;
            };
            let number = index + 1;
            if wanted.kind != seen.kind {
                let text = match wanted.kind {
                    GapKind::Wait => {
                        format!("attempt {number} is not the same request as the one before")
                    }
                    GapKind::Next => format!(
                        "attempt {number} repeats the request before instead of making another"
                    ),
                };
                self.differs(Topic::Request, Side::Other, text);
            }
            let Some(length) = seen.length else { continue };
            let topic = if wanted.kind == GapKind::Wait {
                Topic::Wait
            } else {
                Topic::Next
            };
            self.time(
                topic,
                &format!("attempt {number} comes"),
                &wanted.length,
                length,
                self.tolerance,
            );
        }
    }

    /// Judges one length of time.
    fn time(
        &mut self,
        topic: Topic,
        what: &str,
        wanted: &Allowed,
        seen: Span,
        tolerance: Tolerance,
    ) {
        if wanted.contains(seen, tolerance) {
            return;
        }
        let side = match wanted {
            Allowed::AnyOf(intervals) if intervals.iter().all(|interval| seen > interval.hi) => {
                Side::Late
            }
            _ => Side::Early,
        };
        self.differs(
            topic,
            side,
            format!("{what} after {}, expected {wanted}", self.shown(seen)),
        );
    }

    /// A measured time as it is shown: under the real clock only tenths mean
    /// anything.
    fn shown(&self, seen: Span) -> String {
        shown(self.setting.clock, seen)
    }

    fn requests(&mut self, stated: Stated) {
        let mut texts = derived_requests(self);
        if stated == Stated::Judged {
            texts.extend(authored_requests(self));
        }
        for text in texts {
            self.differs(Topic::Request, Side::Other, text);
        }
    }

    fn asked(&mut self) {
        if !asked_is_seen(self.setting.clock, self.setting.host) {
            return;
        }
        let seen = self.seen.asked(self.calls);
        if !sleeps_agree(&self.expected.asked, &seen, self.tolerance) {
            let list = |items: Vec<String>| {
                if items.is_empty() {
                    "none".to_owned()
                } else {
                    items.join(", ")
                }
            };
            let wanted = list(
                self.expected
                    .asked
                    .iter()
                    .map(ToString::to_string)
                    .collect(),
            );
            let seen = list(seen.iter().map(ToString::to_string).collect());
            self.differs(
                Topic::Asked,
                Side::Other,
                format!("the sleeps asked for are {seen}, expected {wanted}"),
            );
        }
    }

    fn hooks(&mut self) {
        if self
            .setting
            .case
            .calls
            .iter()
            .any(|call| matches!(call, crate::fixture::CallStep::Call { auth: Some(_), .. }))
        {
            let refreshes = self.seen.events(EventName::Refresh).len();
            let wanted = usize::try_from(self.expected.refreshes).unwrap_or(usize::MAX);
            if refreshes != wanted && !self.seen.is_watched() {
                let text = format!("{} expected, {refreshes} seen", counted(wanted, "refresh"));
                self.differs(Topic::Hook, Side::Other, text);
            }
        }
        if !self.setting.host.features.contains(&Feature::RetryHook) {
            return;
        }
        let (expected, seen) = (self.expected, self.seen.events(EventName::Retry));
        if (seen.len() < expected.hooks.len() && !self.seen.is_watched())
            || seen.len() > expected.hooks.len()
        {
            let text = format!(
                "the retry hook runs {} times, expected {}",
                seen.len(),
                expected.hooks.len()
            );
            self.differs(Topic::Hook, Side::Other, text);
            return;
        }
        for (wanted, seen) in expected.hooks.iter().zip(seen) {
            let counts = (seen.failed_attempt, seen.next_attempt);
            if counts != (Some(wanted.failed_attempt), Some(wanted.next_attempt)) {
                let text = format!(
                    "the retry hook says attempt {:?} failed and {:?} comes next, expected {} and {}",
                    counts.0, counts.1, wanted.failed_attempt, wanted.next_attempt
                );
                self.differs(Topic::Hook, Side::Other, text);
            }
            if let Some(delay) = seen.delay
                && !wanted.delay.contains(delay, self.tolerance)
            {
                let text = format!(
                    "the retry hook announces {}, expected {}",
                    self.shown(delay),
                    wanted.delay
                );
                self.differs(Topic::Hook, Side::Other, text);
            }
            if seen.status.is_some() && seen.status != wanted.status {
                let text = format!(
                    "the retry hook names status {:?}, expected {:?}",
                    seen.status, wanted.status
                );
                self.differs(Topic::Hook, Side::Other, text);
            }
            if self.setting.clock != ClockKind::Real && !wanted.at.contains(seen.at, self.tolerance)
            {
                let text = format!("the retry hook runs at {}, expected {}", seen.at, wanted.at);
                self.differs(Topic::Hook, Side::Other, text);
            }
        }
    }

    fn outcome(&mut self) {
        let Some(result) = self.seen.result() else {
            if !self.seen.is_watched() {
                self.differs(
                    Topic::Outcome,
                    Side::Other,
                    "the call has no result".to_owned(),
                );
            }
            return;
        };
        let expected = self.expected;
        if let Some(text) = outcome_differs(&expected.outcome, &result.outcome) {
            self.differs(Topic::Outcome, Side::Other, text);
            return;
        }
        let (ExpectedOutcome::Raised { retry_after, .. }, Outcome::Raised { error }) =
            (&expected.outcome, &result.outcome)
        else {
            return;
        };
        if !self
            .setting
            .host
            .features
            .contains(&Feature::RetryAfterOnError)
        {
            return;
        }
        let agrees = match (retry_after, error.retry_after) {
            (None, None) | (Some(Allowed::Observed), _) => true,
            (Some(wanted), Some(seen)) => wanted.contains(seen, self.tolerance),
            _ => false,
        };
        if !agrees {
            let show = |told: Option<String>| told.unwrap_or_else(|| "none".to_owned());
            let (seen, wanted) = (
                error.retry_after.map(|told| told.to_string()),
                retry_after.as_ref().map(ToString::to_string),
            );
            let text = format!(
                "the error shows the told wait {}, expected {}",
                show(seen),
                show(wanted)
            );
            self.differs(Topic::Told, Side::Other, text);
        }
    }

    /// When the call ended. Where waits are drawn the end says nothing that
    /// they do not say better.
    fn end(&mut self) {
        let Some(result) = self.seen.result() else {
            return;
        };
        let drawn = self
            .expected
            .gaps()
            .any(|gap| gap.length.as_exact().is_none());
        let gone = self
            .found
            .iter()
            .any(|found| matches!(found.topic, Topic::Wait | Topic::Attempts | Topic::Next));
        if drawn || gone {
            return;
        }
        let steps = u64::try_from(self.expected.attempts.len())
            .unwrap_or(u64::MAX)
            .saturating_add(1);
        let summed = Tolerance {
            early: self.tolerance.early * steps,
            late: self.tolerance.late * steps,
        };
        let wanted = self.expected.ends.clone();
        if !wanted.contains(result.at, summed) {
            let side = if wanted.shortest().is_some_and(|lo| result.at < lo) {
                Side::Early
            } else {
                Side::Late
            };
            let text = format!(
                "the call ends at {}, expected {wanted}",
                self.shown(result.at)
            );
            self.differs(Topic::Ends, side, text);
        }
    }
}

/// Whether sleeps are those expected; whether one of no time is asked for at
/// all is the client's affair.
fn sleeps_agree(wanted: &[Allowed], seen: &[Span], tolerance: Tolerance) -> bool {
    let mut seen = seen.iter().filter(|span| !span.is_zero()).peekable();
    for wanted in wanted {
        match seen.peek() {
            Some(span) if wanted.contains(**span, tolerance) => {
                seen.next();
            }
            _ if wanted.contains(Span::ZERO, tolerance) => {}
            _ => return false,
        }
    }
    seen.next().is_none()
}

/// A measured time as it is shown.
pub(super) fn shown(clock: ClockKind, seen: Span) -> String {
    match clock {
        ClockKind::Real => {
            const STEP: i128 = 100_000_000;
            Span::from_nanos((seen.as_nanos() / STEP).saturating_mul(STEP)).to_string()
        }
        ClockKind::Injected | ClockKind::Virtual => seen.to_string(),
    }
}

pub(super) fn counted(count: usize, noun: &str) -> String {
    let plural = if noun.ends_with('h') { "es" } else { "s" };
    if count == 1 {
        format!("1 {noun}")
    } else {
        format!("{count} {noun}{plural}")
    }
}

fn outcome_differs(expected: &ExpectedOutcome, seen: &Outcome) -> Option<String> {
    let agrees = match (expected, seen) {
        (ExpectedOutcome::Returned, Outcome::Returned { .. })
        | (ExpectedOutcome::Cancelled, Outcome::Cancelled)
        | (ExpectedOutcome::Hung, Outcome::Hung)
        | (ExpectedOutcome::NeverEnded, Outcome::NeverEnded { .. }) => true,
        (ExpectedOutcome::Raised { kind, status, .. }, Outcome::Raised { error }) => {
            *kind == error.kind && (error.status.is_none() || *status == error.status)
        }
        _ => false,
    };
    (!agrees).then(|| {
        format!(
            "the call {}, expected: {}",
            outcome_words(seen),
            super::words::expected_words(expected)
        )
    })
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
