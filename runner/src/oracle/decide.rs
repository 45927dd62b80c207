//! What a client does when a request has ended.

use super::behaviour::{
    CancelRule, FailureRule, HopRedirects, HopRetry, PageAttempts, RefreshRule, ReplayCost,
    ReplaySideEffect, ReplayWait, SingleAttempt, ToldOnError, ToldOnSuccess, WhichError,
};
use super::call::{PageCounts, State};
use super::expectation::{ExpectedHook, ExpectedOutcome, Target};
use super::retry::{Event, Failure, Run};
use super::script::Served;
use super::setting::first_retry_branch;
use super::told::{ChosenWait, Named, NextStep, choose, named};
use crate::adapter::protocol::Verb;
use crate::fixture::Step;
use crate::model::{Allowed, ErrorKind, Interval, Span};
use crate::retry_after::ToldForm;
use crate::spec::{BranchRow, Condition, ConditionWord, Machine};

/// A failed request, with what its reply names.
pub(super) struct Failed<'a> {
    pub(super) failure: Failure,
    pub(super) status: Option<u16>,
    pub(super) step: Option<&'a Step>,
    pub(super) named: Named,
}

impl<'a> Run<'a> {
    pub(super) fn arrive(
        &mut self,
        call: usize,
        at: &Allowed,
        served: Served<'a>,
        failure: Failure,
    ) {
        if self.calls[call].state == State::Done {
            return;
        }
        let cancelled = self.calls[call].cancel_pending;
        if cancelled
            && matches!(
                self.behaviour.cancel,
                CancelRule::AfterFirstAttempt | CancelRule::LosesToReadyTimer
            )
        {
            self.stop(call, at, ExpectedOutcome::Cancelled);
            return;
        }
        let step = match served {
            Served::Step(_, step) => Some(step),
            Served::Overflow => None,
        };
        let status = (failure == Failure::None).then(|| step.map_or(500, |step| step.status));
        match status {
            Some(200..=299) => self.succeeded(call, at, step),
            Some(300..=399) if self.is_redirect(call, step) => self.redirected(call, at, step),
            _ => self.failed(call, at, failure, status, step),
        }
    }

    fn succeeded(&mut self, call: usize, at: &Allowed, step: Option<&'a Step>) {
        let has_next = self.calls[call].plan.verb == Verb::List
            && step.is_some_and(|step| step.headers.iter().any(|(name, _)| name == "link"));
        if !has_next {
            self.stop(call, at, ExpectedOutcome::Returned);
            return;
        }
        let counts = match self.behaviour.pages.attempts {
            PageAttempts::ByPage => PageCounts::Anew,
            PageAttempts::Shared => PageCounts::GoOn,
        };
        let page = self.calls[call].page + 1;
        self.calls[call].begin_page(page, counts);
        self.go_on(
            call,
            at,
            step,
            self.behaviour.pages.told_on_success,
            "the next page is another request",
        );
    }

    fn is_redirect(&self, call: usize, step: Option<&Step>) -> bool {
        self.calls[call].plan.verb == Verb::Download
            && (self.calls[call].target != Target::HopTwo
                || self.behaviour.hop_two.redirects == HopRedirects::Followed)
            && step.is_some_and(|step| step.headers.iter().any(|(name, _)| name == "location"))
    }

    fn redirected(&mut self, call: usize, at: &Allowed, step: Option<&'a Step>) {
        // Only a defective client repeats it, and counts it by itself.
        self.calls[call].begin_target(Target::HopTwo);
        self.go_on(
            call,
            at,
            step,
            self.behaviour.hop_two.told_on_redirect,
            "the second hop is another request",
        );
    }

    /// Sends another request at once, or after a told wait that should have
    /// had no effect.
    fn go_on(
        &mut self,
        call: usize,
        at: &Allowed,
        step: Option<&'a Step>,
        told: ToldOnSuccess,
        why: &str,
    ) {
        let waited = match (told, first_retry_branch(self.setting), step) {
            (ToldOnSuccess::Waited, Some(branch), Some(step)) => {
                let named = named(self.setting, self.behaviour, branch, step, at);
                if named.is_told() {
                    self.told_wait(branch, &named)
                } else {
                    None
                }
            }
            _ => None,
        };
        match waited {
            Some(length) => self.wait(
                call,
                at,
                &ChosenWait {
                    length,
                    form: Some(ToldForm::Seconds),
                    why: why.to_owned(),
                },
            ),
            None => {
                self.calls[call].gap = Some((Allowed::exact(Span::ZERO), why.to_owned()));
                self.schedule(call, at.clone(), Event::Send);
            }
        }
    }

    fn told_wait(&self, branch: &BranchRow, named: &Named) -> Option<Allowed> {
        match choose(
            self.setting,
            self.behaviour,
            branch,
            None,
            named,
            Interval::exact(Span::ZERO),
        ) {
            NextStep::Wait(chosen) => Some(chosen.length),
            NextStep::Ends | NextStep::Raises => None,
        }
    }

    fn failed(
        &mut self,
        call: usize,
        at: &Allowed,
        failure: Failure,
        status: Option<u16>,
        step: Option<&'a Step>,
    ) {
        let reader = first_retry_branch(self.setting);
        let named = match (reader, step, status) {
            (Some(branch), Some(step), Some(_)) => {
                named(self.setting, self.behaviour, branch, step, at)
            }
            _ => Named::default(),
        };
        let failed = Failed {
            failure,
            status,
            step,
            named,
        };
        let error = self.error_of(call, &failed);
        match self.governing(call, &failed) {
            Some(branch) if self.is_replay(branch) => self.replay(call, at, &failed, branch),
            Some(branch) => self.retry(call, at, &failed, branch, error),
            None => self.refused_for_good(call, at, &failed, error),
        }
    }

    fn is_replay(&self, branch: &BranchRow) -> bool {
        self.setting
            .spec
            .loop_row(&branch.owner)
            .is_some_and(|row| row.machine == Machine::Replay)
    }

    /// The branch that repeats the request, if one does.
    fn governing(&self, call: usize, failed: &Failed<'_>) -> Option<&'a BranchRow> {
        let rule = &self.behaviour.retries;
        let by_rows = self.setting.branches().into_iter().find(|branch| {
            branch
                .when
                .holds(&|condition| self.holds(condition, call, failed))
        });
        let by_rows = by_rows.filter(|branch| branch.repeats());
        let forced = match (failed.failure, failed.status) {
            (Failure::Transport, _) => rule.transport,
            (Failure::Timeout, _) => rule.timeout,
            (Failure::None, Some(status)) if rule.also.contains(&status) => FailureRule::Retried,
            (Failure::None, Some(status)) if rule.never.contains(&status) => FailureRule::Ends,
            (Failure::None, _) => FailureRule::Specified,
        };
        let never = self.calls[call].target == Target::HopTwo
            && self.behaviour.hop_two.retried == HopRetry::Never;
        match forced {
            _ if never => None,
            FailureRule::Specified => by_rows,
            FailureRule::Ends => None,
            FailureRule::Retried => by_rows.or_else(|| first_retry_branch(self.setting)),
        }
    }

    fn holds(&self, condition: &Condition, call: usize, failed: &Failed<'_>) -> bool {
        let state = &self.calls[call];
        if let Some(holds) = failed.status.and_then(|status| condition.of_status(status)) {
            return holds;
        }
        match condition {
            Condition::Any => true,
            Condition::Status(_) | Condition::Class { .. } => false,
            Condition::Header(wanted) => failed
                .step
                .is_some_and(|step| step.headers.iter().any(|(name, _)| name == wanted)),
            Condition::Code(_) | Condition::HeaderNumber { .. } => false,
            Condition::Word(word) => match word {
                ConditionWord::Transport => failed.failure == Failure::Transport,
                ConditionWord::Timeout => failed.failure == Failure::Timeout,
                ConditionWord::Told => failed.named.is_told(),
                ConditionWord::Refreshable => self.may_refresh(call),
                ConditionWord::AttemptsLeft => self.attempts_left(call),
                ConditionWord::Redirected => {
                    state.target == Target::HopTwo
                        && self.behaviour.hop_two.retried == HopRetry::Never
                }
                ConditionWord::Throttled
                | ConditionWord::Transient
                | ConditionWord::Unauthorized => false,
            },
        }
    }

    fn may_refresh(&self, call: usize) -> bool {
        let state = &self.calls[call];
        let allowed = match self.behaviour.auth.refresh {
            RefreshRule::Never => false,
            RefreshRule::Again => true,
            RefreshRule::Specified | RefreshRule::BeforeBudget => state.refreshes == 0,
        };
        state.plan.auth.is_some() && allowed
    }

    pub(super) fn attempts_left(&self, call: usize) -> bool {
        self.allowed_attempts()
            .is_none_or(|allowed| self.calls[call].counted < allowed)
    }

    /// Requests that a call may make; none: no bound.
    fn allowed_attempts(&self) -> Option<u32> {
        let rule = self.setting.running_loop()?.attempts;
        let mut allowed = rule.allowed(self.setting.max_attempts())?;
        if allowed == 1 && self.behaviour.retries.single == SingleAttempt::IsUnset {
            allowed = rule.allowed(None)?;
        }
        Some(
            allowed
                .saturating_add_signed(self.behaviour.retries.attempts_off)
                .max(1),
        )
    }

    fn refused_for_good(
        &mut self,
        call: usize,
        at: &Allowed,
        failed: &Failed<'_>,
        error: ExpectedOutcome,
    ) {
        let burns_a_refresh = self.behaviour.auth.refresh == RefreshRule::BeforeBudget
            && failed.status == Some(401)
            && self.may_refresh(call);
        if burns_a_refresh {
            self.calls[call].refreshes += 1;
            self.calls[call].out.refreshes += 1;
        }
        self.stop(call, at, error);
    }

    fn replay(&mut self, call: usize, at: &Allowed, failed: &Failed<'_>, branch: &BranchRow) {
        let rule = self.behaviour.auth;
        let state = &mut self.calls[call];
        state.refreshes += 1;
        state.out.refreshes += 1;
        state.fresh_token = true;
        if rule.cost == ReplayCost::Free {
            state.counted -= 1;
        }
        if rule.side_effect == ReplaySideEffect::AdvancesBackoff {
            state.index += 1;
        }
        if rule.side_effect == ReplaySideEffect::FiresHook {
            let (attempt, delay) = (state.attempt, Allowed::exact(Span::ZERO));
            state.out.hooks.push(ExpectedHook {
                at: at.clone(),
                failed_attempt: attempt,
                next_attempt: attempt + 1,
                delay,
                status: failed.status,
            });
        }
        let reader = first_retry_branch(self.setting);
        let length = match (rule.wait, reader) {
            (ReplayWait::Local, Some(reader)) => Some(self.local(reader, 0).into()),
            (ReplayWait::Told, Some(reader)) if failed.named.is_told() => {
                self.told_wait(reader, &failed.named)
            }
            _ => None,
        };
        let why = format!(
            "a replay with fresh credentials is not delayed (branch `{}`)",
            branch.id
        );
        match length {
            Some(length) => self.wait(
                call,
                at,
                &ChosenWait {
                    length,
                    form: None,
                    why,
                },
            ),
            None => {
                self.calls[call].gap = Some((Allowed::exact(Span::ZERO), why));
                self.schedule(call, at.clone(), Event::Send);
            }
        }
    }

    /// The error that the call ends with, now that it ends.
    pub(super) fn raised(&self, call: usize, error: ExpectedOutcome) -> ExpectedOutcome {
        match self.behaviour.shown.error {
            WhichError::Last => error,
            WhichError::First => self.calls[call].first_error.clone().unwrap_or(error),
        }
    }

    fn error_of(&mut self, call: usize, failed: &Failed<'_>) -> ExpectedOutcome {
        let kind = match (failed.failure, failed.status) {
            (Failure::Transport, _) => ErrorKind::Transport,
            (Failure::Timeout, _) => ErrorKind::Timeout,
            (_, Some(429)) => ErrorKind::RateLimited,
            (_, Some(401 | 403)) => ErrorKind::Auth,
            _ => ErrorKind::Status,
        };
        let named = failed.named.on_error(self.setting.host.parse_limit);
        let named = match self.behaviour.shown.told_on_error {
            ToldOnError::Stale if failed.status.is_some() => {
                named.or_else(|| self.calls[call].latest_told.clone())
            }
            _ => named,
        };
        if failed.status.is_some() {
            self.calls[call].latest_told.clone_from(&named);
        }
        let retry_after = match self.behaviour.shown.told_on_error {
            ToldOnError::AsSent | ToldOnError::Stale => named,
            ToldOnError::Missing => None,
            ToldOnError::Clamped(most) => named.map(|allowed| clamped(&allowed, most)),
            ToldOnError::Saturated => {
                let most = self.setting.host.schedule_limit.unwrap_or(Span::MAX);
                named.map(|allowed| clamped(&allowed, most))
            }
        };
        ExpectedOutcome::Raised {
            kind,
            status: failed.status,
            retry_after,
        }
    }
}

fn clamped(allowed: &Allowed, most: Span) -> Allowed {
    match allowed {
        Allowed::AnyOf(intervals) => Allowed::any_of(
            intervals
                .iter()
                .map(|interval| interval.map(|span| span.min(most))),
        ),
        Allowed::Observed => Allowed::Observed,
    }
}
