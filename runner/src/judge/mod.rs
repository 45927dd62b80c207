//! The judge: expectation × observation → differences, diagnosis, verdict.

mod report;
mod verdict;

pub use report::CaseReport;
pub use verdict::{Diagnosis, Difference, Side, Topic, Verdict};
