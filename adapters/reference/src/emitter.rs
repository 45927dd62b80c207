//! The one way out: messages become lines behind the tag.

use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};

use crate::protocol::Outgoing;

/// Writes messages, in the order in which they are given, to the writer.
#[derive(Clone, Debug)]
pub(crate) struct Emitter {
    lines: UnboundedSender<String>,
    tag: String,
}

impl Emitter {
    /// An emitter and the lines that come out of it, line end included.
    pub(crate) fn new(tag: String) -> (Self, UnboundedReceiver<String>) {
        let (lines, receiver) = mpsc::unbounded_channel();
        (Self { lines, tag }, receiver)
    }

    pub(crate) fn emit(&self, message: &Outgoing) {
        let json = serde_json::to_string(message).expect("messages hold no map with other keys");
        // The writer is gone only when nobody reads any more.
        let _ = self.lines.send(format!("{}{json}\n", self.tag));
    }
}
