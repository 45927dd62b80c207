//! Newtypes for the names that travel through the runner, so that a case
//! cannot be looked up by a clause.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// Wraps a name that was already checked by its reader.
            pub fn new(name: impl Into<String>) -> Self {
                Self(name.into())
            }

            /// The name as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&self.0)
            }
        }

        impl From<&str> for $name {
            fn from(name: &str) -> Self {
                Self(name.to_owned())
            }
        }
    )*};
}

ids! {
    /// A fixture file's name: its path below the fixtures folder, without the
    /// extension.
    FixtureId;
    /// One concrete run of a fixture: `fixture` or `fixture@row`.
    CaseId;
    /// A call within a case.
    CallId;
    /// A row of table 6.1.
    LoopId;
    /// A row of table 6.2.
    BranchId;
    /// A row of table 6.3.
    ParserId;
    /// A clause of a specification, such as `HONOUR-1`.
    ClauseId;
    /// A named wrong behaviour of the catalogue.
    DefectId;
    /// A specification: `holdoff` for SPEC.md.
    SpecId;
}
