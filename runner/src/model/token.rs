//! Texts with tokens: `{{http-date +120s}}` and the like, resolved when a reply
//! is served, on the case's clock.

use std::fmt;

use jiff::Timestamp;
use jiff::civil::{DateTime, Weekday};
use jiff::tz::Offset;
use serde::{Deserialize, Serialize};

use super::Span;

/// A text in pieces.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TokenText(pub Vec<Piece>);

/// One piece of a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    tag = "is",
    content = "of",
    rename_all = "kebab-case",
    deny_unknown_fields
)]
pub enum Piece {
    /// Itself.
    Text(String),
    /// An HTTP-date, rounded down to the second (RFC 9110 §5.6.7).
    HttpDate(HttpDateToken),
    /// RFC 3339 in UTC, rounded down to the second.
    Iso8601(Span),
    /// Seconds since 1970, rounded down.
    EpochSeconds(Span),
    /// Milliseconds since 1970, rounded down.
    EpochMillis(Span),
    /// The address of a route of the case.
    Url(String),
    /// The address of the request being answered, with this query instead of
    /// its own.
    RequestUrl(String),
    /// So many digits, the first of them a 9.
    Digits(u32),
}

/// Which date, and how it is written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HttpDateToken {
    /// From now on; negative lies in the past.
    pub offset: Span,
    /// Shape.
    pub shape: DateShape,
    /// Letters of day and month names.
    pub letters: Letters,
    /// What stands instead of `GMT`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
    /// Whether the day name is the date's own.
    pub weekday: WeekdayName,
}

/// The three shapes of RFC 9110 §5.6.7.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DateShape {
    /// `Sun, 06 Nov 1994 08:49:37 GMT`.
    Imf,
    /// `Sunday, 06-Nov-94 08:49:37 GMT`.
    Rfc850,
    /// `Sun Nov  6 08:49:37 1994`.
    Asctime,
}

/// Letters of day and month names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Letters {
    /// As the RFC writes them.
    AsDefined,
    /// All lower case.
    Lower,
}

/// Which day name is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WeekdayName {
    /// The date's own.
    Right,
    /// The one after it.
    Wrong,
}

/// What tokens are resolved against.
#[derive(Clone, Debug)]
pub struct TokenContext<'a> {
    /// The wall clock of the case.
    pub wall: Timestamp,
    /// The base URL of the case, and the mark of the call, for `{{url}}`.
    pub base_url: &'a str,
    /// The mark of the call being answered.
    pub mark: &'a str,
    /// Scheme, host, port and path of the request being answered.
    pub request_url: &'a str,
}

impl TokenText {
    /// A text without tokens.
    pub fn literal(text: impl Into<String>) -> Self {
        Self(vec![Piece::Text(text.into())])
    }

    /// The text, if it has no tokens.
    pub fn as_literal(&self) -> Option<String> {
        self.0
            .iter()
            .map(|piece| {
                if let Piece::Text(text) = piece {
                    Some(text.as_str())
                } else {
                    None
                }
            })
            .collect()
    }

    /// Whether a token depends on the wall clock.
    pub fn reads_the_clock(&self) -> bool {
        self.0.iter().any(|piece| {
            matches!(
                piece,
                Piece::HttpDate(_)
                    | Piece::Iso8601(_)
                    | Piece::EpochSeconds(_)
                    | Piece::EpochMillis(_)
            )
        })
    }

    /// The text as it is served.
    pub fn resolve(&self, context: &TokenContext<'_>) -> String {
        self.0.iter().map(|piece| piece.resolve(context)).collect()
    }
}

impl Piece {
    fn resolve(&self, context: &TokenContext<'_>) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::HttpDate(token) => token.render(context.wall),
            Self::Iso8601(offset) => shifted_second(context.wall, *offset)
                .strftime("%Y-%m-%dT%H:%M:%SZ")
                .to_string(),
            Self::EpochSeconds(offset) => {
                (wall_span(context.wall) + *offset).floor_secs().to_string()
            }
            Self::EpochMillis(offset) => (wall_span(context.wall) + *offset)
                .as_nanos()
                .div_euclid(1_000_000)
                .to_string(),
            Self::Url(route) => format!("{}/{route}/{}", context.base_url, context.mark),
            Self::RequestUrl(query) => {
                let path = context.request_url.split('?').next().unwrap_or_default();
                format!("{path}{query}")
            }
            Self::Digits(count) => "9".repeat(usize::try_from(*count).unwrap_or(0)),
        }
    }
}

impl HttpDateToken {
    /// The date that lies `offset` from `wall`, rounded down to the second.
    pub fn render(&self, wall: Timestamp) -> String {
        let date = shifted_second(wall, self.offset);
        let weekday = match self.weekday {
            WeekdayName::Right => date.weekday(),
            WeekdayName::Wrong => date.weekday().next(),
        };
        let (day, month) = (date.day(), month_name(date.month()));
        let time = date.strftime("%H:%M:%S");
        let zone = self.zone.as_deref().unwrap_or("GMT");
        let text = match self.shape {
            DateShape::Imf => {
                format!(
                    "{}, {day:02} {month} {:04} {time} {zone}",
                    short_day_name(weekday),
                    date.year()
                )
            }
            DateShape::Rfc850 => {
                let year = date.year().rem_euclid(100);
                format!(
                    "{}, {day:02}-{month}-{year:02} {time} {zone}",
                    long_day_name(weekday)
                )
            }
            DateShape::Asctime => {
                format!(
                    "{} {month} {day:2} {time} {:04}",
                    short_day_name(weekday),
                    date.year()
                )
            }
        };
        match self.letters {
            Letters::AsDefined => text,
            Letters::Lower => text.to_lowercase(),
        }
    }
}

impl fmt::Display for TokenText {
    /// As it is written in fixtures.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let signed = |span: Span| format!("{}{span}", if span.is_negative() { "" } else { "+" });
        for piece in &self.0 {
            match piece {
                Piece::Text(text) => f.write_str(text)?,
                Piece::HttpDate(token) => {
                    write!(f, "{{{{http-date {}", signed(token.offset))?;
                    match token.shape {
                        DateShape::Imf => {}
                        DateShape::Rfc850 => f.write_str(" rfc850")?,
                        DateShape::Asctime => f.write_str(" asctime")?,
                    }
                    if token.letters == Letters::Lower {
                        f.write_str(" lower")?;
                    }
                    if let Some(zone) = &token.zone {
                        write!(f, " zone={zone}")?;
                    }
                    if token.weekday == WeekdayName::Wrong {
                        f.write_str(" weekday=wrong")?;
                    }
                    f.write_str("}}")?;
                }
                Piece::Iso8601(offset) => write!(f, "{{{{iso-8601 {}}}}}", signed(*offset))?,
                Piece::EpochSeconds(offset) => write!(f, "{{{{epoch {}}}}}", signed(*offset))?,
                Piece::EpochMillis(offset) => write!(f, "{{{{epoch-ms {}}}}}", signed(*offset))?,
                Piece::Url(route) => write!(f, "{{{{url {route}}}}}")?,
                Piece::RequestUrl(query) => write!(f, "{{{{request-url {query}}}}}")?,
                Piece::Digits(count) => write!(f, "{{{{digits {count}}}}}")?,
            }
        }
        Ok(())
    }
}

/// A wall instant as a span since 1970.
pub fn wall_span(wall: Timestamp) -> Span {
    Span::from_nanos(wall.as_nanosecond())
}

/// `wall` moved by `by`; the nearest representable instant if there is none.
pub fn wall_shifted(wall: Timestamp, by: Span) -> Timestamp {
    let nanos = (wall_span(wall) + by).as_nanos();
    Timestamp::from_nanosecond(nanos).unwrap_or(if nanos < 0 {
        Timestamp::MIN
    } else {
        Timestamp::MAX
    })
}

fn shifted_second(wall: Timestamp, by: Span) -> DateTime {
    let second = (wall_span(wall) + by).floor_secs();
    let second = i64::try_from(second).unwrap_or(if second < 0 { i64::MIN } else { i64::MAX });
    let fallback = if second < 0 {
        Timestamp::MIN
    } else {
        Timestamp::MAX
    };
    Offset::UTC.to_datetime(Timestamp::from_second(second).unwrap_or(fallback))
}

/// `Mon` … `Sun`.
pub fn short_day_name(weekday: Weekday) -> &'static str {
    &long_day_name(weekday)[..3]
}

/// `Monday` … `Sunday`.
pub fn long_day_name(weekday: Weekday) -> &'static str {
    match weekday {
        Weekday::Monday => "Monday",
        Weekday::Tuesday => "Tuesday",
        Weekday::Wednesday => "Wednesday",
        Weekday::Thursday => "Thursday",
        Weekday::Friday => "Friday",
        Weekday::Saturday => "Saturday",
        Weekday::Sunday => "Sunday",
    }
}

/// Names of the months, January first.
pub const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

fn month_name(month: i8) -> &'static str {
    usize::try_from(month - 1)
        .ok()
        .and_then(|index| MONTHS.get(index))
        .copied()
        .unwrap_or("Jan")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn date(shape: DateShape) -> HttpDateToken {
        HttpDateToken {
            offset: Span::from_secs(20),
            shape,
            letters: Letters::AsDefined,
            zone: None,
            weekday: WeekdayName::Right,
        }
    }

    /// The example of RFC 9110 §5.6.7, twenty seconds earlier and .9 s into its second.
    fn wall() -> Timestamp {
        "1994-11-06T08:49:17.9Z".parse().expect("a timestamp")
    }

    #[test]
    fn the_three_shapes_are_those_of_the_rfc() {
        assert_eq!(
            date(DateShape::Imf).render(wall()),
            "Sun, 06 Nov 1994 08:49:37 GMT"
        );
        assert_eq!(
            date(DateShape::Rfc850).render(wall()),
            "Sunday, 06-Nov-94 08:49:37 GMT"
        );
        assert_eq!(
            date(DateShape::Asctime).render(wall()),
            "Sun Nov  6 08:49:37 1994"
        );
    }

    #[test]
    fn odd_dates_are_odd_in_one_respect() {
        let lower = HttpDateToken {
            letters: Letters::Lower,
            ..date(DateShape::Imf)
        };
        assert_eq!(lower.render(wall()), "sun, 06 nov 1994 08:49:37 gmt");
        let zone = HttpDateToken {
            zone: Some("+0000".into()),
            ..date(DateShape::Imf)
        };
        assert_eq!(zone.render(wall()), "Sun, 06 Nov 1994 08:49:37 +0000");
        let wrong = HttpDateToken {
            weekday: WeekdayName::Wrong,
            ..date(DateShape::Imf)
        };
        assert_eq!(wrong.render(wall()), "Mon, 06 Nov 1994 08:49:37 GMT");
    }

    #[test]
    fn addresses_and_numbers() {
        let context = TokenContext {
            wall: wall(),
            base_url: "http://127.0.0.1:1/p",
            mark: "1234567",
            request_url: "http://127.0.0.1:1/p/lists/1234567?page=1",
        };
        let text = |piece| TokenText(vec![piece]).resolve(&context);
        assert_eq!(
            text(Piece::Url("hop2".into())),
            "http://127.0.0.1:1/p/hop2/1234567"
        );
        assert_eq!(
            text(Piece::RequestUrl("?page=2".into())),
            "http://127.0.0.1:1/p/lists/1234567?page=2"
        );
        assert_eq!(text(Piece::Digits(3)), "999");
        assert_eq!(text(Piece::EpochSeconds(Span::from_secs(2))), "784111759");
        assert_eq!(text(Piece::EpochMillis(Span::from_secs(2))), "784111759900");
        assert_eq!(
            text(Piece::Iso8601(Span::from_secs(20))),
            "1994-11-06T08:49:37Z"
        );
    }

    #[test]
    fn instants_beyond_the_calendar_stop_at_its_ends() {
        let far = HttpDateToken {
            offset: Span::MAX,
            ..date(DateShape::Imf)
        };
        assert!(far.render(wall()).ends_with(" GMT"));
        assert_eq!(wall_shifted(wall(), -Span::MAX), Timestamp::MIN);
    }
}
