//! [`Span`]: signed nanoseconds, written as decimal seconds.

use std::ops::{Add, Sub};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

const NANOS_PER_SECOND: i128 = 1_000_000_000;

/// A signed length of time in nanoseconds; arithmetic saturates.
///
/// An instant is a `Span` too: since the case was opened on the monotonic
/// clock, since 1970 on the wall clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Span(i128);

impl Span {
    pub(crate) const ZERO: Self = Self(0);

    pub(crate) const fn from_nanos(nanos: i128) -> Self {
        Self(nanos)
    }

    pub(crate) const fn from_millis(millis: i128) -> Self {
        Self(millis.saturating_mul(1_000_000))
    }

    pub(crate) const fn from_secs(secs: i128) -> Self {
        Self(secs.saturating_mul(NANOS_PER_SECOND))
    }

    pub(crate) const fn nanos(self) -> i128 {
        self.0
    }

    pub(crate) const fn floor_secs(self) -> i128 {
        self.0.div_euclid(NANOS_PER_SECOND)
    }

    pub(crate) const fn ceil_secs(self) -> i128 {
        -(-self.0).div_euclid(NANOS_PER_SECOND)
    }

    pub(crate) fn times(self, factor: i128) -> Self {
        Self(self.0.saturating_mul(factor))
    }

    /// The standard library's duration; negative becomes zero.
    pub(crate) fn to_std(self) -> std::time::Duration {
        let nanos = self.0.max(0);
        let subsecond = u32::try_from(nanos % NANOS_PER_SECOND).unwrap_or(0);
        match u64::try_from(nanos / NANOS_PER_SECOND) {
            Ok(secs) => std::time::Duration::new(secs, subsecond),
            Err(_) => std::time::Duration::MAX,
        }
    }

    /// Reads `[-]DIGITS[.DIGITS]`, at most nine decimals.
    pub(crate) fn from_decimal(text: &str) -> Option<Self> {
        let (sign, digits) = match text.strip_prefix('-') {
            Some(rest) => (-1, rest),
            None => (1, text),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
        let is_number =
            |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        if !is_number(whole) || !is_number(fraction) || fraction.len() > 9 {
            return None;
        }
        let secs = whole.parse::<i128>().unwrap_or(i128::MAX);
        let nanos = format!("{fraction:0<9}").parse::<i128>().ok()?;
        let magnitude = secs.saturating_mul(NANOS_PER_SECOND).saturating_add(nanos);
        Some(Self(magnitude.saturating_mul(sign)))
    }

    pub(crate) fn to_decimal(self) -> String {
        let sign = if self.0 < 0 { "-" } else { "" };
        let magnitude = self.0.unsigned_abs();
        let per_second = NANOS_PER_SECOND.unsigned_abs();
        let text = format!(
            "{sign}{}.{:09}",
            magnitude / per_second,
            magnitude % per_second
        );
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    }
}

impl Add for Span {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sub for Span {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Serialize for Span {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.to_decimal())
    }
}

impl<'de> Deserialize<'de> for Span {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::from_decimal(&text)
            .ok_or_else(|| de::Error::custom("a decimal string of seconds was expected"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_go_there_and_back() {
        for text in ["0", "120", "0.1", "-5", "299.99999928", "-0.000000001"] {
            let span = Span::from_decimal(text).unwrap();
            assert_eq!(span.to_decimal(), text);
        }
        assert_eq!(Span::from_decimal("1.50").unwrap(), Span::from_millis(1500));
    }

    #[test]
    fn what_is_no_decimal_is_refused() {
        for text in ["", "-", "1.", ".5", "1e3", "+1", "1.0000000001", "1 "] {
            assert_eq!(Span::from_decimal(text), None, "{text}");
        }
    }

    #[test]
    fn seconds_are_rounded_both_ways() {
        assert_eq!(Span::from_millis(1500).ceil_secs(), 2);
        assert_eq!(Span::from_millis(1500).floor_secs(), 1);
        assert_eq!(Span::from_millis(-1500).ceil_secs(), -1);
        assert_eq!(Span::from_secs(3).ceil_secs(), 3);
    }

    #[test]
    fn a_standard_duration_is_never_negative() {
        assert_eq!(Span::from_secs(-3).to_std(), std::time::Duration::ZERO);
        assert_eq!(
            Span::from_millis(1500).to_std(),
            std::time::Duration::from_millis(1500)
        );
    }
}
