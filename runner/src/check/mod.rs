//! Checks on what people write: author against oracle, cases that cannot fail,
//! clauses without a case. Pure: files are read by the caller.

mod cases;
mod clocks;
mod coverage;
mod kills;
mod nominal;
mod report;
#[cfg(test)]
mod tests;

pub use cases::{check, load_errors};
pub use kills::{CaseKills, Matrix};
pub use nominal::{nominal_host, nominal_setting};
pub use report::{CheckReport, Checked};
