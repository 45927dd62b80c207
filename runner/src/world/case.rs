//! [`CaseRun`]: the life of one case, from its open to its last quiet instant.

use std::time::{Duration, Instant};

use holdoff_vtime::Report;
use tokio::sync::mpsc::UnboundedReceiver;

use super::WorldFailure;
use super::agenda::Due;
use super::calm::Calm;
use super::pace::Pace;
use super::record::{Record, Stop};
use super::requests::{Answered, Requests};
use super::tree_time::{TimeSaid, TreeTime};
use crate::adapter::{AdapterFault, Said, Session};
use crate::clock::{REAL_SLACK, Sleepers, Woken};
use crate::model::{Action, CasePlan, Outcome, Span};
use crate::tap::{CaseKey, ExchangeId, Tap, TapEvent};

mod decide;

/// Real time between two looks at work in flight whose end nobody announces.
const LOOK_AGAIN: Duration = Duration::from_millis(1);

/// What one case needs of its world.
pub(super) struct Stage<'a> {
    pub(super) session: &'a mut Session,
    pub(super) tap: &'a Tap,
    pub(super) events: &'a mut UnboundedReceiver<TapEvent>,
    pub(super) key: CaseKey,
    /// What the clock of the whole tree tells, if there is one.
    pub(super) reports: Option<&'a mut UnboundedReceiver<Report>>,
}

/// One case being played.
pub(super) struct CaseRun<'a> {
    plan: &'a CasePlan,
    stage: Stage<'a>,
    pace: Pace,
    time: Option<TreeTime<'a>>,
    record: Record,
    sleepers: Sleepers,
    requests: Requests,
    /// Actions of the plan that are done.
    done: usize,
    /// `close`s without their `closed`.
    closing: u32,
    calm: Calm,
    /// What the adapter was told of the clock.
    told: Span,
    /// Clock events, all and those since the last result.
    clock_events: u32,
    quiet_events: u32,
    began: Instant,
}

/// What the loop does next.
#[derive(Debug)]
enum Move {
    /// Wait for the adapter or the tap.
    Wait,
    /// Look again soon.
    Look,
    /// Wait until a machine's instant, or for the adapter or the tap.
    Until(Instant),
    /// Wait for the answer to `advance`, but not for ever.
    Hurry,
    /// Wait for whoever may act without having said so.
    Settle,
    /// Read the adapter's pipe up to now.
    Read,
    /// Have the tree's clock tell when something is due, if anything is, or
    /// wait for the adapter or the tap.
    Alarm(Option<Span>),
    /// Do what is due.
    Do(Due),
    /// The case is over.
    Stop(Stop),
}

/// Why a case was left.
enum Leave {
    Stop(Stop),
    Failure(WorldFailure),
}

impl From<AdapterFault> for Leave {
    fn from(fault: AdapterFault) -> Self {
        Self::Stop(Stop::Dead(fault))
    }
}

impl<'a> CaseRun<'a> {
    pub(super) fn new(plan: &'a CasePlan, mut stage: Stage<'a>, pace: Pace) -> Self {
        let time = pace.of_the_tree().zip(stage.reports.take());
        Self {
            plan,
            stage,
            time: time.map(|(clock, reports)| TreeTime::new(clock, reports)),
            pace,
            record: Record::default(),
            sleepers: Sleepers::default(),
            requests: Requests::default(),
            done: 0,
            closing: 0,
            calm: Calm::new(),
            told: Span::ZERO,
            clock_events: 0,
            quiet_events: 0,
            began: Instant::now(),
        }
    }

    /// Plays the case; the session stays open.
    pub(super) async fn play(mut self) -> Result<(Record, Stop), WorldFailure> {
        let stop = match self.run().await {
            Leave::Stop(stop) => stop,
            Leave::Failure(failure) => return Err(failure),
        };
        self.record.conclude(&stop, self.pace.now());
        Ok((self.record, stop))
    }

    async fn run(&mut self) -> Leave {
        loop {
            match self.step().await {
                Ok(()) => {}
                Err(leave) => return leave,
            }
        }
    }

    async fn step(&mut self) -> Result<(), Leave> {
        self.read_tap()?;
        let mut limit = self.began + self.plan.bounds.real_time.to_std();
        if self.time.is_some() {
            limit += REAL_SLACK.to_std();
        }
        if Instant::now() >= limit {
            return Err(Leave::Stop(Stop::RealTime));
        }
        match self.decide() {
            Move::Stop(stop) => Err(Leave::Stop(stop)),
            Move::Do(due) => self.perform(due).await,
            Move::Read => self.tell_the_time().await,
            Move::Wait => self.listen(limit).await.map(drop),
            Move::Alarm(at) => {
                if let Some(time) = &mut self.time {
                    time.set(at);
                }
                self.listen(limit).await.map(drop)
            }
            Move::Until(instant) => self.listen(instant.min(limit)).await.map(drop),
            Move::Look => {
                let soon = Instant::now() + LOOK_AGAIN;
                self.listen(soon.min(limit)).await.map(drop)
            }
            Move::Hurry => {
                let patience = self.calm.patience().min(limit);
                if self.listen(patience).await? == Heard::Nothing {
                    self.calm.unanswered();
                }
                Ok(())
            }
            Move::Settle => {
                let settled = Instant::now() + self.calm.silence();
                if self.listen(settled.min(limit)).await? == Heard::Nothing {
                    self.calm.settled();
                }
                Ok(())
            }
        }
    }

    /// Takes the next word of the tap or the adapter, if one comes by then.
    async fn listen(&mut self, until: Instant) -> Result<Heard, Leave> {
        tokio::select! {
            biased;
            event = self.stage.events.recv() => {
                let event = event.ok_or_else(|| harness("the tap is gone"))?;
                self.tap_said(event)?;
            }
            said = self.stage.session.next() => {
                // What the tap announced before it could be reacted to comes first.
                self.read_tap()?;
                self.adapter_said(said?);
            }
            said = next_of(&mut self.time) => {
                self.read_tap()?;
                self.time_said(said)?;
            }
            () = tokio::time::sleep_until(until.into()) => return Ok(Heard::Nothing),
        }
        Ok(Heard::Something)
    }

    fn time_said(&mut self, said: TimeSaid) -> Result<(), Leave> {
        match said {
            TimeSaid::Waited(asked) => {
                self.count_event();
                self.record.asked(asked);
            }
            TimeSaid::Stopped(stop) => return Err(Leave::Stop(stop)),
            TimeSaid::Failed(reason) => return Err(harness(&reason)),
            TimeSaid::Rang | TimeSaid::Nothing => {}
        }
        Ok(())
    }

    fn read_tap(&mut self) -> Result<(), Leave> {
        while let Ok(event) = self.stage.events.try_recv() {
            self.tap_said(event)?;
        }
        Ok(())
    }

    fn tap_said(&mut self, event: TapEvent) -> Result<(), Leave> {
        self.calm.stirred();
        match event {
            TapEvent::RequestComplete { exchange, call, .. } if exchange.case == self.stage.key => {
                self.count_event();
                if let Some(call) = call {
                    self.sleepers.requested(&call);
                    let given_up = self.requests.sent(&call, exchange);
                    self.give_up(given_up);
                }
            }
            TapEvent::ReplyWritten {
                exchange,
                call: Some(call),
                ..
            } if exchange.case == self.stage.key => {
                let whose = self.requests.answered(&call, exchange);
                if whose == Answered::TheCall {
                    self.sleepers.answered(&call);
                }
            }
            TapEvent::Failed { exchange, reason } if exchange.case == self.stage.key => {
                return Err(harness(&reason));
            }
            _ => {}
        }
        Ok(())
    }

    fn adapter_said(&mut self, said: Said) {
        let now = self.pace.now();
        if said == Said::Advanced {
            self.calm.answered(Instant::now());
            return;
        }
        self.calm.stirred();
        self.record.said(&said, now);
        let given_up = self.requests.heard(&said);
        self.give_up(given_up);
        match said {
            Said::Event { call, .. } => self.sleepers.stirred(&call),
            Said::Held { call } => self.sleepers.held(&call),
            Said::Result { call, outcome } => {
                self.quiet_events = 0;
                self.sleepers.finished(&call);
                // Whoever ends a call early may have left a timer running.
                if outcome == Outcome::Cancelled {
                    self.sleepers.left(&call);
                }
            }
            Said::Sleep {
                call,
                duration,
                n,
                during,
            } => {
                self.count_event();
                self.sleepers.asleep(&call, n, now, duration, during);
            }
            Said::Closed => {
                self.closing = self.closing.saturating_sub(1);
                self.calm.closed();
            }
            Said::Advanced => {}
        }
    }

    /// A request that was given up ends here, whenever its connection does.
    fn give_up(&self, exchange: Option<ExchangeId>) {
        if let Some(exchange) = exchange {
            self.stage.tap.give_up(exchange);
        }
    }

    fn count_event(&mut self) {
        self.clock_events += 1;
        self.quiet_events += 1;
    }

    async fn perform(&mut self, due: Due) -> Result<(), Leave> {
        let at = due.at();
        if self.calm.is_settled() {
            self.sleepers.settled();
            self.calm.closed();
        }
        match due {
            Due::Quiet(at) => {
                self.pace.move_to(at);
                return Err(Leave::Stop(Stop::Quiet));
            }
            Due::Timer(timer) => {
                self.pace.move_to(at);
                self.told = self.pace.now();
                self.calm.woken();
                self.requests.shake(&timer.call);
                let woken = self.sleepers.woken(&timer);
                let (now, wall) = (self.pace.now(), self.pace.wall());
                self.stage.session.slept(timer.n, now, wall).await?;
                if woken == Woken::Background {
                    self.calm.stirred();
                    self.tell_the_time().await?;
                }
            }
            Due::Action(_) | Due::Release(..) if self.pace.is_injected() && self.told < at => {
                self.pace.move_to(at);
                self.tell_the_time().await?;
            }
            Due::Action(_) => self.act().await?,
            Due::Release(_, exchange) => {
                self.calm.stirred();
                // A reply whose client is gone needs no release.
                let _ = self.stage.tap.release(exchange);
            }
        }
        if let Some(time) = &mut self.time {
            time.done();
        }
        Ok(())
    }

    /// Tells the adapter where the clock stands. Its answer comes after all
    /// that it had said before.
    async fn tell_the_time(&mut self) -> Result<(), Leave> {
        let (now, wall) = (self.pace.now(), self.pace.wall());
        self.calm.asked(Instant::now());
        self.told = now;
        self.stage.session.advance(now, wall).await?;
        Ok(())
    }

    /// Does the next action of the plan.
    async fn act(&mut self) -> Result<(), Leave> {
        let planned = &self.plan.actions[self.done];
        self.done += 1;
        self.calm.stirred();
        match &planned.action {
            Action::Call(call) => {
                self.sleepers.started(&call.id);
                self.record.started(&call.id, self.pace.now());
                self.stage.session.call(call).await?;
            }
            Action::Cancel { call } => {
                self.sleepers.cancelled(call);
                self.requests.shake(call);
                self.stage.session.cancel(call).await?;
                if self.pace.is_injected() {
                    // Silence counts from when the adapter has read it.
                    self.tell_the_time().await?;
                }
            }
            Action::Close => {
                self.closing += 1;
                self.calm.closing();
                self.requests.shake_all();
                self.stage.session.close().await?;
            }
        }
        Ok(())
    }
}

/// What the tree's clock says next; where there is none, nothing ever.
async fn next_of(time: &mut Option<TreeTime<'_>>) -> TimeSaid {
    match time {
        Some(time) => time.next().await,
        None => std::future::pending().await,
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Heard {
    Something,
    Nothing,
}

fn harness(reason: &str) -> Leave {
    Leave::Failure(WorldFailure::harness(reason))
}
