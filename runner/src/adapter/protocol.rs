//! The adapter protocol: JSON lines, one message a line.
//!
//! These types are the protocol; `adapters/protocol.schema.json` is generated
//! from them. Durations and instants of a case are decimal strings of seconds
//! ([`Span`]); instants of the wall clock are RFC 3339.

use std::borrow::Cow;
use std::collections::BTreeMap;

use jiff::Timestamp;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::model::{CallId, LoopId, Outcome, Span};

/// The protocol version that this runner speaks.
pub const PROTOCOL_VERSION: u32 = 1;

/// Environment variable that carries the line tag of one adapter process.
pub const TAG_VARIABLE: &str = "HOLDOFF_TAG";

/// What the runner writes to the adapter's standard input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum ToAdapter {
    /// First message to a fresh process.
    Hello {
        /// Versions that the runner speaks.
        protocol: VersionRange,
        /// Name and version of the runner.
        runner: String,
        /// Two instants whose zone offsets the adapter reports.
        #[schemars(with = "[String; 2]")]
        probe: [Timestamp; 2],
    },
    /// Makes one client for one case.
    Open {
        /// Opaque name of the case.
        case: String,
        /// Loop under test, by the adapter's own row name.
        #[serde(rename = "loop")]
        loop_id: LoopId,
        /// Where the mock server listens.
        base_url: String,
        /// Knobs to set; only those that the manifest claims.
        params: BTreeMap<String, ParamValue>,
        /// Seed for the language's random generator.
        seed: u64,
        /// Who owns time.
        clock: OpenClock,
    },
    /// Starts one call; the adapter answers with events and one result.
    Call {
        /// The open case.
        case: String,
        /// Name of the call.
        call: CallId,
        /// What to ask of the SDK.
        request: CallRequest,
    },
    /// Cancels a running call. The result is the answer.
    Cancel {
        /// The open case.
        case: String,
        /// The call to cancel.
        call: CallId,
    },
    /// Runs the SDK's own shutdown.
    Close {
        /// The open case.
        case: String,
    },
    /// Answers a `sleep` under the injected clock: it is over.
    Slept {
        /// The open case.
        case: String,
        /// Number of the sleep that ended.
        n: u64,
        /// The case's instant.
        now: Span,
        /// The wall clock.
        #[schemars(with = "String")]
        wall: Timestamp,
    },
    /// Moves the injected clock without ending a sleep.
    Advance {
        /// The open case.
        case: String,
        /// The case's instant.
        to: Span,
        /// The wall clock.
        #[schemars(with = "String")]
        wall: Timestamp,
    },
    /// Ends the case; the client is dropped.
    End {
        /// The open case.
        case: String,
    },
    /// Asks the process to exit with status 0.
    Shutdown,
}

/// What the adapter writes to its standard output, behind the line tag.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum FromAdapter {
    /// Answer to `hello`.
    Hello {
        /// The version that the adapter speaks.
        protocol: u32,
        /// The SDK that is really loaded.
        sdk: SdkIdentity,
        /// Language of the adapter.
        language: String,
        /// Runtime and its version.
        runtime: String,
        /// Zone and locale as the process sees them.
        environment: AdapterEnvironment,
    },
    /// The client of the case is ready.
    Opened {
        /// The case.
        case: String,
    },
    /// The adapter cannot run this case.
    Unsupported {
        /// The case.
        case: String,
        /// Why not.
        reason: String,
        /// Public issue, if there is one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        issue: Option<String>,
    },
    /// Something the SDK told its caller during a call.
    Event {
        /// The case.
        case: String,
        /// The call.
        call: CallId,
        /// What happened.
        event: EventName,
        /// `retry`: number of the attempt that failed, from 1.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        failed_attempt: Option<u32>,
        /// `retry`: number of the attempt that comes next.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        next_attempt: Option<u32>,
        /// `retry`: the wait that the SDK announced.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        delay: Option<Span>,
        /// `retry`: the status that failed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        status: Option<u16>,
        /// `log`: free text.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<String>,
    },
    /// The one answer to a `call`.
    Result {
        /// The case.
        case: String,
        /// The call.
        call: CallId,
        /// How it ended.
        outcome: Outcome,
    },
    /// The SDK's shutdown has returned.
    Closed {
        /// The case.
        case: String,
    },
    /// Under the injected clock: the SDK asks to sleep and waits for `slept`.
    Sleep {
        /// The case.
        case: String,
        /// The call that sleeps.
        call: CallId,
        /// How long, as asked; may be negative if the SDK asks that.
        duration: Span,
        /// Number of this sleep within the case, from 1.
        n: u64,
        /// `request` for a timer that runs beside a request.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        during: Option<During>,
    },
    /// Under the injected clock: the call waits for another call.
    Held {
        /// The case.
        case: String,
        /// The call that is held.
        call: CallId,
    },
    /// Answer to `advance`.
    Advanced {
        /// The case.
        case: String,
        /// The case's instant.
        now: Span,
    },
    /// Answer to `end`.
    Ended {
        /// The case.
        case: String,
    },
}

/// Versions of the protocol that one side speaks, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct VersionRange {
    /// Oldest.
    pub min: u32,
    /// Newest.
    pub max: u32,
}

/// A knob's value: on the wire counts are numbers, durations decimal strings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamValue {
    /// A count.
    Count(u64),
    /// A duration.
    Duration(Span),
}

impl Serialize for ParamValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Count(count) => serializer.serialize_u64(*count),
            Self::Duration(span) => span.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for ParamValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match serde_json::Value::deserialize(deserializer)? {
            serde_json::Value::String(text) => Span::from_decimal(&text)
                .map(Self::Duration)
                .map_err(de::Error::custom),
            other => other
                .as_u64()
                .map(Self::Count)
                .ok_or_else(|| de::Error::custom("a count or a decimal string was expected")),
        }
    }
}

impl JsonSchema for ParamValue {
    fn schema_name() -> Cow<'static, str> {
        "ParamValue".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let duration = generator.subschema_for::<Span>();
        json_schema!({ "anyOf": [{ "type": "integer", "minimum": 0 }, duration] })
    }
}

/// Who owns time in a case, and where the clocks stand at `open`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OpenClock {
    /// Who owns time.
    pub kind: ClockKind,
    /// The case's instant, under `injected`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub now: Option<Span>,
    /// The wall clock, under `injected`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub wall: Option<Timestamp>,
    /// How far each reading of either clock advances both, under `injected`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tick: Option<Span>,
}

/// Who owns time.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum ClockKind {
    /// The runner, for an unmodified process tree.
    Virtual,
    /// The runner, through the SDK's own clock and sleeper.
    Injected,
    /// Nobody.
    Real,
}

/// What is asked of the SDK in one call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CallRequest {
    /// The operation.
    #[serde(rename = "do")]
    pub verb: Verb,
    /// Put where the wire shows it, so that attempts are tied to calls.
    pub mark: String,
    /// Cancels inside the adapter, synchronously.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cancel: Option<CancelPoint>,
    /// Credentials that can be refreshed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auth: Option<AuthMode>,
}

/// Operations that a call can ask for.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Verb {
    /// One idempotent read (GET).
    Read,
    /// One write that may be repeated (PUT, DELETE, idempotent POST).
    Write,
    /// One write that must not be repeated (POST).
    WriteUnsafe,
    /// One write with a body worth comparing between attempts.
    Upload,
    /// One download.
    Download,
    /// All pages of a list.
    List,
    /// Waits for an authorization.
    Poll,
    /// One poll, at once.
    PollNow,
    /// Sends one event or batch.
    Send,
    /// Runs a connector.
    Connect,
}

/// Where the adapter itself cancels a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CancelPoint {
    /// In the SDK's retry hook, before the wait.
    OnRetry,
    /// Before the call is made.
    BeforeStart,
}

/// Kinds of credentials.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AuthMode {
    /// The provider hands out `t1` first and `t2` after one refresh.
    Refreshable,
}

/// Timers that run beside a request rather than between two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum During {
    /// A request is on the wire.
    Request,
}

/// The SDK that the adapter has loaded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SdkIdentity {
    /// Package name, as its registry spells it.
    pub name: String,
    /// Version, read from the package itself.
    pub version: String,
}

/// Zone and locale as the adapter's process sees them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AdapterEnvironment {
    /// Offsets from UTC at the two probe instants, such as `+05:30`.
    pub zone_offsets: [String; 2],
    /// The locale, such as `C` or `cs_CZ.UTF-8`.
    pub locale: String,
}

/// What an SDK tells its caller during a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EventName {
    /// The retry hook ran.
    Retry,
    /// Credentials were refreshed.
    Refresh,
    /// Something for the log.
    Log,
}
