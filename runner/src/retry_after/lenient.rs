//! What lenient date readers take for a date: a defect, modelled so that it
//! can be named when it is seen.

use jiff::civil::{DateTime, Weekday};

use super::dates::{DateParts, full_year, parts};
use crate::model::{MONTHS, long_day_name, short_day_name};

/// Reads a date in any order of the usual words: names in any letters, with or
/// without commas, dashes, day name and zone; ISO 8601; `Jan 1 2099`.
pub(super) fn read(text: &str, today: DateTime) -> Option<DateParts> {
    if let Some(iso) = iso_8601(text) {
        return Some(iso);
    }
    let mut found = Words::default();
    for word in text.split([' ', ',', '-']).filter(|word| !word.is_empty()) {
        found.take(word)?;
    }
    let time = found.time.unwrap_or((0, 0, 0));
    let date = |year: u32| {
        let parts = parts(found.weekday, year, found.month?, found.day?, time)?;
        Some(DateParts {
            zone: found.zone,
            ..parts
        })
    };
    match (found.year, found.short_year) {
        (Some(year), _) => date(year),
        (None, Some(short)) => date(short).map(|short| DateParts {
            year: full_year(short, today),
            ..short
        }),
        (None, None) => None,
    }
}

#[derive(Default)]
struct Words {
    weekday: Option<Weekday>,
    day: Option<u32>,
    month: Option<i8>,
    year: Option<u32>,
    /// Its last two digits.
    short_year: Option<u32>,
    time: Option<(u32, u32, u32)>,
    /// Hours east of Greenwich.
    zone: i8,
}

impl Words {
    fn take(&mut self, word: &str) -> Option<()> {
        let same = |name: &str| name.eq_ignore_ascii_case(word);
        let weekday = Weekday::Monday
            .cycle_forward()
            .take(7)
            .find(|day| same(short_day_name(*day)) || same(long_day_name(*day)));
        if weekday.is_some() {
            self.weekday = weekday;
        } else if let Some(index) = MONTHS.iter().position(|month| same(month)) {
            self.month = i8::try_from(index + 1).ok();
        } else if word.contains(':') {
            self.time = Some(clock_time(word)?);
        } else if word.bytes().all(|byte| byte.is_ascii_digit()) {
            let number = word.parse().ok()?;
            match word.len() {
                1 | 2 if self.day.is_none() => self.day = Some(number),
                2 => self.short_year = Some(number),
                4 => self.year = Some(number),
                _ => return None,
            }
        } else {
            let zones = [
                ("GMT", 0),
                ("UTC", 0),
                ("UT", 0),
                ("Z", 0),
                ("+0000", 0),
                ("EST", -5),
            ];
            self.zone = zones.iter().find(|(name, _)| same(name))?.1;
        }
        Some(())
    }
}

fn clock_time(word: &str) -> Option<(u32, u32, u32)> {
    let numbers: Vec<u32> = word
        .split(':')
        .map(|part| part.parse().ok())
        .collect::<Option<_>>()?;
    match numbers.as_slice() {
        [hour, minute, second] => Some((*hour, *minute, *second)),
        _ => None,
    }
}

/// `2030-01-01T00:00:20Z`.
fn iso_8601(text: &str) -> Option<DateParts> {
    let (date, time) = text.strip_suffix('Z')?.split_once('T')?;
    let numbers: Vec<u32> = date
        .split('-')
        .map(|part| part.parse().ok())
        .collect::<Option<_>>()?;
    match numbers.as_slice() {
        [year, month, day] => parts(
            None,
            *year,
            i8::try_from(*month).ok()?,
            *day,
            clock_time(time)?,
        ),
        _ => None,
    }
}
