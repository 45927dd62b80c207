//! What was written by hand against what the oracle derives.

use crate::fixture::{CallExpect, OutcomeExpect, ToldExpect, WaitExpr};
use crate::model::{Allowed, CallId, Interval, Span};
use crate::oracle::{
    Behaviour, CallExpectation, Expectation, ExpectedOutcome, Gap, Setting, first_retry_branch,
    local_delay,
};

/// A value on which author and oracle disagree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// Path of the entry in the fixture, such as `expect.waits[1]`.
    pub path: String,
    /// What the author wrote.
    pub stated: String,
    /// What the oracle derives.
    pub derived: String,
    /// Why the oracle derives it.
    pub why: String,
}

/// Compares every value that the author stated with the derived one.
pub fn authored(setting: &Setting<'_>, expectation: &Expectation) -> Vec<Mismatch> {
    let mut found = Found {
        setting,
        mismatches: Vec::new(),
    };
    let expect = &setting.case.expect;
    for (id, stated) in &expect.calls {
        let path = call_path(setting, id);
        match expectation.calls.get(id) {
            Some(derived) => found.call(&path, stated, derived),
            None => found.differs(
                &path,
                id.to_string(),
                "no such call".to_owned(),
                String::new(),
            ),
        }
    }
    if let Some(total) = expect.total_attempts {
        let derived: usize = expectation
            .calls
            .values()
            .map(|call| call.attempts.len())
            .sum();
        found.same(
            "expect.total_attempts",
            &total.to_string(),
            &derived.to_string(),
        );
    }
    if !expectation.unserved.is_empty() {
        let derived = format!("steps {:?} are never served", expectation.unserved);
        found.differs(
            "script",
            "every step".to_owned(),
            derived,
            "a required step must be consumed".to_owned(),
        );
    }
    if expectation.overflow > 0 {
        let derived = format!(
            "{} beyond its end",
            super::measure::counted(expectation.overflow as usize, "attempt")
        );
        let why = "the script never ends the call".to_owned();
        found.differs(
            "script",
            "a script that ends every call".to_owned(),
            derived,
            why,
        );
    }
    found.mismatches
}

fn call_path(setting: &Setting<'_>, id: &CallId) -> String {
    let nested = setting
        .case
        .positions
        .places
        .contains_key(&format!("expect.calls.{id}"));
    if nested {
        format!("expect.calls.{id}")
    } else {
        "expect".to_owned()
    }
}

struct Found<'a> {
    setting: &'a Setting<'a>,
    mismatches: Vec<Mismatch>,
}

impl Found<'_> {
    fn differs(&mut self, path: &str, stated: String, derived: String, why: String) {
        self.mismatches.push(Mismatch {
            path: path.to_owned(),
            stated,
            derived,
            why,
        });
    }

    fn same(&mut self, path: &str, stated: &str, derived: &str) {
        if stated != derived {
            self.differs(path, stated.to_owned(), derived.to_owned(), String::new());
        }
    }

    fn call(&mut self, path: &str, stated: &CallExpect, derived: &CallExpectation) {
        if let Some(attempts) = stated.attempts {
            self.same(
                &format!("{path}.attempts"),
                &attempts.to_string(),
                &derived.attempts.len().to_string(),
            );
        }
        if let Some(lead) = &stated.lead {
            self.time(
                &format!("{path}.lead"),
                lead,
                &derived.lead,
                "the first attempt is sent at once",
            );
        }
        if let Some(waits) = &stated.waits {
            self.gaps(
                &format!("{path}.waits"),
                waits,
                &derived.waits().collect::<Vec<_>>(),
            );
        }
        if let Some(next) = &stated.next {
            self.gaps(
                &format!("{path}.next"),
                next,
                &derived.nexts().collect::<Vec<_>>(),
            );
        }
        if let Some(ends) = &stated.ends {
            self.time(
                &format!("{path}.ends"),
                ends,
                &derived.ends,
                "the sum of all that comes before",
            );
        }
        if let Some(asked) = &stated.asked {
            self.asked(&format!("{path}.asked"), asked, &derived.asked);
        }
        if let Some(outcome) = &stated.outcome {
            self.outcome(&format!("{path}.outcome"), outcome, &derived.outcome);
        }
        self.hooks(path, stated, derived);
        if let Some(requests) = &stated.requests {
            self.same(
                &format!("{path}.requests"),
                &requests.len().to_string(),
                &derived.attempts.len().to_string(),
            );
        }
    }

    fn gaps(&mut self, path: &str, stated: &[WaitExpr], derived: &[&Gap]) {
        if stated.len() != derived.len() {
            let list = derived
                .iter()
                .map(|gap| gap.length.to_string())
                .collect::<Vec<_>>()
                .join(", ");
            let why = derived
                .iter()
                .map(|gap| gap.why.clone())
                .collect::<Vec<_>>()
                .join("; ");
            self.differs(
                path,
                format!("{} values", stated.len()),
                format!("{} values [{list}]", derived.len()),
                why,
            );
            return;
        }
        for (index, (stated, gap)) in stated.iter().zip(derived).enumerate() {
            self.time(&format!("{path}[{index}]"), stated, &gap.length, &gap.why);
        }
    }

    fn asked(&mut self, path: &str, stated: &[WaitExpr], derived: &[Allowed]) {
        if stated.len() != derived.len() {
            self.same(
                path,
                &format!("{} sleeps", stated.len()),
                &format!("{} sleeps", derived.len()),
            );
            return;
        }
        for (index, (stated, derived)) in stated.iter().zip(derived).enumerate() {
            self.time(
                &format!("{path}[{index}]"),
                stated,
                derived,
                "what the wait is asked for",
            );
        }
    }

    fn time(&mut self, path: &str, stated: &WaitExpr, derived: &Allowed, why: &str) {
        let stated = allowed(self.setting, stated);
        if stated != Allowed::Observed && stated != *derived {
            self.differs(
                path,
                stated.to_string(),
                derived.to_string(),
                why.to_owned(),
            );
        }
    }

    fn outcome(&mut self, path: &str, stated: &OutcomeExpect, derived: &ExpectedOutcome) {
        let agrees = match (stated, derived) {
            (OutcomeExpect::Returned { .. }, ExpectedOutcome::Returned)
            | (OutcomeExpect::Cancelled, ExpectedOutcome::Cancelled)
            | (OutcomeExpect::Hung, ExpectedOutcome::Hung) => true,
            (
                OutcomeExpect::Raised {
                    kind,
                    status,
                    retry_after,
                },
                ExpectedOutcome::Raised {
                    kind: derived_kind,
                    status: derived_status,
                    retry_after: derived_told,
                },
            ) => {
                if let Some(told) = retry_after {
                    self.told(
                        &format!("{path}.error.retry_after"),
                        told,
                        derived_told.as_ref(),
                    );
                }
                kind == derived_kind && (status.is_none() || status == derived_status)
            }
            _ => false,
        };
        if !agrees {
            let stated = match stated {
                OutcomeExpect::Returned { .. } => "returned".to_owned(),
                OutcomeExpect::Cancelled => "was cancelled".to_owned(),
                OutcomeExpect::Hung => "hung".to_owned(),
                OutcomeExpect::Raised { kind, status, .. } => {
                    format!(
                        "raised {}{}",
                        kind.as_str(),
                        status
                            .map(|status| format!(" {status}"))
                            .unwrap_or_default()
                    )
                }
            };
            self.differs(
                path,
                stated,
                super::words::expected_words(derived),
                String::new(),
            );
        }
    }

    fn told(&mut self, path: &str, stated: &ToldExpect, derived: Option<&Allowed>) {
        let derived_words = derived.map_or("none".to_owned(), ToString::to_string);
        match (stated, derived) {
            (ToldExpect::Absent, None) => {}
            (ToldExpect::Within(stated), Some(derived)) => {
                self.time(
                    path,
                    stated,
                    derived,
                    "the told wait as the server named it",
                );
            }
            (ToldExpect::Absent, _) => {
                self.differs(path, "none".to_owned(), derived_words, String::new())
            }
            (ToldExpect::Within(stated), None) => {
                self.differs(
                    path,
                    allowed(self.setting, stated).to_string(),
                    derived_words,
                    String::new(),
                );
            }
        }
    }

    fn hooks(&mut self, path: &str, stated: &CallExpect, derived: &CallExpectation) {
        let Some(hooks) = &stated.hooks else { return };
        if let Some(refresh) = hooks.refresh {
            self.same(
                &format!("{path}.hooks.refresh"),
                &refresh.to_string(),
                &derived.refreshes.to_string(),
            );
        }
        let Some(retry) = &hooks.retry else { return };
        let path = format!("{path}.hooks.retry");
        if retry.len() != derived.hooks.len() {
            self.same(
                &path,
                &format!("{} calls", retry.len()),
                &format!("{} calls", derived.hooks.len()),
            );
            return;
        }
        for (index, (stated, derived)) in retry.iter().zip(&derived.hooks).enumerate() {
            let path = format!("{path}[{index}]");
            let mut number = |what: &str, stated: Option<u32>, derived: u32| {
                if let Some(stated) = stated {
                    self.same(
                        &format!("{path}.{what}"),
                        &stated.to_string(),
                        &derived.to_string(),
                    );
                }
            };
            number(
                "failed_attempt",
                stated.failed_attempt,
                derived.failed_attempt,
            );
            number("next_attempt", stated.next_attempt, derived.next_attempt);
            if let Some(status) = stated.status {
                number(
                    "status",
                    Some(u32::from(status)),
                    u32::from(derived.status.unwrap_or(0)),
                );
            }
            if let Some(delay) = &stated.delay {
                self.time(
                    &format!("{path}.delay"),
                    delay,
                    &derived.delay,
                    "the wait that follows",
                );
            }
        }
    }
}

/// What an expression of a fixture allows on this host.
pub fn allowed(setting: &Setting<'_>, expr: &WaitExpr) -> Allowed {
    let local = |index: u32| -> Allowed {
        let shape = Behaviour::default().local;
        match first_retry_branch(setting) {
            Some(branch) => local_delay(setting, &branch.local_delay, index, shape).into(),
            None => Allowed::Observed,
        }
    };
    match expr {
        WaitExpr::Within(interval) => (*interval).into(),
        WaitExpr::Local(index) => local(*index),
        WaitExpr::Host(span) => {
            let host = setting.host;
            if host.parse_limit.is_some_and(|limit| *span > limit) {
                local(0)
            } else {
                Allowed::exact(host.schedule_limit.map_or(*span, |limit| limit.min(*span)))
            }
        }
        WaitExpr::OneOf(choices) => {
            let mut intervals = Vec::new();
            for choice in choices {
                match allowed(setting, choice) {
                    Allowed::AnyOf(more) => intervals.extend(more),
                    Allowed::Observed => return Allowed::Observed,
                }
            }
            Allowed::any_of(intervals)
        }
        WaitExpr::MaxDraw(span) => match local(0).longest() {
            Some(longest) => Interval::new(*span, longest.max(*span)).into(),
            None => Interval::new(*span, Span::MAX).into(),
        },
        WaitExpr::Observe => Allowed::Observed,
    }
}
