//! A small HTTP server that a tree talks to: it answers as it is told, holds
//! the clock while it works, and notes what it sees, when.

use std::collections::HashMap;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime};

use holdoff_vtime::{Clock, Connections, EventId, Fired, Hold};

/// Bytes that a socket takes without its reader, at the least.
const LARGE: usize = 65_536;

/// What the server does with a request.
#[derive(Clone, Debug)]
pub enum Answer {
    Reply(Reply),
    /// Nothing, ever.
    Silence,
}

/// An answer, by its parts.
#[derive(Clone, Debug)]
pub struct Reply {
    pub status: u16,
    pub retry_after: Option<String>,
    pub body: Vec<u8>,
    /// From the request to the head.
    pub delay: Duration,
    /// From the head to the body.
    pub pause: Duration,
    pub then: Then,
}

/// What becomes of the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    Close,
    Keep,
}

impl Reply {
    pub fn new(status: u16) -> Self {
        Self {
            status,
            retry_after: None,
            body: b"done".to_vec(),
            delay: Duration::ZERO,
            pause: Duration::ZERO,
            then: Then::Close,
        }
    }
}

/// Something that the server saw or did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// The first byte of a request came.
    FirstByte,
    /// The head of a request was there.
    Head,
    /// All of a request was there.
    Request,
    /// The first byte of an answer is about to be sent.
    Reply,
    /// The first byte of its body is.
    Body,
    /// The client closed the connection before it had an answer.
    Abandoned,
}

/// An entry of the server's log.
#[derive(Clone, Debug)]
pub struct Seen {
    pub what: What,
    pub path: String,
    pub at: Duration,
    pub wall: SystemTime,
}

/// A request: its path, and how many came for it before. With the clock, for
/// answers that name an instant.
pub type Script = dyn Fn(&str, usize, &Clock) -> Answer + Send + Sync;

/// A server on a port of its own, until it is dropped.
pub struct Server {
    shared: Arc<Shared>,
    address: SocketAddr,
    acceptor: Option<JoinHandle<()>>,
}

struct Shared {
    script: Box<Script>,
    clock: OnceLock<Clock>,
    log: Mutex<Vec<Seen>>,
    open: Mutex<Open>,
    delays: Mutex<HashMap<EventId, SyncSender<Hold>>>,
}

#[derive(Default)]
struct Open {
    streams: HashMap<(SocketAddr, SocketAddr), TcpStream>,
    workers: Vec<JoinHandle<()>>,
    is_closing: bool,
}

impl Server {
    /// Starts one that answers as the script says.
    ///
    /// # Errors
    /// If there is no port.
    pub fn start(
        script: impl Fn(&str, usize, &Clock) -> Answer + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            script: Box::new(script),
            clock: OnceLock::new(),
            log: Mutex::default(),
            open: Mutex::default(),
            delays: Mutex::default(),
        });
        let acceptor = {
            let shared = Arc::clone(&shared);
            std::thread::spawn(move || shared.accept(&listener))
        };
        Ok(Self {
            shared,
            address,
            acceptor: Some(acceptor),
        })
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// For [`holdoff_vtime::Options::connections`].
    pub fn connections(&self) -> Connections {
        let shared = Arc::clone(&self.shared);
        Connections::new(move || lock(&shared.open).streams.keys().copied().collect())
    }

    /// Names the clock that requests are stamped by; they wait for it.
    pub fn set_clock(&self, clock: &Clock) {
        // There is one clock, and it is named once.
        let _ = self.shared.clock.set(clock.clone());
    }

    /// A delay is over.
    pub fn fired(&self, fired: Fired) {
        if let Some(waiting) = lock(&self.shared.delays).remove(&fired.event) {
            // Whoever waited may have gone.
            let _ = waiting.send(fired.hold);
        }
    }

    /// What was seen so far.
    pub fn log(&self) -> Vec<Seen> {
        lock(&self.shared.log).clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        lock(&self.shared.open).is_closing = true;
        lock(&self.shared.delays).clear();
        // Wakes the acceptor.
        let _ = TcpStream::connect(self.address);
        if let Some(acceptor) = self.acceptor.take() {
            let _ = acceptor.join();
        }
        let workers = {
            let mut open = lock(&self.shared.open);
            for stream in open.streams.values() {
                let _ = stream.shutdown(Shutdown::Both);
            }
            std::mem::take(&mut open.workers)
        };
        for worker in workers {
            let _ = worker.join();
        }
    }
}

impl Shared {
    fn accept(self: &Arc<Self>, listener: &TcpListener) {
        while let Ok((stream, peer)) = listener.accept() {
            let mut open = lock(&self.open);
            if open.is_closing {
                return;
            }
            let (Ok(local), Ok(copy)) = (stream.local_addr(), stream.try_clone()) else {
                continue;
            };
            open.streams.insert((local, peer), copy);
            let shared = Arc::clone(self);
            open.workers.push(std::thread::spawn(move || {
                // A client that goes away is no fault of the server.
                let _ = shared.serve(&stream);
                drop(stream);
                lock(&shared.open).streams.remove(&(local, peer));
            }));
        }
    }

    fn serve(&self, stream: &TcpStream) -> io::Result<()> {
        stream.set_nodelay(true)?;
        let mut bytes = Vec::new();
        loop {
            let Some(path) = self.read_request(stream, &mut bytes)? else {
                return Ok(());
            };
            let hold = self.clock().hold();
            self.note(What::Request, &path);
            let before = self.count(What::Request, &path) - 1;
            let then = match (self.script)(&path, before, self.clock()) {
                Answer::Reply(reply) => self.reply(stream, &path, &reply, hold)?,
                Answer::Silence => {
                    drop(hold);
                    Then::Keep
                }
            };
            if then == Then::Close {
                return Ok(());
            }
        }
    }

    /// Reads a request, of which `bytes` have come already. None: nothing came.
    fn read_request(
        &self,
        mut stream: &TcpStream,
        bytes: &mut Vec<u8>,
    ) -> io::Result<Option<String>> {
        let mut head = None;
        let mut has_begun = false;
        loop {
            if !bytes.is_empty() && !has_begun {
                has_begun = true;
                self.note(What::FirstByte, "");
            }
            if head.is_none()
                && let Some(end) = find(bytes, b"\r\n\r\n")
            {
                let text = String::from_utf8_lossy(&bytes[..end]).into_owned();
                let path = text.split(' ').nth(1).unwrap_or_default().to_owned();
                self.name(&path);
                self.note(What::Head, &path);
                head = Some((end + 4 + content_length(&text), path));
            }
            if let Some((end, path)) = &head
                && bytes.len() >= *end
            {
                bytes.drain(..end);
                return Ok(Some(path.clone()));
            }
            let mut more = [0; 16_384];
            match stream.read(&mut more) {
                Ok(0) => break,
                Ok(count) => bytes.extend_from_slice(&more[..count]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        self.note(What::Abandoned, "");
        Ok(None)
    }

    fn reply(
        &self,
        mut stream: &TcpStream,
        path: &str,
        reply: &Reply,
        hold: Hold,
    ) -> io::Result<Then> {
        let Some(hold) = self.delay(hold, reply.delay) else {
            return Ok(Then::Close);
        };
        let mut head = format!(
            "HTTP/1.1 {} Scripted\r\nContent-Type: text/plain\r\nContent-Length: {}\r\n",
            reply.status,
            reply.body.len()
        );
        if let Some(value) = &reply.retry_after {
            head += &format!("Retry-After: {value}\r\n");
        }
        if reply.then == Then::Close {
            head += "Connection: close\r\n";
        }
        head += "\r\n";
        self.note(What::Reply, path);
        if reply.pause.is_zero() {
            let whole = [head.as_bytes(), &reply.body].concat();
            // A client that does not read must not keep the clock.
            let mut hold = Some(hold);
            if whole.len() > LARGE {
                hold = None;
            }
            stream.write_all(&whole)?;
            drop(hold);
            return Ok(reply.then);
        }
        stream.write_all(head.as_bytes())?;
        let Some(_hold) = self.delay(hold, reply.pause) else {
            return Ok(Then::Close);
        };
        self.note(What::Body, path);
        stream.write_all(&reply.body)?;
        Ok(reply.then)
    }

    /// Waits on the tree's clock. None: the server is about to close.
    fn delay(&self, hold: Hold, delay: Duration) -> Option<Hold> {
        if delay.is_zero() {
            return Some(hold);
        }
        let (waiting, fired) = sync_channel(1);
        {
            let mut delays = lock(&self.delays);
            let at = self.clock().now() + delay;
            delays.insert(self.clock().schedule(at), waiting);
        }
        drop(hold);
        fired.recv().ok()
    }

    fn clock(&self) -> &Clock {
        self.clock.wait()
    }

    fn note(&self, what: What, path: &str) {
        let clock = self.clock();
        let seen = Seen {
            what,
            path: path.to_owned(),
            at: clock.now(),
            wall: clock.wall(),
        };
        lock(&self.log).push(seen);
    }

    /// The path of a first byte is known later.
    fn name(&self, path: &str) {
        let mut log = lock(&self.log);
        let unnamed = |seen: &&mut Seen| seen.what == What::FirstByte && seen.path.is_empty();
        if let Some(first) = log.iter_mut().rev().find(unnamed) {
            path.clone_into(&mut first.path);
        }
    }

    fn count(&self, what: What, path: &str) -> usize {
        let log = lock(&self.log);
        log.iter()
            .filter(|seen| seen.what == what && seen.path == path)
            .count()
    }
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes
        .windows(wanted.len())
        .position(|window| window == wanted)
}

fn content_length(head: &str) -> usize {
    let value = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length")
            .then(|| value.trim().parse().ok())?
    });
    value.unwrap_or(0)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
