//! How late clients were, and how long they took.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

static KEPT: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Of all repetitions of one client.
#[derive(Default)]
pub(crate) struct Measures {
    /// The most that each kind of wait was late, in nanoseconds.
    late: BTreeMap<&'static str, i128>,
    /// How early dates were.
    earliest: i128,
    real: Vec<Duration>,
}

impl Measures {
    pub(crate) fn late(&mut self, name: &'static str, late: i128) {
        let worst = self.late.entry(name).or_insert(late);
        *worst = late.max(*worst);
        self.earliest = late.min(self.earliest);
    }

    pub(crate) fn ran(&mut self, real: Duration) {
        self.real.push(real);
    }

    /// The shortest that a run has taken so far.
    pub(crate) fn fastest(&self) -> Duration {
        self.real.iter().min().copied().unwrap_or_default()
    }

    /// Keeps a line for the end.
    pub(crate) fn keep(mut self, name: &str) {
        self.real.sort();
        let median = self
            .real
            .get(self.real.len() / 2)
            .copied()
            .unwrap_or_default();
        let worst = self.real.last().copied().unwrap_or_default();
        let late = self
            .late
            .iter()
            .map(|(name, late)| format!("{name} {:.3}", *late as f64 / 1e3));
        let line = format!(
            "{name:<24} {:>3} runs, real median {:>5.0} ms, worst {:>5.0} ms; late by at most, in µs: {}; earliest {:.3}",
            self.real.len(),
            median.as_secs_f64() * 1e3,
            worst.as_secs_f64() * 1e3,
            late.collect::<Vec<_>>().join(", "),
            self.earliest as f64 / 1e3,
        );
        KEPT.lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(line);
    }
}

/// Prints what was kept.
pub(crate) fn print() {
    for line in KEPT.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        eprintln!("{line}");
    }
}
