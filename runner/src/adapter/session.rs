//! [`Session`]: the protocol as the runner speaks it, with one open case at a
//! time.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use holdoff_vtime::Connections;
use jiff::Timestamp;
use tokio::time::timeout;

use super::hello::{self, Hello};
use super::process::AdapterProcess;
use super::protocol::{
    CallRequest, ClockKind, During, EventName, FromAdapter, OpenClock, ParamValue, ToAdapter,
};
use super::{AdapterFault, LaunchSpec, OwnedTime};
use crate::model::{CallId, LoopId, Outcome, PlannedCall, Span, UnsupportedReason};

/// Real time for an answer to `open`: a client of a JVM is made within a second.
const ANSWER: Span = Span::from_secs(30);

/// What opens a case.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenRequest {
    /// Opaque name.
    pub case: String,
    /// The loop, by the adapter's own row name.
    pub loop_id: LoopId,
    /// Where the mock server listens.
    pub base_url: String,
    /// Knobs to set.
    pub params: BTreeMap<String, ParamValue>,
    /// Seed for the language's random generator.
    pub seed: u64,
    /// Who owns time.
    pub clock: OpenClock,
}

/// Answer to `open`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Opened {
    /// The client is ready.
    Ready,
    /// The adapter cannot run this case.
    Unsupported(UnsupportedReason),
}

/// What an adapter said during a case; its names are already checked.
#[derive(Clone, Debug, PartialEq)]
pub enum Said {
    /// The SDK told its caller something.
    Event {
        /// During which call.
        call: CallId,
        /// What.
        event: EventName,
        /// Number of the attempt that failed.
        failed_attempt: Option<u32>,
        /// Number of the attempt that comes next.
        next_attempt: Option<u32>,
        /// The wait that was announced.
        delay: Option<Span>,
        /// The status that failed.
        status: Option<u16>,
    },
    /// A call has ended.
    Result {
        /// Which.
        call: CallId,
        /// How.
        outcome: Outcome,
    },
    /// The SDK asks its injected sleeper.
    Sleep {
        /// Which call.
        call: CallId,
        /// For how long.
        duration: Span,
        /// Number of the sleep.
        n: u64,
        /// Beside a request.
        during: Option<During>,
    },
    /// A call waits for another call.
    Held {
        /// Which.
        call: CallId,
    },
    /// Answer to `advance`.
    Advanced,
    /// The SDK's shutdown has returned.
    Closed,
}

#[derive(Debug)]
struct OpenCase {
    case: String,
    clock: ClockKind,
    calls: BTreeMap<CallId, CallState>,
    sleeps: BTreeSet<u64>,
    advances: u32,
    closes: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CallState {
    Running,
    Answered,
}

/// One adapter process that has said hello.
#[derive(Debug)]
pub struct Session {
    process: AdapterProcess,
    hello: Hello,
    live: Option<OpenCase>,
    /// Real time for an answer to `open`.
    patience: Span,
}

impl Session {
    /// Starts a process and shakes hands.
    ///
    /// # Errors
    /// If the process cannot be started, ends, is silent longer than the
    /// start limit, or is not what was asked for. It is killed then.
    pub async fn start(spec: &LaunchSpec) -> Result<Self, AdapterFault> {
        let (session, _) = Self::start_among(spec, Connections::none()).await?;
        Ok(session)
    }

    /// Starts a process that talks to us through `connections`. With it comes
    /// its clock, if the process lives under one of its own; it stands.
    ///
    /// # Errors
    /// As [`Session::start`].
    pub(crate) async fn start_among(
        spec: &LaunchSpec,
        connections: Connections,
    ) -> Result<(Self, Option<OwnedTime>), AdapterFault> {
        let mut process = AdapterProcess::spawn(spec, connections)?;
        let mut time = process.take_time();
        let shaken = async {
            process.send(&hello::greeting()).await?;
            hello::checked(process.next().await?, spec)
        };
        let shaken = async {
            match &mut time {
                Some(time) => time.until(shaken).await,
                None => shaken.await,
            }
        };
        let answer = timeout(spec.start_limit.to_std(), shaken).await;
        match answer.unwrap_or_else(|_| Err(process.silent("hello", spec.start_limit))) {
            Ok(hello) => {
                let session = Self {
                    process,
                    hello,
                    live: None,
                    // Whoever must start in less must open in less.
                    patience: spec.start_limit.min(ANSWER),
                };
                Ok((session, time))
            }
            Err(fault) => {
                process.kill().await;
                Err(fault)
            }
        }
    }

    /// Real time that an answer to `open` may take.
    pub(crate) fn patience(&self) -> Span {
        self.patience
    }

    /// What the adapter said of itself.
    pub fn hello(&self) -> &Hello {
        &self.hello
    }

    /// Makes one client for one case.
    ///
    /// # Errors
    /// If the process fails, or answers anything else.
    pub async fn open(&mut self, request: OpenRequest) -> Result<Opened, AdapterFault> {
        let (case, clock) = (request.case.clone(), request.clock.kind);
        self.process
            .send(&ToAdapter::Open {
                case: request.case,
                loop_id: request.loop_id,
                base_url: request.base_url,
                params: request.params,
                seed: request.seed,
                clock: request.clock,
            })
            .await?;
        loop {
            match self
                .answer_within("answer to `open`", self.patience)
                .await?
            {
                FromAdapter::Opened { case: named } if named == case => {
                    self.live = Some(OpenCase::new(case, clock));
                    return Ok(Opened::Ready);
                }
                FromAdapter::Unsupported {
                    case: named,
                    reason,
                    issue,
                } if named == case => {
                    return Ok(Opened::Unsupported(UnsupportedReason { reason, issue }));
                }
                // What an earlier case left behind in the background.
                FromAdapter::Event { case: named, .. }
                | FromAdapter::Sleep { case: named, .. }
                | FromAdapter::Held { case: named, .. }
                    if named != case => {}
                other => {
                    return Err(unexpected(&other, &format!("`opened` for case {case}")));
                }
            }
        }
    }

    /// Asks for one call of the open case.
    ///
    /// # Errors
    /// If the process has ended or does not read.
    pub async fn call(&mut self, call: &PlannedCall) -> Result<(), AdapterFault> {
        let live = self.live_mut();
        live.calls.insert(call.id.clone(), CallState::Running);
        let message = ToAdapter::Call {
            case: live.case.clone(),
            call: call.id.clone(),
            request: CallRequest {
                verb: call.verb,
                mark: call.mark.clone(),
                cancel: call.cancel,
                auth: call.auth,
            },
        };
        self.process.send(&message).await
    }

    /// Cancels a running call; its result is the answer.
    ///
    /// # Errors
    /// If the process has ended or does not read.
    pub async fn cancel(&mut self, call: &CallId) -> Result<(), AdapterFault> {
        let case = self.live_mut().case.clone();
        let call = call.clone();
        self.process.send(&ToAdapter::Cancel { case, call }).await
    }

    /// Asks for the SDK's own shutdown; [`Said::Closed`] is the answer.
    ///
    /// # Errors
    /// If the process has ended or does not read.
    pub async fn close(&mut self) -> Result<(), AdapterFault> {
        let live = self.live_mut();
        live.closes += 1;
        let case = live.case.clone();
        self.process.send(&ToAdapter::Close { case }).await
    }

    /// Ends sleep `n`: the case stands at `now`, the wall clock at `wall`.
    ///
    /// # Errors
    /// If the process has ended or does not read.
    pub async fn slept(&mut self, n: u64, now: Span, wall: Timestamp) -> Result<(), AdapterFault> {
        let case = self.live_mut().case.clone();
        let message = ToAdapter::Slept { case, n, now, wall };
        self.process.send(&message).await
    }

    /// Moves the injected clock; [`Said::Advanced`] is the answer.
    ///
    /// # Errors
    /// If the process has ended or does not read.
    pub async fn advance(&mut self, to: Span, wall: Timestamp) -> Result<(), AdapterFault> {
        let live = self.live_mut();
        live.advances += 1;
        let case = live.case.clone();
        self.process
            .send(&ToAdapter::Advance { case, to, wall })
            .await
    }

    /// What the adapter says next in the open case. Nothing is lost when the
    /// future is dropped.
    ///
    /// # Errors
    /// If the process ends, or says what the protocol does not allow here.
    pub async fn next(&mut self) -> Result<Said, AdapterFault> {
        let message = self.process.next().await?;
        self.live_mut().admit(message)
    }

    /// Ends the open case; what the adapter still says of it is dropped.
    ///
    /// # Errors
    /// If the process ends, is silent for longer than `limit` of real time, or
    /// answers one call twice.
    pub async fn end(&mut self, limit: Span) -> Result<(), AdapterFault> {
        let mut live = self.live.take().expect("a case is open");
        let case = live.case.clone();
        let message = ToAdapter::End { case };
        self.process.send(&message).await?;
        loop {
            match self.answer_within("`ended`", limit).await? {
                FromAdapter::Ended { case } if case == live.case => return Ok(()),
                other => {
                    live.admit(other)?;
                }
            }
        }
    }

    /// Last lines of the log, oldest first.
    pub fn log_tail(&self, count: usize) -> Vec<String> {
        self.process.log_tail(count)
    }

    /// Asks the process to exit, and ends its group if it does not.
    pub async fn shutdown(mut self) {
        // A process that is gone already has shut down.
        let _ = self.process.send(&ToAdapter::Shutdown).await;
        self.process.finish().await;
    }

    /// Ends the process group: politely, then by force.
    pub async fn kill(self) {
        self.process.kill().await;
    }

    async fn answer_within(
        &mut self,
        awaited: &str,
        limit: Span,
    ) -> Result<FromAdapter, AdapterFault> {
        let patience = limit.to_std().max(Duration::from_millis(1));
        let answer = timeout(patience, self.process.next()).await;
        answer.unwrap_or_else(|_| Err(self.process.silent(awaited, limit)))
    }

    fn live_mut(&mut self) -> &mut OpenCase {
        self.live.as_mut().expect("a case is open")
    }
}

impl OpenCase {
    fn new(case: String, clock: ClockKind) -> Self {
        Self {
            case,
            clock,
            calls: BTreeMap::new(),
            sleeps: BTreeSet::new(),
            advances: 0,
            closes: 0,
        }
    }

    /// Holds one message against what is allowed now.
    fn admit(&mut self, message: FromAdapter) -> Result<Said, AdapterFault> {
        let named = case_of(&message);
        if named != Some(self.case.as_str()) {
            return Err(unexpected(
                &message,
                &format!("a message of case {}", self.case),
            ));
        }
        let injected = matches!(
            message,
            FromAdapter::Sleep { .. } | FromAdapter::Held { .. } | FromAdapter::Advanced { .. }
        );
        if injected && self.clock != ClockKind::Injected {
            return Err(unexpected(&message, "no message of the injected clock"));
        }
        match message {
            FromAdapter::Event {
                call,
                event,
                failed_attempt,
                next_attempt,
                delay,
                status,
                ..
            } => {
                self.known(&call, "event")?;
                Ok(Said::Event {
                    call,
                    event,
                    failed_attempt,
                    next_attempt,
                    delay,
                    status,
                })
            }
            FromAdapter::Result { call, outcome, .. } => self.result(call, outcome),
            FromAdapter::Sleep {
                call,
                duration,
                n,
                during,
                ..
            } => {
                self.known(&call, "sleep")?;
                if !self.sleeps.insert(n) {
                    return Err(AdapterFault::protocol(format!("sleep {n} was asked twice")));
                }
                Ok(Said::Sleep {
                    call,
                    duration,
                    n,
                    during,
                })
            }
            FromAdapter::Held { call, .. } => {
                self.known(&call, "held")?;
                Ok(Said::Held { call })
            }
            FromAdapter::Advanced { .. } if self.advances > 0 => {
                self.advances -= 1;
                Ok(Said::Advanced)
            }
            FromAdapter::Closed { .. } if self.closes > 0 => {
                self.closes -= 1;
                Ok(Said::Closed)
            }
            other => Err(unexpected(&other, "an event, a result or a sleep")),
        }
    }

    fn result(&mut self, call: CallId, outcome: Outcome) -> Result<Said, AdapterFault> {
        if is_of_the_world(&outcome) {
            return Err(AdapterFault::protocol(format!(
                "call {call} answered {outcome:?}, which only the runner can conclude"
            )));
        }
        match self.calls.get_mut(&call) {
            Some(state @ CallState::Running) => {
                *state = CallState::Answered;
                Ok(Said::Result { call, outcome })
            }
            Some(CallState::Answered) => Err(AdapterFault::protocol(format!(
                "call {call} was answered twice"
            ))),
            None => Err(AdapterFault::protocol(format!(
                "a result for call {call}, which was never asked for"
            ))),
        }
    }

    fn known(&self, call: &CallId, what: &str) -> Result<(), AdapterFault> {
        if self.calls.contains_key(call) {
            return Ok(());
        }
        Err(AdapterFault::protocol(format!(
            "{what} of call {call}, which was never asked for"
        )))
    }
}

/// Outcomes that no adapter can know.
fn is_of_the_world(outcome: &Outcome) -> bool {
    matches!(
        outcome,
        Outcome::Hung
            | Outcome::NeverEnded { .. }
            | Outcome::Starved
            | Outcome::Crashed { .. }
            | Outcome::ProtocolError { .. }
            | Outcome::OutOfTime
    )
}

fn case_of(message: &FromAdapter) -> Option<&str> {
    match message {
        FromAdapter::Hello { .. } => None,
        FromAdapter::Opened { case }
        | FromAdapter::Unsupported { case, .. }
        | FromAdapter::Event { case, .. }
        | FromAdapter::Result { case, .. }
        | FromAdapter::Closed { case }
        | FromAdapter::Sleep { case, .. }
        | FromAdapter::Held { case, .. }
        | FromAdapter::Advanced { case, .. }
        | FromAdapter::Ended { case } => Some(case),
    }
}

fn unexpected(message: &FromAdapter, allowed: &str) -> AdapterFault {
    let text = serde_json::to_string(message).expect("a protocol message is JSON");
    let shown: String = text.chars().take(200).collect();
    AdapterFault::protocol(format!("{shown} came where {allowed} was allowed"))
}
