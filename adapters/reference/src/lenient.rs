//! Dates that RFC 9110 does not allow, read by the defect `lenient-dates`.

use crate::dates::{Civil, MONTHS, WEEKDAYS, Year, fixed_digits, time_of_day};

/// Reads whatever names a day, a month and a year.
pub(crate) fn read(value: &str) -> Option<Civil> {
    iso_8601(value).or_else(|| words(value))
}

fn iso_8601(value: &str) -> Option<Civil> {
    let instant = value.parse::<jiff::Timestamp>().ok()?;
    let civil = jiff::tz::Offset::UTC.to_datetime(instant);
    let midnight = i64::from(civil.hour()) * 3_600 + i64::from(civil.minute()) * 60;
    Some(Civil {
        year: Year::Full(civil.year().into()),
        month: civil.month().into(),
        day: civil.day().into(),
        time: midnight + i64::from(civil.second()),
        weekday: None,
        offset: 0,
    })
}

#[derive(Default)]
struct Found {
    year: Option<Year>,
    month: Option<i64>,
    day: Option<i64>,
    time: Option<i64>,
    weekday: Option<i64>,
    offset: Option<i64>,
}

fn words(value: &str) -> Option<Civil> {
    let mut found = Found::default();
    for word in value.split([' ', ',']).filter(|word| !word.is_empty()) {
        let is_dashed_date = word.contains('-') && word.contains(|c: char| c.is_ascii_alphabetic());
        if is_dashed_date {
            word.split('-').try_for_each(|part| found.take(part))?;
        } else {
            found.take(word)?;
        }
    }
    Some(Civil {
        year: found.year?,
        month: found.month?,
        day: found.day?,
        time: found.time.unwrap_or(0),
        weekday: found.weekday,
        offset: found.offset.unwrap_or(0),
    })
}

impl Found {
    /// Takes one word in, or refuses the whole date.
    fn take(&mut self, word: &str) -> Option<()> {
        if word.contains(':') {
            self.time = Some(time_of_day(word)?);
        } else if let Some(offset) = zone_offset(word) {
            self.offset = Some(offset);
        } else if let Some(year) = fixed_digits(word, 4) {
            self.year = Some(Year::Full(year));
        } else if let Some(number) = fixed_digits(word, 2).or_else(|| fixed_digits(word, 1)) {
            match self.day {
                None => self.day = Some(number),
                Some(_) => self.year = Some(Year::LastTwoDigits(number)),
            }
        } else if let Some(index) = index_of(&MONTHS, word) {
            self.month = Some(index + 1);
        } else if let Some(index) = index_of(&WEEKDAYS, word) {
            self.weekday = Some(index);
        } else {
            let is_zone_name = (1..=5).contains(&word.len())
                && word.bytes().all(|byte| byte.is_ascii_alphabetic());
            is_zone_name.then_some(())?;
        }
        Some(())
    }
}

/// Any case, whole or the first three letters.
fn index_of(names: &[&str], word: &str) -> Option<i64> {
    let index = names
        .iter()
        .position(|name| name.eq_ignore_ascii_case(word) || name[..3].eq_ignore_ascii_case(word))?;
    i64::try_from(index).ok()
}

/// `+0530` in seconds; of the names with an offset RFC 5322's best known.
fn zone_offset(word: &str) -> Option<i64> {
    if word.eq_ignore_ascii_case("EST") {
        return Some(-5 * 3_600);
    }
    let (sign, digits) = match word.strip_prefix('+') {
        Some(digits) => (1, digits),
        None => (-1, word.strip_prefix('-')?),
    };
    let number = fixed_digits(digits, 4)?;
    Some(sign * (number / 100 * 3_600 + number % 100 * 60))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::behaviour::Dates;

    fn instant(value: &str) -> Option<i128> {
        let date = read(value)?;
        let year = match date.year {
            Year::Full(year) => year,
            Year::LastTwoDigits(digits) => 1900 + digits,
        };
        let moment = date.moment(year, &Dates::default())?;
        Some(moment.instant.floor_secs())
    }

    #[test]
    fn every_odd_spelling_of_one_moment_is_read() {
        for value in [
            "sun, 06 nov 1994 08:49:37 gmt",
            "Sun, 06 Nov 1994 08:49:37 +0000",
            "Sun, 06 Nov 1994 10:49:37 +0200",
            "Sun, 06 Nov 1994 08:49:37 UTC",
            "Sun, 06 Nov 1994 03:49:37 EST",
            "Sun 06 Nov 1994 08:49:37 GMT",
            "06 Nov 1994 08:49:37 GMT",
            "Sun, 06-Nov-1994 08:49:37 GMT",
            "Sun, 6 Nov 1994 08:49:37 GMT",
            "1994-11-06T08:49:37Z",
        ] {
            assert_eq!(instant(value), Some(784_111_777), "{value}");
        }
        assert_eq!(instant("Jan 1 2099"), Some(4_070_908_800));
    }

    #[test]
    fn what_names_no_day_is_still_refused() {
        for value in [
            "",
            "120junk",
            "junk",
            "-5",
            "1.5",
            "Sun, 30 Feb 2030 00:00:20 GMT",
            "2099",
        ] {
            assert_eq!(instant(value), None, "{value}");
        }
    }
}
