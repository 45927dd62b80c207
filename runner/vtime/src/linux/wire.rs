//! [`Wire`]: whether bytes are between two sockets. A sender that waits for the
//! kernel to send (Nagle's rule, delayed acknowledgements: forty milliseconds of
//! a real timer) looks like rest.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use super::diag::{Held, SocketDiag};
use crate::{Connections, Error};

/// Bytes that do not move for so long are not on their way: somebody does not
/// read them. The longest timer of the kernel that is waited for is 200 ms, the
/// least time to a repeated segment.
const STUCK: Duration = Duration::from_secs(1);

type Connection = (SocketAddr, SocketAddr);

/// The connections between the tree and this process.
#[derive(Debug)]
pub(super) struct Wire {
    diag: SocketDiag,
    connections: Connections,
    /// Connections with bytes on their way: how many, and since when.
    loaded: HashMap<Connection, ([Held; 2], Instant)>,
}

impl Wire {
    pub(super) fn new(connections: Connections) -> Result<Self, Error> {
        Ok(Self {
            diag: SocketDiag::open()?,
            connections,
            loaded: HashMap::new(),
        })
    }

    /// Whether bytes are on their way.
    pub(super) fn is_loaded(&mut self) -> Result<bool, Error> {
        let mut is_loaded = false;
        let connections = self.connections.list();
        self.loaded
            .retain(|connection, _| connections.contains(connection));
        for connection in connections {
            is_loaded |= self.look(connection)?;
        }
        Ok(is_loaded)
    }

    fn look(&mut self, connection: Connection) -> Result<bool, Error> {
        let (local, peer) = connection;
        let ask = |from, to| {
            self.diag.held(from, to).map_err(|errno| Error::System {
                attempted: "ask the kernel about a connection",
                source: errno.into(),
            })
        };
        let ours = ask(local, peer)?;
        // What the other side does not read is its own affair.
        let theirs = Held {
            unread: 0,
            ..ask(peer, local)?
        };
        if ours == Held::default() && theirs == Held::default() {
            self.loaded.remove(&connection);
            return Ok(false);
        }
        let held = [ours, theirs];
        let seen = self
            .loaded
            .entry(connection)
            .or_insert((held, Instant::now()));
        if seen.0 != held {
            *seen = (held, Instant::now());
        }
        Ok(seen.1.elapsed() < STUCK)
    }
}
