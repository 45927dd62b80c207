//! Which spellings of a number are read as seconds.

use crate::behaviour::{NumberForm, Rounding};
use crate::span::Span;

/// The value as a number of seconds, or `None` if it is not one.
///
/// A number beyond every type saturates.
pub(crate) fn read(value: &str, form: NumberForm) -> Option<Span> {
    match form {
        NumberForm::Digits | NumberForm::UnicodeSpace => digits(value),
        NumberForm::PlusSkipped => digits(value.strip_prefix('+').unwrap_or(value)),
        NumberForm::NegativeRead => match value.strip_prefix('-') {
            Some(magnitude) => digits(magnitude).map(|span| Span::ZERO - span),
            None => digits(value),
        },
        NumberForm::Octal => match value.strip_prefix('0') {
            Some(rest) if !rest.is_empty() => in_radix(rest, 8),
            _ => digits(value),
        },
        NumberForm::RadixPrefix => with_prefix(value).or_else(|| digits(value)),
        NumberForm::Underscores => {
            let between = !value.starts_with('_') && !value.ends_with('_');
            between.then(|| digits(&value.replace('_', ""))).flatten()
        }
        NumberForm::LeadingRun => {
            let end = value.bytes().take_while(u8::is_ascii_digit).count();
            digits(&value[..end])
        }
        NumberForm::UnicodeDigits => {
            let ascii: Option<String> = value.chars().map(unicode_digit).collect();
            digits(&ascii?)
        }
        NumberForm::Fraction(rounding) => digits(value).or_else(|| fraction(value, rounding)),
        NumberForm::Float => digits(value).or_else(|| float(value)),
        NumberForm::LeadingZeroRefused if value.len() > 1 && value.starts_with('0') => None,
        NumberForm::LeadingZeroRefused => digits(value),
    }
}

/// `1*DIGIT`.
fn digits(value: &str) -> Option<Span> {
    in_radix(value, 10)
}

fn in_radix(value: &str, radix: u32) -> Option<Span> {
    if value.is_empty() {
        return None;
    }
    let secs = value.chars().try_fold(0_i128, |secs, c| {
        let digit = i128::from(c.to_digit(radix)?);
        Some(secs.saturating_mul(radix.into()).saturating_add(digit))
    })?;
    Some(Span::from_secs(secs))
}

fn with_prefix(value: &str) -> Option<Span> {
    let lower = value.to_ascii_lowercase();
    [("0x", 16), ("0b", 2), ("0o", 8)]
        .into_iter()
        .find_map(|(prefix, radix)| in_radix(lower.strip_prefix(prefix)?, radix))
}

fn fraction(value: &str, rounding: Rounding) -> Option<Span> {
    let (whole, decimals) = value.split_once('.')?;
    let (secs, _) = (digits(whole)?, digits(decimals)?);
    let nanos = format!("{:0<9.9}", decimals).parse().ok()?;
    let is_whole = decimals.bytes().all(|byte| byte == b'0');
    Some(match rounding {
        Rounding::Exact => secs + Span::from_nanos(nanos),
        Rounding::Up if !is_whole => secs + Span::from_secs(1),
        Rounding::Up | Rounding::Down => secs,
    })
}

/// `D+[.D+][e[+-]D+]`; infinity is what an over-long exponent becomes.
fn float(value: &str) -> Option<Span> {
    let lower = value.to_ascii_lowercase();
    let (mantissa, exponent) = lower.split_once('e').unwrap_or((&lower, "0"));
    let (whole, decimals) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
    let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    for part in [whole, decimals, exponent] {
        digits(part)?;
    }
    let nanos = lower.parse::<f64>().ok()? * 1e9;
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a float that does not fit saturates"
    )]
    Some(Span::from_nanos(nanos.round() as i128))
}

/// Zero of each run of ten decimal digits (general category Nd).
const ZEROS: [u32; 68] = [
    0x30, 0x660, 0x6F0, 0x7C0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66,
    0xDE6, 0xE50, 0xED0, 0xF20, 0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80, 0x1A90,
    0x1B50, 0x1BB0, 0x1C40, 0x1C50, 0xA620, 0xA8D0, 0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0, 0xFF10,
    0x104A0, 0x10D30, 0x11066, 0x110F0, 0x11136, 0x111D0, 0x112F0, 0x11450, 0x114D0, 0x11650,
    0x116C0, 0x11730, 0x118E0, 0x11950, 0x11C50, 0x11D50, 0x11DA0, 0x11F50, 0x16A60, 0x16AC0,
    0x16B50, 0x1D7CE, 0x1D7D8, 0x1D7E2, 0x1D7EC, 0x1D7F6, 0x1E140, 0x1E2F0, 0x1E4F0, 0x1E950,
    0x1FBF0,
];

fn unicode_digit(c: char) -> Option<char> {
    let code = u32::from(c);
    let zero = ZEROS
        .iter()
        .find(|zero| (**zero..**zero + 10).contains(&code))?;
    char::from_digit(code - zero, 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secs(value: &str, form: NumberForm) -> Option<String> {
        read(value, form).map(Span::to_decimal)
    }

    #[test]
    fn each_form_reads_what_the_conforming_one_refuses() {
        for (form, value, expected) in [
            (NumberForm::PlusSkipped, "+5", "5"),
            (NumberForm::NegativeRead, "-5", "-5"),
            (NumberForm::Octal, "010", "8"),
            (NumberForm::RadixPrefix, "0x10", "16"),
            (NumberForm::RadixPrefix, "0b11", "3"),
            (NumberForm::RadixPrefix, "0o17", "15"),
            (NumberForm::Underscores, "1_000", "1000"),
            (NumberForm::LeadingRun, "120junk", "120"),
            (NumberForm::UnicodeDigits, "\u{661}\u{662}\u{660}", "120"),
            (NumberForm::UnicodeDigits, "\u{ff15}", "5"),
            (NumberForm::Fraction(Rounding::Exact), "1.5", "1.5"),
            (NumberForm::Fraction(Rounding::Down), "1.5", "1"),
            (NumberForm::Fraction(Rounding::Up), "1.5", "2"),
            (NumberForm::Fraction(Rounding::Up), "1.0", "1"),
            (NumberForm::Float, "1e3", "1000"),
            (NumberForm::Float, "1.5", "1.5"),
        ] {
            assert_eq!(secs(value, form).as_deref(), Some(expected), "{value}");
            if value != "010" {
                assert_eq!(read(value, NumberForm::Digits), None, "{value}");
            }
        }
    }

    #[test]
    fn each_form_still_refuses_something() {
        for (form, value) in [
            (NumberForm::PlusSkipped, "++5"),
            (NumberForm::NegativeRead, "--5"),
            (NumberForm::Octal, "08"),
            (NumberForm::RadixPrefix, "0x"),
            (NumberForm::Underscores, "_1"),
            (NumberForm::LeadingRun, "junk"),
            (NumberForm::UnicodeDigits, "\u{bd}"),
            (NumberForm::Fraction(Rounding::Up), "1."),
            (NumberForm::Float, "inf"),
            (NumberForm::Float, "1e"),
            (NumberForm::LeadingZeroRefused, "007"),
        ] {
            assert_eq!(read(value, form), None, "{value}");
        }
    }

    #[test]
    fn plain_digits_are_read_alike_by_every_form() {
        for form in [
            NumberForm::Digits,
            NumberForm::Octal,
            NumberForm::Float,
            NumberForm::LeadingRun,
            NumberForm::UnicodeDigits,
            NumberForm::LeadingZeroRefused,
        ] {
            assert_eq!(secs("9223372037", form).as_deref(), Some("9223372037"));
            assert_eq!(read("0", form), Some(Span::ZERO));
        }
    }
}
