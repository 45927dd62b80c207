use std::net::SocketAddr;
use std::sync::Arc;

use wiremock::matchers::any;
use wiremock::{Mock, MockServer};

use super::responder::Responder;
use crate::tap::Board;

/// One wiremock server, for all cases of a world.
pub struct Replay {
    board: Arc<Board>,
    address: SocketAddr,
    /// Taken when this is dropped.
    server: Option<MockServer>,
}

impl Replay {
    /// Starts wiremock on a port of its own, never from its pool, and without
    /// recording: the tap records.
    pub async fn start() -> Self {
        let board = Arc::new(Board::default());
        let server = MockServer::builder()
            .disable_request_recording()
            .start()
            .await;
        let responder = Responder::new(Arc::clone(&board));
        Mock::given(any())
            .respond_with(responder)
            .mount(&server)
            .await;
        Self {
            board,
            address: *server.address(),
            server: Some(server),
        }
    }

    /// Where the tap leaves its questions.
    pub fn board(&self) -> Arc<Board> {
        Arc::clone(&self.board)
    }

    /// Where wiremock listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Replay {
    fn drop(&mut self) {
        if let Some(server) = self.server.take() {
            // wiremock blocks in its own drop, which a thread of a runtime must not.
            std::thread::spawn(move || drop(server));
        }
    }
}
