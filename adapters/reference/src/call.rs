//! One running call: who made it, how it can be cancelled, what it remembers.

use std::sync::Arc;

use crate::auth::Credentials;
use crate::behaviour::Cancelling;
use crate::cancel::CancelHandle;
use crate::case::{Case, Loop};
use crate::download;
use crate::http::{Failure, Reply, Request};
use crate::operation;
use crate::pages;
use crate::protocol::{
    CallError, CallRequest, CancelPoint, ErrorKind, Event, EventName, Outcome, Outgoing, Verb,
};
use crate::random::Random;
use crate::retry_after::ToldWait;
use crate::span::Span;

/// Why a call ends without a value.
#[derive(Clone, Debug)]
pub(crate) enum Ending {
    Cancelled,
    Raised(CallError),
}

impl Ending {
    /// An error that no reply stands behind.
    pub(crate) fn other(message: &str) -> Self {
        Self::Raised(CallError {
            kind: ErrorKind::Other,
            status: None,
            retry_after: None,
            message: message.to_owned(),
        })
    }
}

/// What the hook is told about a retry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RetryNotice {
    pub(crate) failed_attempt: u32,
    pub(crate) delay: Span,
    pub(crate) status: Option<u16>,
}

/// A running call.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) case: Arc<Case>,
    pub(crate) name: String,
    pub(crate) request: CallRequest,
    pub(crate) handle: CancelHandle,
    pub(crate) random: Random,
    pub(crate) credentials: Credentials,
    /// Waits of this call so far.
    pub(crate) waits: u32,
    /// The first told wait of this call.
    pub(crate) first_told: Option<ToldWait>,
    /// How long the latest reply took.
    pub(crate) reply_took: Span,
    /// The told wait that an error showed last.
    pub(crate) latest_told: Option<Span>,
    /// The next attempt is sent even if the call is cancelled.
    pub(crate) unstoppable: bool,
}

impl Call {
    pub(crate) fn new(
        case: Arc<Case>,
        name: String,
        request: CallRequest,
        handle: CancelHandle,
    ) -> Self {
        Self {
            random: Random::new(case.seed, &name),
            credentials: Credentials::new(request.auth),
            case,
            name,
            request,
            handle,
            waits: 0,
            first_told: None,
            reply_took: Span::ZERO,
            latest_told: None,
            unstoppable: false,
        }
    }

    /// Runs the call and says how it ended.
    pub(crate) async fn run(mut self) -> Outcome {
        match self.value().await {
            Ok(outcome) => outcome,
            Err(Ending::Cancelled) => Outcome::Cancelled,
            Err(Ending::Raised(error)) => Outcome::Raised { error },
        }
    }

    async fn value(&mut self) -> Result<Outcome, Ending> {
        if self.request.cancel == Some(CancelPoint::BeforeStart) {
            self.handle.cancel();
        }
        if self.rule() == Cancelling::SendsFirstAttempt && self.is_cancelled() {
            self.unstoppable = true;
        } else {
            self.stop_if_cancelled()?;
        }
        let status = match (self.case.kind, self.request.verb) {
            (Loop::Operation, Verb::List) => pages::list(self).await?,
            (Loop::Operation, Verb::Read | Verb::Write | Verb::WriteUnsafe | Verb::Upload) => {
                operation::run(self).await?
            }
            (Loop::Download, Verb::Download) => download::run(self).await?,
            (_, verb) => {
                let reason = format!("this loop of the reference client has no {verb:?}");
                return Ok(Outcome::Unsupported { reason });
            }
        };
        Ok(Outcome::Returned { status })
    }

    /// One request, unless the call is cancelled before its reply.
    pub(crate) async fn exchange(
        &mut self,
        request: Request,
    ) -> Result<Result<Reply, Failure>, Ending> {
        let sent = self.case.clock.stopwatch();
        let exchange = self.case.exchange(&self.name, request);
        let result = if std::mem::take(&mut self.unstoppable) {
            exchange.await
        } else {
            tokio::select! {
                biased;
                () = self.cancelled() => return Err(self.cancellation()),
                result = exchange => result,
            }
        };
        self.reply_took = self.case.clock.stopwatch() - sent;
        self.stop_if_cancelled()?;
        Ok(result)
    }

    /// Tells the caller of a retry; the caller may cancel there and then.
    pub(crate) fn announce(&self, notice: RetryNotice) {
        let failed = if self.case.behaviour.report.hook_from_zero {
            notice.failed_attempt.saturating_sub(1)
        } else {
            notice.failed_attempt
        };
        self.emit(Event {
            failed_attempt: Some(failed),
            next_attempt: Some(failed.saturating_add(1)),
            delay: Some(notice.delay),
            status: notice.status,
            ..self.event(EventName::Retry)
        });
        if self.request.cancel == Some(CancelPoint::OnRetry) {
            self.handle.cancel();
        }
    }

    pub(crate) fn event(&self, event: EventName) -> Event {
        Event {
            case: self.case.id.clone(),
            call: self.name.clone(),
            event,
            failed_attempt: None,
            next_attempt: None,
            delay: None,
            status: None,
        }
    }

    pub(crate) fn emit(&self, event: Event) {
        self.case.emitter.emit(&Outgoing::Event(event));
    }

    fn rule(&self) -> Cancelling {
        self.case.behaviour.cancel
    }

    /// Whether the call knows that it is cancelled.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.rule() != Cancelling::Ignored && self.handle.is_cancelled()
    }

    pub(crate) fn stop_if_cancelled(&self) -> Result<(), Ending> {
        if self.is_cancelled() {
            return Err(self.cancellation());
        }
        Ok(())
    }

    /// Returns once the call knows that it is cancelled.
    pub(crate) async fn cancelled(&self) {
        if self.rule() == Cancelling::Ignored {
            std::future::pending::<()>().await;
        }
        self.handle.cancelled().await;
    }

    /// How a cancelled call ends.
    pub(crate) fn cancellation(&self) -> Ending {
        match self.rule() {
            Cancelling::RaisesError => Ending::other("the call was interrupted"),
            _ => Ending::Cancelled,
        }
    }
}
