//! From a whole request to the last byte of its reply.

use std::io;
use std::sync::Arc;

use super::board::{Dated, Manner, Question};
use super::case::{Belonging, Phase};
use super::connection::{Complete, Connection};
use super::event::{DelayReason, ExchangeId, TapEvent};
use super::flight::InFlight;
use super::forward;
use super::head::Head;
use super::held::{HeldKind, HeldReply};
use super::reply::{After, BodyPart, Reply};
use crate::model::{CallId, DateWindow, Exchange, ExchangeKind, Fault, Span, wall_span};

/// What became of a connection by answering on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// A whole reply was written.
    Written(After),
    /// It is to be closed without a whole reply.
    Cut,
    /// It is to be reset.
    Reset,
    /// The client has closed it, or the case has ended.
    Gone,
}

/// A request whose answer is decided.
struct Decided {
    id: ExchangeId,
    call: CallId,
    manner: Manner,
    reply: Reply,
}

/// How waiting for a release ended.
enum Waited {
    Released(InFlight),
    /// The client has closed the connection.
    ClientGone,
    /// The case has ended.
    Ended,
}

impl Connection {
    pub(super) async fn answer(&mut self, complete: Complete) -> Outcome {
        let belonging = self.file.belonging(&complete.head, &complete.body);
        let call = match &belonging {
            Belonging::Call { call, .. } => Some(call.clone()),
            Belonging::Nobody => None,
        };
        self.shared.tell(TapEvent::RequestComplete {
            exchange: complete.id,
            call: call.clone(),
            at: self.now(),
        });
        match (self.file.phase(), belonging) {
            (Phase::Ended, _) => self.by_itself(complete, call, Reply::overflow()).await,
            (Phase::Open, Belonging::Nobody) => {
                let reply = Reply::plain(404, "not below the case's prefix, or of no known call");
                self.by_itself(complete, None, reply).await
            }
            (Phase::Open, Belonging::Call { call, mark, path }) => {
                let question = Question {
                    plan: Arc::clone(&self.file.plan),
                    clock: Arc::clone(&self.file.clock),
                    base_url: self.file.base_url(),
                    call,
                    mark,
                    path,
                    request_url: format!("{}{}", self.file.origin, complete.head.path),
                };
                self.by_script(complete, question).await
            }
        }
    }

    /// Answers without asking the script.
    async fn by_itself(
        &mut self,
        complete: Complete,
        call: Option<CallId>,
        reply: Reply,
    ) -> Outcome {
        let mut exchange = complete.exchange;
        exchange.kind = self.unless_late(ExchangeKind::Unrelated);
        exchange.call.clone_from(&call);
        exchange.status = Some(reply.status);
        self.file.ledger().put(complete.id.number, exchange);
        self.replied(complete.id, call.as_ref());
        let part = part_for(&complete.head.method);
        let _ = self.wire.write_all(&reply.bytes(part)).await;
        drop(complete.work);
        Outcome::Written(After::Close)
    }

    async fn by_script(&mut self, complete: Complete, question: Question) -> Outcome {
        let Complete {
            id,
            mut exchange,
            head,
            body,
            work,
        } = complete;
        let asked_at = self.now();
        let part = part_for(&head.method);
        let asked = self.ask(id, &head, &body, &question).await;
        exchange.kind = match &asked {
            Ok((_, manner)) if manner.step.is_some() => ExchangeKind::Scripted,
            Ok(_) => ExchangeKind::Overflow,
            Err(_) => ExchangeKind::Failed,
        };
        let (reply, manner) =
            asked.unwrap_or_else(|error| (self.failure(id, &error), Manner::default()));
        exchange.call = Some(question.call.clone());
        exchange.step = manner.step;
        exchange.meant_for.clone_from(&manner.meant_for);
        self.file.ledger().put(id.number, exchange);
        let mut until = manner.delay.map(|delay| asked_at + delay);
        let mut decided = Decided {
            id,
            call: question.call.clone(),
            manner,
            reply,
        };
        let mut work = work;
        while let Some(kind) = self.holds(&decided, until.take()) {
            work = match self.hold(&decided, kind, work).await {
                Waited::Released(work) => work,
                Waited::ClientGone | Waited::Ended => return Outcome::Gone,
            };
            // Dates are the clock's when the reply is served, not when it was asked for.
            match self.ask(id, &head, &body, &question).await {
                Ok((reply, manner)) => (decided.reply, decided.manner) = (reply, manner),
                Err(error) => {
                    decided.reply = self.failure(id, &error);
                    let failed = |exchange: &mut Exchange| exchange.kind = ExchangeKind::Failed;
                    self.file.ledger().edit(id.number, failed);
                }
            }
        }
        self.write(decided, part, work).await
    }

    /// Lets wiremock decide, one request of a case after the other.
    async fn ask(
        &self,
        id: ExchangeId,
        head: &Head,
        body: &[u8],
        question: &Question,
    ) -> io::Result<(Reply, Manner)> {
        let _turn = self.file.turn.lock().await;
        let board = &self.shared.board;
        board.ask(id, question.clone());
        let answer = forward::ask(self.shared.upstream, id, head, body).await;
        let manner = board.take(id);
        let answer = answer?;
        let manner = manner.ok_or(io::ErrorKind::NotFound)?;
        Ok((
            Reply::in_manner(answer.status, answer.body, &manner),
            manner,
        ))
    }

    /// Reports that the harness failed; the client is told so too.
    fn failure(&self, exchange: ExchangeId, error: &io::Error) -> Reply {
        self.shared.tell(TapEvent::Failed {
            exchange,
            reason: format!("no answer from the mock server: {error}"),
        });
        let mut reply = Reply::plain(500, "no answer from the mock server");
        reply.lines.push(("x-holdoff-error".into(), b"1".to_vec()));
        reply
    }

    /// Whether a reply is to be held, and until when.
    fn holds(&self, decided: &Decided, until: Option<Span>) -> Option<HeldKind> {
        let now = self.now();
        if let Some(until) = until.filter(|until| *until > now) {
            let reason = DelayReason::Scripted;
            return Some(HeldKind::Delayed { until, reason });
        }
        let held = self.file.plan.clock.date_window == DateWindow::Held
            && decided.manner.dated == Dated::Yes;
        let gap = if held {
            gap_to_date_window(wall_span(self.file.clock.wall()))
        } else {
            Span::ZERO
        };
        (gap > Span::ZERO).then_some(HeldKind::Delayed {
            until: now + gap,
            reason: DelayReason::DateWindow,
        })
    }

    /// Announces a held reply and waits. The work lands only when everybody can
    /// see that the reply is held.
    async fn hold(&mut self, decided: &Decided, kind: HeldKind, work: InFlight) -> Waited {
        let (exchange, call) = (decided.id, Some(decided.call.clone()));
        let released = self.shared.held.enter(HeldReply {
            exchange,
            call: call.clone(),
            kind,
        });
        self.shared.tell(match kind {
            HeldKind::Delayed { until, reason } => TapEvent::Delayed {
                exchange,
                call,
                until,
                reason,
            },
            HeldKind::Stalled => TapEvent::Stalled {
                exchange,
                call,
                at: self.now(),
            },
        });
        drop(work);
        let mut phase = self.file.phase.subscribe();
        let waited = tokio::select! {
            biased;
            () = self.wire.closed() => Waited::ClientGone,
            Ok(work) = released => Waited::Released(work),
            _ = phase.wait_for(|phase| *phase == Phase::Ended) => Waited::Ended,
        };
        if matches!(waited, Waited::ClientGone) {
            // Once the reply is no longer held the clock may move.
            self.file.ended(exchange.number, self.now());
        }
        self.shared.held.forget(exchange);
        waited
    }

    async fn write(&mut self, decided: Decided, part: BodyPart, work: InFlight) -> Outcome {
        let Decided {
            id,
            call,
            manner,
            reply,
        } = &decided;
        let fault = manner.fault;
        if fault == Some(Fault::Stall) {
            // Whatever ends it, no reply does.
            let _ = self.hold(&decided, HeldKind::Stalled, work).await;
            return Outcome::Gone;
        }
        if matches!(
            fault,
            None | Some(Fault::CloseMidBody | Fault::StallMidBody)
        ) {
            let told = manner.lines.iter().filter(|(name, _)| tells(name));
            let told = told.map(|(name, value)| {
                let value = String::from_utf8_lossy(value).into_owned();
                (name.clone(), value)
            });
            self.file.ledger().edit(id.number, |exchange| {
                exchange.status = Some(reply.status);
                exchange.reply_headers = told.collect();
            });
        }
        if fault == Some(Fault::StallMidBody) {
            // Half a reply is none: the exchange ends when the client gives it up.
            let _ = self.wire.write_all(&reply.bytes(BodyPart::Half)).await;
            let _ = self.hold(&decided, HeldKind::Stalled, work).await;
            return Outcome::Gone;
        }
        self.replied(*id, Some(call));
        // A client that is gone by now has shown all it will show.
        let _ = match fault {
            None => self.wire.write_all(&reply.bytes(part)).await,
            Some(Fault::CloseMidBody) => self.wire.write_all(&reply.bytes(BodyPart::Half)).await,
            Some(Fault::MalformedStatus) => {
                self.wire.write_all(&reply.bytes_without_status()).await
            }
            Some(Fault::Reset | Fault::CloseBeforeReply | Fault::Stall | Fault::StallMidBody) => {
                Ok(())
            }
        };
        if fault.is_some() {
            // A cut reply has the instant at which its connection closes.
            self.stamp(*id);
        }
        drop(work);
        match fault {
            None => Outcome::Written(reply.after()),
            Some(Fault::Reset) => Outcome::Reset,
            Some(_) => Outcome::Cut,
        }
    }

    fn stamp(&self, id: ExchangeId) {
        let at = self.now();
        let stamp = |exchange: &mut Exchange| exchange.replied_at = Some(at);
        self.file.ledger().edit(id.number, stamp);
    }
}

fn part_for(method: &str) -> BodyPart {
    if method == "HEAD" {
        BodyPart::Nothing
    } else {
        BodyPart::Whole
    }
}

/// Whether a header of a reply is worth recording: it may tell a wait.
fn tells(name: &str) -> bool {
    ["retry", "ratelimit", "rate-limit", "reset"]
        .iter()
        .any(|word| name.contains(word))
}

/// How long to wait until the sub-second part lies within .2–.6 s: away from
/// the edges of a second, so that no rounding depends on the run.
fn gap_to_date_window(wall: Span) -> Span {
    let (open, close, second) = (200_000_000, 600_000_000, 1_000_000_000);
    let part = wall.as_nanos().rem_euclid(second);
    Span::from_nanos(match part {
        part if part < open => open - part,
        part if part < close => 0,
        part => second - part + open,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_date_window_is_the_middle_of_a_second() {
        for (part, gap) in [
            (0, 200),
            (199, 1),
            (200, 0),
            (599, 0),
            (600, 600),
            (999, 201),
        ] {
            let wall = Span::from_millis(1_700_000_000_000 + part);
            assert_eq!(gap_to_date_window(wall), Span::from_millis(gap), "{part}");
        }
    }

    #[test]
    fn headers_that_may_tell_a_wait_are_recorded() {
        for name in ["retry-after", "x-ratelimit-reset", "x-rate-limit-remaining"] {
            assert!(tells(name), "{name}");
        }
        assert!(!tells("content-type") && !tells("link"));
    }
}
