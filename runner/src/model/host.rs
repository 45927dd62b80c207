//! What an adapter's manifest says of its SDK.

use std::collections::{BTreeMap, BTreeSet};

use super::{LoopId, Span};
use crate::adapter::protocol::{ClockKind, ParamValue};

/// An SDK as the oracle sees it: one version and variant of one adapter.
#[derive(Clone, Debug, PartialEq)]
pub struct Host {
    /// `basecamp-python/sync@0.15.0`.
    pub name: String,
    /// Loops that it has, with what is fixed in each. Keys are the loops of
    /// the specification, not the adapter's own rows.
    pub loops: BTreeMap<LoopId, HostLoop>,
    /// Knobs that the adapter can set.
    pub params: BTreeSet<String>,
    /// What it can show and do.
    pub features: BTreeSet<Feature>,
    /// Clocks that it can run under.
    pub clocks: BTreeSet<ClockKind>,
    /// How it sleeps.
    pub sleeps: SleepStyle,
    /// What runs it.
    pub runtime: Runtime,
    /// A value above this cannot be parsed and is malformed.
    pub parse_limit: Option<Span>,
    /// A wait above this cannot be scheduled and saturates here.
    pub schedule_limit: Option<Span>,
}

/// One loop of an SDK.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HostLoop {
    /// The adapter's own name for it, sent in `open`.
    pub row: Option<LoopId>,
    /// Constants without a knob.
    pub constants: BTreeMap<String, ParamValue>,
}

/// What an adapter can show or do beyond calling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Feature {
    /// A running call can be cancelled.
    Cancel,
    /// The SDK has a retry hook.
    RetryHook,
    /// The SDK's error carries the told wait.
    RetryAfterOnError,
}

impl Feature {
    /// Every feature.
    pub const ALL: [Self; 3] = [Self::Cancel, Self::RetryHook, Self::RetryAfterOnError];

    /// The word in manifests and fixtures.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Cancel => "cancel",
            Self::RetryHook => "retry-hook",
            Self::RetryAfterOnError => "retry-after-on-error",
        }
    }
}

/// How an SDK sleeps: what `asked` can be compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SleepStyle {
    /// It asks for the whole wait.
    Duration,
    /// It asks for what is left until an instant.
    Deadline,
    /// It asks for slices.
    Sliced,
}

impl SleepStyle {
    /// The longest sleep that a sliced host asks its kernel for at a time;
    /// asyncio's, for one.
    pub const SLICE: Span = Span::from_secs(86_400);

    /// Every style.
    pub const ALL: [Self; 3] = [Self::Duration, Self::Deadline, Self::Sliced];

    /// The word in manifests.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Duration => "duration",
            Self::Deadline => "deadline",
            Self::Sliced => "sliced",
        }
    }
}

/// What runs an SDK: by this its timers are rounded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Runtime {
    /// CPython.
    Python,
    /// Ruby.
    Ruby,
    /// PHP.
    Php,
    /// Go.
    Go,
    /// A Java machine, whatever the language.
    Jvm,
    /// Node.
    Node,
    /// Rust with tokio.
    Tokio,
    /// One of which nothing is known.
    #[default]
    Other,
}

impl Runtime {
    /// The usual one of a language, by the name that a manifest gives it.
    pub fn of(language: &str) -> Self {
        match language.to_ascii_lowercase().as_str() {
            "python" => Self::Python,
            "ruby" => Self::Ruby,
            "php" => Self::Php,
            "go" => Self::Go,
            "java" | "kotlin" | "scala" => Self::Jvm,
            "node" | "javascript" | "typescript" => Self::Node,
            "rust" => Self::Tokio,
            _ => Self::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_have_their_runtimes() {
        assert_eq!(Runtime::of("Kotlin"), Runtime::Jvm);
        assert_eq!(Runtime::of("typescript"), Runtime::Node);
        assert_eq!(Runtime::of("cobol"), Runtime::Other);
    }
}
