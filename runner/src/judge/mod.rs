//! The judge: expectation × observation → differences, diagnosis, verdict.

mod authored;
mod call;
mod clauses;
mod compare;
mod diagnose;
mod lines;
mod measure;
mod recorded;
mod report;
mod requests;
mod tolerance;
mod verdict;
mod view;
mod waits;
mod words;

pub use authored::{Mismatch, allowed, authored};
pub use compare::{judge, unpredicted};
pub use diagnose::{Hypotheses, diagnose, shows_defect, shows_pair, signature};
pub use lines::{expected_lines, observed_lines};
pub use measure::without_noise;
pub use recorded::{recorded_text, shows_recorded};
pub use report::CaseReport;
pub use tolerance::{
    READINGS, REAL_EARLY, REAL_LATE, VIRTUAL_DATE_EARLY, VIRTUAL_LATE, VIRTUAL_LATE_JVM,
    VIRTUAL_LATE_MILLISECOND, VIRTUAL_LATE_NODE, VIRTUAL_LATE_PYTHON_LOOP, case_tolerance,
    case_visibility, tolerance, visibility,
};
pub use verdict::{Diagnosis, Difference, Side, Topic, Verdict};
pub use words::{expected_words, outcome_words};
