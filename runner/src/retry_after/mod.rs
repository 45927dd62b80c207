//! Reading a told wait: the reference reader, parametrised by a row of table
//! 6.3 and by the deviations that defects make.

mod dates;
mod digits;
mod lenient;
mod read;
mod reading;
#[cfg(test)]
mod tests;

pub use dates::WallReading;
pub use read::{Told, ToldForm, read};
pub use reading::{DateRules, DigitRules, ListRule, Reading, Switch};
