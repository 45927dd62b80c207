//! [`OwnedTime`]: the clock of an adapter that lives under a virtual one.

use holdoff_vtime::{Clock, Report, Stop};
use tokio::sync::mpsc::UnboundedReceiver;

use super::AdapterFault;
use crate::model::Span;

/// The clock of an adapter's process tree, and what its supervisor tells.
#[derive(Debug)]
pub(crate) struct OwnedTime {
    /// The clock.
    pub(crate) clock: Clock,
    /// In order; the end of the tree is not among them, its pipes tell that.
    pub(crate) reports: UnboundedReceiver<Report>,
}

impl OwnedTime {
    /// Waits for an answer while the clock runs; it stands when there is one, or
    /// when it has stopped by itself.
    pub(crate) async fn until<T>(
        &mut self,
        answer: impl Future<Output = Result<T, AdapterFault>>,
    ) -> Result<T, AdapterFault> {
        let answer = tokio::select! {
            biased;
            answer = answer => answer,
            fault = self.stopped() => Err(fault),
        };
        self.clock.stand();
        answer
    }

    /// Waits until the clock stops by itself; for ever if it does not.
    async fn stopped(&mut self) -> AdapterFault {
        loop {
            match self.reports.recv().await {
                Some(Report::Stopped { stop, .. }) => return fault(&stop),
                Some(Report::Failed(error)) => return AdapterFault::clock(error),
                Some(_) => {}
                None => std::future::pending().await,
            }
        }
    }
}

/// What a stop says of a process that was to answer, and of which no call is
/// running.
fn fault(stop: &Stop) -> AdapterFault {
    match stop {
        Stop::NeverEnded { wait: Some(wait) } => AdapterFault::clock(format_args!(
            "instead of answering it waits for {}",
            Span::from_std(wait.asked)
        )),
        stop => AdapterFault::clock(stop),
    }
}
