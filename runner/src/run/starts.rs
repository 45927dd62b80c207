//! [`Starts`]: where the wall clock of each case begins.

use jiff::Timestamp;
use jiff::civil::date;
use jiff::tz::Offset;

use crate::fixture::Case;
use crate::model::{Span, wall_shifted};

/// Months from January 2030 to December 2049: no case begins later. Readers of
/// two-digit years that take those from 50 on (JavaScript), or from 69 on
/// (POSIX), for years of the 1900s must not fail according to the place of a
/// case in its run: alone it would pass.
const MONTHS: usize = 20 * 12;

/// Wall clocks for the cases of one process, each later than the last.
///
/// All of them are the first of a month at midnight or later on that day:
/// whether a date's day has one digit or two must not depend on the order of
/// cases.
#[derive(Clone, Copy, Debug)]
pub struct Starts {
    slots: usize,
}

impl Starts {
    /// For so many openings of a case.
    pub fn new(slots: usize) -> Self {
        Self { slots }
    }

    /// The `slot`th start, from 0.
    pub fn at(&self, slot: usize) -> Timestamp {
        let per_month = self.slots.div_ceil(MONTHS).max(1);
        let month = (slot / per_month).min(MONTHS - 1);
        let year = i16::try_from(month / 12).expect("at most 20") + 2030;
        let month_of_year = i8::try_from(month % 12).expect("below 12") + 1;
        let midnight = date(year, month_of_year, 1).at(0, 0, 0, 0);
        let first = Offset::UTC
            .to_timestamp(midnight)
            .expect("years from 2030 to 2049 are representable");
        let within = 86_400 / per_month * (slot % per_month);
        wall_shifted(
            first,
            Span::from_secs(i128::try_from(within).unwrap_or_default()),
        )
    }
}

/// The start of a case in a process of its own, and the one that `check` and
/// `explain` derive for.
pub fn canonical() -> Timestamp {
    Timestamp::constant(1_893_456_000, 0)
}

/// Where a case's wall clock begins: its own start or `otherwise`, at the
/// phase that it chose.
pub fn start_of(case: &Case, otherwise: Timestamp) -> Timestamp {
    let start = case.clock.start.unwrap_or(otherwise);
    wall_shifted(start, case.clock.phase.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_start_is_later_on_a_first_and_before_any_pivot_of_two_digit_years() {
        for slots in [1, 12, 240, 241, 586, 5_000] {
            let starts = Starts::new(slots);
            let all: Vec<_> = (0..slots).map(|slot| starts.at(slot)).collect();
            assert!(all.is_sorted_by(|a, b| a < b), "{slots}");
            for start in all {
                let zoned = Offset::UTC.to_datetime(start);
                assert_eq!(zoned.day(), 1);
                assert!(zoned.year() < 2050);
            }
        }
        assert_eq!(Starts::new(3).at(0), canonical());
    }
}
