//! One call of an observation against its expectation.

use super::compare::{Stated, difference};
use super::measure::{counted, listed, shown, sleeps_agree, sleeps_are_among};
use super::requests::{authored_requests, derived_requests};
use super::tolerance::{asked_is_seen, only_sleeps_are_seen, told_tolerance};
use super::verdict::{Difference, Side, Topic};
use super::view::CallView;
use super::words::{expected_words, outcome_words};
use crate::adapter::protocol::{ClockKind, EventName};
use crate::fixture::CallStep;
use crate::model::{Allowed, Feature, Outcome, Span, Tolerance};
use crate::oracle::{CallExpectation, ExpectedOutcome, GapKind, Setting};

pub(super) struct JudgedCall<'a> {
    pub(super) setting: &'a Setting<'a>,
    pub(super) expected: &'a CallExpectation,
    pub(super) seen: CallView<'a>,
    pub(super) calls: usize,
    pub(super) tolerance: Tolerance,
    pub(super) found: Vec<Difference>,
}

impl JudgedCall<'_> {
    pub(super) fn differs(&mut self, topic: Topic, side: Side, text: String) {
        let found = difference(self.setting, topic, Some(self.seen.id), side, text);
        self.found.push(found);
    }

    pub(super) fn attempts(&mut self) {
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

    pub(super) fn gaps(&mut self) {
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
            format!(
                "{what} after {}, expected {wanted}",
                self.shown_beside(wanted, seen)
            ),
        );
    }

    fn shown_beside(&self, wanted: &Allowed, seen: Span) -> String {
        let text = self.shown(seen);
        // What differs must look different.
        if self.setting.clock == ClockKind::Virtual && text == wanted.to_string() {
            return seen.to_string();
        }
        text
    }

    /// A measured time as it is shown: under the real clock only tenths mean
    /// anything.
    fn shown(&self, seen: Span) -> String {
        shown(self.setting.clock, seen)
    }

    pub(super) fn requests(&mut self, stated: Stated) {
        let mut texts = derived_requests(self);
        if stated == Stated::Judged {
            texts.extend(authored_requests(self));
        }
        for text in texts {
            self.differs(Topic::Request, Side::Other, text);
        }
    }

    pub(super) fn asked(&mut self) {
        if !asked_is_seen(self.setting.clock, self.setting.host) {
            return;
        }
        let setting = self.setting;
        let tolerance = told_tolerance(setting);
        let (agree, seen) = if only_sleeps_are_seen(setting.clock, setting.host) {
            let seen = self.seen.asked(self.calls);
            (sleeps_agree(&self.expected.asked, &seen, tolerance), seen)
        } else {
            // Nobody knows whose a wait of the process is.
            let seen = self.seen.asked(1);
            (
                sleeps_are_among(self.completed_sleeps(), &seen, tolerance),
                seen,
            )
        };
        if !agree {
            let wanted = listed(self.expected.asked.iter().map(ToString::to_string));
            let seen = listed(seen.iter().map(ToString::to_string));
            self.differs(
                Topic::Asked,
                Side::Other,
                format!("the sleeps asked for are {seen}, expected {wanted}"),
            );
        }
    }

    /// The expected sleeps that come to their end: the kernel shows no other.
    fn completed_sleeps(&self) -> &[Allowed] {
        match (&self.expected.outcome, self.expected.asked.split_last()) {
            (ExpectedOutcome::Cancelled, Some((_, completed))) => completed,
            _ => &self.expected.asked,
        }
    }

    pub(super) fn hooks(&mut self) {
        if self
            .setting
            .case
            .calls
            .iter()
            .any(|call| matches!(call, CallStep::Call { auth: Some(_), .. }))
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
        let most = expected.hooks.len() + expected.open_hook.iter().count();
        if (seen.len() < expected.hooks.len() && !self.seen.is_watched()) || seen.len() > most {
            let text = format!(
                "the retry hook runs {} times, expected {}",
                seen.len(),
                expected.hooks.len()
            );
            self.differs(Topic::Hook, Side::Other, text);
            return;
        }
        for (wanted, seen) in expected.hooks.iter().chain(&expected.open_hook).zip(seen) {
            let counts = (seen.failed_attempt, seen.next_attempt);
            if counts != (Some(wanted.failed_attempt), Some(wanted.next_attempt)) {
                let text = format!(
                    "the retry hook says attempt {:?} failed and {:?} comes next, expected {} and {}",
                    counts.0, counts.1, wanted.failed_attempt, wanted.next_attempt
                );
                self.differs(Topic::Hook, Side::Other, text);
            }
            if let Some(delay) = seen.delay
                && !wanted
                    .delay
                    .contains(delay, in_doubles(delay, told_tolerance(self.setting)))
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
            if self.setting.clock != ClockKind::Real && !wanted.at.contains(seen.at, self.summed())
            {
                let text = format!("the retry hook runs at {}, expected {}", seen.at, wanted.at);
                self.differs(Topic::Hook, Side::Other, text);
            }
        }
    }

    pub(super) fn outcome(&mut self) {
        let Some(result) = self.seen.result() else {
            if !self.seen.is_watched() || self.is_overdue() {
                self.differs(
                    Topic::Outcome,
                    Side::Other,
                    "the call has no result".to_owned(),
                );
            }
            return;
        };
        let expected = self.expected;
        if self.setting.clock == ClockKind::Virtual
            && expected.outcome == ExpectedOutcome::Hung
            && keeps_house(&result.outcome)
        {
            return;
        }
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
            (Some(wanted), Some(seen)) => wanted.contains(seen, told_tolerance(self.setting)),
            _ => false,
        };
        if !agrees {
            let wanted = retry_after
                .as_ref()
                .map_or_else(|| "none".to_owned(), ToString::to_string);
            let text = match error.retry_after {
                Some(seen) => format!("the error shows the told wait {seen}, expected {wanted}"),
                None => format!("the error shows no told wait, expected {wanted}"),
            };
            self.differs(Topic::Told, Side::Other, text);
        }
    }

    /// How far an instant may lie from its own that comes after all attempts.
    fn summed(&self) -> Tolerance {
        let attempts = u64::try_from(self.expected.attempts.len()).unwrap_or(u64::MAX);
        let steps = match self.setting.clock {
            // A time limit of the request is a wait, too.
            ClockKind::Virtual => attempts.saturating_mul(2),
            ClockKind::Injected | ClockKind::Real => attempts,
        };
        let steps = steps.saturating_add(1);
        Tolerance {
            early: self.tolerance.early * steps,
            late: self.tolerance.late * steps,
        }
    }

    /// Whether the call should have ended with the last reply that was seen,
    /// and there was time to see it.
    fn is_overdue(&self) -> bool {
        let (Some(last), Some(until)) = (
            self.expected.attempts.last(),
            self.seen.observation.watched_until,
        ) else {
            return false;
        };
        let ends_with_it = self.expected.ends.longest() <= last.at.longest();
        let replied = self.seen.attempts.last().and_then(|seen| seen.replied_at);
        self.expected.attempts.len() == self.seen.attempts.len()
            && ends_with_it
            && replied.is_some_and(|replied| replied + self.tolerance.late < until)
    }

    /// When the call ended. Where waits are drawn the end says nothing that
    /// they do not say better.
    pub(super) fn end(&mut self) {
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
        let summed = self.summed();
        let wanted = self.expected.ends.clone();
        if !wanted.contains(result.at, summed) {
            let side = if wanted.shortest().is_some_and(|lo| result.at < lo) {
                Side::Early
            } else {
                Side::Late
            };
            let text = format!(
                "the call ends at {}, expected {wanted}",
                self.shown_beside(&wanted, result.at)
            );
            self.differs(Topic::Ends, side, text);
        }
    }
}

/// A client that counts in floating point announces a wait of geological
/// length to 52 bits; nobody waits for the rest.
fn in_doubles(announced: Span, tolerance: Tolerance) -> Tolerance {
    let step = Span::from_nanos(announced.abs().as_nanos() >> 52);
    Tolerance {
        early: tolerance.early.max(step),
        late: tolerance.late.max(step),
    }
}

/// The longest wait of a runtime that only keeps house: Go's monitor thread
/// wakes once a minute.
const HOUSEKEEPING: Span = Span::from_secs(60);

/// A process of which nothing more comes, while its runtime wakes now and then:
/// by its waits it is none that hangs, by all that it does it is.
fn keeps_house(outcome: &Outcome) -> bool {
    match outcome {
        Outcome::NeverEnded { asked } => asked.is_none_or(|asked| asked <= HOUSEKEEPING),
        _ => false,
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
            expected_words(expected)
        )
    })
}
