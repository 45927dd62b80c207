//! One open case: its client, its knobs, its clock, and its running calls.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};

use reqwest::Url;
use tokio::task::JoinSet;

use crate::backoff;
use crate::behaviour::Behaviour;
use crate::clock::{Clock, InjectedClock};
use crate::emitter::Emitter;
use crate::http::{Failure, Reply, Request, Transport};
use crate::protocol::{Beside, ClockKind, Open, OpenClock, Param};
use crate::span::Span;
use crate::wait;

/// Which loop a case is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Loop {
    /// `operation`, and `auth-refresh`, which runs inside it.
    Operation,
    Download,
}

/// The knobs that the manifest claims.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Knobs {
    pub(crate) max_attempts: u64,
    pub(crate) backoff: backoff::Knobs,
    pub(crate) request_timeout: Span,
}

impl Default for Knobs {
    fn default() -> Self {
        Self {
            max_attempts: 3,
            backoff: backoff::Knobs {
                base: Span::from_secs(1),
                max_jitter: Span::from_millis(100),
            },
            request_timeout: Span::from_secs(30),
        }
    }
}

/// Everything that the calls of one case share.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) id: String,
    pub(crate) kind: Loop,
    pub(crate) base_url: Url,
    pub(crate) knobs: Knobs,
    pub(crate) seed: u64,
    pub(crate) clock: Clock,
    pub(crate) behaviour: Arc<Behaviour>,
    pub(crate) emitter: Emitter,
    transport: Transport,
    tasks: Mutex<JoinSet<()>>,
}

impl Case {
    /// # Errors
    /// The reason why this client cannot run the case.
    pub(crate) fn open(
        open: Open,
        behaviour: Arc<Behaviour>,
        emitter: Emitter,
    ) -> Result<Self, String> {
        let kind = match open.loop_name.as_str() {
            "operation" | "auth-refresh" => Loop::Operation,
            "download" => Loop::Download,
            other => return Err(format!("the reference client has no loop `{other}`")),
        };
        let base_url = Url::parse(&open.base_url)
            .ok()
            .filter(|url| url.scheme() == "http" && !url.cannot_be_a_base())
            .ok_or_else(|| format!("`{}` is not an http address", open.base_url))?;
        Ok(Self {
            kind,
            base_url,
            knobs: knobs(&open.params)?,
            seed: open.seed,
            clock: clock(&open.case, &open.clock, &emitter)?,
            behaviour,
            emitter,
            transport: Transport::new().map_err(|error| error.to_string())?,
            tasks: Mutex::default(),
            id: open.case,
        })
    }

    /// The address of something on the server.
    pub(crate) fn url(&self, path: &[&str]) -> Url {
        let mut url = self.base_url.clone();
        url.path_segments_mut()
            .expect("an http address has a path")
            .pop_if_empty()
            .extend(path);
        url
    }

    /// Runs something until the case ends.
    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        tasks.spawn(task);
    }

    /// Stops all that still runs.
    pub(crate) async fn end(&self) {
        let mut tasks = {
            let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::take(&mut *tasks)
        };
        tasks.shutdown().await;
    }

    /// One request under the request timeout.
    pub(crate) async fn exchange(&self, call: &str, request: Request) -> Result<Reply, Failure> {
        // Armed before the request, or an injected clock could not time it.
        let limit = self.knobs.request_timeout;
        let beside = Some(Beside::Request);
        if self.behaviour.retries.limit_on_wall {
            let mut timeout = pin!(wait::until_the_wall_shows(&self.clock, call, limit, beside));
            return tokio::select! {
                biased;
                // Polled first, so that it is armed before the request.
                () = &mut timeout => Err(Failure::Timeout),
                result = self.transport.send(request) => result,
            };
        }
        let mut timeout = self.clock.timer(call, limit, beside);
        tokio::select! {
            biased;
            result = self.transport.send(request) => result,
            () = timeout.ended() => Err(Failure::Timeout),
        }
    }
}

fn knobs(params: &BTreeMap<String, Param>) -> Result<Knobs, String> {
    let mut knobs = Knobs::default();
    for (name, value) in params {
        match (name.as_str(), *value) {
            ("max_attempts", Param::Count(count)) => knobs.max_attempts = count,
            ("base_delay", Param::Duration(span)) => knobs.backoff.base = span.max(Span::ZERO),
            ("max_jitter", Param::Duration(span)) => {
                knobs.backoff.max_jitter = span.max(Span::ZERO);
            }
            ("request_timeout", Param::Duration(span)) => knobs.request_timeout = span,
            ("max_attempts" | "base_delay" | "max_jitter" | "request_timeout", _) => {
                return Err(format!("`{name}` has a value of the wrong type"));
            }
            _ => return Err(format!("the reference client has no knob `{name}`")),
        }
    }
    Ok(knobs)
}

fn clock(case: &str, open: &OpenClock, emitter: &Emitter) -> Result<Clock, String> {
    if open.kind != ClockKind::Injected {
        return Ok(Clock::system());
    }
    let wall = open.wall.ok_or("an injected clock needs `wall`")?;
    let injected = InjectedClock::new(
        case.to_owned(),
        emitter.clone(),
        open.now.unwrap_or_default(),
        Span::from_nanos(wall.as_nanosecond()),
        open.tick.unwrap_or_default(),
    );
    Ok(Clock::Injected(Arc::new(injected)))
}
