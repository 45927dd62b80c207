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
}
