//! [`AdapterFault`]: what an adapter process did wrong, by whose fault.

use serde::{Deserialize, Serialize};

use super::protocol::TAG_VARIABLE;
use crate::model::{Outcome, Span};

/// Why an adapter process cannot be used any longer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(tag = "fault", rename_all = "kebab-case", deny_unknown_fields)]
pub enum AdapterFault {
    /// The process could not be started.
    #[error("`{program}` could not be started: {reason}")]
    Spawn {
        /// First word of the command.
        program: String,
        /// The system's words.
        reason: String,
    },
    /// The process ended although nobody had asked it to.
    #[error("ended with {status}")]
    Crashed {
        /// Exit status or signal.
        status: String,
        /// Last lines of its log.
        log: Vec<String>,
    },
    /// The process said something that the protocol does not allow here.
    #[error("broke the protocol: {detail}")]
    Protocol {
        /// What was received, and what was allowed.
        detail: String,
    },
    /// The process did not answer in real time.
    #[error(
        "was silent: no {awaited} within {limit} of real time; {}",
        advice(log)
    )]
    Silent {
        /// What was waited for.
        awaited: String,
        /// For how long.
        limit: Span,
        /// Last lines of its log.
        log: Vec<String>,
    },
    /// Another SDK or version than the one asked for is loaded.
    #[error("loaded {found}, {asked} was asked for")]
    WrongSdk {
        /// Name and version asked for.
        asked: String,
        /// Name and version that answered.
        found: String,
    },
    /// The process did something under its virtual clock that ends it.
    #[error("broke its clock: {detail}")]
    Clock {
        /// What.
        detail: String,
    },
    /// The process cannot have the zone or locale asked for; the fault of
    /// neither the adapter nor the SDK.
    #[error("cannot run here: {reason}")]
    Unavailable {
        /// What was asked for, and what the process has.
        reason: String,
    },
}

impl AdapterFault {
    /// A protocol fault.
    pub(crate) fn protocol(detail: impl Into<String>) -> Self {
        Self::Protocol {
            detail: detail.into(),
        }
    }

    /// A fault under a virtual clock.
    pub(crate) fn clock(detail: impl std::fmt::Display) -> Self {
        Self::Clock {
            detail: detail.to_string(),
        }
    }

    /// Last lines of the process's log, where they tell more than the fault.
    pub fn log(&self) -> &[String] {
        match self {
            Self::Crashed { log, .. } | Self::Silent { log, .. } => log,
            Self::Spawn { .. }
            | Self::Protocol { .. }
            | Self::Clock { .. }
            | Self::WrongSdk { .. }
            | Self::Unavailable { .. } => &[],
        }
    }

    /// How a call ended that was running when the fault came up.
    pub fn outcome(&self) -> Outcome {
        match self {
            Self::Crashed { log, .. } => Outcome::Crashed {
                detail: std::iter::once(self.to_string())
                    .chain(log.iter().cloned())
                    .collect::<Vec<_>>()
                    .join("\n"),
            },
            Self::Protocol { detail } => Outcome::ProtocolError {
                detail: detail.clone(),
            },
            Self::Silent { .. } => Outcome::OutOfTime,
            Self::Spawn { .. }
            | Self::Clock { .. }
            | Self::WrongSdk { .. }
            | Self::Unavailable { .. } => Outcome::AdapterError {
                trace: self.to_string(),
            },
        }
    }
}

/// Characters of a misplaced message that are shown.
const SHOWN: usize = 200;

/// What a silent adapter has most likely forgotten.
fn advice(log: &[String]) -> String {
    let is_message = |line: &&String| line.contains(r#"{"type":"#) || line.contains(r#"{"type": "#);
    match log.iter().rev().find(is_message) {
        Some(line) => {
            let shown: String = line.chars().take(SHOWN).collect();
            format!("`{shown}` lacks the tag of {TAG_VARIABLE} and was taken for log")
        }
        None => "did you flush?".to_owned(),
    }
}
