//! Digit strings: `1*DIGIT` (RFC 9110 §10.2.3), and what other readers take
//! for a number.

use super::reading::DigitRules;
use crate::model::Span;

/// What a text is as a number of seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NumberReading {
    /// Not one.
    NotANumber,
    /// So many seconds.
    Seconds(Span),
}

/// Reads `text` as a number of seconds.
pub(super) fn read_number(text: &str, rules: DigitRules) -> NumberReading {
    use NumberReading::{NotANumber, Seconds};

    if text.is_empty() {
        return if rules.empty_is_zero.is_on() {
            Seconds(Span::ZERO)
        } else {
            NotANumber
        };
    }
    if rules.negative_read.is_on()
        && let Some(rest) = text.strip_prefix('-')
        && let Some(span) = plain(rest)
    {
        return Seconds(-span);
    }
    let text = if rules.plus_accepted.is_on() {
        text.strip_prefix('+').unwrap_or(text)
    } else {
        text
    };
    match special(text, rules).or_else(|| plain(text)) {
        Some(span) => Seconds(span),
        None => NotANumber,
    }
}

/// What only a defective reader reads, or reads otherwise.
fn special(text: &str, rules: DigitRules) -> Option<Span> {
    if rules.octal.is_on() && text.len() > 1 && text.starts_with('0') && is_digits(text) {
        // Refused rather than read as decimal: `08` has no octal value.
        return Some(radix(text, 8).unwrap_or(MALFORMED));
    }
    if rules.leading_zero_refused.is_on()
        && text.len() > 1
        && text.starts_with('0')
        && is_digits(text)
    {
        return Some(MALFORMED);
    }
    if rules.radix_prefix.is_on() {
        let prefixed = [("0x", 16), ("0b", 2), ("0o", 8)];
        if let Some(value) = prefixed
            .iter()
            .find_map(|(prefix, base)| radix(text.strip_prefix(prefix)?, *base))
        {
            return Some(value);
        }
    }
    if rules.underscores.is_on()
        && text.contains('_')
        && !text.starts_with('_')
        && !text.ends_with('_')
    {
        return plain(&text.replace('_', ""));
    }
    if rules.any_script.is_on() && !text.is_ascii() {
        return plain(
            &text
                .chars()
                .map(to_ascii_digit)
                .collect::<Option<String>>()?,
        );
    }
    fractional(text, rules).or_else(|| leading_run(text, rules))
}

/// Stands for "refused" where a rule decides before the plain reading does;
/// no text can name it.
const MALFORMED: Span = Span::from_nanos(i128::MIN);

pub(super) fn is_refused(span: Span) -> bool {
    span == MALFORMED
}

fn fractional(text: &str, rules: DigitRules) -> Option<Span> {
    if rules.float.is_on()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'+' | b'-'))
        && text.starts_with(|first: char| first.is_ascii_digit())
        && !is_digits(text)
        && let Ok(value) = text.parse::<f64>()
    {
        return Some(Span::from_secs(1).scale(value));
    }
    let (whole, fraction) = text.split_once('.')?;
    if !is_digits(whole) || !is_digits(fraction) {
        return None;
    }
    let exact = Span::from_decimal(text).ok()?;
    if rules.fraction.is_on() {
        Some(exact)
    } else if rules.fraction_down.is_on() {
        Some(Span::from_secs(exact.floor_secs()))
    } else if rules.fraction_up.is_on() {
        Some(Span::from_secs(exact.ceil_secs()))
    } else {
        None
    }
}

fn leading_run(text: &str, rules: DigitRules) -> Option<Span> {
    if !rules.leading_run.is_on() {
        return None;
    }
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    plain(&text[..end])
}

fn plain(text: &str) -> Option<Span> {
    if !is_digits(text) {
        return None;
    }
    let significant = text.trim_start_matches('0');
    Some(Span::from_secs(if significant.is_empty() {
        0
    } else {
        significant.parse().unwrap_or(i128::MAX)
    }))
}

fn radix(text: &str, base: u32) -> Option<Span> {
    i128::from_str_radix(text, base)
        .ok()
        .filter(|value| *value >= 0)
        .map(Span::from_secs)
}

pub(super) fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Zeros of the decimal digits of scripts that HTTP headers have been seen in.
const ZEROS: [char; 6] = [
    '0', '\u{0660}', '\u{06f0}', '\u{0966}', '\u{09e6}', '\u{ff10}',
];

fn to_ascii_digit(c: char) -> Option<char> {
    ZEROS.iter().find_map(|zero| {
        let value = u32::from(c).checked_sub(u32::from(*zero))?;
        char::from_digit(value, 10)
    })
}
