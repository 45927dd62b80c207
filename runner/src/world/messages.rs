//! What goes into a world process and what comes out: one JSON line each.

use serde::{Deserialize, Serialize};

use super::WorldFailure;
use crate::adapter::{Hello, LaunchSpec};
use crate::model::{CasePlan, Exchange, Observation};

/// Stands before each line that a world writes, so that what a library prints
/// is never read as one.
pub(super) const LINE_MARK: &str = "@world ";

/// What the main process writes to a world's standard input. At its end the
/// world kills its tree and exits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "order", rename_all = "kebab-case", deny_unknown_fields)]
pub enum WorldOrder {
    /// Start the adapter; first order of all. Answered by `ready` or `failed`.
    Start {
        /// How.
        spec: Box<LaunchSpec>,
    },
    /// Play one case. Answered by `observed` or `failed`.
    Run {
        /// The case.
        plan: Box<CasePlan>,
    },
    /// Shut the adapter down and exit.
    Stop,
}

/// What a world writes to its standard output.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case", deny_unknown_fields)]
pub enum WorldEvent {
    /// The adapter has said hello.
    Ready {
        /// What it said.
        hello: Hello,
    },
    /// A case was played.
    Observed {
        /// What was seen.
        observation: Box<Observation>,
    },
    /// An order could not be carried out.
    Failed {
        /// Why.
        failure: WorldFailure,
    },
    /// Requests to the origin of a case that had ended; comes before the answer
    /// to the order during which they were noticed.
    Late {
        /// What came.
        traffic: LateTraffic,
    },
}

/// Requests that came after their case had ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LateTraffic {
    /// The case, by its opaque name.
    pub case: String,
    /// The requests, in the order of their first bytes.
    pub exchanges: Vec<Exchange>,
}
