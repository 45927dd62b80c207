//! [`Span`]: the one type for lengths of time.

use std::borrow::Cow;
use std::fmt;
use std::ops::{Add, AddAssign, Mul, Neg, Sub};
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

const NANOS_PER_SECOND: i128 = 1_000_000_000;

/// A signed length of time with nanosecond resolution.
///
/// Signed, because a date may lie in the past and a clock may be stepped back;
/// 128 bits wide, because a server may name a wait of 400 digits. Arithmetic
/// saturates. An instant of a case is a `Span` since the case was opened.
///
/// On the wire (protocol, saved runs) it is a decimal string of seconds with up
/// to nine decimals, so that no language's float ever touches it. In fixtures
/// and in output it carries a unit: `120s`, `0.1s`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span(i128);

/// Text that is not a length of time.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpanError {
    /// Not a number at all.
    #[error("`{0}` is not a decimal number of seconds")]
    NotDecimal(String),
    /// A number without one of the units.
    #[error(
        "`{0}` is not a duration: a number with a unit is (ns, us, ms, s, m, h, d), such as `120s` or `100ms`"
    )]
    NoUnit(String),
    /// More decimals than a nanosecond has.
    #[error("`{0}` is finer than a nanosecond")]
    TooFine(String),
}

impl Span {
    /// No time at all.
    pub const ZERO: Self = Self(0);
    /// Longer than anything; what over-long digit strings become.
    pub const MAX: Self = Self(i128::MAX);

    /// A span of `nanos` nanoseconds.
    pub const fn from_nanos(nanos: i128) -> Self {
        Self(nanos)
    }

    /// A span of `millis` milliseconds.
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis as i128 * 1_000_000)
    }

    /// A span of `secs` seconds, saturating.
    pub const fn from_secs(secs: i128) -> Self {
        Self(secs.saturating_mul(NANOS_PER_SECOND))
    }

    /// A length of the standard library's.
    pub fn from_std(length: std::time::Duration) -> Self {
        Self(i128::try_from(length.as_nanos()).unwrap_or(i128::MAX))
    }

    /// Nanoseconds.
    pub const fn as_nanos(self) -> i128 {
        self.0
    }

    /// Whole seconds, rounded down.
    pub const fn floor_secs(self) -> i128 {
        self.0.div_euclid(NANOS_PER_SECOND)
    }

    /// Whole seconds, rounded up.
    pub const fn ceil_secs(self) -> i128 {
        let floor = self.floor_secs();
        if self.0.rem_euclid(NANOS_PER_SECOND) == 0 {
            floor
        } else {
            floor + 1
        }
    }

    /// Whether it is shorter than no time.
    pub const fn is_negative(self) -> bool {
        self.0 < 0
    }

    /// Whether it is no time.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// The same length without its sign.
    pub const fn abs(self) -> Self {
        Self(self.0.saturating_abs())
    }

    /// The standard library's duration; negative becomes zero, too long
    /// becomes the longest.
    pub fn to_std(self) -> std::time::Duration {
        match u64::try_from(self.0.max(0)) {
            Ok(nanos) => std::time::Duration::from_nanos(nanos),
            Err(_) => match u64::try_from(self.floor_secs()) {
                Ok(secs) => std::time::Duration::from_secs(secs),
                Err(_) => std::time::Duration::MAX,
            },
        }
    }

    /// Decimal seconds without a unit, as the protocol writes them.
    pub fn to_decimal(self) -> String {
        let sign = if self.0 < 0 { "-" } else { "" };
        let magnitude = self.0.unsigned_abs();
        let per_second = NANOS_PER_SECOND.unsigned_abs();
        let (secs, nanos) = (magnitude / per_second, magnitude % per_second);
        if nanos == 0 {
            return format!("{sign}{secs}");
        }
        let fraction = format!("{nanos:09}");
        format!("{sign}{secs}.{}", fraction.trim_end_matches('0'))
    }

    /// Reads decimal seconds without a unit.
    ///
    /// # Errors
    /// If the text is not `[-]DIGITS[.DIGITS]`, or has a tenth decimal.
    pub fn from_decimal(text: &str) -> Result<Self, SpanError> {
        scaled(text, NANOS_PER_SECOND)
            .ok_or_else(|| SpanError::NotDecimal(text.to_owned()))?
            .ok_or_else(|| SpanError::TooFine(text.to_owned()))
    }

    /// Multiplies by a non-negative factor, rounding to the nanosecond.
    pub fn scale(self, factor: f64) -> Self {
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            reason = "a draw is not exact"
        )]
        Self((self.0 as f64 * factor) as i128)
    }
}

/// `None`: not decimal. `Some(None)`: finer than a nanosecond.
fn scaled(text: &str, unit: i128) -> Option<Option<Span>> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !all_digits(whole) || !all_digits(fraction) || digits.ends_with('.') {
        return None;
    }
    let mut nanos = whole
        .parse::<i128>()
        .unwrap_or(i128::MAX)
        .saturating_mul(unit);
    let mut place = unit;
    for digit in fraction.trim_end_matches('0').bytes() {
        if place % 10 != 0 {
            return Some(None);
        }
        place /= 10;
        nanos = nanos.saturating_add(i128::from(digit - b'0') * place);
    }
    Some(Some(Span(nanos.saturating_mul(sign))))
}

impl FromStr for Span {
    type Err = SpanError;

    /// Reads `120s`, `100ms`, `-1h`, `1.5s`, `15m`, `2d`.
    fn from_str(text: &str) -> Result<Self, SpanError> {
        const UNITS: [(&str, i128); 7] = [
            ("ns", 1),
            ("us", 1_000),
            ("ms", 1_000_000),
            ("s", NANOS_PER_SECOND),
            ("m", 60 * NANOS_PER_SECOND),
            ("h", 3_600 * NANOS_PER_SECOND),
            ("d", 86_400 * NANOS_PER_SECOND),
        ];
        UNITS
            .iter()
            .find_map(|(suffix, unit)| scaled(text.strip_suffix(suffix)?, *unit))
            .ok_or_else(|| SpanError::NoUnit(text.to_owned()))?
            .ok_or_else(|| SpanError::TooFine(text.to_owned()))
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::MAX {
            return f.pad("inf");
        }
        f.pad(&format!("{}s", self.to_decimal()))
    }
}

impl Add for Span {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Span {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Span {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Mul<u64> for Span {
    type Output = Self;
    fn mul(self, factor: u64) -> Self {
        Self(self.0.saturating_mul(i128::from(factor)))
    }
}

impl Neg for Span {
    type Output = Self;
    fn neg(self) -> Self {
        Self(self.0.saturating_neg())
    }
}

impl Serialize for Span {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.to_decimal())
    }
}

impl<'de> Deserialize<'de> for Span {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::from_decimal(&Cow::<'_, str>::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}

impl JsonSchema for Span {
    fn schema_name() -> Cow<'static, str> {
        "Span".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "pattern": "^-?[0-9]+(\\.[0-9]{1,9})?$",
            "description": "decimal seconds with up to nine decimals"
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_each_unit() {
        for (text, nanos) in [
            ("120s", 120_000_000_000),
            ("100ms", 100_000_000),
            ("1.5s", 1_500_000_000),
            ("-1h", -3_600_000_000_000),
            ("15m", 900_000_000_000),
            ("2d", 172_800_000_000_000),
            ("7ns", 7),
            ("3us", 3_000),
            ("0s", 0),
        ] {
            assert_eq!(text.parse(), Ok(Span::from_nanos(nanos)), "{text}");
        }
    }

    #[test]
    fn refuses_what_is_no_duration() {
        for text in [
            "",
            "120",
            "s",
            "1e3s",
            "1.s",
            ".5s",
            "--1s",
            "1 s",
            "1.0000000001s",
            "0.5ns",
            "x1s",
        ] {
            assert!(text.parse::<Span>().is_err(), "{text}");
        }
    }

    #[test]
    fn decimal_goes_there_and_back() {
        for nanos in [
            0,
            1,
            -1,
            299_999_999_280,
            120_000_000_000,
            -5_000_000_000,
            999_999_999,
        ] {
            let span = Span::from_nanos(nanos);
            assert_eq!(Span::from_decimal(&span.to_decimal()), Ok(span));
        }
        assert_eq!(
            Span::from_nanos(299_999_999_280).to_decimal(),
            "299.99999928"
        );
    }

    #[test]
    fn a_number_beyond_every_type_saturates() {
        let long = format!("{}s", "9".repeat(400));
        assert_eq!(long.parse(), Ok(Span::MAX));
        assert_eq!(Span::MAX + Span::MAX, Span::MAX);
    }

    #[test]
    fn rounds_seconds_both_ways() {
        assert_eq!(Span::from_millis(1500).ceil_secs(), 2);
        assert_eq!(Span::from_millis(1500).floor_secs(), 1);
        assert_eq!(Span::from_millis(-1500).ceil_secs(), -1);
        assert_eq!(Span::from_millis(-1500).floor_secs(), -2);
        assert_eq!(Span::from_secs(3).ceil_secs(), 3);
    }
}
