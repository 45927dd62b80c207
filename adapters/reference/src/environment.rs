//! Zone and locale as this process sees them.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::protocol::Environment;

/// Offsets at the two instants, and the locale.
pub(crate) fn observed(probe: [Timestamp; 2]) -> Environment {
    let zone = TimeZone::system();
    Environment {
        zone_offsets: probe.map(|instant| offset(&zone, instant)),
        locale: locale(|name| std::env::var(name).ok()),
    }
}

/// Whether the process's own names of days and months are the English ones.
pub(crate) fn speaks_english() -> bool {
    is_english(&locale(|name| std::env::var(name).ok()))
}

fn is_english(locale: &str) -> bool {
    let language = locale.split(['.', '_']).next().unwrap_or_default();
    matches!(language, "C" | "POSIX" | "en")
}

/// `±HH:MM`.
fn offset(zone: &TimeZone, instant: Timestamp) -> String {
    let seconds = zone.to_offset(instant).seconds();
    let sign = if seconds < 0 { '-' } else { '+' };
    let minutes = seconds.unsigned_abs() / 60;
    format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60)
}

fn locale(variable: impl Fn(&str) -> Option<String>) -> String {
    ["LC_ALL", "LC_TIME", "LANG"]
        .into_iter()
        .filter_map(variable)
        .find(|value| !value.is_empty())
        .unwrap_or_else(|| "C".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_have_a_sign_and_two_fields() {
        let at = |hours: i8, minutes: i32| {
            let seconds = i32::from(hours) * 3_600 + minutes * 60;
            let zone = TimeZone::fixed(jiff::tz::Offset::from_seconds(seconds).unwrap());
            offset(&zone, Timestamp::UNIX_EPOCH)
        };
        assert_eq!(at(0, 0), "+00:00");
        assert_eq!(at(5, 30), "+05:30");
        assert_eq!(at(-9, -30), "-09:30");
    }

    #[test]
    fn the_plain_locale_is_english() {
        for locale in ["C", "C.UTF-8", "POSIX", "en_US.UTF-8"] {
            assert!(is_english(locale), "{locale}");
        }
        assert!(!is_english("cs_CZ.UTF-8") && !is_english("tr_TR"));
    }

    #[test]
    fn the_first_variable_that_is_set_names_the_locale() {
        let from = |pairs: &'static [(&str, &str)]| {
            locale(|name| {
                let (_, value) = pairs.iter().find(|(known, _)| *known == name)?;
                Some((*value).to_owned())
            })
        };
        assert_eq!(from(&[]), "C");
        assert_eq!(from(&[("LANG", "de_DE.UTF-8")]), "de_DE.UTF-8");
        assert_eq!(
            from(&[("LC_ALL", ""), ("LC_TIME", "cs"), ("LANG", "de")]),
            "cs"
        );
    }
}
