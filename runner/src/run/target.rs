//! [`Target`]: one version and variant of one adapter, ready to be run.

use crate::adapter::LaunchSpec;
use crate::adapter::protocol::SdkIdentity;
use crate::known::Known;
use crate::manifest::{Launch, Places};
use crate::model::Span;

/// One version and variant of one adapter.
#[derive(Clone, Debug)]
pub struct Target {
    /// What its manifest says.
    pub launch: Launch,
    /// How it is started.
    pub start: LaunchSpec,
    /// Whether it can be.
    pub availability: Availability,
    /// What is recorded of it.
    pub known: Known,
}

/// Whether an adapter can be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Availability {
    /// It can.
    Ready,
    /// It cannot, and what to do about it.
    Missing(String),
}

impl Target {
    /// A target that is started as its manifest says.
    pub fn new(launch: Launch, places: &Places, availability: Availability, known: Known) -> Self {
        let start = LaunchSpec {
            directory: launch.folder.clone(),
            env: launch.env(places),
            sdk: Some(SdkIdentity {
                name: launch.sdk.clone(),
                version: launch.version.as_str().to_owned(),
            }),
            ..LaunchSpec::new(launch.host.name.clone(), launch.command(places))
        };
        Self {
            launch,
            start,
            availability,
            known,
        }
    }

    /// Its full name, such as `basecamp-python/sync@0.29.1`.
    pub fn name(&self) -> &str {
        &self.launch.host.name
    }

    /// Real time that a start may take.
    pub fn start_limit(&self) -> Span {
        self.start.start_limit
    }
}
