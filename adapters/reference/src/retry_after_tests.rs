//! The parser table: every input that real parsers disagree on.

use std::sync::Arc;

use super::*;
use crate::clock::InjectedClock;
use crate::defects::behaviour;
use crate::emitter::Emitter;

/// 2030-01-01T00:00:00Z, a Tuesday.
const NEW_YEAR: i128 = 1_893_456_000;

fn clock_at(wall: Span) -> Clock {
    let (emitter, _) = Emitter::new(String::new());
    let tick = Span::from_secs(1);
    let clock = InjectedClock::new("c".into(), emitter, Span::ZERO, wall, tick);
    Clock::Injected(Arc::new(clock))
}

/// What the client reads under a defect, in decimal seconds.
fn under(defect: Option<&str>, lines: &[&str]) -> String {
    let rules = behaviour(defect).unwrap().reading;
    let lines: Vec<_> = lines.iter().map(|line| line.as_bytes()).collect();
    match read(&lines, &rules, &clock_at(Span::from_secs(NEW_YEAR))) {
        Told::Nothing => "-".to_owned(),
        Told::Wait(wait) => wait.span.to_decimal(),
        Told::Raises(_) => "raises".to_owned(),
    }
}

fn conforming(value: &str) -> String {
    under(None, &[value])
}

#[test]
fn numbers() {
    let long = ["9".repeat(20), "9".repeat(400), "9".repeat(5_000)];
    for (value, expected) in [
        ("2", "2"),
        ("007", "7"),
        ("010", "10"),
        ("08", "8"),
        (" \t5 ", "5"),
        ("2099", "2099"),
        ("2147483648", "2147483648"),
        ("9223372037", "9223372037"),
        ("9223372036854775807", "9223372036854775807"),
        ("9223372036854775808", "-"),
        (&long[0], "-"),
        (&long[1], "-"),
        (&long[2], "-"),
        ("", "-"),
        ("0", "-"),
        ("000", "-"),
        ("-5", "-"),
        ("+5", "-"),
        ("1.5", "-"),
        ("1e3", "-"),
        ("120junk", "-"),
        ("1, 2", "-"),
        ("\u{a0}5", "-"),
        ("1_000", "-"),
        ("0x10", "-"),
        ("0b11", "-"),
        ("\u{665}", "-"),
        ("\u{ff15}", "-"),
    ] {
        assert_eq!(conforming(value), expected, "{value:.30}");
    }
}

#[test]
fn dates() {
    for (value, expected) in [
        ("Tue, 01 Jan 2030 00:00:20 GMT", "20"),
        ("Tuesday, 01-Jan-30 00:00:20 GMT", "20"),
        ("Tue Jan  1 00:00:20 2030", "20"),
        ("Fri, 31 Dec 9999 23:59:59 GMT", "251508844799"),
        // Not settled anywhere: accepted.
        ("Mon, 01 Jan 2030 00:00:20 GMT", "20"),
        ("Tue, 01 Jan 2030 00:00:00 GMT", "-"),
        ("Mon, 31 Dec 2029 23:59:00 GMT", "-"),
        ("Tue 01 Jan 2030 00:00:20 GMT", "-"),
        ("Tue, 01-Jan-2030 00:00:20 GMT", "-"),
        ("01 Jan 2030 00:00:20 GMT", "-"),
        ("Tue, 01 Jan 2030 00:00:20 +0000", "-"),
        ("Tue, 01 Jan 2030 00:00:20 EST", "-"),
        ("Tue, 01 Jan 2030 00:00:20 UTC", "-"),
        ("tue, 01 jan 2030 00:00:20 gmt", "-"),
        ("Tue, 1 Jan 2030 00:00:20 GMT", "-"),
        ("Tue, 01 Jan 2030 24:00:00 GMT", "-"),
        ("Tue, 01 Jan 2030 00:00:60 GMT", "-"),
        ("Sat, 30 Feb 2030 00:00:20 GMT", "-"),
        ("2030-01-01T00:00:20Z", "-"),
        ("Jan 1 2099", "-"),
    ] {
        assert_eq!(conforming(value), expected, "{value}");
    }
}

#[test]
fn a_part_of_a_second_is_rounded_up() {
    let clock = clock_at(Span::from_secs(NEW_YEAR) + Span::from_millis(400));
    let at = |defect: Option<&str>, value: &str| {
        let rules = behaviour(defect).unwrap().reading;
        read(&[value.as_bytes()], &rules, &clock.clone()).span()
    };
    // Each reading of this clock takes a second.
    let value = "Tue, 01 Jan 2030 00:00:20 GMT";
    assert_eq!(at(None, value), Some(Span::from_secs(20)));
    assert_eq!(at(Some("date-truncated"), value), Some(Span::from_secs(18)));
    assert_eq!(
        at(Some("date-wait-exact"), value),
        Some(Span::from_millis(17_600))
    );
    assert_eq!(
        at(Some("two-clock-readings"), value),
        Some(Span::from_secs(16))
    );
}

#[test]
fn a_number_reads_no_clock_and_a_date_reads_it_once() {
    let clock = clock_at(Span::from_secs(NEW_YEAR));
    let rules = Reading::default();
    let _ = read(&[b"120"], &rules, &clock);
    let _ = read(&[b"junk"], &rules, &clock);
    assert_eq!(clock.wall(), Span::from_secs(NEW_YEAR));
    let _ = read(&[b"Tue, 01 Jan 2030 00:00:20 GMT"], &rules, &clock);
    assert_eq!(clock.wall(), Span::from_secs(NEW_YEAR + 2));
}

#[test]
fn several_lines_are_malformed() {
    assert_eq!(under(None, &["1", "3"]), "-");
    assert_eq!(under(None, &[]), "-");
}

#[test]
fn each_defect_reads_its_own_value() {
    let long = "9".repeat(20);
    for (defect, value, expected) in [
        ("header-never-read", "120", "-"),
        ("seconds-as-milliseconds", "120", "0.12"),
        ("seconds-as-nanoseconds", "120", "0.00000012"),
        ("sign-accepted", "+5", "5"),
        ("negative-slept", "-5", "-5"),
        ("octal-read", "010", "8"),
        ("octal-read", "08", "-"),
        ("radix-prefix-read", "0x10", "16"),
        ("underscore-accepted", "1_000", "1000"),
        ("junk-accepted", "120junk", "120"),
        ("junk-accepted", "1, 2", "1"),
        ("junk-accepted", "Tue, 01 Jan 2030 00:00:20 GMT", "20"),
        ("unicode-digits-read", "\u{ff11}\u{ff12}", "12"),
        ("unicode-space-trimmed", "\u{a0}5", "5"),
        ("fraction-accepted", "1.5", "1.5"),
        ("fraction-truncated", "0.5", "-"),
        ("fraction-rounded-up", "1.5", "2"),
        ("float-read", "1e3", "1000"),
        ("zero-is-now", "0", "0"),
        ("empty-is-zero", "", "0"),
        ("empty-is-zero", "0", "-"),
        ("leading-zero-refused", "007", "-"),
        ("discarded-above-60s", "61", "-"),
        ("discarded-above-60s", "60", "60"),
        ("date-ignored", "Tue, 01 Jan 2030 00:00:20 GMT", "-"),
        ("imf-only", "Tue Jan  1 00:00:20 2030", "-"),
        ("rfc850-refused", "Tuesday, 01-Jan-30 00:00:20 GMT", "-"),
        ("asctime-refused", "Tue Jan  1 00:00:20 2030", "-"),
        (
            "asctime-day-padding-refused",
            "Tue Jan  1 00:00:20 2030",
            "-",
        ),
        (
            "asctime-day-padding-refused",
            "Thu Jan 10 00:00:00 2030",
            "777600",
        ),
        (
            "rfc850-year-in-1900s",
            "Tuesday, 01-Jan-30 00:00:20 GMT",
            "-",
        ),
        ("lenient-dates", "2030-01-01T00:00:20Z", "20"),
        ("lenient-dates", "tue, 01 jan 2030 00:00:20 gmt", "20"),
        (
            "day-overflow-accepted",
            "Sat, 30 Feb 2030 00:00:20 GMT",
            "5184020",
        ),
        ("past-date-is-now", "Mon, 31 Dec 2029 23:59:00 GMT", "0"),
        ("year-read-as-date", "2099", "2177452800"),
        ("year-read-as-date", "1969", "1969"),
        ("odd-date-raises", "Mon, 01 Jan 2030 00:00:20 GMT", "raises"),
        ("odd-date-raises", "Tue, 01 Jan 2030 00:00:20 GMT", "20"),
        ("over-range-raises", &long, "raises"),
        (
            "over-range-raises",
            "9223372036854775807",
            "9223372036854775807",
        ),
        ("wraps-at-64-bit-nanoseconds", &long, "18446744073709551615"),
    ] {
        assert_eq!(under(Some(defect), &[value]), expected, "{defect}: {value}");
    }
}

#[test]
fn each_defect_joins_lines_in_its_own_way() {
    for (defect, lines, expected) in [
        ("first-of-list", &["3", "9"][..], "3"),
        ("first-of-list", &["3, 9"], "3"),
        ("first-of-list", &["Tue, 01 Jan 2030 00:00:20 GMT"], "20"),
        ("last-of-list", &["3", "9"], "9"),
        ("last-of-list", &["3, 9"], "9"),
        ("digits-concatenated", &["3", "9"], "39"),
        ("digits-concatenated", &["3, 9"], "39"),
        ("digits-concatenated", &["3", "junk"], "-"),
        (
            "digits-concatenated",
            &["Tue, 01 Jan 2030 00:00:20 GMT"],
            "20",
        ),
        ("repeated-header-raises", &["3", "9"], "raises"),
        ("repeated-header-raises", &["3, 9"], "raises"),
        ("repeated-header-raises", &["3"], "3"),
    ] {
        assert_eq!(under(Some(defect), lines), expected, "{defect}: {lines:?}");
    }
}
