//! A mark in the environment by which every process of a tree is found.

use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use super::trials::{Checked, require};

const VARIABLE: &str = "HOLDOFF_VTIME_MARKER";
/// A process that was killed may take so long to be gone.
const PATIENCE: Duration = Duration::from_secs(2);

/// A mark that no other tree has.
pub struct Marker(String);

impl Marker {
    pub fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let next = NEXT.fetch_add(1, Ordering::Relaxed);
        Self(format!("{}-{next}", std::process::id()))
    }

    /// The mark of a tree that another process runs.
    pub fn from(value: String) -> Self {
        Self(value)
    }

    pub fn value(&self) -> &str {
        &self.0
    }

    /// Marks a command and all that it will start.
    pub fn put_on(&self, command: &mut Command) {
        command.env(VARIABLE, &self.0);
    }

    /// Ids of marked processes that are alive.
    pub fn alive(&self) -> Vec<u32> {
        let wanted = format!("{VARIABLE}={}", self.0);
        let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        processes
            .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
            .filter(|process: &u32| {
                // That of a process which has ended but was not waited for is empty.
                let environment = std::fs::read(format!("/proc/{process}/environ"));
                environment.is_ok_and(|bytes| {
                    bytes
                        .split(|byte| *byte == 0)
                        .any(|entry| entry == wanted.as_bytes())
                })
            })
            .collect()
    }

    /// Fails unless every marked process is gone, now or in a moment.
    pub fn is_gone(&self) -> Checked {
        let since = Instant::now();
        loop {
            let alive = self.alive();
            if alive.is_empty() || since.elapsed() > PATIENCE {
                return require(alive.is_empty(), || {
                    format!("left behind: processes {alive:?}")
                });
            }
            std::thread::yield_now();
        }
    }
}
