//! [`Expectation`]: the timeline that a behaviour prescribes for a case.

use std::collections::BTreeMap;

use crate::model::{Allowed, CallId, ErrorKind, Span};

/// What must be seen of a case on a host, derived from the specification.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expectation {
    /// By call.
    pub calls: BTreeMap<CallId, CallExpectation>,
    /// Steps of the script that stay unserved although they are required.
    pub unserved: Vec<usize>,
    /// Requests beyond the script.
    pub overflow: u32,
    /// How long the world watches (instant of the case), if it is stated.
    pub quiet_until: Option<Span>,
}

/// What must be seen of one call.
#[derive(Clone, Debug, PartialEq)]
pub struct CallExpectation {
    /// From the call to its first attempt.
    pub lead: Allowed,
    /// Requests, in order.
    pub attempts: Vec<ExpectedAttempt>,
    /// Instant of the case at which the call ends.
    pub ends: Allowed,
    /// How it ends.
    pub outcome: ExpectedOutcome,
    /// Sleeps asked for between requests, in order.
    pub asked: Vec<Allowed>,
    /// Calls of the retry hook, in order.
    pub hooks: Vec<ExpectedHook>,
    /// One more that may have been called before the client's own error ended
    /// the call: whether a client trips while it computes a wait or while it
    /// sleeps is no part of a defect.
    pub open_hook: Option<ExpectedHook>,
    /// Number of refreshes.
    pub refreshes: u32,
    /// How many of the attempts come after the result.
    pub late_attempts: u32,
}

impl CallExpectation {
    /// Lengths of the waits, in order.
    pub fn waits(&self) -> impl Iterator<Item = &Gap> {
        self.gaps().filter(|gap| gap.kind == GapKind::Wait)
    }

    /// Lengths of the gaps before different requests, in order.
    pub fn nexts(&self) -> impl Iterator<Item = &Gap> {
        self.gaps().filter(|gap| gap.kind == GapKind::Next)
    }

    /// All gaps, in order.
    pub fn gaps(&self) -> impl Iterator<Item = &Gap> {
        self.attempts
            .iter()
            .filter_map(|attempt| attempt.gap.as_ref())
    }
}

/// One request that must be seen.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpectedAttempt {
    /// What lies between it and the reply before it; none for the first.
    pub gap: Option<Gap>,
    /// Instant of the case.
    pub at: Allowed,
    /// What it looks like beside the call's other requests.
    pub request: ExpectedRequest,
    /// What answers it, for people.
    pub reply: String,
    /// Index of the step that answers it; none: beyond the script.
    pub step: Option<usize>,
}

/// The time between a reply and the next request.
#[derive(Clone, Debug, PartialEq)]
pub struct Gap {
    /// Before the same request, or before another.
    pub kind: GapKind,
    /// How long.
    pub length: Allowed,
    /// Why, for people.
    pub why: String,
}

/// What a gap lies before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GapKind {
    /// The same method and target: a wait.
    Wait,
    /// Another request.
    Next,
}

/// What a request looks like beside the call's other requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpectedRequest {
    /// Which of the call's targets it asks for.
    pub target: Target,
    /// Method.
    pub method: MethodOf,
    /// Body.
    pub body: BodyOf,
    /// The `authorization` line, where the oracle can know it.
    pub authorization: Authorization,
}

/// A target of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Target {
    /// Page `n` of the call; its only target is page 1.
    Page(u32),
    /// Where a download is redirected to.
    HopTwo,
}

/// Method of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MethodOf {
    /// The operation's own.
    Own,
    /// GET although the operation's is another.
    Get,
}

/// Body of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BodyOf {
    /// The operation's own.
    Own,
    /// None although the operation has one.
    Lost,
}

/// The `authorization` line of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Authorization {
    /// Not looked at.
    Free,
    /// `Bearer t1`.
    First,
    /// `Bearer t2`.
    Second,
    /// Must be absent.
    Absent,
    /// Must be there, whatever it says.
    Present,
}

/// How a call must end.
#[derive(Clone, Debug, PartialEq)]
pub enum ExpectedOutcome {
    /// Returned.
    Returned,
    /// Raised.
    Raised {
        /// Class of error.
        kind: ErrorKind,
        /// Status on the error.
        status: Option<u16>,
        /// Told wait on the error.
        retry_after: Option<Allowed>,
    },
    /// Cancelled.
    Cancelled,
    /// All is quiet and nothing is armed.
    Hung,
    /// A sleep passes the horizon.
    NeverEnded,
}

/// One call of the retry hook.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpectedHook {
    /// When it is called (instant of the case).
    pub at: Allowed,
    /// Number of the attempt that failed.
    pub failed_attempt: u32,
    /// Number of the attempt that comes next.
    pub next_attempt: u32,
    /// Announced wait.
    pub delay: Allowed,
    /// Status that failed.
    pub status: Option<u16>,
}
