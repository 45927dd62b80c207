//! [`Live`]: an adapter that has said hello, with its clock.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use holdoff_vtime::{Connections, Limits};

use super::mock::Mock;
use crate::adapter::{AdapterFault, LaunchSpec, OpenRequest, Opened, OwnedTime, Session};
use crate::model::Span;
use crate::tap::Wires;

/// Real time that an adapter may take to exit in good order.
const EXIT: Duration = Duration::from_secs(2);

/// The connections of the mock server at hand, for a clock that must know
/// whether bytes are under way. The server is replaced now and then; a process
/// tree is told of its connections once.
#[derive(Clone)]
pub(super) struct SharedWires(Arc<Mutex<Wires>>);

impl SharedWires {
    pub(super) fn of(mock: &Mock) -> Self {
        Self(Arc::new(Mutex::new(mock.tap.wires())))
    }

    pub(super) fn replace(&self, mock: &Mock) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = mock.tap.wires();
    }

    fn connections(&self) -> Connections {
        let shared = Arc::clone(&self.0);
        Connections::new(move || {
            let wires = shared.lock().unwrap_or_else(PoisonError::into_inner);
            wires.list()
        })
    }
}

/// An adapter that has said hello, with its clock if it lives under one of its
/// own. Between cases that clock stands.
pub(super) struct Live {
    pub(super) session: Session,
    pub(super) time: Option<OwnedTime>,
}

impl Live {
    pub(super) async fn start(
        spec: &LaunchSpec,
        wires: &SharedWires,
    ) -> Result<Self, AdapterFault> {
        let (session, time) = Session::start_among(spec, wires.connections()).await?;
        Ok(Self { session, time })
    }

    /// Makes one client for one case. A clock that stops meanwhile is the
    /// adapter's fault: nobody has called anything yet.
    pub(super) async fn open(&mut self, request: OpenRequest) -> Result<Opened, AdapterFault> {
        match &mut self.time {
            Some(time) => time.until(self.session.open(request)).await,
            None => self.session.open(request).await,
        }
    }

    /// Ends the open case.
    pub(super) async fn end(&mut self, limit: Span) -> Result<(), AdapterFault> {
        let Some(time) = &mut self.time else {
            return self.session.end(limit).await;
        };
        let ended = time.until(self.session.end(limit)).await;
        // What it told meanwhile is of no case.
        while time.reports.try_recv().is_ok() {}
        ended
    }

    /// How far its clock has gone.
    pub(super) fn age(&self) -> Duration {
        self.time
            .as_ref()
            .map_or(Duration::ZERO, |time| time.clock.now())
    }

    /// Asks the process to exit, and ends it if it does not.
    pub(super) async fn shutdown(self) {
        if let Some(time) = &self.time {
            time.clock.run(Limits {
                real_time: EXIT,
                ..Limits::default()
            });
        }
        self.session.shutdown().await;
    }
}
