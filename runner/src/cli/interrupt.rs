//! The runtime, and Ctrl-C.

use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;

use super::failure::Failure;

/// A runtime for one command.
pub(super) fn runtime() -> Result<Runtime, Failure> {
    Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::Harness(format!("no runtime: {error}")))
}

/// Turns true at the first Ctrl-C.
pub(super) fn interrupt() -> watch::Receiver<bool> {
    let (sender, receiver) = watch::channel(false);
    tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            let _ = sender.send(true);
        }
        sender.closed().await;
    });
    receiver
}
