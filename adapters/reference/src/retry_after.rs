//! Reading `Retry-After`: one value, seconds or an HTTP-date, else nothing.

use std::borrow::Cow;

use crate::behaviour::{Dates, Lines, NumberForm, OverParseLimit, Reading, Rounding, Unit};
use crate::clock::Clock;
use crate::dates::{self, Civil, Year};
use crate::environment;
use crate::numbers;
use crate::span::Span;

/// Above this a number of seconds does not fit the parser's own type.
pub(crate) const PARSE_LIMIT: Span = Span::from_secs(i64::MAX as i128);

/// What a reply says about when to come back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Told {
    /// No header, or a malformed value: the local delay governs.
    Nothing,
    Wait(ToldWait),
    /// Only defective clients end a call because of a header's spelling.
    Raises(&'static str),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ToldWait {
    pub(crate) span: Span,
    pub(crate) form: Form,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Seconds,
    Date,
}

impl Told {
    fn seconds(span: Span) -> Self {
        let form = Form::Seconds;
        Self::Wait(ToldWait { span, form })
    }

    fn date(span: Span) -> Self {
        let form = Form::Date;
        Self::Wait(ToldWait { span, form })
    }

    /// The wait, if there is one.
    pub(crate) fn span(self) -> Option<Span> {
        match self {
            Self::Wait(wait) => Some(wait.span),
            Self::Nothing | Self::Raises(_) => None,
        }
    }
}

/// Reads the header's lines; the wall clock is read only for a date.
pub(crate) fn read(lines: &[&[u8]], rules: &Reading, clock: &Clock) -> Told {
    if rules.never || lines.is_empty() {
        return Told::Nothing;
    }
    let lines: Vec<_> = lines.iter().map(|line| text(line)).collect();
    match one_value(&lines, rules.lines) {
        Ok(Some(value)) => read_value(trim(&value, rules), rules, clock),
        Ok(None) => Told::Nothing,
        Err(why) => Told::Raises(why),
    }
}

/// The bytes as text. What is not ASCII is malformed in any case, except to
/// the defects that look at it.
fn text(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(bytes.iter().map(|byte| char::from(*byte)).collect()),
    }
}

fn trim<'a>(value: &'a str, rules: &Reading) -> &'a str {
    if rules.number == NumberForm::UnicodeSpace {
        return value.trim();
    }
    value.trim_matches([' ', '\t'])
}

fn one_value(lines: &[Cow<'_, str>], rule: Lines) -> Result<Option<String>, &'static str> {
    if rule == Lines::Concatenated
        && let Some(digits) = joined_digits(lines)
    {
        return Ok(Some(digits));
    }
    let (first, last) = match lines {
        [] => return Ok(None),
        [only] if rule == Lines::Malformed || !is_number_list(only) => {
            return Ok(Some(only.to_string()));
        }
        [only] => (only, only),
        [first, .., last] => (first, last),
    };
    let member = |line: &str, found: Option<&str>| {
        let member = found.filter(|_| is_number_list(line));
        Some(member.unwrap_or(line).to_owned())
    };
    match rule {
        Lines::Malformed | Lines::Concatenated => Ok(None),
        Lines::First => Ok(member(first, first.split(',').next())),
        Lines::Last => Ok(member(last, last.split(',').next_back())),
        Lines::Raise => Err("the reply repeats retry-after"),
    }
}

/// All digits of all lines, if the lines hold digits, commas and spaces only.
fn joined_digits(lines: &[Cow<'_, str>]) -> Option<String> {
    let joined = lines.concat();
    let is_joinable = |c: char| c.is_ascii_digit() || c == ',' || c == ' ';
    let digits = joined.chars().filter(char::is_ascii_digit).collect();
    joined.chars().all(is_joinable).then_some(digits)
}

/// `3, 9`: at least two numbers with a comma between.
fn is_number_list(line: &str) -> bool {
    let is_number = |member: &str| {
        let member = member.trim_matches([' ', '\t']);
        !member.is_empty() && member.bytes().all(|byte| byte.is_ascii_digit())
    };
    line.contains(',') && line.split(',').all(is_number)
}

fn read_value(value: &str, rules: &Reading, clock: &Clock) -> Told {
    if value.is_empty() && rules.empty_is_zero {
        return Told::seconds(Span::ZERO);
    }
    if rules.year_as_date
        && let Some(new_year) = dates::bare_year(value)
    {
        return read_date(new_year, &rules.dates, clock);
    }
    let told = match numbers::read(value, rules.number) {
        Some(number) => seconds(number, rules),
        None if rules.dates.local_names && !environment::speaks_english() => Told::Nothing,
        None => match dates::read(value, &rules.dates) {
            Some(date) => read_date(date, &rules.dates, clock),
            None => Told::Nothing,
        },
    };
    match (rules.discard_above, told.span()) {
        (Some(limit), Some(span)) if span > limit => Told::Nothing,
        _ => told,
    }
}

fn seconds(number: Span, rules: &Reading) -> Told {
    if number == Span::ZERO && !rules.zero_is_now {
        return Told::Nothing;
    }
    if number > PARSE_LIMIT {
        return match rules.over_parse_limit {
            OverParseLimit::Malformed => Told::Nothing,
            OverParseLimit::Raise => Told::Raises("retry-after does not fit a 64-bit integer"),
            OverParseLimit::Saturate => Told::seconds(number.min(Span::from_secs(u64::MAX.into()))),
        };
    }
    let unit = match rules.unit {
        Unit::Seconds => 1,
        Unit::Milliseconds => 1_000,
        Unit::Nanoseconds => 1_000_000_000,
    };
    Told::seconds(Span::from_nanos(number.nanos() / unit))
}

fn read_date(date: Civil, rules: &Dates, clock: &Clock) -> Told {
    let mut now = clock.wall();
    let year = match date.year {
        Year::Full(year) => year,
        Year::LastTwoDigits(digits) if rules.years_in_1900s => 1900 + digits,
        Year::LastTwoDigits(digits) => dates::most_recent_year(digits, &date, now),
    };
    let Some(moment) = date.moment(year, rules) else {
        return Told::Nothing;
    };
    if rules.odd_weekday_raises && date.weekday.is_some_and(|named| named != moment.weekday) {
        return Told::Raises("the weekday of retry-after does not match its date");
    }
    if distance(moment.instant, now, rules) <= Span::ZERO {
        return if rules.past_is_now {
            Told::date(Span::ZERO)
        } else {
            Told::Nothing
        };
    }
    if rules.clock_read_twice {
        now = clock.wall();
    }
    let wait = rounded(distance(moment.instant, now, rules), rules.rounding).max(Span::ZERO);
    if wait == Span::ZERO && !rules.clock_read_twice {
        return Told::Nothing;
    }
    Told::date(wait)
}

fn distance(instant: Span, now: Span, rules: &Dates) -> Span {
    if rules.civil_distance {
        return dates::offset_at(instant) + instant - (dates::offset_at(now) + now);
    }
    instant - now
}

fn rounded(span: Span, rounding: Rounding) -> Span {
    match rounding {
        // Rounding down would come back before the moment that was named.
        Rounding::Up => Span::from_secs(span.ceil_secs()),
        Rounding::Down => Span::from_secs(span.floor_secs()),
        Rounding::Exact => span,
    }
}

#[cfg(test)]
#[path = "retry_after_tests.rs"]
mod tests;
