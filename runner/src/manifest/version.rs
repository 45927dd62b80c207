//! Versions of SDKs, and ranges of them.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// A version as its registry spells it, compared by its numbers: `0.15` equals
/// `0.15.0`, and `1.0.0-rc.1` or `1.0rc1` come before `1.0.0`.
#[derive(Clone, Debug)]
pub struct Version {
    text: String,
    numbers: Vec<u64>,
    suffix: String,
}

impl Version {
    /// Reads a version; every text is one.
    pub fn new(text: &str) -> Self {
        let bare = text.strip_prefix('v').unwrap_or(text);
        // What follows a plus sign names a build, not a version.
        let bare = bare.split('+').next().unwrap_or_default();
        let end = bare
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(bare.len());
        let numbers = bare[..end].split('.').filter(|part| !part.is_empty());
        let mut numbers: Vec<u64> = numbers
            .map(|part| part.parse().unwrap_or(u64::MAX))
            .collect();
        while numbers.last() == Some(&0) {
            numbers.pop();
        }
        Self {
            text: text.to_owned(),
            numbers,
            suffix: bare[end..].to_owned(),
        }
    }

    /// The version as written.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl Ord for Version {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_suffix = || match (self.suffix.is_empty(), other.suffix.is_empty()) {
            (true, true) => Ordering::Equal,
            (true, false) => Ordering::Greater,
            (false, true) => Ordering::Less,
            (false, false) => self.suffix.cmp(&other.suffix),
        };
        self.numbers.cmp(&other.numbers).then_with(by_suffix)
    }
}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Version {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Version {}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

/// A set of versions: `*`, `=0.15.0`, `<0.18`, `>=0.18, <0.30`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionRange {
    text: String,
    bounds: Vec<(Operator, Version)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Equal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// Text that is no range of versions.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no range of versions")]
pub struct RangeError(pub String);

impl RangeError {
    /// Forms of a range, for messages.
    pub const FORMS: [&'static str; 4] = ["*", "=0.15.0", "<0.18", ">=0.18, <0.30"];
}

impl VersionRange {
    /// Whether a version lies in it.
    pub fn contains(&self, version: &Version) -> bool {
        self.bounds.iter().all(|(operator, bound)| {
            let order = version.cmp(bound);
            match operator {
                Operator::Equal => order == Ordering::Equal,
                Operator::Less => order == Ordering::Less,
                Operator::LessOrEqual => order != Ordering::Greater,
                Operator::Greater => order == Ordering::Greater,
                Operator::GreaterOrEqual => order != Ordering::Less,
            }
        })
    }

    /// The range as written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The same range without `version` and what is newer, as text; `None` if
    /// it names that one version alone.
    pub(crate) fn before(&self, version: &Version) -> Option<String> {
        if self
            .bounds
            .iter()
            .any(|(operator, _)| *operator == Operator::Equal)
        {
            return None;
        }
        let is_lower =
            |operator: Operator| matches!(operator, Operator::Greater | Operator::GreaterOrEqual);
        let mut bounds: Vec<_> = self
            .bounds
            .iter()
            .filter(|(operator, _)| is_lower(*operator))
            .map(|(operator, bound)| format!("{}{bound}", operator.as_str()))
            .collect();
        bounds.push(format!("<{version}"));
        Some(bounds.join(", "))
    }
}

impl Operator {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
        }
    }
}

impl FromStr for VersionRange {
    type Err = RangeError;

    fn from_str(text: &str) -> Result<Self, RangeError> {
        let error = || RangeError(text.to_owned());
        let mut bounds = Vec::new();
        for part in text.split(',').map(str::trim) {
            if part == "*" && text.trim() == "*" {
                continue;
            }
            // The longer operators first.
            let operators = [
                Operator::LessOrEqual,
                Operator::GreaterOrEqual,
                Operator::Equal,
                Operator::Less,
                Operator::Greater,
            ];
            let (operator, version) = operators
                .iter()
                .find_map(|operator| {
                    Some((*operator, part.strip_prefix(operator.as_str())?.trim()))
                })
                .ok_or_else(error)?;
            let is_version = version.starts_with(|c: char| c.is_ascii_digit())
                && version
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || ".-+_".contains(c));
            if !is_version {
                return Err(error());
            }
            bounds.push((operator, Version::new(version)));
        }
        Ok(Self {
            text: text.trim().to_owned(),
            bounds,
        })
    }
}

impl fmt::Display for VersionRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contains(range: &str, version: &str) -> bool {
        range
            .parse::<VersionRange>()
            .unwrap()
            .contains(&Version::new(version))
    }

    #[test]
    fn versions_are_compared_by_their_numbers() {
        let order = [
            "0.9",
            "0.15.0-rc.1",
            "0.15.0",
            "0.15.1",
            "0.18",
            "1.0rc1",
            "1.0",
            "10.0",
        ];
        for pair in order.windows(2) {
            assert!(Version::new(pair[0]) < Version::new(pair[1]), "{pair:?}");
        }
        assert_eq!(Version::new("v0.15"), Version::new("0.15.0+local"));
    }

    #[test]
    fn ranges_contain_what_they_say() {
        for (range, version, expected) in [
            ("*", "0.0.1", true),
            ("<0.18", "0.17.9", true),
            ("<0.18", "0.18.0", false),
            (">=0.18, <0.30", "0.18.0", true),
            (">=0.18,<0.30", "0.29.1", true),
            (">=0.18, <0.30", "0.30", false),
            ("=0.15.0", "0.15", true),
            ("=0.15.0", "0.15.1", false),
            ("<=1", "1.0", true),
            (">1", "1.0.1", true),
        ] {
            assert_eq!(contains(range, version), expected, "{range} {version}");
        }
    }

    #[test]
    fn what_is_no_range_is_refused() {
        for text in ["", "0.15", "~1", "<", "<x", ">=1,", "*, <1", "=1 2"] {
            assert!(text.parse::<VersionRange>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_range_ends_before_a_version() {
        let before = |range: &str| {
            range
                .parse::<VersionRange>()
                .unwrap()
                .before(&Version::new("0.29.1"))
        };
        assert_eq!(before("*").unwrap(), "<0.29.1");
        assert_eq!(before(">=0.18, <0.30").unwrap(), ">=0.18, <0.29.1");
        assert_eq!(before("=0.29.1"), None);
    }
}
