//! [`World`]: the mock server and one adapter, within this process.

use std::time::{Duration, Instant};

use super::WorldFailure;
use super::case::{CaseRun, Stage};
use super::live::{Live, SharedWires};
use super::messages::LateTraffic;
use super::mock::Mock;
use super::pace::Pace;
use super::record::{Record, Stop};
use crate::adapter::{AdapterFault, Hello, LaunchSpec, OpenRequest, Opened};
use crate::model::{CasePlan, Ending, Exchange, ExchangeKind, Observation, Span};
use crate::tap::CaseKey;

/// Deaths without a completed case between them after which an adapter is not
/// started again.
const DEATHS: u32 = 3;
/// Cases after which a fresh mock server takes over: each case keeps a port
/// open for its late traffic, and a process has a thousand of them at most.
const CASES_A_MOCK: usize = 300;
/// Real time that an adapter may take to drop a client.
const END_LIMIT: Span = Span::from_secs(5);
/// How far the clock of a process may have gone for it to get another case:
/// many a language counts nanoseconds in 63 bits, which are 292 years.
const OLD: Duration = Duration::from_secs(10 * 366 * 86_400);
/// Lines of the adapter's log in an observation.
const LOG_TAIL: usize = 40;

/// A mock server and one adapter. Cases are played one after the other; an
/// adapter that dies is started again.
pub struct World {
    spec: LaunchSpec,
    live: Option<Live>,
    wires: SharedWires,
    mock: Mock,
    /// Cases of the mock that are over.
    over: Vec<(String, CaseKey)>,
    late: Vec<LateTraffic>,
    deaths: u32,
}

impl World {
    /// Starts the mock server and the adapter. Must be called within a
    /// tokio runtime.
    ///
    /// # Errors
    /// If the adapter cannot be started, or is not what was asked for.
    pub async fn start(spec: LaunchSpec) -> Result<Self, WorldFailure> {
        let mock = Mock::start().await;
        let wires = SharedWires::of(&mock);
        let live = Live::start(&spec, &wires).await?;
        Ok(Self {
            spec,
            live: Some(live),
            wires,
            mock,
            over: Vec::new(),
            late: Vec::new(),
            deaths: 0,
        })
    }

    /// What the adapter said of itself, unless it is dead.
    pub fn hello(&self) -> Option<&Hello> {
        self.live.as_ref().map(|live| live.session.hello())
    }

    /// Plays one case. What the adapter does wrong once a call was made is part
    /// of the observation.
    ///
    /// # Errors
    /// If no call could be made, or the runner itself failed.
    pub async fn run(&mut self, plan: &CasePlan) -> Result<Observation, WorldFailure> {
        let began = Instant::now();
        let mut live = self.live_adapter().await?;
        let pace = match Pace::new(&plan.clock, live.time.as_ref()) {
            Ok(pace) => pace,
            Err(failure) => {
                self.live = Some(live);
                return Err(failure);
            }
        };
        if self.over.len() >= CASES_A_MOCK {
            self.collect_late();
            self.over.clear();
            self.mock = Mock::start().await;
            self.wires.replace(&self.mock);
        }
        let origin = self.mock.tap.open(plan, pace.for_tap()).await;
        let origin = origin.map_err(WorldFailure::harness)?;
        pace.prepare(plan, live.session.patience())?;
        let opened = live.open(open_request(plan, origin.base_url, &pace)).await;
        let refused = match opened {
            Ok(Opened::Ready) => None,
            Ok(Opened::Unsupported(reason)) => Some(reason),
            Err(fault) => {
                self.close_origin(plan, origin.key);
                return Err(self.died(live, fault).await);
            }
        };
        if let Some(reason) = refused {
            self.close_origin(plan, origin.key);
            pace.close();
            self.live = Some(live);
            return Ok(Observation {
                unsupported: Some(reason),
                real_time: since(began),
                ..Observation::default()
            });
        }
        pace.start(plan)?;
        let stage = Stage {
            session: &mut live.session,
            reports: live.time.as_mut().map(|time| &mut time.reports),
            tap: &self.mock.tap,
            events: &mut self.mock.events,
            key: origin.key,
        };
        let played = CaseRun::new(plan, stage, pace.clone()).play().await;
        let (mut record, stop) = match played {
            Ok(played) => played,
            Err(failure) => {
                live.session.kill().await;
                return Err(failure);
            }
        };
        let log_tail = live.session.log_tail(LOG_TAIL);
        self.end(live, &pace, &mut record, &stop).await;
        let exchanges = self.close_origin(plan, origin.key);
        // A request after the last quiet instant fails behind the player's back.
        if exchanges.iter().any(is_failed) {
            return Err(WorldFailure::harness("no answer from the mock server"));
        }
        self.collect_late();
        Ok(record.finish(plan, exchanges, log_tail, since(began)))
    }

    /// Traffic to cases that are over, noticed since the last call of this.
    pub fn take_late(&mut self) -> Vec<LateTraffic> {
        std::mem::take(&mut self.late)
    }

    /// Shuts the adapter down.
    pub async fn stop(self) {
        if let Some(live) = self.live {
            live.shutdown().await;
        }
    }

    async fn live_adapter(&mut self) -> Result<Live, WorldFailure> {
        if let Some(live) = self.live.take() {
            return Ok(live);
        }
        if self.deaths >= DEATHS {
            return Err(WorldFailure::Unhealthy {
                deaths: self.deaths,
            });
        }
        match Live::start(&self.spec, &self.wires).await {
            Ok(live) => Ok(live),
            Err(fault) => {
                self.deaths += 1;
                Err(fault.into())
            }
        }
    }

    async fn died(&mut self, live: Live, fault: AdapterFault) -> WorldFailure {
        self.deaths += 1;
        live.session.kill().await;
        fault.into()
    }

    /// Ends a case at the adapter. A process in which a call never came back
    /// is not used again.
    async fn end(&mut self, mut live: Live, pace: &Pace, record: &mut Record, stop: &Stop) {
        match stop {
            Stop::Dead(_) => {
                self.deaths += 1;
                live.session.kill().await;
            }
            Stop::Hung | Stop::RealTime | Stop::Starved => live.session.kill().await,
            // To end the case the clock would have to move on, past the horizon.
            Stop::Horizon(_) | Stop::Events if live.time.is_some() => live.session.kill().await,
            Stop::Quiet | Stop::Horizon(_) | Stop::Events | Stop::Watched => {
                pace.run_aside(END_LIMIT);
                match live.end(END_LIMIT).await {
                    Ok(()) => {
                        pace.close();
                        self.deaths = 0;
                        self.keep(live).await;
                    }
                    // One that cannot leave a call that it never ended is no worse than that.
                    Err(AdapterFault::Silent { .. }) if stop.ending() != Ending::Quiet => {
                        live.session.kill().await;
                    }
                    Err(fault) => {
                        record.failed_at_the_end(&fault);
                        self.deaths += 1;
                        live.session.kill().await;
                    }
                }
            }
        }
    }

    /// Keeps the adapter for the next case, unless its clock has gone too far.
    async fn keep(&mut self, live: Live) {
        if live.age() < OLD {
            self.live = Some(live);
        } else {
            live.session.kill().await;
        }
    }

    fn close_origin(&mut self, plan: &CasePlan, key: CaseKey) -> Vec<Exchange> {
        self.mock.tap.end(key);
        self.over.push((plan.case.clone(), key));
        self.mock.tap.take_exchanges(key)
    }

    fn collect_late(&mut self) {
        for (case, key) in &self.over {
            let mut exchanges = self.mock.tap.take_exchanges(*key);
            // A held connection that was closed with its case is none.
            exchanges.retain(|exchange| exchange.kind != ExchangeKind::Scripted);
            if !exchanges.is_empty() {
                self.late.push(LateTraffic {
                    case: case.clone(),
                    exchanges,
                });
            }
        }
    }
}

fn open_request(plan: &CasePlan, base_url: String, pace: &Pace) -> OpenRequest {
    OpenRequest {
        case: plan.case.clone(),
        loop_id: plan.loop_id.clone(),
        base_url,
        params: plan.params.clone(),
        seed: plan.seed,
        clock: pace.for_open(&plan.clock),
    }
}

fn is_failed(exchange: &Exchange) -> bool {
    exchange.kind == ExchangeKind::Failed
}

fn since(began: Instant) -> Span {
    Span::from_std(began.elapsed())
}

#[cfg(test)]
mod tests {
    use super::super::tests::{ok, plan};
    use super::*;
    use crate::adapter::testing::role;

    #[tokio::test]
    async fn a_mock_server_that_does_not_answer_is_no_behaviour_of_the_client() {
        let mut world = World::start(role("reference")).await.unwrap();
        world.mock = Mock::unanswered().await;
        let seen = world.run(&plan(vec![ok()])).await;
        let Err(WorldFailure::Harness { reason }) = seen else {
            panic!("{seen:?}");
        };
        assert!(
            reason.starts_with("no answer from the mock server"),
            "{reason}"
        );
        world.stop().await;
    }
}
