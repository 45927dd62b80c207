//! HTTP-dates (RFC 9110 §5.6.7): the three shapes, and what lenient readers
//! take for one.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime, Time, Weekday};
use jiff::tz::{Offset, TimeZone};

use super::reading::DateRules;
use crate::model::{MONTHS, Span, long_day_name, short_day_name, wall_span};
use crate::spec::{DateShape, DateWait};

/// What a text is as a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DateReading {
    /// Not one.
    NotADate,
    /// The distance to it from now, rounded as the reader rounds.
    Distance(Span),
    /// A date whose day name is another day's.
    WrongDay(Span),
    /// A date that names a leap second.
    LeapSecond(Span),
}

/// The clock and the zone that a date is read with.
#[derive(Clone, Debug)]
pub struct WallReading {
    /// The wall clock.
    pub wall: Timestamp,
    /// The zone of the process; only a defective reader uses it.
    pub zone: TimeZone,
}

/// Reads `text` as a date.
pub(super) fn read_date(
    text: &str,
    shapes: &[DateShape],
    rounding: DateWait,
    rules: DateRules,
    clock: &WallReading,
) -> DateReading {
    if rules.none.is_on() || !text.is_ascii() {
        return DateReading::NotADate;
    }
    let today = Offset::UTC.to_datetime(clock.wall);
    let strict = shapes.iter().find_map(|shape| match shape {
        DateShape::Imf => imf(text),
        DateShape::Rfc850 if rules.no_rfc850.is_on() => None,
        DateShape::Rfc850 => rfc850(text, today, rules),
        DateShape::Asctime if rules.no_asctime.is_on() => None,
        DateShape::Asctime => asctime(text, rules),
    });
    let parts = match strict {
        Some(parts) => Some(parts),
        None if rules.lenient.is_on() => super::lenient::read(text, today),
        None => None,
    };
    let Some(parts) = parts else {
        return DateReading::NotADate;
    };
    let Some(instant) = parts.instant(rules, clock) else {
        return DateReading::NotADate;
    };
    let distance = if rules.civil_distance.is_on() {
        civil_distance(instant, clock)
    } else {
        instant - wall_span(clock.wall)
    };
    let distance = match (rules.truncated.is_on(), rules.exact.is_on(), rounding) {
        (true, _, _) => Span::from_secs(distance.floor_secs()),
        (_, true, _) | (_, _, DateWait::Exact | DateWait::NotApplicable) => distance,
        (_, _, DateWait::Ceil) => Span::from_secs(distance.ceil_secs()),
    };
    if parts.second == 60 {
        DateReading::LeapSecond(distance)
    } else if parts.names_another_day() {
        DateReading::WrongDay(distance)
    } else {
        DateReading::Distance(distance)
    }
}

/// How far the civil times of the process's zone lie apart: what is left out or
/// comes twice when its offset changes counts as time.
fn civil_distance(instant: Span, clock: &WallReading) -> Span {
    let offset = |at| Span::from_secs(i128::from(clock.zone.to_offset(at).seconds()));
    let seconds = i64::try_from(instant.floor_secs()).ok();
    let then = seconds.and_then(|seconds| Timestamp::from_second(seconds).ok());
    let moved = then.map_or(Span::ZERO, |then| offset(then) - offset(clock.wall));
    instant - wall_span(clock.wall) + moved
}

/// A date in parts, the day not yet checked against the month.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DateParts {
    pub(super) weekday: Option<Weekday>,
    pub(super) year: i16,
    pub(super) month: i8,
    pub(super) day: i8,
    pub(super) hour: i8,
    pub(super) minute: i8,
    pub(super) second: i8,
    /// Hours east of Greenwich, of a zone that only a lenient reader knows.
    pub(super) zone: i8,
}

impl DateParts {
    /// Time since 1970. Not a [`Timestamp`]: those end a day before the year
    /// 9999 does.
    fn instant(self, rules: DateRules, clock: &WallReading) -> Option<Span> {
        let date = match Date::new(self.year, self.month, self.day) {
            Ok(date) => date,
            Err(_) if rules.day_rolls_over.is_on() => self.rolled_over()?,
            Err(_) => return None,
        };
        // A leap second has no instant of its own; the second before it stands in.
        let time = Time::new(self.hour, self.minute, self.second.min(59), 0).ok()?;
        let civil = DateTime::from_parts(date, time);
        if rules.local_zone.is_on() {
            return clock.zone.to_timestamp(civil).ok().map(wall_span);
        }
        let since_1970 = civil.duration_since(DateTime::constant(1970, 1, 1, 0, 0, 0, 0));
        let east = i64::from(self.zone) * 3_600;
        Some(Span::from_secs(i128::from(since_1970.as_secs() - east)))
    }

    fn rolled_over(self) -> Option<Date> {
        if !(1..=31).contains(&self.day) {
            return None;
        }
        let last = Date::new(self.year, self.month, 1).ok()?.last_of_month();
        let mut date = last;
        for _ in 0..(self.day - last.day()) {
            date = date.tomorrow().ok()?;
        }
        Some(date)
    }

    fn names_another_day(self) -> bool {
        let is = Date::new(self.year, self.month, self.day)
            .ok()
            .map(Date::weekday);
        matches!((self.weekday, is), (Some(said), Some(is)) if said != is)
    }
}

/// `Sun, 06 Nov 1994 08:49:37 GMT`.
fn imf(text: &str) -> Option<DateParts> {
    let mut cursor = Cursor(text);
    let weekday = cursor.day_name(short_day_name)?;
    cursor.literal(", ")?;
    let day = cursor.digits(2)?;
    cursor.literal(" ")?;
    let month = cursor.month()?;
    cursor.literal(" ")?;
    let year = cursor.digits(4)?;
    cursor.literal(" ")?;
    let time = cursor.time()?;
    cursor.literal(" GMT")?;
    cursor.end()?;
    parts(Some(weekday), year, month, day, time)
}

/// `Sunday, 06-Nov-94 08:49:37 GMT`.
fn rfc850(text: &str, today: DateTime, rules: DateRules) -> Option<DateParts> {
    let mut cursor = Cursor(text);
    let weekday = cursor.day_name(long_day_name)?;
    cursor.literal(", ")?;
    let day = cursor.digits(2)?;
    cursor.literal("-")?;
    let month = cursor.month()?;
    cursor.literal("-")?;
    let short = cursor.digits(2)?;
    cursor.literal(" ")?;
    let time = cursor.time()?;
    cursor.literal(" GMT")?;
    cursor.end()?;
    let short = parts(Some(weekday), short, month, day, time)?;
    Some(DateParts {
        year: if rules.century_1900.is_on() {
            1900 + short.year
        } else {
            full_year(short, today)
        },
        ..short
    })
}

/// The latest year with these two last digits whose date is not more than 50
/// years ahead (SPEC.md, PARSE-8; RFC 9110 §5.6.7).
pub(super) fn full_year(date: DateParts, today: DateTime) -> i16 {
    let horizon = (
        today.year() + 50,
        today.month(),
        today.day(),
        today.hour(),
        today.minute(),
        today.second(),
    );
    let ahead = |year: i16| {
        (
            year,
            date.month,
            date.day,
            date.hour,
            date.minute,
            date.second,
        ) > horizon
    };
    let mut year = today.year() - today.year().rem_euclid(100) + 100 + date.year;
    while ahead(year) {
        year -= 100;
    }
    year
}

/// `Sun Nov  6 08:49:37 1994`.
fn asctime(text: &str, rules: DateRules) -> Option<DateParts> {
    let mut cursor = Cursor(text);
    let weekday = cursor.day_name(short_day_name)?;
    cursor.literal(" ")?;
    let month = cursor.month()?;
    cursor.literal(" ")?;
    let day = match cursor.literal(" ") {
        Some(()) if rules.no_padded_day.is_on() => return None,
        Some(()) => cursor.digits(1)?,
        None => cursor.digits(2)?,
    };
    cursor.literal(" ")?;
    let time = cursor.time()?;
    cursor.literal(" ")?;
    let year = cursor.digits(4)?;
    cursor.end()?;
    parts(Some(weekday), year, month, day, time)
}

pub(super) fn parts(
    weekday: Option<Weekday>,
    year: u32,
    month: i8,
    day: u32,
    time: (u32, u32, u32),
) -> Option<DateParts> {
    let (hour, minute, second) = time;
    (hour < 24 && minute < 60 && second <= 60).then_some(())?;
    Some(DateParts {
        weekday,
        year: i16::try_from(year).ok()?,
        month,
        day: i8::try_from(day).ok()?,
        hour: i8::try_from(hour).ok()?,
        minute: i8::try_from(minute).ok()?,
        second: i8::try_from(second).ok()?,
        zone: 0,
    })
}

/// What is left of a text that is read from the left.
struct Cursor<'a>(&'a str);

impl Cursor<'_> {
    fn literal(&mut self, text: &str) -> Option<()> {
        self.0 = self.0.strip_prefix(text)?;
        Some(())
    }

    fn digits(&mut self, count: usize) -> Option<u32> {
        let (digits, rest) = self.0.split_at_checked(count)?;
        digits
            .bytes()
            .all(|byte| byte.is_ascii_digit())
            .then_some(())?;
        self.0 = rest;
        digits.parse().ok()
    }

    fn day_name(&mut self, name: fn(Weekday) -> &'static str) -> Option<Weekday> {
        let weekday = Weekday::Monday
            .cycle_forward()
            .take(7)
            .find(|day| self.0.starts_with(name(*day)))?;
        self.literal(name(weekday))?;
        Some(weekday)
    }

    fn month(&mut self) -> Option<i8> {
        let index = MONTHS.iter().position(|month| self.0.starts_with(month))?;
        self.literal(MONTHS[index])?;
        i8::try_from(index + 1).ok()
    }

    fn time(&mut self) -> Option<(u32, u32, u32)> {
        let hour = self.digits(2)?;
        self.literal(":")?;
        let minute = self.digits(2)?;
        self.literal(":")?;
        Some((hour, minute, self.digits(2)?))
    }

    fn end(&self) -> Option<()> {
        self.0.is_empty().then_some(())
    }
}
