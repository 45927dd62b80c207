//! The handshake: who answered, and where it thinks it is.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::protocol::{
    AdapterEnvironment, FromAdapter, PROTOCOL_VERSION, SdkIdentity, ToAdapter, VersionRange,
};
use super::{AdapterFault, LaunchSpec};

/// The two instants at which a process proves its zone: the first of January
/// and of July 2030, so that daylight saving shows on either half of the globe.
pub const PROBE: [Timestamp; 2] = [
    Timestamp::constant(1_893_456_000, 0),
    Timestamp::constant(1_909_094_400, 0),
];

/// What an adapter said of itself.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hello {
    /// The SDK that is really loaded.
    pub sdk: SdkIdentity,
    /// Language of the adapter.
    pub language: String,
    /// Runtime and its version.
    pub runtime: String,
    /// Zone and locale of the process.
    pub environment: AdapterEnvironment,
}

/// The first message to a fresh process.
pub(super) fn greeting() -> ToAdapter {
    ToAdapter::Hello {
        protocol: VersionRange {
            min: PROTOCOL_VERSION,
            max: PROTOCOL_VERSION,
        },
        runner: concat!("holdoff ", env!("CARGO_PKG_VERSION")).to_owned(),
        probe: PROBE,
    }
}

/// Holds the answer against what was asked for.
pub(super) fn checked(answer: FromAdapter, spec: &LaunchSpec) -> Result<Hello, AdapterFault> {
    let FromAdapter::Hello {
        protocol,
        sdk,
        language,
        runtime,
        environment,
    } = answer
    else {
        return Err(AdapterFault::protocol(format!(
            "{answer:?} came where `hello` was awaited"
        )));
    };
    if protocol != PROTOCOL_VERSION {
        return Err(AdapterFault::protocol(format!(
            "the adapter speaks protocol {protocol}, this runner {PROTOCOL_VERSION}"
        )));
    }
    if let Some(asked) = spec.sdk.as_ref().filter(|asked| **asked != sdk) {
        return Err(AdapterFault::WrongSdk {
            asked: format!("{} {}", asked.name, asked.version),
            found: format!("{} {}", sdk.name, sdk.version),
        });
    }
    prove_zone(&spec.zone, &environment)?;
    prove_locale(&spec.locale, &environment)?;
    Ok(Hello {
        sdk,
        language,
        runtime,
        environment,
    })
}

fn prove_zone(asked: &str, found: &AdapterEnvironment) -> Result<(), AdapterFault> {
    let zone = TimeZone::get(asked).map_err(|error| AdapterFault::Unavailable {
        reason: format!("zone {asked}: {error}"),
    })?;
    for (instant, offset) in PROBE.iter().zip(&found.zone_offsets) {
        let wanted = offset_text(zone.to_offset(*instant).seconds());
        let same = wanted == *offset || (wanted == "+00:00" && offset == "Z");
        if !same {
            return Err(AdapterFault::Unavailable {
                reason: format!(
                    "zone {asked} was asked for, the process is at {offset} instead of {wanted} at {instant}"
                ),
            });
        }
    }
    Ok(())
}

fn offset_text(seconds: i32) -> String {
    let sign = if seconds < 0 { '-' } else { '+' };
    let minutes = seconds.abs() / 60;
    format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60)
}

/// The plain locale needs no proof: what runtimes call it is their own affair.
fn prove_locale(asked: &str, found: &AdapterEnvironment) -> Result<(), AdapterFault> {
    if asked == LaunchSpec::PLAIN_LOCALE || folded(asked) == folded(&found.locale) {
        return Ok(());
    }
    Err(AdapterFault::Unavailable {
        reason: format!(
            "locale {asked} was asked for, the process has {}",
            found.locale
        ),
    })
}

/// `cs_CZ.UTF-8`, `cs-CZ` and `cs_CZ.utf8` are one locale.
fn folded(locale: &str) -> String {
    let (name, _codeset) = locale.split_once('.').unwrap_or((locale, ""));
    name.replace('-', "_").to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(zone: &str, locale: &str) -> LaunchSpec {
        LaunchSpec {
            zone: zone.to_owned(),
            locale: locale.to_owned(),
            ..LaunchSpec::new("x", vec!["x".to_owned()])
        }
    }

    fn answer(protocol: u32, version: &str, offsets: [&str; 2], locale: &str) -> FromAdapter {
        FromAdapter::Hello {
            protocol,
            sdk: SdkIdentity {
                name: "sdk".to_owned(),
                version: version.to_owned(),
            },
            language: "rust".to_owned(),
            runtime: "tokio".to_owned(),
            environment: AdapterEnvironment {
                zone_offsets: offsets.map(str::to_owned),
                locale: locale.to_owned(),
            },
        }
    }

    const UTC: [&str; 2] = ["+00:00", "+00:00"];

    #[test]
    fn a_zone_is_proved_at_both_instants() {
        let prague = spec("Europe/Prague", "C.UTF-8");
        assert!(checked(answer(1, "1", ["+01:00", "+02:00"], "C"), &prague).is_ok());
        assert!(matches!(
            checked(answer(1, "1", ["+01:00", "+01:00"], "C"), &prague),
            Err(AdapterFault::Unavailable { .. })
        ));
        let india = spec("Asia/Kolkata", "C.UTF-8");
        assert!(checked(answer(1, "1", ["+05:30", "+05:30"], "C"), &india).is_ok());
        assert!(checked(answer(1, "1", UTC, "C"), &india).is_err());
    }

    #[test]
    fn a_locale_is_proved_unless_it_is_the_plain_one() {
        let czech = spec("UTC", "cs_CZ.UTF-8");
        assert!(checked(answer(1, "1", UTC, "cs-CZ"), &czech).is_ok());
        assert!(checked(answer(1, "1", UTC, "C"), &czech).is_err());
        assert!(checked(answer(1, "1", UTC, "en"), &spec("UTC", "C.UTF-8")).is_ok());
    }

    #[test]
    fn another_sdk_protocol_or_message_is_refused() {
        let mut asked = spec("UTC", "C.UTF-8");
        asked.sdk = Some(SdkIdentity {
            name: "sdk".to_owned(),
            version: "2".to_owned(),
        });
        assert!(checked(answer(1, "2", UTC, "C"), &asked).is_ok());
        let refused = checked(answer(1, "1", UTC, "C"), &asked).unwrap_err();
        assert_eq!(refused.to_string(), "loaded sdk 1, sdk 2 was asked for");
        assert!(checked(answer(2, "2", UTC, "C"), &asked).is_err());
        let other = FromAdapter::Opened {
            case: "c".to_owned(),
        };
        assert!(checked(other, &asked).is_err());
    }
}
