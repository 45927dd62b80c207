//! A process beside a tree that must not learn of it.

use std::io;
use std::process::{Child, Command, Stdio};

use super::trials::{Checked, require};

/// A process of ours that only reads a pipe; killed when dropped.
pub struct Bystander(Child);

impl Bystander {
    /// Starts one.
    ///
    /// # Errors
    /// If there is no `cat`.
    pub fn start() -> io::Result<Self> {
        let mut command = Command::new("cat");
        command.stdin(Stdio::piped()).stdout(Stdio::null());
        command.spawn().map(Self)
    }

    /// Fails unless it waits as it did, untraced.
    pub fn is_untouched(&mut self) -> Checked {
        let ended = self.0.try_wait()?;
        require(ended.is_none(), || format!("a bystander ended: {ended:?}"))?;
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.0.id()))?;
        let line = |name: &str| {
            let found = status.lines().find_map(|line| line.strip_prefix(name));
            found.unwrap_or_default().trim().to_owned()
        };
        let (tracer, state) = (line("TracerPid:"), line("State:"));
        require(tracer == "0" && !state.starts_with(['T', 't']), || {
            format!("a bystander is in state {state}, traced by {tracer}")
        })
    }
}

impl Drop for Bystander {
    fn drop(&mut self) {
        // One that is gone cannot be killed, and need not be.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
