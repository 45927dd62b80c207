//! A retryable failure: whether it is retried, after which wait, and what the
//! hook says.

use super::behaviour::{
    CancelRule, ClockUse, Counted, CountedFrom, FailedPage, Honoured, HookRule, IndexRule,
    LastAttempt, LocalJitter, LocalShape, MethodRule, UntoldRule,
};
use super::call::PageCounts;
use super::decide::Failed;
use super::expectation::{ExpectedHook, ExpectedOutcome};
use super::local::local_delay;
use super::retry::{Failure, Run, not_negative, raised_other};
use super::told::{ChosenWait, Named, NextStep, choose};
use crate::adapter::protocol::{CancelPoint, Verb};
use crate::model::{Allowed, Interval, Span};
use crate::retry_after::{Told, ToldForm};
use crate::spec::{BranchRow, RepeatedMethod, Repeats};

impl<'a> Run<'a> {
    pub(super) fn local(&self, branch: &BranchRow, index: u32) -> Interval {
        local_delay(
            self.setting,
            &branch.local_delay,
            index,
            self.behaviour.local,
        )
    }

    pub(super) fn retry(
        &mut self,
        call: usize,
        at: &Allowed,
        failed: &Failed<'_>,
        branch: &'a BranchRow,
        error: ExpectedOutcome,
    ) {
        self.calls[call]
            .first_error
            .get_or_insert_with(|| error.clone());
        let rule = &self.behaviour.retries;
        let uncounted = rule.counted == Counted::UnlessTold && failed.named.is_told();
        if uncounted {
            self.calls[call].counted -= 1;
        }
        let untold_ends = rule.untold == UntoldRule::Ends
            && failed.failure == Failure::None
            && !failed.named.is_surely_told();
        let page_ends =
            self.behaviour.pages.failed == FailedPage::Ends && self.calls[call].page > 1;
        if untold_ends || page_ends || !self.method_repeats(call) {
            self.stop(call, at, error);
            return;
        }
        let index = self.calls[call].index;
        let local = self.local(branch, index);
        let named = self.named_for(call, failed);
        let exhausted = !self.attempts_left(call);
        if exhausted && self.behaviour.retries.last == LastAttempt::Ends {
            let outcome = self.raised(call, error);
            self.stop(call, at, outcome);
            return;
        }
        let mut next = choose(
            self.setting,
            self.behaviour,
            branch,
            failed.status,
            &named,
            local,
        );
        self.count_from_the_request(failed, &mut next);
        match next {
            NextStep::Ends => self.stop(call, at, error),
            NextStep::Raises => {
                let attempt = self.calls[call].attempt;
                self.calls[call].out.open_hook = Some(ExpectedHook {
                    at: at.clone(),
                    failed_attempt: attempt,
                    next_attempt: attempt + 1,
                    delay: Allowed::Observed,
                    status: failed.status,
                });
                self.stop(call, at, raised_other());
            }
            NextStep::Wait(chosen) if exhausted => {
                let outcome = self.raised(call, error);
                self.begin_wait_then_end(call, at, &chosen.length, outcome);
            }
            NextStep::Wait(chosen) => self.wait_and_retry(call, at, failed, branch, chosen),
        }
    }

    /// The defect that counts a told wait from its request has waited a part of
    /// it while the reply was under way.
    fn count_from_the_request(&self, failed: &Failed<'_>, next: &mut NextStep) {
        let delay = failed.step.and_then(|step| step.delay);
        if let (CountedFrom::TheRequest, Some(delay), NextStep::Wait(chosen)) =
            (self.behaviour.told.counted_from, delay, next)
            && chosen.is_told()
        {
            chosen.length = not_negative(&(&chosen.length + &Allowed::exact(-delay)));
        }
    }

    /// What is named, after defects that lose or keep it between waits.
    fn named_for(&self, call: usize, failed: &Failed<'_>) -> Named {
        let state = &self.calls[call];
        let nothing = || Named {
            alternatives: vec![Told::Nothing],
        };
        if failed.named.alternatives.is_empty() {
            return nothing();
        }
        match self.behaviour.told.honoured {
            Honoured::Never => nothing(),
            Honoured::FirstWaitOnly if state.waits > 0 => nothing(),
            _ => Named {
                alternatives: failed.named.alternatives.clone(),
            },
        }
    }

    fn method_repeats(&self, call: usize) -> bool {
        let unsafe_post = self.calls[call].plan.verb == Verb::WriteUnsafe;
        if !unsafe_post || self.behaviour.retries.methods == MethodRule::All {
            return true;
        }
        let posts_repeat = |repeats: &Repeats| match repeats {
            Repeats::Methods(methods) => methods.contains(&RepeatedMethod::Post),
            Repeats::Any => true,
            Repeats::None | Repeats::Connect => false,
        };
        self.setting
            .running_loop()
            .is_some_and(|row| posts_repeat(&row.repeats))
    }

    fn wait_and_retry(
        &mut self,
        call: usize,
        at: &Allowed,
        failed: &Failed<'_>,
        branch: &'a BranchRow,
        mut chosen: ChosenWait,
    ) {
        if self.behaviour.told.honoured == Honoured::FirstReused {
            match self.calls[call].first_told.clone() {
                Some(first) => chosen.length = first,
                None if chosen.is_told() => {
                    self.calls[call].first_told = Some(chosen.length.clone())
                }
                None => {}
            }
        }
        self.hook(call, at, failed, branch, &chosen);
        if self.behaviour.local.index == IndexRule::EveryRetry || !chosen.is_told() {
            self.calls[call].index += 1;
        }
        if self.behaviour.pages.failed == FailedPage::FirstPage && self.calls[call].page > 1 {
            self.calls[call].begin_page(1, PageCounts::GoOn);
        }
        self.second_reading(&mut chosen);
        if self.calls[call].plan.cancel == Some(CancelPoint::OnRetry) {
            self.cancelled_on_hook(call, at, chosen);
        } else {
            self.wait(call, at, &chosen);
        }
    }

    /// A ticking clock that is read again before the wait is asked for: what is
    /// left is computed from the second reading. (A date is read twice before
    /// it becomes a wait at all.)
    fn second_reading(&self, chosen: &mut ChosenWait) {
        if let (ClockUse::TwoReadings, Some(tick), Some(ToldForm::Seconds)) = (
            self.behaviour.clock,
            self.setting.case.clock.tick,
            chosen.form,
        ) {
            chosen.length = &chosen.length + &Allowed::exact(-tick);
        }
    }

    fn cancelled_on_hook(&mut self, call: usize, at: &Allowed, chosen: ChosenWait) {
        let ready = chosen
            .length
            .as_exact()
            .is_some_and(|span| span <= Span::ZERO);
        if self.behaviour.shown.hook == HookRule::AfterWait {
            self.calls[call].out.asked.push(chosen.length.clone());
            self.cancel_after(call, at, &chosen.length);
            return;
        }
        match self.behaviour.cancel {
            CancelRule::Ignored => self.wait(call, at, &chosen),
            CancelRule::LosesToReadyTimer if ready => {
                self.calls[call].cancel_pending = true;
                self.wait(call, at, &chosen);
            }
            CancelRule::TimerGoesOn if !ready => {
                self.wait(call, at, &chosen);
                self.calls[call].end(at, ExpectedOutcome::Cancelled);
            }
            CancelRule::IsAnError => self.stop(call, at, raised_other()),
            _ => self.stop(call, at, ExpectedOutcome::Cancelled),
        }
    }

    fn hook(
        &mut self,
        call: usize,
        at: &Allowed,
        failed: &Failed<'_>,
        branch: &BranchRow,
        chosen: &ChosenWait,
    ) {
        let rule = self.behaviour.shown.hook;
        let attempt = self.calls[call].attempt;
        let counted = if rule == HookRule::CountsFromZero {
            attempt - 1
        } else {
            attempt
        };
        let delay = if rule == HookRule::ReportsLocal
            && chosen.is_told()
            && chosen.length != Allowed::Observed
        {
            let shape = LocalShape {
                jitter: LocalJitter::Missing,
                ..self.behaviour.local
            };
            local_delay(
                self.setting,
                &branch.local_delay,
                self.calls[call].index,
                shape,
            )
            .into()
        } else {
            chosen.length.clone()
        };
        let when = if rule == HookRule::AfterWait {
            at + &not_negative(&chosen.length)
        } else {
            at.clone()
        };
        let hook = ExpectedHook {
            at: when,
            failed_attempt: counted,
            next_attempt: counted + 1,
            delay,
            status: failed.status,
        };
        if rule == HookRule::AfterWait {
            self.calls[call].pending_hook = Some(hook);
        } else {
            self.calls[call].out.hooks.push(hook);
        }
    }
}
