use std::collections::BTreeMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinSet};

use super::board::Board;
use super::case::{CaseFile, Phase};
use super::clock::CaseClock;
use super::connection::Connection;
use super::event::{CaseKey, ExchangeId, TapEvent};
use super::flight::Flight;
use super::held::{HeldReplies, HeldReply, Released};
use crate::model::{CasePlan, Exchange};

/// Real time between two looks at a listener that cannot accept.
const ACCEPT_AGAIN: Duration = Duration::from_millis(10);

/// The listeners of one world: one origin a case, all open until this is
/// dropped.
pub struct Tap {
    shared: Arc<Shared>,
    next_case: AtomicU32,
    cases: Mutex<BTreeMap<CaseKey, OpenedCase>>,
}

struct OpenedCase {
    file: Arc<CaseFile>,
    listener: AbortHandle,
}

/// Where a case is served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseOrigin {
    /// The case's name at the tap.
    pub key: CaseKey,
    /// Origin and prefix, without a slash at the end.
    pub base_url: String,
}

/// A client's connection, as long as it is open.
#[derive(Clone, Copy, Debug)]
pub struct TapSocket {
    /// The case.
    pub case: CaseKey,
    /// Number of the connection within the case, from 1.
    pub connection: u32,
    /// Our end and the client's; none: it was closed before it was accepted.
    pub ends: Option<(SocketAddr, SocketAddr)>,
}

/// What all connections of a tap share.
pub(super) struct Shared {
    pub(super) board: Arc<Board>,
    /// Where wiremock listens.
    pub(super) upstream: SocketAddr,
    pub(super) events: mpsc::UnboundedSender<TapEvent>,
    pub(super) flight: Flight,
    pub(super) held: HeldReplies,
    sockets: Mutex<BTreeMap<(CaseKey, u32), TapSocket>>,
}

/// The open client connections of a tap, for whoever must know whether bytes
/// are under way.
#[derive(Clone)]
pub struct Wires(Arc<Shared>);

impl Wires {
    /// Their ends, ours first.
    pub fn list(&self) -> Vec<(SocketAddr, SocketAddr)> {
        let sockets = self.0.sockets();
        sockets.values().filter_map(|socket| socket.ends).collect()
    }
}

impl Tap {
    /// A tap whose answers are decided at `upstream`, through `board`. Its
    /// events come through the receiver.
    pub fn new(
        board: Arc<Board>,
        upstream: SocketAddr,
    ) -> (Self, mpsc::UnboundedReceiver<TapEvent>) {
        let (events, receiver) = mpsc::unbounded_channel();
        let shared = Shared {
            board,
            upstream,
            events,
            flight: Flight::default(),
            held: HeldReplies::default(),
            sockets: Mutex::default(),
        };
        let tap = Self {
            shared: Arc::new(shared),
            next_case: AtomicU32::new(0),
            cases: Mutex::default(),
        };
        (tap, receiver)
    }

    /// Opens a case: a fresh port on 127.0.0.1, and a prefix if the plan says
    /// so. Must be called within a tokio runtime.
    ///
    /// # Errors
    /// If no port can be had.
    pub async fn open(&self, plan: &CasePlan, clock: Arc<dyn CaseClock>) -> io::Result<CaseOrigin> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let origin = format!("http://{}", listener.local_addr()?);
        let key = CaseKey(self.next_case.fetch_add(1, Ordering::Relaxed));
        let file = Arc::new(CaseFile::new(key, plan, clock, origin));
        let base_url = file.base_url();
        let accepting = accept(listener, Arc::clone(&file), Arc::clone(&self.shared));
        let listener = tokio::spawn(accepting).abort_handle();
        self.cases().insert(key, OpenedCase { file, listener });
        Ok(CaseOrigin { key, base_url })
    }

    /// Lets a delayed reply go. From here on its work is in flight.
    pub fn release(&self, exchange: ExchangeId) -> Released {
        let Some(file) = self.file(exchange.case) else {
            return Released::Gone;
        };
        let shared = &self.shared;
        shared.held.release(exchange, &shared.flight, &*file.clock)
    }

    /// The client went on without the reply to a request: the exchange ends
    /// now, even if its connection is closed later or not at all.
    pub fn give_up(&self, exchange: ExchangeId) {
        if let Some(file) = self.file(exchange.case) {
            file.ended(exchange.number, file.clock.now());
        }
    }

    /// Replies of a case that are delayed or stalled now.
    pub fn held(&self, case: CaseKey) -> Vec<HeldReply> {
        self.shared.held.of(case)
    }

    /// Requests that are complete and neither answered, delayed nor stalled, in
    /// all cases. While it is not zero no clock may move.
    pub fn in_flight(&self) -> usize {
        self.shared.flight.count()
    }

    /// Ends a case: held connections are closed without a reply, and what still
    /// comes is late traffic.
    pub fn end(&self, case: CaseKey) {
        if let Some(opened) = self.cases().get(&case) {
            opened.file.phase.send_replace(Phase::Ended);
        }
    }

    /// The exchanges of a case that were not taken yet, in the order of their
    /// first bytes.
    pub fn exchanges(&self, case: CaseKey) -> Vec<Exchange> {
        let file = self.file(case);
        file.map_or_else(Vec::new, |file| file.ledger().all())
    }

    /// Takes the exchanges of a case. What is taken after [`Tap::end`] and an
    /// earlier taking is late traffic.
    pub fn take_exchanges(&self, case: CaseKey) -> Vec<Exchange> {
        let file = self.file(case);
        file.map_or_else(Vec::new, |file| file.ledger().take())
    }

    /// The open client connections of all cases.
    pub fn sockets(&self) -> Vec<TapSocket> {
        self.shared.sockets().values().copied().collect()
    }

    /// The open client connections of all cases, whoever asks.
    pub fn wires(&self) -> Wires {
        Wires(Arc::clone(&self.shared))
    }

    fn file(&self, case: CaseKey) -> Option<Arc<CaseFile>> {
        let cases = self.cases();
        cases.get(&case).map(|opened| Arc::clone(&opened.file))
    }

    fn cases(&self) -> MutexGuard<'_, BTreeMap<CaseKey, OpenedCase>> {
        self.cases.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Tap {
    fn drop(&mut self) {
        for opened in self.cases().values() {
            opened.listener.abort();
        }
    }
}

impl Shared {
    /// Reports an event; nobody listening is no error.
    pub(super) fn tell(&self, event: TapEvent) {
        let _ = self.events.send(event);
    }

    pub(super) fn forget_socket(&self, case: CaseKey, connection: u32) {
        self.sockets().remove(&(case, connection));
    }

    fn sockets(&self) -> MutexGuard<'_, BTreeMap<(CaseKey, u32), TapSocket>> {
        self.sockets.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Accepts connections of one case. They are tasks of this task, so that
/// aborting it closes them all.
async fn accept(listener: TcpListener, file: Arc<CaseFile>, shared: Arc<Shared>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            stream = accepted(|| listener.accept()) => {
                let _ = stream.set_nodelay(true);
                let stream = Arc::new(stream);
                let number = file.ledger().connect();
                let socket = TapSocket {
                    case: file.key,
                    connection: number,
                    ends: stream.local_addr().and_then(|ours| Ok((ours, stream.peer_addr()?))).ok(),
                };
                shared.sockets().insert((file.key, number), socket);
                let connection = Connection::new(Arc::clone(&file), Arc::clone(&shared), stream, number);
                connections.spawn(connection.serve());
            }
            Some(_) = connections.join_next() => {}
        }
    }
}

/// Takes the next connection, however often that fails. A client that is gone
/// before it is accepted is no reason to stop listening, and a process without
/// a free descriptor gets one only when something else ends.
async fn accepted<A>(mut accept: impl FnMut() -> A) -> TcpStream
where
    A: Future<Output = io::Result<(TcpStream, SocketAddr)>>,
{
    loop {
        match accept().await {
            Ok((stream, _)) => return stream,
            Err(_) => tokio::time::sleep(ACCEPT_AGAIN).await,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[tokio::test]
    async fn a_listener_that_fails_is_not_asked_again_at_once_and_not_given_up() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let client = TcpStream::connect(address).await.unwrap();
        let (mut failures, began) = (3, Instant::now());
        let stream = accepted(|| {
            let fails = failures > 0;
            failures -= i32::from(fails);
            let listener = &listener;
            async move {
                if fails {
                    return Err(io::Error::other("no free descriptor"));
                }
                listener.accept().await
            }
        });
        let stream = stream.await;
        assert_eq!(stream.peer_addr().unwrap(), client.local_addr().unwrap());
        assert!(began.elapsed() >= 3 * ACCEPT_AGAIN);
    }
}
