//! [`Mock`]: the tap and the wiremock server behind it.

use tokio::sync::mpsc::UnboundedReceiver;

use crate::replay::Replay;
use crate::tap::{Tap, TapEvent};

/// The mock server of a world: what the SDK talks to.
pub(super) struct Mock {
    pub(super) tap: Tap,
    pub(super) events: UnboundedReceiver<TapEvent>,
    /// Decides what the tap answers; dropped after it.
    _replay: Replay,
}

impl Mock {
    pub(super) async fn start() -> Self {
        let replay = Replay::start().await;
        let (tap, events) = Tap::new(replay.board(), replay.address());
        Self {
            tap,
            events,
            _replay: replay,
        }
    }

    /// One whose tap finds nobody who decides.
    #[cfg(test)]
    pub(super) async fn unanswered() -> Self {
        let replay = Replay::start().await;
        let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let (tap, events) = Tap::new(replay.board(), nobody.local_addr().unwrap());
        Self {
            tap,
            events,
            _replay: replay,
        }
    }
}
