//! A server that throttles every other request for half an hour.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use holdoff_vtime::Connections;

#[derive(Default)]
struct Seen {
    requests: Vec<Instant>,
    open: Vec<(SocketAddr, SocketAddr)>,
}

pub(super) struct Server {
    pub(super) address: SocketAddr,
    seen: Arc<Mutex<Seen>>,
}

impl Server {
    pub(super) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let seen = Arc::new(Mutex::new(Seen::default()));
        let shared = Arc::clone(&seen);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                answer(stream, &shared);
            }
        });
        Self { address, seen }
    }

    /// When each request came.
    pub(super) fn requests(&self) -> Vec<Instant> {
        self.seen.lock().unwrap().requests.clone()
    }

    pub(super) fn connections(&self) -> Connections {
        let seen = Arc::clone(&self.seen);
        Connections::new(move || seen.lock().unwrap().open.clone())
    }
}

/// One request a connection, read up to the end of its head.
fn answer(mut stream: TcpStream, seen: &Mutex<Seen>) {
    let ends = (stream.local_addr().unwrap(), stream.peer_addr().unwrap());
    seen.lock().unwrap().open.push(ends);
    let mut head = Vec::new();
    let mut buffer = [0; 4_096];
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read(&mut buffer) {
            Ok(count) if count > 0 => head.extend_from_slice(&buffer[..count]),
            _ => break,
        }
    }
    if !head.is_empty() {
        let mut seen = seen.lock().unwrap();
        let is_throttled = seen.requests.len().is_multiple_of(2);
        seen.requests.push(Instant::now());
        drop(seen);
        let status = if is_throttled {
            "503 Service Unavailable\r\nretry-after: 1800"
        } else {
            "200 OK"
        };
        let reply = format!("HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
        // A client that is gone is counted all the same.
        let _ = stream.write_all(reply.as_bytes());
    }
    seen.lock().unwrap().open.retain(|open| *open != ends);
}
