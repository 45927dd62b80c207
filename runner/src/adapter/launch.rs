//! [`LaunchSpec`]: everything that is needed to start one adapter.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::protocol::SdkIdentity;
use crate::model::Span;

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
            start_limit: Self::START_LIMIT,
        }
    }
}
