//! [`read`]: from header lines to a told wait.

use super::dates::{DateReading, WallReading, read_date};
use super::digits::{NumberReading, is_digits, is_refused, read_number};
use super::reading::{ListRule, Reading};
use crate::model::Span;
use crate::spec::{Digits, ParserRow, RepeatedLines, ZeroRule};

/// What header lines are as a told wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    /// There is none: no line, or a malformed one.
    Nothing,
    /// A told wait. Zero or negative only where a reader accepts that.
    Wait(Span, ToldForm),
    /// Not settled by the specification: recorded, never judged.
    Unsettled(Span),
    /// Any of these is right.
    AnyOf(Vec<Told>),
    /// The reader raises instead of reading.
    Raises,
}

/// The form in which a told wait was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToldForm {
    /// A number of seconds.
    Seconds,
    /// A date.
    Date,
}

/// Reads the header lines of one name.
pub fn read(lines: &[String], row: &ParserRow, reading: &Reading, clock: &WallReading) -> Told {
    let reader = Reader {
        row,
        reading,
        clock,
    };
    if let Some(told) = reader.list(lines) {
        return told;
    }
    match lines {
        [] => Told::Nothing,
        [only] => reader.line(only),
        [first, ..] => match row.repeated_lines {
            RepeatedLines::First => reader.line(first),
            RepeatedLines::Malformed => Told::Nothing,
            RepeatedLines::AnyOf => Told::AnyOf(
                lines
                    .iter()
                    .map(|line| reader.line(line))
                    .chain([Told::Nothing])
                    .collect(),
            ),
        },
    }
}

struct Reader<'a> {
    row: &'a ParserRow,
    reading: &'a Reading,
    clock: &'a WallReading,
}

impl Reader<'_> {
    /// Several lines or a comma list of digit strings, where a defect reads
    /// them in its own way.
    fn list(&self, lines: &[String]) -> Option<Told> {
        if self.reading.lists == ListRule::Specified {
            return None;
        }
        if self.reading.lists == ListRule::Concatenated {
            return joined_digits(lines).map(|digits| self.line(&digits));
        }
        let members: Vec<&str> = lines
            .iter()
            .flat_map(|line| line.split(','))
            .map(str::trim)
            .collect();
        if members.len() < 2 || !members.iter().all(|member| is_digits(member)) {
            return None;
        }
        match self.reading.lists {
            ListRule::Specified | ListRule::Concatenated => None,
            ListRule::First => members.first().map(|member| self.line(member)),
            ListRule::Last => members.last().map(|member| self.line(member)),
            ListRule::Raises => Some(Told::Raises),
        }
    }

    fn line(&self, line: &str) -> Told {
        let text = if self.reading.digits.any_space.is_on() {
            line.trim()
        } else {
            line.trim_matches([' ', '\t'])
        };
        if let Some(told) = self.year(text) {
            return told;
        }
        match read_number(text, self.reading.digits) {
            NumberReading::Seconds(span) if is_refused(span) => Told::Nothing,
            NumberReading::Seconds(span) => self.seconds(span, text),
            NumberReading::NotANumber => self.date(text),
        }
    }

    fn seconds(&self, span: Span, text: &str) -> Told {
        let significant = text.trim_start_matches('0').len();
        let too_long = match self.row.digits {
            Digits::Unlimited => false,
            Digits::I64 => span > Span::from_secs(i128::from(i64::MAX)),
            Digits::Significant(most) => {
                u32::try_from(significant).is_ok_and(|digits| digits > most)
            }
        };
        let rules = self.reading.digits;
        let zero_is_now = rules.zero_is_now.is_on()
            || self.row.zero == ZeroRule::Now
            || (text.is_empty() && rules.empty_is_zero.is_on());
        if too_long || (span.is_zero() && !zero_is_now) {
            return Told::Nothing;
        }
        Told::Wait(span, ToldForm::Seconds)
    }

    fn date(&self, text: &str) -> Told {
        let rules = self.reading.dates;
        let past = |distance: Span| distance.is_negative() || distance.is_zero();
        match read_date(text, &self.row.dates, self.row.date_wait, rules, self.clock) {
            DateReading::NotADate => Told::Nothing,
            DateReading::WrongDay(_) if rules.odd_raises.is_on() => Told::Raises,
            // Read or malformed, a past date yields nothing.
            DateReading::WrongDay(distance) | DateReading::LeapSecond(distance)
                if past(distance) && !rules.past_is_now.is_on() =>
            {
                Told::Nothing
            }
            DateReading::WrongDay(distance) | DateReading::LeapSecond(distance) => {
                Told::Unsettled(distance)
            }
            DateReading::Distance(distance) if past(distance) => {
                if rules.past_is_now.is_on() {
                    Told::Wait(Span::ZERO, ToldForm::Date)
                } else {
                    Told::Nothing
                }
            }
            DateReading::Distance(distance) => Told::Wait(distance, ToldForm::Date),
        }
    }

    /// The defect that takes four digits for a year.
    fn year(&self, text: &str) -> Option<Told> {
        let rules = self.reading.digits;
        if !rules.year.is_on() || text.len() != 4 || !is_digits(text) || text < "1970" {
            return None;
        }
        Some(
            self.date(&format!("Thu, 01 Jan {text} 00:00:00 GMT"))
                .settled(),
        )
    }
}

/// All digits of all lines, if the lines hold nothing but digits, commas and
/// spaces.
fn joined_digits(lines: &[String]) -> Option<String> {
    let joined = lines.concat();
    let is_joinable = |c: char| c.is_ascii_digit() || matches!(c, ',' | ' ');
    let digits: String = joined.chars().filter(char::is_ascii_digit).collect();
    (joined.chars().all(is_joinable) && !digits.is_empty()).then_some(digits)
}

impl Told {
    fn settled(self) -> Self {
        match self {
            Self::Unsettled(span) => Self::Wait(span, ToldForm::Date),
            other => other,
        }
    }
}
