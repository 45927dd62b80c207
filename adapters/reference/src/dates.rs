//! The three shapes of an HTTP-date (RFC 9110 §5.6.7).

use crate::behaviour::{Asctime, Dates};
use crate::lenient;
use crate::span::Span;

pub(crate) const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];
pub(crate) const WEEKDAYS: [&str; 7] = [
    "Sunday",
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
];

/// A date as it is written, before it is known whether the day exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Civil {
    pub(crate) year: Year,
    /// 1 to 12.
    pub(crate) month: i64,
    pub(crate) day: i64,
    /// Seconds since midnight.
    pub(crate) time: i64,
    /// 0 is Sunday.
    pub(crate) weekday: Option<i64>,
    /// Seconds east of Greenwich.
    pub(crate) offset: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Year {
    Full(i64),
    LastTwoDigits(i64),
}

/// A date that exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Moment {
    /// Since 1970.
    pub(crate) instant: Span,
    /// 0 is Sunday.
    pub(crate) weekday: i64,
}

/// Reads one of the shapes that the rules allow.
pub(crate) fn read(value: &str, rules: &Dates) -> Option<Civil> {
    let imf = || (!rules.imf_refused).then(|| imf_fixdate(value)).flatten();
    let rfc850 = || (!rules.rfc850_refused).then(|| rfc850(value)).flatten();
    let asctime = || match rules.asctime {
        Asctime::Refused => None,
        Asctime::UnpaddedOnly if value.as_bytes().get(8) == Some(&b' ') => None,
        Asctime::UnpaddedOnly | Asctime::Read => asctime(value),
    };
    let lenient = || rules.lenient.then(|| lenient::read(value)).flatten();
    imf().or_else(rfc850).or_else(asctime).or_else(lenient)
}

/// A bare year as the first of January.
pub(crate) fn bare_year(value: &str) -> Option<Civil> {
    let year = fixed_digits(value, 4).filter(|year| *year >= 1970)?;
    Some(Civil {
        year: Year::Full(year),
        month: 1,
        day: 1,
        time: 0,
        weekday: None,
        offset: 0,
    })
}

/// `Sun, 06 Nov 1994 08:49:37 GMT`.
fn imf_fixdate(value: &str) -> Option<Civil> {
    let (weekday, rest) = value.split_once(", ")?;
    let mut fields = rest.strip_suffix(" GMT")?.split(' ');
    let (day, month) = (fields.next()?, fields.next()?);
    let (year, time) = (fields.next()?, fields.next()?);
    let date = Civil {
        year: Year::Full(fixed_digits(year, 4)?),
        month: month_number(month)?,
        day: fixed_digits(day, 2)?,
        time: time_of_day(time)?,
        weekday: Some(short_weekday(weekday)?),
        offset: 0,
    };
    fields.next().is_none().then_some(date)
}

/// `Sunday, 06-Nov-94 08:49:37 GMT`.
fn rfc850(value: &str) -> Option<Civil> {
    let (weekday, rest) = value.split_once(", ")?;
    let (date, time) = rest.strip_suffix(" GMT")?.split_once(' ')?;
    let mut fields = date.split('-');
    let (day, month, year) = (fields.next()?, fields.next()?, fields.next()?);
    let date = Civil {
        year: Year::LastTwoDigits(fixed_digits(year, 2)?),
        month: month_number(month)?,
        day: fixed_digits(day, 2)?,
        time: time_of_day(time)?,
        weekday: Some(position(&WEEKDAYS, |name| *name == weekday)?),
        offset: 0,
    };
    fields.next().is_none().then_some(date)
}

/// `Sun Nov  6 08:49:37 1994`.
fn asctime(value: &str) -> Option<Civil> {
    if value.len() != 24 || !value.is_ascii() {
        return None;
    }
    let separators = [3, 7, 10, 19].map(|at| value.as_bytes()[at]);
    if separators != *b"    " {
        return None;
    }
    let day = match value[8..10].strip_prefix(' ') {
        Some(digit) => fixed_digits(digit, 1)?,
        None => fixed_digits(&value[8..10], 2)?,
    };
    Some(Civil {
        year: Year::Full(fixed_digits(&value[20..], 4)?),
        month: month_number(&value[4..7])?,
        day,
        time: time_of_day(&value[11..19])?,
        weekday: Some(short_weekday(&value[..3])?),
        offset: 0,
    })
}

fn position<T>(names: &[T], matches: impl Fn(&T) -> bool) -> Option<i64> {
    i64::try_from(names.iter().position(matches)?).ok()
}

fn month_number(name: &str) -> Option<i64> {
    position(&MONTHS, |month| *month == name).map(|index| index + 1)
}

fn short_weekday(name: &str) -> Option<i64> {
    position(&WEEKDAYS, |weekday| weekday[..3] == *name)
}

pub(crate) fn fixed_digits(text: &str, count: usize) -> Option<i64> {
    let is_digits = text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
    is_digits.then(|| text.parse().ok()).flatten()
}

/// `08:49:37`. The leap second is refused: no moment of our clocks answers it.
pub(crate) fn time_of_day(text: &str) -> Option<i64> {
    let mut fields = text.split(':');
    let mut field = |limit: i64| {
        let number = fixed_digits(fields.next()?, 2)?;
        (number < limit).then_some(number)
    };
    let seconds = field(24)? * 3_600 + field(60)? * 60 + field(60)?;
    fields.next().is_none().then_some(seconds)
}

impl Civil {
    /// The moment in that year, if the day exists.
    pub(crate) fn moment(&self, year: i64, rules: &Dates) -> Option<Moment> {
        let last = if rules.days_overflow {
            31
        } else {
            days_in_month(year, self.month)
        };
        if !(1..=last).contains(&self.day) {
            return None;
        }
        let days = days_since_1970(year, self.month) + self.day - 1;
        let civil = days * 86_400 + self.time - self.offset;
        let instant = if rules.local_zone {
            in_zone(civil, &jiff::tz::TimeZone::system())?
        } else {
            civil
        };
        Some(Moment {
            instant: Span::from_secs(instant.into()),
            // 1 January 1970 was a Thursday.
            weekday: (days + 4).rem_euclid(7),
        })
    }
}

/// Reads the civil time of these seconds as a clock of that zone would.
fn in_zone(civil: i64, zone: &jiff::tz::TimeZone) -> Option<i64> {
    let utc = jiff::Timestamp::from_second(civil).ok()?;
    let civil = jiff::tz::Offset::UTC.to_datetime(utc);
    Some(zone.to_timestamp(civil).ok()?.as_second())
}

/// What the process's zone is ahead of UTC then.
pub(crate) fn offset_at(instant: Span) -> Span {
    let seconds = i64::try_from(instant.floor_secs()).unwrap_or(i64::MAX);
    let ahead = jiff::Timestamp::from_second(seconds).map_or(0, |then| {
        jiff::tz::TimeZone::system().to_offset(then).seconds()
    });
    Span::from_secs(ahead.into())
}

/// The latest year with these last digits that is not more than 50 years ahead.
pub(crate) fn most_recent_year(digits: i64, date: &Civil, now: Span) -> i64 {
    let today = i64::try_from(now.floor_secs()).unwrap_or(i64::MAX);
    let (year, month, day) = civil_of(today.div_euclid(86_400));
    let horizon = (year + 50, month, day, today.rem_euclid(86_400));
    let next_century = (year / 100 + 1) * 100 + digits;
    [next_century, next_century - 100]
        .into_iter()
        .find(|year| (*year, date.month, date.day, date.time) <= horizon)
        .unwrap_or(next_century - 200)
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

fn days_since_1970(year: i64, month: i64) -> i64 {
    let leap_days = |year: i64| year / 4 - year / 100 + year / 400;
    let years = (year - 1970) * 365 + leap_days(year - 1) - leap_days(1969);
    years
        + (1..month)
            .map(|month| days_in_month(year, month))
            .sum::<i64>()
}

/// Year, month and day of a day since 1970.
fn civil_of(days: i64) -> (i64, i64, i64) {
    let mut year = 1970 + days / 366;
    while days_since_1970(year + 1, 1) <= days {
        year += 1;
    }
    let mut month = 1;
    while month < 12 && days_since_1970(year, month + 1) <= days {
        month += 1;
    }
    (year, month, days - days_since_1970(year, month) + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instant(value: &str) -> Option<i128> {
        instant_under(value, &Dates::default())
    }

    fn instant_under(value: &str, rules: &Dates) -> Option<i128> {
        let date = read(value, rules)?;
        let now = Span::from_secs(1_893_456_000); // 2030-01-01
        let year = match date.year {
            Year::Full(year) => year,
            Year::LastTwoDigits(digits) => most_recent_year(digits, &date, now),
        };
        Some(date.moment(year, rules)?.instant.floor_secs())
    }

    #[test]
    fn the_three_shapes_name_one_moment() {
        for value in [
            "Sun, 06 Nov 1994 08:49:37 GMT",
            "Sunday, 06-Nov-94 08:49:37 GMT",
            "Sun Nov  6 08:49:37 1994",
        ] {
            assert_eq!(instant(value), Some(784_111_777), "{value}");
        }
    }

    #[test]
    fn agrees_with_jiff_on_every_day_of_four_centuries() {
        let mut day = jiff::civil::date(1970, 1, 1);
        let mut count = 0;
        while day.year() < 2370 {
            let (year, month) = (i64::from(day.year()), i64::from(day.month()));
            let days = days_since_1970(year, month) + i64::from(day.day()) - 1;
            assert_eq!(days, count, "{day}");
            assert_eq!(civil_of(days), (year, month, i64::from(day.day())));
            day = day.tomorrow().unwrap();
            count += 1;
        }
    }

    #[test]
    fn the_year_is_the_latest_not_more_than_fifty_years_ahead() {
        let at = |value| instant(value).map(|secs| 1970 + secs / 31_556_952);
        assert_eq!(at("Tuesday, 01-Jan-30 00:00:20 GMT"), Some(2030));
        assert_eq!(at("Monday, 15-Jul-79 00:00:00 GMT"), Some(2079));
        assert_eq!(at("Monday, 01-Jan-80 00:00:00 GMT"), Some(2080));
        assert_eq!(at("Monday, 02-Jan-80 00:00:00 GMT"), Some(1980));
        assert_eq!(at("Monday, 15-Jul-94 00:00:00 GMT"), Some(1994));
    }

    #[test]
    fn what_is_none_of_the_shapes_is_refused() {
        for value in [
            "sun, 06 nov 1994 08:49:37 gmt",
            "Sun, 06 Nov 1994 08:49:37 +0000",
            "Sun, 06 Nov 1994 08:49:37 UTC",
            "Sun, 06 Nov 1994 08:49:37 EST",
            "Sun 06 Nov 1994 08:49:37 GMT",
            "06 Nov 1994 08:49:37 GMT",
            "Sun, 06-Nov-1994 08:49:37 GMT",
            "Sun, 6 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 24:00:00 GMT",
            "Sun, 06 Nov 1994 08:49:60 GMT",
            "Sun, 30 Feb 2030 08:49:37 GMT",
            "Sun, 00 Nov 1994 08:49:37 GMT",
            "Sun,  6 Nov 1994 08:49:37 GMT",
            "Sun Nov 6 08:49:37 1994",
            "Sun Nov 06 08:49:37 1994 ",
            "Sunday Nov  6 08:49:37 1994",
            "1994-11-06T08:49:37Z",
            "Jan 1 2099",
            "\u{e9}un Nov  6 08:49:37 199",
        ] {
            assert_eq!(instant(value), None, "{value}");
        }
    }

    #[test]
    fn a_two_digit_day_of_asctime_is_not_padded() {
        let rules = Dates {
            asctime: Asctime::UnpaddedOnly,
            ..Dates::default()
        };
        assert!(read("Wed Nov 16 08:49:37 1994", &rules).is_some());
        assert!(read("Sun Nov  6 08:49:37 1994", &rules).is_none());
    }

    #[test]
    fn an_impossible_day_rolls_over_only_as_a_defect() {
        let rules = Dates {
            days_overflow: true,
            ..Dates::default()
        };
        let second_of_march = instant("Sat, 02 Mar 2030 00:00:20 GMT");
        assert_eq!(
            instant_under("Sat, 30 Feb 2030 00:00:20 GMT", &rules),
            second_of_march
        );
        let first_of_march = instant("Wed, 01 Mar 2028 00:00:20 GMT");
        assert_eq!(
            instant_under("Wed, 30 Feb 2028 00:00:20 GMT", &rules),
            first_of_march
        );
        assert_eq!(instant_under("Wed, 32 Jan 2030 00:00:20 GMT", &rules), None);
    }

    #[test]
    fn the_civil_time_of_an_eastern_zone_comes_earlier() {
        let zone = |hours| jiff::tz::TimeZone::fixed(jiff::tz::offset(hours));
        assert_eq!(in_zone(784_111_777, &zone(0)), Some(784_111_777));
        assert_eq!(in_zone(784_111_777, &zone(2)), Some(784_104_577));
    }
}
