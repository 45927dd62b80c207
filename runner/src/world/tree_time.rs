//! [`TreeTime`]: the virtual clock of a process tree while one case is played.

use std::sync::Arc;
use std::time::Duration;

use holdoff_vtime::{EventId, Hold, Report, Role, Stop as ClockStop, TimedWait};
use tokio::sync::mpsc::UnboundedReceiver;

use super::record::{Beyond, Stop};
use crate::adapter::AdapterFault;
use crate::clock::VirtualClock;
use crate::model::{Asked, Span};

/// Shorter waits are no waits of an SDK: runtimes nap so between two looks at a
/// lock or a queue.
const SHORTEST: Duration = Duration::from_millis(1);

/// What the clock of a process tree says.
#[derive(Debug)]
pub(super) enum TimeSaid {
    /// What was asked for is due; the clock stands until it is done.
    Rang,
    /// The tree waited.
    Waited(Asked),
    /// The clock stands, and the case with it.
    Stopped(Stop),
    /// Its supervisor failed.
    Failed(String),
    /// Nothing that concerns the case.
    Nothing,
}

/// The clock of a process tree while one case is played. Of all that is due the
/// first is on its queue, so that it takes its turn among what the tree waits
/// for.
#[derive(Debug)]
pub(super) struct TreeTime<'a> {
    clock: Arc<VirtualClock>,
    reports: &'a mut UnboundedReceiver<Report>,
    alarm: Option<(Span, EventId)>,
    ringing: Option<Hold>,
}

impl<'a> TreeTime<'a> {
    pub(super) fn new(
        clock: &Arc<VirtualClock>,
        reports: &'a mut UnboundedReceiver<Report>,
    ) -> Self {
        Self {
            clock: Arc::clone(clock),
            reports,
            alarm: None,
            ringing: None,
        }
    }

    /// What the clock says next; nothing is lost when the future is dropped.
    pub(super) async fn next(&mut self) -> TimeSaid {
        match self.reports.recv().await {
            Some(report) => self.said(report),
            // The end of the tree shows in the adapter's pipes.
            None => std::future::pending().await,
        }
    }

    fn said(&mut self, report: Report) -> TimeSaid {
        match report {
            Report::Fired(fired) => {
                if self.alarm.is_some_and(|(_, event)| event == fired.event) {
                    self.alarm = None;
                    self.ringing = Some(fired.hold);
                    return TimeSaid::Rang;
                }
                // It was cancelled, but too late.
                TimeSaid::Nothing
            }
            Report::Waited(wait) if wait.role == Role::Worker && wait.asked >= SHORTEST => {
                TimeSaid::Waited(self.asked(&wait))
            }
            Report::Stopped { stop, .. } => TimeSaid::Stopped(stopped(stop)),
            Report::Failed(error) => TimeSaid::Failed(error.to_string()),
            Report::Waited(_) | Report::Exited(_) | Report::Gone => TimeSaid::Nothing,
        }
    }

    fn asked(&self, wait: &TimedWait) -> Asked {
        Asked {
            at: self.clock.of_case(wait.began),
            call: None,
            duration: Span::from_std(wait.asked),
            during: None,
        }
    }

    /// Whether the clock stands for what is due.
    pub(super) fn is_ringing(&self) -> bool {
        self.ringing.is_some()
    }

    /// What was due is done.
    pub(super) fn done(&mut self) {
        self.ringing = None;
    }

    /// Makes the clock tell when it shows `at`; for one that it shows already,
    /// when everybody rests. None: nothing is due.
    pub(super) fn set(&mut self, at: Option<Span>) {
        if self.alarm.map(|(set, _)| set) != at {
            if let Some((_, event)) = self.alarm.take() {
                self.clock.cancel(event);
            }
            self.alarm = at.map(|at| (at, self.clock.schedule(at)));
        }
        self.ringing = None;
    }
}

impl Drop for TreeTime<'_> {
    fn drop(&mut self) {
        self.set(None);
    }
}

fn stopped(stop: ClockStop) -> Stop {
    match stop {
        ClockStop::Hung => Stop::Hung,
        ClockStop::NeverEnded { wait } => Stop::Horizon(wait.map(|wait| Beyond {
            call: None,
            duration: Span::from_std(wait.asked),
        })),
        ClockStop::TooManyEvents => Stop::Events,
        ClockStop::Starved { .. } => Stop::Starved,
        ClockStop::OutOfTime => Stop::RealTime,
        stop @ (ClockStop::TooManyThreads { .. } | ClockStop::Corrupt { .. }) => {
            Stop::Dead(AdapterFault::clock(stop))
        }
    }
}
