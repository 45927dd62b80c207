//! A tap with one open case, a clock, and a client of a few lines.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use holdoff::adapter::protocol::{ClockKind, Verb};
use holdoff::model::{
    Action, Bounds, CasePlan, ClockPlan, DateWindow, Exchange, LoopId, Piece, PlannedAction,
    PlannedBody, PlannedCall, PlannedHeader, PlannedStep, PrefixMode, Presence, Span, Spelling,
    Times, TokenText, wall_shifted,
};
use holdoff::replay::Replay;
use holdoff::tap::{Board, CaseClock, CaseKey, ExchangeId, Tap, TapEvent};
use jiff::Timestamp;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::mpsc::UnboundedReceiver;

/// A clock that stands until it is moved.
pub(crate) struct Manual(Mutex<Span>);

impl Manual {
    pub(crate) fn set(&self, now: &str) {
        *self.0.lock().unwrap() = now.parse().unwrap();
    }
}

impl CaseClock for Manual {
    fn now(&self) -> Span {
        *self.0.lock().unwrap()
    }

    fn wall(&self) -> Timestamp {
        let start = "2030-01-01T00:00:00.9Z".parse().unwrap();
        wall_shifted(start, self.now())
    }
}

pub(crate) struct Rig {
    pub(crate) clock: Arc<Manual>,
    pub(crate) tap: Tap,
    pub(crate) events: UnboundedReceiver<TapEvent>,
    pub(crate) case: CaseKey,
    pub(crate) base_url: String,
    replay: Option<Replay>,
}

impl Rig {
    pub(crate) async fn open(plan: CasePlan) -> Self {
        let replay = Replay::start().await;
        let mut rig = Self::behind(replay.board(), replay.address(), plan).await;
        rig.replay = Some(replay);
        rig
    }

    /// A rig whose answers are decided at `upstream`.
    pub(crate) async fn behind(board: Arc<Board>, upstream: SocketAddr, plan: CasePlan) -> Self {
        let (tap, events) = Tap::new(board, upstream);
        let clock = Arc::new(Manual(Mutex::new(Span::ZERO)));
        let case_clock: Arc<dyn CaseClock> = Arc::<Manual>::clone(&clock);
        let origin = tap.open(&plan, case_clock).await.unwrap();
        Self {
            clock,
            tap,
            events,
            case: origin.key,
            base_url: origin.base_url,
            replay: None,
        }
    }

    /// A rig with one call, no prefix, and these steps.
    pub(crate) async fn with(script: Vec<PlannedStep>) -> Self {
        Self::open(plan(script)).await
    }

    /// Host and port.
    pub(crate) fn host(&self) -> &str {
        let rest = self.base_url.strip_prefix("http://").unwrap();
        rest.split('/').next().unwrap()
    }

    pub(crate) async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.host()).await.unwrap()
    }

    /// Sends bytes on a connection of their own and reads until its end.
    pub(crate) async fn exchange(&self, request: &str) -> String {
        let mut client = self.connect().await;
        client.write_all(request.as_bytes()).await.unwrap();
        read_to_end(&mut client).await
    }

    pub(crate) async fn get(&self, target: &str) -> String {
        let request = format!("GET {target} HTTP/1.1\r\nHost: {}\r\n\r\n", self.host());
        self.exchange(&request).await
    }

    /// The next event for which `wanted` has an answer.
    pub(crate) async fn event<T>(&mut self, wanted: impl Fn(&TapEvent) -> Option<T>) -> T {
        loop {
            let event = self.events.recv().await.unwrap();
            if let Some(found) = wanted(&event) {
                return found;
            }
        }
    }

    /// The next reply that waits for its release.
    pub(crate) async fn delayed(&mut self) -> (ExchangeId, Span) {
        self.event(|event| match event {
            TapEvent::Delayed {
                exchange, until, ..
            } => Some((*exchange, *until)),
            _ => None,
        })
        .await
    }

    pub(crate) async fn stalled(&mut self) -> ExchangeId {
        self.event(|event| match event {
            TapEvent::Stalled { exchange, .. } => Some(*exchange),
            _ => None,
        })
        .await
    }

    /// The request that was cut when a connection closed.
    pub(crate) async fn closed(&mut self) -> Option<ExchangeId> {
        self.event(|event| match event {
            TapEvent::ConnectionClosed { cut, .. } => Some(*cut),
            _ => None,
        })
        .await
    }

    /// Waits until the exchanges look as wanted.
    pub(crate) async fn until(&self, wanted: impl Fn(&[Exchange]) -> bool) -> Vec<Exchange> {
        loop {
            let exchanges = self.tap.exchanges(self.case);
            if wanted(&exchanges) {
                return exchanges;
            }
            tokio::task::yield_now().await;
        }
    }

    pub(crate) fn exchanges(&self) -> Vec<Exchange> {
        self.tap.exchanges(self.case)
    }
}

pub(crate) async fn read_to_end(client: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    client.read_to_end(&mut bytes).await.unwrap();
    String::from_utf8(bytes).unwrap()
}

/// One reply whose body has a told length.
pub(crate) async fn read_reply(client: &mut TcpStream) -> String {
    let mut text = String::new();
    loop {
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.split_once("content-length: ").unwrap().1;
            let length: usize = length.lines().next().unwrap().parse().unwrap();
            if body.len() >= length {
                return text;
            }
        }
        text.push(char::from(client.read_u8().await.unwrap()));
    }
}

pub(crate) fn step(status: u16) -> PlannedStep {
    PlannedStep {
        status,
        headers: Vec::new(),
        body: PlannedBody {
            content_type: Some("application/json".into()),
            text: TokenText::literal("{\"a\":1}"),
        },
        times: Times::Exactly(1),
        route: None,
        delay: None,
        presence: Presence::Required,
        owner: None,
        fault: None,
        spelling: Spelling::Lower,
    }
}

pub(crate) fn told(name: &str, value: &str) -> PlannedHeader {
    tokens(name, vec![Piece::Text(value.into())])
}

pub(crate) fn tokens(name: &str, pieces: Vec<Piece>) -> PlannedHeader {
    PlannedHeader {
        name: name.into(),
        value: TokenText(pieces),
    }
}

pub(crate) fn call(id: &str, mark: &str) -> PlannedAction {
    PlannedAction {
        at: Span::ZERO,
        action: Action::Call(PlannedCall {
            id: id.into(),
            verb: Verb::Read,
            mark: mark.into(),
            cancel: None,
            auth: None,
        }),
    }
}

pub(crate) fn plan(script: Vec<PlannedStep>) -> CasePlan {
    CasePlan {
        case: "c1".into(),
        loop_id: LoopId::new("operation"),
        params: std::collections::BTreeMap::new(),
        seed: 1,
        clock: ClockPlan {
            kind: ClockKind::Injected,
            wall: Timestamp::UNIX_EPOCH,
            tick: None,
            steps: Vec::new(),
            date_window: DateWindow::Free,
        },
        actions: vec![call("a", "1000001")],
        script,
        prefix: PrefixMode::None,
        bounds: Bounds {
            horizon: Span::from_secs(3600),
            quiet_until: None,
            tail: Span::from_secs(3600),
            events: 50_000,
            real_time: Span::from_secs(20),
            watch: None,
        },
    }
}
