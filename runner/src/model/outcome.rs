//! How a call ended.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Span;

/// How one call ended, as its adapter said or as the world concluded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Outcome {
    /// The SDK returned a value.
    Returned {
        /// Status of the final reply, where the SDK shows it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        status: Option<u16>,
    },
    /// The SDK raised an error (or returned one).
    Raised {
        /// The error, mapped by the adapter.
        error: RaisedError,
    },
    /// The call ended because it was cancelled.
    Cancelled,
    /// The adapter cannot make this call.
    Unsupported {
        /// Why not, for the census.
        reason: String,
    },
    /// The adapter itself failed; never the SDK's fault.
    AdapterError {
        /// Stack trace or message.
        trace: String,
    },
    /// All was quiet, nothing was armed, and there was no result.
    Hung,
    /// The horizon passed without a result.
    NeverEnded {
        /// The sleep that passed the horizon, if one did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        asked: Option<Span>,
    },
    /// A thread spun without reading the clock while another slept.
    Starved,
    /// The adapter's process ended during the call.
    Crashed {
        /// Exit status or signal, and the tail of the log.
        detail: String,
    },
    /// The adapter broke the protocol.
    ProtocolError {
        /// What was received and what was allowed.
        detail: String,
    },
    /// The bound on real time passed.
    OutOfTime,
}

/// An error as the SDK shows it to its caller.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RaisedError {
    /// Class of the error.
    pub kind: ErrorKind,
    /// Status that the error carries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// Told wait that the error carries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<Span>,
    /// The SDK's own words.
    #[serde(default)]
    pub message: String,
}

/// Classes of error, the same for every SDK.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ErrorKind {
    /// The server said that the client sends too much.
    RateLimited,
    /// Any other final status.
    Status,
    /// No reply: connection refused, reset or cut.
    Transport,
    /// No reply within the client's own time limit.
    Timeout,
    /// Credentials were refused.
    Auth,
    /// A lifetime ran out.
    Expired,
    /// The user refused.
    Denied,
    /// The reply could not be read.
    Decode,
    /// The caller misused the SDK.
    Usage,
    /// A retry budget was spent.
    Budget,
    /// None of the above.
    Other,
}

impl ErrorKind {
    /// Every class, in the order of the documentation.
    pub const ALL: [Self; 11] = [
        Self::RateLimited,
        Self::Status,
        Self::Transport,
        Self::Timeout,
        Self::Auth,
        Self::Expired,
        Self::Denied,
        Self::Decode,
        Self::Usage,
        Self::Budget,
        Self::Other,
    ];

    /// The word used in fixtures and in the protocol.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::RateLimited => "rate-limited",
            Self::Status => "status",
            Self::Transport => "transport",
            Self::Timeout => "timeout",
            Self::Auth => "auth",
            Self::Expired => "expired",
            Self::Denied => "denied",
            Self::Decode => "decode",
            Self::Usage => "usage",
            Self::Budget => "budget",
            Self::Other => "other",
        }
    }
}
