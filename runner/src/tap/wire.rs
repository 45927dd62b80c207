use std::io;
use std::net::Shutdown;
use std::sync::Arc;
use std::time::Duration;

use socket2::SockRef;
use tokio::net::TcpStream;

use super::clock::CaseClock;
use crate::model::Span;

/// How much is read at once.
const CHUNK: usize = 64 * 1024;

/// While a reply is held, at most so much is read ahead of the next request.
const READ_AHEAD: usize = 8 * 1024 * 1024;

/// What a client still sends after the last reply is discarded up to here, so
/// that it can read that reply instead of a reset.
const DRAINED: u64 = 1024 * 1024 * 1024;

/// One client connection: bytes that were read and not used, with the instant
/// at which the last of them came.
pub(super) struct Wire {
    stream: Arc<TcpStream>,
    clock: Arc<dyn CaseClock>,
    pub(super) buffer: Vec<u8>,
    pub(super) last_read: Span,
}

/// Whether bytes came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Filled {
    /// Some came.
    More,
    /// The other side has closed.
    Closed,
}

impl Wire {
    pub(super) fn new(stream: Arc<TcpStream>, clock: Arc<dyn CaseClock>) -> Self {
        Self {
            stream,
            clock,
            buffer: Vec::new(),
            last_read: Span::ZERO,
        }
    }

    /// Reads what there is, waiting for the first of it. A reset counts as
    /// closed. Dropping this before it is done loses nothing.
    pub(super) async fn fill(&mut self) -> Filled {
        loop {
            if self.stream.readable().await.is_err() {
                return Filled::Closed;
            }
            self.buffer.reserve(CHUNK);
            match self.stream.try_read_buf(&mut self.buffer) {
                Ok(0) => return Filled::Closed,
                Ok(_) => {
                    self.last_read = self.clock.now();
                    return Filled::More;
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(_) => return Filled::Closed,
            }
        }
    }

    /// Waits until the other side has closed. A client that closes only its
    /// sending half and waits for a late reply looks the same and is given up.
    pub(super) async fn closed(&mut self) {
        while self.buffer.len() < READ_AHEAD {
            if self.fill().await == Filled::Closed {
                return;
            }
        }
        std::future::pending().await
    }

    /// Takes the first `count` bytes.
    pub(super) fn take(&mut self, count: usize) -> Vec<u8> {
        let rest = self.buffer.split_off(count.min(self.buffer.len()));
        std::mem::replace(&mut self.buffer, rest)
    }

    pub(super) async fn write_all(&self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            self.stream.writable().await?;
            match self.stream.try_write(bytes) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => bytes = bytes.get(count..).unwrap_or_default(),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Ends our half of the connection (FIN).
    pub(super) fn finish(&self) {
        // The other side may have been faster; then there is nothing to end.
        let _ = SockRef::from(&*self.stream).shutdown(Shutdown::Write);
    }

    /// Discards what still comes until the other side closes. Closing a socket
    /// with unread bytes resets it, and the reset may overtake the reply.
    pub(super) async fn drain(&mut self) {
        let mut drained = 0;
        while drained < DRAINED {
            drained += u64::try_from(self.buffer.len()).unwrap_or(DRAINED);
            self.buffer.clear();
            if self.fill().await == Filled::Closed {
                return;
            }
        }
    }

    /// Makes the coming close a reset (RST).
    pub(super) fn reset_on_close(&self) {
        let _ = SockRef::from(&*self.stream).set_linger(Some(Duration::ZERO));
    }
}
