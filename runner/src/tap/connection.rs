use std::sync::Arc;

use sha2::{Digest, Sha256};
use tokio::net::TcpStream;

use super::answer::Outcome;
use super::body::{Framing, NoBody};
use super::case::{CaseFile, Phase};
use super::event::{ExchangeId, TapEvent};
use super::flight::InFlight;
use super::head::{BadRequest, Head, Version};
use super::reply::{After, BodyPart, Reply};
use super::server::Shared;
use super::wire::{Filled, Wire};
use crate::model::{CallId, Exchange, ExchangeKind, Span};

/// So much of a body is kept as text.
const KEPT_BODY: usize = 64 * 1024;

/// One connection of a client.
pub(super) struct Connection {
    pub(super) file: Arc<CaseFile>,
    pub(super) shared: Arc<Shared>,
    pub(super) wire: Wire,
    number: u32,
}

/// A request that has begun.
pub(super) struct Begun {
    pub(super) id: ExchangeId,
    pub(super) exchange: Exchange,
}

/// A request that has arrived whole.
pub(super) struct Complete {
    pub(super) id: ExchangeId,
    pub(super) exchange: Exchange,
    pub(super) head: Head,
    pub(super) body: Vec<u8>,
    pub(super) work: InFlight,
}

/// How a connection goes on.
enum Next {
    /// With its next request.
    Request,
    /// It ends, in the middle of this request if there is one.
    End(Option<ExchangeId>),
    /// A last reply was written.
    Finish,
    /// It ends with a reset.
    Reset,
}

impl Connection {
    pub(super) fn new(
        file: Arc<CaseFile>,
        shared: Arc<Shared>,
        stream: Arc<TcpStream>,
        number: u32,
    ) -> Self {
        let wire = Wire::new(stream, Arc::clone(&file.clock));
        Self {
            file,
            shared,
            wire,
            number,
        }
    }

    /// Serves requests one at a time until the connection ends.
    pub(super) async fn serve(mut self) {
        let mut next = Next::Request;
        while matches!(next, Next::Request) {
            next = self.one().await;
        }
        let cut = match next {
            Next::End(cut) => cut,
            _ => None,
        };
        match next {
            Next::Reset => self.wire.reset_on_close(),
            _ => self.wire.finish(),
        }
        self.shared.tell(TapEvent::ConnectionClosed {
            case: self.file.key,
            connection: self.number,
            cut,
            at: self.now(),
        });
        if matches!(next, Next::Finish) {
            self.wire.drain().await;
        }
        self.shared.forget_socket(self.file.key, self.number);
    }

    async fn one(&mut self) -> Next {
        let Some(begun) = self.begin().await else {
            return Next::End(None);
        };
        let id = begun.id;
        match self.read(begun).await {
            Ok(complete) => self.reply(complete).await,
            Err((_, NoBody::Cut)) => Next::End(Some(id)),
            Err((begun, NoBody::Bad(bad))) => self.refuse(begun, bad).await,
        }
    }

    /// Waits for the first byte of a request.
    async fn begin(&mut self) -> Option<Begun> {
        loop {
            // RFC 9112 §2.2: an empty line before a request is none.
            let blank = |byte: &&u8| matches!(byte, b'\r' | b'\n');
            let blanks = self.wire.buffer.iter().take_while(blank).count();
            self.wire.take(blanks);
            if !self.wire.buffer.is_empty() {
                break;
            }
            if self.wire.fill().await == Filled::Closed {
                return None;
            }
        }
        let at = self.wire.last_read;
        let (number, exchange) = self.file.ledger().begin(at, self.number);
        let id = ExchangeId {
            case: self.file.key,
            number,
        };
        self.shared
            .tell(TapEvent::RequestBegun { exchange: id, at });
        Some(Begun { id, exchange })
    }

    /// Reads a request whole, entering what is known of it step by step.
    async fn read(&mut self, mut begun: Begun) -> Result<Complete, (Begun, NoBody)> {
        let head = match self.read_head().await {
            Ok(head) => head,
            Err(none) => return Err((begun, none)),
        };
        self.describe(&mut begun.exchange, &head);
        self.put(&begun);
        let body = match self.read_body(&head, &mut begun.exchange).await {
            Ok(body) => body,
            Err(none) => return Err((begun, none)),
        };
        let Begun { id, mut exchange } = begun;
        let kept = body.get(..body.len().min(KEPT_BODY)).unwrap_or_default();
        exchange.body = String::from_utf8_lossy(kept).into_owned();
        exchange.body_len = u64::try_from(body.len()).unwrap_or(u64::MAX);
        exchange.body_digest = hex(&Sha256::digest(&body));
        Ok(Complete {
            id,
            exchange,
            head,
            body,
            work: self.shared.flight.begin(&*self.file.clock),
        })
    }

    async fn read_head(&mut self) -> Result<Head, NoBody> {
        loop {
            if let Some(head) = Head::read(&self.wire.buffer)? {
                self.wire.take(head.length);
                return Ok(head);
            }
            if self.wire.fill().await == Filled::Closed {
                return Err(NoBody::Cut);
            }
        }
    }

    async fn read_body(&mut self, head: &Head, exchange: &mut Exchange) -> Result<Vec<u8>, NoBody> {
        let framing = Framing::of(head)?;
        if let Some(length) = framing.told() {
            exchange.body_len = u64::try_from(length).unwrap_or(u64::MAX);
            if length > super::body::BODY_LIMIT {
                return Err(BadRequest::BodyTooLarge.into());
            }
        }
        let waits = head.lists("expect", "100-continue") && head.version == Version::Http11;
        if waits && framing != Framing::Length(0) && self.wire.buffer.is_empty() {
            // A client that is gone by now is found at the next reading.
            let _ = self.wire.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").await;
        }
        framing.read(&mut self.wire).await
    }

    fn describe(&self, exchange: &mut Exchange, head: &Head) {
        exchange.method.clone_from(&head.method);
        let below = self.file.below_prefix(&head.path);
        exchange.path = below.unwrap_or(&head.path).to_owned();
        exchange.query.clone_from(&head.query);
        let lines = head.lines.iter().map(|line| {
            let value = String::from_utf8_lossy(&line.value).into_owned();
            (line.name.to_ascii_lowercase(), value)
        });
        exchange.headers = lines.collect();
    }

    /// Answers what is not a request that the script could answer.
    async fn refuse(&mut self, mut begun: Begun, bad: BadRequest) -> Next {
        let _work = self.shared.flight.begin(&*self.file.clock);
        let at = self.now();
        begun.exchange.kind = self.unless_late(ExchangeKind::Malformed);
        begun.exchange.status = Some(bad.status());
        begun.exchange.replied_at = Some(at);
        self.put(&begun);
        let exchange = begun.id;
        self.shared.tell(TapEvent::Malformed { exchange, at });
        let reply = Reply::plain(bad.status(), &bad.to_string());
        let _ = self.wire.write_all(&reply.bytes(BodyPart::Whole)).await;
        Next::Finish
    }

    /// Answers a whole request.
    async fn reply(&mut self, complete: Complete) -> Next {
        let id = complete.id;
        let client_keeps = keeps(&complete.head);
        match self.answer(complete).await {
            Outcome::Written(After::Keep) if client_keeps => Next::Request,
            Outcome::Written(_) | Outcome::Cut => Next::Finish,
            Outcome::Reset => Next::Reset,
            Outcome::Gone => Next::End(Some(id)),
        }
    }

    pub(super) fn now(&self) -> Span {
        self.file.clock.now()
    }

    pub(super) fn unless_late(&self, kind: ExchangeKind) -> ExchangeKind {
        match self.file.phase() {
            Phase::Open => kind,
            Phase::Ended => ExchangeKind::Late,
        }
    }

    fn put(&self, begun: &Begun) {
        let mut ledger = self.file.ledger();
        ledger.put(begun.id.number, begun.exchange.clone());
    }

    /// Marks the instant at which a reply begins, and announces it.
    pub(super) fn replied(&self, id: ExchangeId, call: Option<&CallId>) {
        let at = self.now();
        self.file.ended(id.number, at);
        self.shared.tell(TapEvent::ReplyWritten {
            exchange: id,
            call: call.cloned(),
            at,
        });
    }
}

/// Whether the client lets its connection be kept (RFC 9112 §9.3).
fn keeps(head: &Head) -> bool {
    match head.version {
        Version::Http10 => head.lists("connection", "keep-alive"),
        Version::Http11 => !head.lists("connection", "close"),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
