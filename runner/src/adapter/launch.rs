//! [`LaunchSpec`]: everything that is needed to start one adapter.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::protocol::{ClockKind, SdkIdentity};
use crate::model::Span;

/// Whose time a process lives in. It does so from its first instruction on: a
/// process cannot change over.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum ProcessClock {
    /// The machine's.
    #[default]
    Machine,
    /// The runner's, which owns every clock that the process can read.
    Virtual,
}

impl ProcessClock {
    /// What a case under a clock needs.
    pub const fn of(kind: ClockKind) -> Self {
        match kind {
            ClockKind::Virtual => Self::Virtual,
            ClockKind::Injected | ClockKind::Real => Self::Machine,
        }
    }
}

/// How one adapter process is started, and who must answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LaunchSpec {
    /// Name of the adapter, for messages.
    pub name: String,
    /// Program and arguments; never a shell line.
    pub argv: Vec<String>,
    /// Working directory.
    pub directory: PathBuf,
    /// Variables of the manifest, on top of the built environment.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// The SDK that must be loaded; another name or version is a fault. None:
    /// whatever answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sdk: Option<SdkIdentity>,
    /// Time zone by its IANA name; the adapter's hello proves it.
    pub zone: String,
    /// Locale; proved by the hello unless it is the plain one.
    pub locale: String,
    /// Whose time it lives in.
    #[serde(default)]
    pub clock: ProcessClock,
    /// Real time that the adapter may take from its start to its hello.
    pub start_limit: Span,
}

impl LaunchSpec {
    /// Time zone that a process gets when no fixture asks for another.
    pub const PLAIN_ZONE: &'static str = "UTC";
    /// Locale that a process gets when no fixture asks for another.
    pub const PLAIN_LOCALE: &'static str = "C.UTF-8";
    /// Real time for a start: a cold JVM on a busy CI machine needs ten
    /// seconds.
    pub const START_LIMIT: Span = Span::from_secs(30);

    /// A process in the current directory, in UTC and the plain locale.
    pub fn new(name: impl Into<String>, argv: Vec<String>) -> Self {
        Self {
            name: name.into(),
            argv,
            directory: PathBuf::from("."),
            env: BTreeMap::new(),
            sdk: None,
            zone: Self::PLAIN_ZONE.to_owned(),
            locale: Self::PLAIN_LOCALE.to_owned(),
            clock: ProcessClock::Machine,
            start_limit: Self::START_LIMIT,
        }
    }

    /// The same, living in the time that a case under `kind` needs.
    pub fn under(&self, kind: ClockKind) -> Self {
        Self {
            clock: ProcessClock::of(kind),
            ..self.clone()
        }
    }
}
