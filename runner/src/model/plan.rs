//! What the world is told of a case: everything it needs to play it, nothing
//! of what is expected.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{CallId, LoopId, Span, TokenText};
use crate::adapter::protocol::{AuthMode, CancelPoint, ClockKind, ParamValue, Verb};

/// One case, ready to be played by a world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CasePlan {
    /// Opaque name; the adapter must not learn the fixture's.
    pub case: String,
    /// The loop, by the adapter's own row name.
    pub loop_id: LoopId,
    /// Knobs to set.
    pub params: BTreeMap<String, ParamValue>,
    /// Seed for the adapter's random generator and the kernel's.
    pub seed: u64,
    /// Who owns time, and what happens to the clocks.
    pub clock: ClockPlan,
    /// Calls and actions, in the order of their instants.
    pub actions: Vec<PlannedAction>,
    /// What the mock server answers, in order.
    pub script: Vec<PlannedStep>,
    /// Whether the SDK takes a base URL with a path.
    pub prefix: PrefixMode,
    /// Where the world stops.
    pub bounds: Bounds,
}

/// Whether the case's origin has a random path prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PrefixMode {
    /// The base URL ends in a random path.
    Random,
    /// The base URL is an origin alone.
    None,
}

/// Who owns time in a case, and what happens to the wall clock.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClockPlan {
    /// Who owns time.
    pub kind: ClockKind,
    /// The wall clock when the case opens (owned clocks only).
    pub wall: Timestamp,
    /// How far each reading by the SDK advances the clocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tick: Option<Span>,
    /// Steps of the wall clock.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<WallStep>,
    /// Under the real clock: whether a reply waits for a safe sub-second phase.
    #[serde(default)]
    pub date_window: DateWindow,
}

/// Whether replies with date or epoch tokens are held, under the real clock,
/// until the wall clock's sub-second part is within .2–.6 s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DateWindow {
    /// Replies are written at once.
    #[default]
    Free,
    /// Replies are held.
    Held,
}

/// A step of the wall clock; the monotonic clock does not notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WallStep {
    /// Instant of the case.
    pub at: Span,
    /// By how much the wall clock jumps.
    pub by: Span,
}

/// Something that the runner does at an instant of the case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedAction {
    /// Instant of the case.
    pub at: Span,
    /// What is done.
    pub action: Action,
}

/// What the runner does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Action {
    /// Asks for a call.
    Call(PlannedCall),
    /// Cancels a call.
    Cancel {
        /// The call.
        call: CallId,
    },
    /// Runs the SDK's own shutdown.
    Close,
}

/// A call to ask for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedCall {
    /// Its name.
    pub id: CallId,
    /// The operation.
    pub verb: Verb,
    /// Seven decimal digits that the wire will show.
    pub mark: String,
    /// Where the adapter itself cancels it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cancel: Option<CancelPoint>,
    /// Its credentials.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auth: Option<AuthMode>,
}

/// One step of the script.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedStep {
    /// Status of the reply.
    pub status: u16,
    /// Header lines in order; a name may occur several times.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<PlannedHeader>,
    /// The body, resolved from the manifest.
    pub body: PlannedBody,
    /// How often it is served.
    pub times: Times,
    /// Only for requests to this route.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub route: Option<String>,
    /// The reply is written this long after the request is complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay: Option<Span>,
    /// Whether it may stay unserved.
    pub presence: Presence,
    /// The call that is expected to meet it; none: any call may.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<CallId>,
    /// What goes wrong on the connection instead of a whole reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<Fault>,
    /// How header names are spelled.
    #[serde(default)]
    pub spelling: Spelling,
}

/// A header line to send.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedHeader {
    /// Lower-case name.
    pub name: String,
    /// Value; its tokens are resolved when the reply is served.
    pub value: TokenText,
}

/// A body to send.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedBody {
    /// Media type; none: no `content-type` line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// Text; its tokens are resolved when the reply is served.
    pub text: TokenText,
}

/// How often a step is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Times {
    /// Exactly so often.
    Exactly(u32),
    /// To every further request.
    Forever,
}

/// Whether a step must be served.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Presence {
    /// It must.
    Required,
    /// It may stay unserved.
    Optional,
}

/// What goes wrong on the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fault {
    /// The connection is reset (RST) before any reply.
    Reset,
    /// The connection is closed (FIN) before any reply.
    CloseBeforeReply,
    /// The connection is closed in the middle of the body.
    CloseMidBody,
    /// Nothing is answered and the connection stays open.
    Stall,
    /// Half of the body is written and the connection stays open.
    StallMidBody,
    /// The status line is not one.
    MalformedStatus,
}

/// How header names are spelled on the wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Spelling {
    /// `retry-after`.
    #[default]
    Lower,
    /// `Retry-After`.
    Title,
    /// `RETRY-AFTER`.
    Upper,
}

/// Where the world stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bounds {
    /// The case ends when the clock would pass this instant.
    pub horizon: Span,
    /// After the last result the world runs on to this instant: the fixture's
    /// own, or none for the default (the result plus `tail`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quiet_until: Option<Span>,
    /// How long the world runs on after the last result.
    pub tail: Span,
    /// Clock events (sleeps, readings that are asked of the runner) at most.
    pub events: u32,
    /// Real time at most.
    pub real_time: Span,
    /// Under the real clock: stop here although the case is not over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub watch: Option<Span>,
}
