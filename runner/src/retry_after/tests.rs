use jiff::tz::TimeZone;

use super::*;
use crate::model::{ParserId, Span};
use crate::spec::{
    AboveThreshold, DateShape, DateWait, Digits, FractionRule, ParserRow, RepeatedLines, Surfaced,
    ToldJitter, Whitespace, ZeroRule,
};

fn row() -> ParserRow {
    ParserRow {
        id: ParserId::from("rfc"),
        whitespace: Whitespace::Ows,
        digits: Digits::Unlimited,
        zero: ZeroRule::Malformed,
        fraction: FractionRule::Malformed,
        dates: vec![DateShape::Imf, DateShape::Rfc850, DateShape::Asctime],
        date_wait: DateWait::Ceil,
        repeated_lines: RepeatedLines::AnyOf,
        wait_ceiling: None,
        above_threshold: AboveThreshold::Nothing,
        jitter_on_told: ToldJitter::None,
        surfaced: Surfaced::AsSent,
        line: 1,
    }
}

fn clock(wall: &str) -> WallReading {
    WallReading {
        wall: wall.parse().unwrap(),
        zone: TimeZone::UTC,
    }
}

fn read_one(value: &str, reading: &Reading) -> Told {
    read(
        &[value.to_owned()],
        &row(),
        reading,
        &clock("2030-01-01T00:00:00Z"),
    )
}

fn seconds(secs: i128) -> Told {
    Told::Wait(Span::from_secs(secs), ToldForm::Seconds)
}

#[test]
fn digits_above_zero_are_seconds() {
    for (value, secs) in [
        ("2", 2),
        ("007", 7),
        ("010", 10),
        ("08", 8),
        (" 5\t", 5),
        ("2099", 2099),
        ("9223372037", 9_223_372_037),
    ] {
        assert_eq!(
            read_one(value, &Reading::default()),
            seconds(secs),
            "{value}"
        );
    }
    assert_eq!(
        read_one(&"9".repeat(400), &Reading::default()),
        Told::Wait(Span::MAX, ToldForm::Seconds)
    );
}

#[test]
fn everything_else_is_malformed() {
    let nothing = [
        "",
        "0",
        "00",
        "-5",
        "+5",
        "1.5",
        "1e3",
        "120junk",
        "1, 2",
        "\u{a0}5",
        "1_000",
        "0x10",
        "0b11",
        "\u{665}",
        "\u{ff15}",
        "soon",
        "1m0s",
        "12; q=1",
        "²",
        "Tue, 01 Jan 2030 00:00:20 +0000",
        "tue, 01 jan 2030 00:00:20 gmt",
        "Tue 01 Jan 2030 00:00:20 GMT",
        "Tue, 1 Jan 2030 00:00:20 GMT",
        "Tue, 01 Jan 2030 24:00:00 GMT",
        "Sat, 30 Feb 2030 00:00:20 GMT",
        "2030-01-01T00:00:20Z",
        "Jan 1 2099",
        "Tue, 01-Jan-2030 00:00:20 GMT",
        "01 Jan 2030 00:00:20 GMT",
        "Mon, 31 Dec 2029 23:59:00 GMT",
        "Tue, 01 Jan 2030 00:00:00 GMT",
        "Tue, 01 Jan 2030 00:00:20 EST",
        "Tue, 01 Jan 2030 00:00:20 UTC",
    ];
    for value in nothing {
        assert_eq!(
            read_one(value, &Reading::default()),
            Told::Nothing,
            "{value}"
        );
    }
}

#[test]
fn the_three_shapes_of_a_date_are_rounded_up() {
    for value in [
        "Tue, 01 Jan 2030 00:00:20 GMT",
        "Tuesday, 01-Jan-30 00:00:20 GMT",
        "Tue Jan  1 00:00:20 2030",
    ] {
        for wall in ["2030-01-01T00:00:00Z", "2030-01-01T00:00:00.999999999Z"] {
            let told = read(
                &[value.to_owned()],
                &row(),
                &Reading::default(),
                &clock(wall),
            );
            assert_eq!(
                told,
                Told::Wait(Span::from_secs(20), ToldForm::Date),
                "{value} at {wall}"
            );
        }
    }
}

#[test]
fn a_two_digit_year_is_the_latest_not_more_than_fifty_years_ahead() {
    let at = |value: &str, wall: &str| {
        read(
            &[value.to_owned()],
            &row(),
            &Reading::default(),
            &clock(wall),
        )
    };
    let ahead = at("Sunday, 31-Dec-79 23:59:59 GMT", "2030-01-01T00:00:00Z");
    assert!(
        matches!(ahead, Told::Wait(span, _) if span > Span::from_secs(49 * 365 * 86_400)),
        "{ahead:?}"
    );
    // 1 January 2080, one second past: more than fifty years ahead, so 1980.
    assert_eq!(
        at("Tuesday, 01-Jan-80 00:00:01 GMT", "2030-01-01T00:00:00Z"),
        Told::Nothing
    );
    // In 2090 the year 05 is 2105.
    let next_century = at("Thursday, 01-Jan-05 00:00:00 GMT", "2090-01-01T00:00:00Z");
    assert!(matches!(next_century, Told::Wait(..)), "{next_century:?}");
}

#[test]
fn several_lines_leave_a_choice() {
    let lines = ["3".to_owned(), "9".to_owned()];
    let told = read(
        &lines,
        &row(),
        &Reading::default(),
        &clock("2030-01-01T00:00:00Z"),
    );
    assert_eq!(
        told,
        Told::AnyOf(vec![seconds(3), seconds(9), Told::Nothing])
    );
    let joined = Reading {
        lists: ListRule::Concatenated,
        ..Reading::default()
    };
    assert_eq!(
        read(&lines, &row(), &joined, &clock("2030-01-01T00:00:00Z")),
        seconds(39)
    );
    let raises = Reading {
        lists: ListRule::Raises,
        ..Reading::default()
    };
    assert_eq!(
        read(&lines, &row(), &raises, &clock("2030-01-01T00:00:00Z")),
        Told::Raises
    );
}

#[test]
fn a_wrong_day_name_is_not_settled() {
    assert_eq!(
        read_one("Mon, 01 Jan 2030 00:00:20 GMT", &Reading::default()),
        Told::Unsettled(Span::from_secs(20))
    );
}

#[test]
fn each_deviation_reads_what_the_reference_refuses() {
    use Switch::On;
    let digits = |change: fn(&mut DigitRules)| {
        let mut reading = Reading::default();
        change(&mut reading.digits);
        reading
    };
    let cases: [(&str, Reading, i128); 16] = [
        ("+5", digits(|rules| rules.plus_accepted = On), 5_000),
        ("-5", digits(|rules| rules.negative_read = On), -5_000),
        ("010", digits(|rules| rules.octal = On), 8_000),
        ("0x10", digits(|rules| rules.radix_prefix = On), 16_000),
        ("0b11", digits(|rules| rules.radix_prefix = On), 3_000),
        ("1_000", digits(|rules| rules.underscores = On), 1_000_000),
        ("120junk", digits(|rules| rules.leading_run = On), 120_000),
        ("1, 2", digits(|rules| rules.leading_run = On), 1_000),
        ("\u{665}", digits(|rules| rules.any_script = On), 5_000),
        ("\u{ff15}", digits(|rules| rules.any_script = On), 5_000),
        ("\u{a0}5", digits(|rules| rules.any_space = On), 5_000),
        ("1.5", digits(|rules| rules.fraction = On), 1_500),
        ("1.5", digits(|rules| rules.fraction_down = On), 1_000),
        ("1.5", digits(|rules| rules.fraction_up = On), 2_000),
        ("1e3", digits(|rules| rules.float = On), 1_000_000),
        ("0", digits(|rules| rules.zero_is_now = On), 0),
    ];
    for (value, reading, millis) in cases {
        let wait = Told::Wait(Span::from_nanos(millis * 1_000_000), ToldForm::Seconds);
        assert_eq!(read_one(value, &reading), wait, "{value}");
    }
    for (value, reading) in [
        ("08", digits(|rules| rules.octal = On)),
        ("007", digits(|rules| rules.leading_zero_refused = On)),
        ("junk", digits(|rules| rules.leading_run = On)),
    ] {
        assert_eq!(read_one(value, &reading), Told::Nothing, "{value}");
    }
}

#[test]
fn lenient_dates_are_a_defect_of_their_own() {
    let mut lenient = Reading::default();
    lenient.dates.lenient = Switch::On;
    for value in [
        "Tue, 01 Jan 2030 00:00:20 +0000",
        "tue, 01 jan 2030 00:00:20 gmt",
        "Tue 01 Jan 2030 00:00:20 GMT",
        "Tue, 1 Jan 2030 00:00:20 GMT",
        "01 Jan 2030 00:00:20 GMT",
        "2030-01-01T00:00:20Z",
    ] {
        assert_eq!(
            read_one(value, &lenient),
            Told::Wait(Span::from_secs(20), ToldForm::Date),
            "{value}"
        );
    }
    assert_eq!(
        read_one("Tue, 01 Jan 2030 00:00:20 EST", &lenient),
        Told::Wait(Span::from_secs(5 * 3_600 + 20), ToldForm::Date)
    );
    assert_eq!(read_one("soon", &lenient), Told::Nothing);
}

#[test]
fn a_zone_shifts_a_defective_reader_only() {
    let zone = TimeZone::get("Asia/Kolkata").unwrap();
    let clock = WallReading {
        wall: "2030-01-01T00:00:00Z".parse().unwrap(),
        zone,
    };
    let value = ["Tue, 01 Jan 2030 05:30:20 GMT".to_owned()];
    let mut local = Reading::default();
    local.dates.local_zone = Switch::On;
    assert_eq!(
        read(&value, &row(), &local, &clock),
        Told::Wait(Span::from_secs(20), ToldForm::Date)
    );
    assert_eq!(
        read(&value, &row(), &Reading::default(), &clock),
        Told::Wait(Span::from_secs(19_820), ToldForm::Date)
    );
}

#[test]
fn the_last_second_of_the_year_9999_is_a_date() {
    let told = read_one("Fri, 31 Dec 9999 23:59:59 GMT", &Reading::default());
    assert_eq!(
        told,
        Told::Wait(Span::from_secs(251_508_844_799), ToldForm::Date)
    );
}

#[test]
fn a_past_date_with_another_weekday_is_nothing_however_it_is_read() {
    let value = "Tuesday, 01-Jan-30 00:02:00 GMT";
    let mut reading = Reading::default();
    reading.dates.century_1900 = Switch::On;
    assert_eq!(read_one(value, &reading), Told::Nothing);
    reading.dates.odd_raises = Switch::On;
    assert_eq!(read_one(value, &reading), Told::Raises);
}

#[test]
fn digits_of_a_list_are_joined_as_the_catalogue_says() {
    let reading = Reading {
        lists: ListRule::Concatenated,
        ..Reading::default()
    };
    assert_eq!(read_one("1, 2", &reading), seconds(12));
    assert_eq!(read_one("4 6", &reading), seconds(46));
    assert_eq!(read_one("4;6", &reading), Told::Nothing);
}
