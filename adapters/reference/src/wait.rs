//! The wait before a retry: told or local, and how it is slept.

use std::future::Future;

use crate::backoff;
use crate::behaviour::{Cancelling, Change, Composition, Manner, Memory, OverRange};
use crate::call::{Call, Ending};
use crate::clock::Clock;
use crate::http::Request;
use crate::protocol::Beside;
use crate::retry_after::{Form, Told, ToldWait};
use crate::span::Span;

/// Longest wait that this client schedules; longer ones saturate.
pub(crate) const SCHEDULE_LIMIT: Span = Span::from_secs(i32::MAX as i128);

/// A wait as it is decided.
#[derive(Clone, Debug)]
pub(crate) struct Wait {
    pub(crate) delay: Span,
    /// What the hook is told.
    pub(crate) announced: Span,
    pub(crate) manner: Manner,
    pub(crate) is_told: bool,
    /// What follows; it is sent by itself only if a cancelled call leaves its
    /// timer running.
    pub(crate) then: Option<Box<Request>>,
}

impl Wait {
    /// A wait outside the retry loop.
    pub(crate) fn plain(delay: Span) -> Self {
        let delay = delay.min(SCHEDULE_LIMIT);
        Self {
            delay,
            announced: delay,
            manner: Manner::Once,
            is_told: false,
            then: None,
        }
    }
}

/// What follows from a failed attempt that may be retried.
#[derive(Clone, Debug)]
pub(crate) enum Plan {
    Wait(Wait),
    /// The reply's own error ends the call.
    GiveUp,
    Raise(&'static str),
}

impl Call {
    /// The local delay before retry `index`, jitter included.
    pub(crate) fn local_delay(&mut self, index: u32) -> Span {
        let rules = self.case.behaviour.backoff;
        backoff::delay(self.case.knobs.backoff, rules, index, &mut self.random)
    }

    /// Decides the wait: a told wait is slept as it is told, else the local
    /// delay governs.
    pub(crate) fn plan(&mut self, told: Told, index: u32) -> Plan {
        let case = std::sync::Arc::clone(&self.case);
        let rules = &case.behaviour.told;
        let told = match told {
            Told::Raises(why) => return Plan::Raise(why),
            Told::Nothing => self.remembered(None),
            Told::Wait(told) => self.remembered(Some(told)),
        };
        self.waits = self.waits.saturating_add(1);
        let Some(told) = told else {
            return Plan::Wait(self.local_wait(index));
        };
        if rules.gives_up_above.is_some_and(|limit| told.span > limit) {
            return Plan::GiveUp;
        }
        let over_range = told.span > SCHEDULE_LIMIT;
        match rules.over_range {
            OverRange::Raise if over_range => {
                return Plan::Raise("retry-after cannot be scheduled");
            }
            OverRange::FallBack if over_range => {
                return Plan::Wait(self.local_wait(index));
            }
            _ => {}
        }
        let changed = self.changed(told.span, rules.change);
        let composed = match rules.composition {
            Composition::Replace => changed,
            Composition::Add => changed + self.local_delay(index),
            Composition::Floor => changed.max(self.local_delay(index)),
            Composition::Shorter => changed.min(self.local_delay(index)),
        };
        let rest = if rules.from_the_request {
            (composed - self.reply_took).max(Span::ZERO)
        } else {
            composed
        };
        Plan::Wait(self.told_wait(rest, told.form, index))
    }

    fn local_wait(&mut self, index: u32) -> Wait {
        let mut wait = Wait::plain(self.local_delay(index));
        wait.manner = self.case.behaviour.backoff.manner;
        wait
    }

    fn told_wait(&self, delay: Span, form: Form, index: u32) -> Wait {
        let behaviour = &self.case.behaviour;
        let mut wait = Wait::plain(delay);
        wait.is_told = true;
        wait.manner = match (behaviour.told.manner, form) {
            // A date is a moment already; there is no clock to add it to.
            (Manner::MonotonicDeadline, Form::Date) => Manner::Once,
            (manner, _) => manner,
        };
        if behaviour.report.hook_reports_backoff {
            let knobs = self.case.knobs.backoff;
            wait.announced = backoff::without_jitter(knobs, behaviour.backoff, index);
        }
        wait
    }

    /// Whether the loop looks at the cancellation between hook and wait.
    pub(crate) fn looks_up_before(&self, wait: &Wait) -> bool {
        match self.case.behaviour.cancel {
            Cancelling::LosesToReadyTimer => wait.delay != Span::ZERO,
            // A timer that is due already leaves nothing that could go on.
            Cancelling::LeavesTimerRunning => wait.delay <= Span::ZERO,
            _ => true,
        }
    }

    fn remembered(&mut self, told: Option<ToldWait>) -> Option<ToldWait> {
        let first = self.first_told;
        self.first_told = first.or(told);
        match self.case.behaviour.told.memory {
            Memory::None => told,
            Memory::ToldOnFirstWaitOnly => told.filter(|_| self.waits == 0),
            Memory::FirstToldReused => first.or(told),
        }
    }

    fn changed(&mut self, told: Span, change: Change) -> Span {
        let share = |percent: i128| Span::from_nanos(told.nanos() / 100 * percent);
        match change {
            Change::None => told,
            Change::JitterUp => told + self.random.up_to(self.case.knobs.backoff.max_jitter),
            Change::JitterDown => share(50) + self.random.up_to(share(50)),
            Change::JitterMultiplied => share(80) + self.random.up_to(share(40)),
            Change::SecondAdded => told + Span::from_secs(1),
            Change::CappedAt(cap) => told.min(cap),
            Change::CappedAtRequestTimeout => told.min(self.case.knobs.request_timeout),
            Change::Wraps32 => wrapped_at_32_bits(told),
            Change::Wraps64 => wrapped_at_64_bits(told),
            Change::TimerOverflows if told > Span::from_millis(i32::MAX.into()) => {
                Span::from_millis(1)
            }
            Change::TimerOverflows => told,
        }
    }

    /// Waits; a cancellation ends the wait at once and wins over its end.
    pub(crate) async fn pause(&mut self, wait: Wait) -> Result<(), Ending> {
        let rule = self.case.behaviour.cancel;
        let sleep = slept(self.case.clock.clone(), self.name.clone(), wait.clone());
        match rule {
            Cancelling::WaitsForTimer => sleep.await,
            Cancelling::LosesToReadyTimer if wait.delay == Span::ZERO => {
                sleep.await;
                self.unstoppable = self.is_cancelled();
                return Ok(());
            }
            Cancelling::LeavesTimerRunning if wait.delay > Span::ZERO => {
                return self.abandon(sleep, wait.then).await;
            }
            _ => tokio::select! {
                biased;
                () = self.cancelled() => {}
                () = sleep => {}
            },
        }
        self.stop_if_cancelled()
    }

    /// The defect that ends the call, but neither its timer nor what follows.
    async fn abandon(
        &self,
        sleep: impl Future<Output = ()> + Send + 'static,
        then: Option<Box<Request>>,
    ) -> Result<(), Ending> {
        let mut sleep = Box::pin(sleep);
        // The cancellation first: a sleep that is asked for after the call has
        // ended must not be mistaken for one that the call waits for.
        tokio::select! {
            biased;
            () = self.cancelled() => {}
            () = &mut sleep => return self.stop_if_cancelled(),
        }
        let (case, name) = (std::sync::Arc::clone(&self.case), self.name.clone());
        self.case.spawn(async move {
            sleep.await;
            if let Some(request) = then {
                // Nobody is left who could be told how it went.
                let _ = case.exchange(&name, *request).await;
            }
        });
        Err(self.cancellation())
    }
}

/// Waits, and goes on waiting as long as the wall clock does not show the end.
pub(crate) async fn until_the_wall_shows(
    clock: &Clock,
    call: &str,
    delay: Span,
    beside: Option<Beside>,
) {
    let end = clock.wall_of_a_timer() + delay;
    let mut rest = delay;
    loop {
        clock.timer(call, rest, beside).ended().await;
        rest = end - clock.wall_of_a_timer();
        if rest <= Span::ZERO {
            break;
        }
    }
}

async fn slept(clock: Clock, call: String, wait: Wait) {
    match wait.manner {
        Manner::Once => clock.timer(&call, wait.delay, None).ended().await,
        Manner::MonotonicDeadline => {
            let deadline = clock.now() + wait.delay;
            let rest = deadline - clock.now();
            clock.timer(&call, rest, None).ended().await;
        }
        Manner::WallDeadline => until_the_wall_shows(&clock, &call, wait.delay, None).await,
        Manner::WallSlices => {
            let end = clock.wall() + wait.delay;
            // A thousandth of the wait, so that a year is no million sleeps.
            let slice = Span::from_nanos(wait.delay.nanos() / 1_000).max(Span::from_secs(1));
            loop {
                let rest = end - clock.wall();
                if rest <= Span::ZERO {
                    break;
                }
                clock.timer(&call, rest.min(slice), None).ended().await;
            }
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "wrapping is what this defect is about"
)]
fn wrapped_at_32_bits(told: Span) -> Span {
    let millis = (told.nanos() / 1_000_000) as i32;
    Span::from_millis(millis.max(0).into())
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "wrapping is what this defect is about"
)]
fn wrapped_at_64_bits(told: Span) -> Span {
    Span::from_nanos((told.nanos() as i64).max(0).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_wrap_where_their_type_ends() {
        let at_32 = |secs| wrapped_at_32_bits(Span::from_secs(secs)).to_decimal();
        assert_eq!(at_32(2_147_483), "2147483");
        assert_eq!(at_32(2_147_484), "0");
        assert_eq!(at_32(4_294_968), "0.704");
        let at_64 = |secs| wrapped_at_64_bits(Span::from_secs(secs)).to_decimal();
        assert_eq!(at_64(9_223_372_036), "9223372036");
        assert_eq!(at_64(9_223_372_037), "0");
        assert_eq!(at_64(u64::MAX.into()), "0");
    }
}
