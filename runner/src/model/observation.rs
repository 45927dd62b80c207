//! What was seen of a case.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{CallId, Outcome, Span};
use crate::adapter::protocol::{During, EventName};

/// Everything that was seen of one run of one case.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Observation {
    /// Requests in the order of their first bytes.
    pub exchanges: Vec<Exchange>,
    /// Sleeps that were asked for, in order.
    pub asked: Vec<Asked>,
    /// Results, by call.
    pub results: BTreeMap<CallId, ObservedResult>,
    /// What the SDK told its caller.
    pub events: Vec<ObservedEvent>,
    /// Instants at which calls were asked for.
    pub started: BTreeMap<CallId, Span>,
    /// Indices of required steps that were not fully served.
    pub unserved: Vec<usize>,
    /// Why the world stopped.
    pub ending: Ending,
    /// Until when a case was watched that is longer than anybody waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub watched_until: Option<Span>,
    /// `unsupported` from the adapter at `open`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unsupported: Option<UnsupportedReason>,
    /// Last lines of the adapter's log.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub log_tail: Vec<String>,
    /// Real time that the case took.
    pub real_time: Span,
}

/// Why an adapter cannot run a case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UnsupportedReason {
    /// In the adapter's words.
    pub reason: String,
    /// Public issue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issue: Option<String>,
}

/// Why the world stopped watching.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    /// All calls had results and the quiet time passed.
    #[default]
    Quiet,
    /// The bound on clock events was reached.
    Events,
    /// The clock would have passed the horizon.
    Horizon,
    /// The bound on real time was reached.
    RealTime,
    /// Real clock: the early watch was over.
    Watched,
    /// The adapter's process ended or was ended.
    Dead,
}

/// One request and its reply.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exchange {
    /// Instant of the request's first byte.
    pub at: Span,
    /// Number of the connection within the case, from 1.
    pub connection: u32,
    /// The call that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<CallId>,
    /// What it is.
    pub kind: ExchangeKind,
    /// Method.
    pub method: String,
    /// Path below the case's prefix.
    pub path: String,
    /// Query, without the question mark.
    pub query: String,
    /// Header lines in order; names in lower case.
    pub headers: Vec<(String, String)>,
    /// Body, lossily as text; cut at 64 KiB.
    pub body: String,
    /// Hash of the whole body (SHA-256, hex) and its length.
    pub body_digest: String,
    /// Length of the whole body in bytes.
    pub body_len: u64,
    /// Index of the step that answered it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<usize>,
    /// The call for which that step was meant, if it was another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meant_for: Option<CallId>,
    /// Status of the reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// Told headers of the reply as sent (`retry-after` and reset headers).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reply_headers: Vec<(String, String)>,
    /// Instant of the reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replied_at: Option<Span>,
}

/// What a request was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExchangeKind {
    /// Answered by a step of the script.
    Scripted,
    /// Beyond the script.
    Overflow,
    /// Not below the case's prefix, or to no known call.
    Unrelated,
    /// After the case had ended.
    Late,
    /// Not a request that can be read, or one over a limit.
    Malformed,
    /// Begun and never completed.
    Partial,
    /// The mock server gave no answer: an error of the harness, and nothing
    /// about the client can be said.
    Failed,
}

/// One sleep that was asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Asked {
    /// When.
    pub at: Span,
    /// By which call; unknown under the virtual clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<CallId>,
    /// For how long.
    pub duration: Span,
    /// Beside a request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub during: Option<During>,
}

/// How a call ended, and when.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ObservedResult {
    /// Instant of the case.
    pub at: Span,
    /// How it ended.
    pub outcome: Outcome,
}

/// Something that the SDK told its caller.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ObservedEvent {
    /// When.
    pub at: Span,
    /// During which call.
    pub call: CallId,
    /// What.
    pub event: EventName,
    /// Number of the attempt that failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed_attempt: Option<u32>,
    /// Number of the attempt that comes next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_attempt: Option<u32>,
    /// The wait that was announced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay: Option<Span>,
    /// The status that failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
}
