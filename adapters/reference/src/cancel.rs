//! The caller's handle to end a call.

use std::sync::Arc;

use tokio::sync::watch;

/// A flag that is raised once and can be awaited.
#[derive(Clone, Debug)]
pub(crate) struct CancelHandle(Arc<watch::Sender<bool>>);

impl CancelHandle {
    pub(crate) fn new() -> Self {
        Self(Arc::new(watch::Sender::new(false)))
    }

    pub(crate) fn cancel(&self) {
        self.0.send_replace(true);
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        *self.0.borrow()
    }

    /// Returns once the flag is raised.
    pub(crate) async fn cancelled(&self) {
        let mut flag = self.0.subscribe();
        // The sender lives in `self`, so that waiting cannot fail.
        let _ = flag.wait_for(|raised| *raised).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn whoever_waits_is_woken_before_and_after() {
        let handle = CancelHandle::new();
        assert!(!handle.is_cancelled());
        let waiting = tokio::spawn({
            let handle = handle.clone();
            async move { handle.cancelled().await }
        });
        tokio::task::yield_now().await;
        handle.cancel();
        waiting.await.unwrap();
        handle.cancelled().await;
        assert!(handle.is_cancelled());
    }
}
