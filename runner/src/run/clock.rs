//! Which clock a case is played under.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;
use std::sync::OnceLock;

use holdoff_vtime::Finding;

use crate::adapter::protocol::ClockKind;
use crate::fixture::Case;
use crate::model::Host;
use crate::oracle::{Setting, Unsupported, supports};
use crate::spec::Spec;

use super::starts::canonical;

/// What `--clock` says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClockChoice {
    /// For each case the first that the case, the adapter and this computer
    /// allow.
    #[default]
    Auto,
    /// This one.
    Only(ClockKind),
}

/// A clock that this computer does not have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClockMissing {
    /// The system lacks something that the virtual clock needs.
    #[error("the virtual clock cannot be had here: {what}: {reason}; {remedy}")]
    Virtual {
        /// What is missing.
        what: String,
        /// The system's answer.
        reason: String,
        /// What would help.
        remedy: String,
    },
}

/// Whether this computer has a virtual clock; it is tried out once.
///
/// # Errors
/// Why it has not.
pub fn virtual_clock() -> Result<(), ClockMissing> {
    let mut findings = virtual_findings().iter();
    let missing = findings.find_map(|finding| Some((finding, finding.trouble.as_ref()?)));
    match missing {
        None => Ok(()),
        Some((finding, trouble)) => Err(ClockMissing::Virtual {
            what: finding.precondition.to_string(),
            reason: trouble.reason.clone(),
            remedy: trouble.remedy.clone(),
        }),
    }
}

/// Each thing that the virtual clock needs, and whether this computer has it;
/// they are tried out once.
pub fn virtual_findings() -> &'static [Finding] {
    static EXAMINED: OnceLock<Vec<Finding>> = OnceLock::new();
    EXAMINED.get_or_init(holdoff_vtime::examine)
}

/// Clocks in the order in which `auto` tries them.
const ORDER: [ClockKind; 3] = [ClockKind::Virtual, ClockKind::Injected, ClockKind::Real];

impl ClockChoice {
    /// The clock for a case on a host.
    ///
    /// # Errors
    /// Why none of the allowed clocks can play it: a reason of the host, or of
    /// the clock.
    pub fn select(self, spec: &Spec, case: &Case, host: &Host) -> Result<ClockKind, Unsupported> {
        let mut refusal = None;
        for kind in self.candidates(host) {
            let setting = Setting {
                spec,
                case,
                host,
                clock: kind,
                wall: canonical(),
                horizon: None,
            };
            match supports(&setting) {
                Ok(()) => return Ok(kind),
                Err(reason) if reason.is_clock() => refusal = Some(reason),
                Err(reason) => return Err(reason),
            }
        }
        Err(refusal.unwrap_or(Unsupported::Clock {
            wanted: claimed(&host.clocks),
            used: self.as_str(),
        }))
    }

    fn candidates(self, host: &Host) -> Vec<ClockKind> {
        ORDER
            .into_iter()
            .filter(|kind| match self {
                Self::Auto => *kind != ClockKind::Virtual || virtual_clock().is_ok(),
                Self::Only(only) => only == *kind,
            })
            .filter(|kind| host.clocks.contains(kind))
            .collect()
    }

    /// The word on the command line.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Only(kind) => clock_name(kind),
        }
    }
}

fn claimed(clocks: &BTreeSet<ClockKind>) -> &'static str {
    clocks.first().map_or("no", |kind| clock_name(*kind))
}

/// The word for a clock.
pub const fn clock_name(kind: ClockKind) -> &'static str {
    match kind {
        ClockKind::Virtual => "virtual",
        ClockKind::Injected => "injected",
        ClockKind::Real => "real",
    }
}

impl fmt::Display for ClockChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A word that is no clock.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no clock: auto, virtual, injected, real")]
pub struct UnknownClock(String);

impl FromStr for ClockChoice {
    type Err = UnknownClock;

    fn from_str(text: &str) -> Result<Self, UnknownClock> {
        match text {
            "auto" => Ok(Self::Auto),
            "virtual" => Ok(Self::Only(ClockKind::Virtual)),
            "injected" => Ok(Self::Only(ClockKind::Injected)),
            "real" => Ok(Self::Only(ClockKind::Real)),
            other => Err(UnknownClock(other.to_owned())),
        }
    }
}
