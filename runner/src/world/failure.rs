//! [`WorldFailure`]: why there is no observation of a case.

use serde::{Deserialize, Serialize};

use crate::adapter::AdapterFault;

/// Why there is no observation of a case. Never a divergence of the SDK: what
/// happens while a call runs is observed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(tag = "failure", rename_all = "kebab-case", deny_unknown_fields)]
pub enum WorldFailure {
    /// The adapter failed before a call could be made.
    #[error("the adapter {fault}")]
    Adapter {
        /// What it did.
        #[source]
        fault: AdapterFault,
    },
    /// The adapter died again and again; it is not started any more.
    #[error("the adapter died {deaths} times without completing a case")]
    Unhealthy {
        /// How often.
        deaths: u32,
    },
    /// This world cannot play under the case's clock.
    #[error("{reason}")]
    NoClock {
        /// Which, and why not.
        reason: String,
    },
    /// The runner itself failed.
    #[error("the runner failed: {reason}")]
    Harness {
        /// What went wrong.
        reason: String,
    },
}

impl WorldFailure {
    /// Last lines of the adapter's log, if it is the adapter that failed.
    pub fn log(&self) -> &[String] {
        match self {
            Self::Adapter { fault } => fault.log(),
            Self::Unhealthy { .. } | Self::NoClock { .. } | Self::Harness { .. } => &[],
        }
    }

    /// A failure of the runner itself.
    pub(super) fn harness(reason: impl std::fmt::Display) -> Self {
        Self::Harness {
            reason: reason.to_string(),
        }
    }
}

impl From<AdapterFault> for WorldFailure {
    fn from(fault: AdapterFault) -> Self {
        Self::Adapter { fault }
    }
}
