//! The messages of the adapter protocol that this client speaks.
//!
//! Written from the protocol's description, not shared with the runner: the
//! two sides check each other.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize, de};

use crate::span::Span;

/// The version of the protocol that is spoken here.
pub(crate) const VERSION: u32 = 1;

/// What arrives on standard input.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub(crate) enum Incoming {
    Hello {
        probe: [Timestamp; 2],
    },
    Open(Open),
    Call {
        case: String,
        call: String,
        request: CallRequest,
    },
    Cancel {
        case: String,
        call: String,
    },
    Close {
        case: String,
    },
    Slept {
        case: String,
        n: u64,
        now: Span,
        wall: Timestamp,
    },
    Advance {
        case: String,
        to: Span,
        wall: Timestamp,
    },
    End {
        case: String,
    },
    Shutdown,
    /// A message of a later version.
    #[serde(other)]
    Unknown,
}

/// Makes one client for one case.
#[derive(Debug, Deserialize)]
pub(crate) struct Open {
    pub(crate) case: String,
    #[serde(rename = "loop")]
    pub(crate) loop_name: String,
    pub(crate) base_url: String,
    pub(crate) params: BTreeMap<String, Param>,
    pub(crate) seed: u64,
    pub(crate) clock: OpenClock,
}

/// A knob's value: a count is a number, a duration a decimal string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Param {
    Count(u64),
    Duration(Span),
}

impl<'de> Deserialize<'de> for Param {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let found = match serde_json::Value::deserialize(deserializer)? {
            serde_json::Value::String(text) => Span::from_decimal(&text).map(Self::Duration),
            other => other.as_u64().map(Self::Count),
        };
        found.ok_or_else(|| de::Error::custom("a count or a decimal string was expected"))
    }
}

/// Who owns time, and where the clocks stand at `open`.
#[derive(Debug, Deserialize)]
pub(crate) struct OpenClock {
    pub(crate) kind: ClockKind,
    pub(crate) now: Option<Span>,
    pub(crate) wall: Option<Timestamp>,
    pub(crate) tick: Option<Span>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ClockKind {
    Virtual,
    Injected,
    Real,
}

/// What is asked in one call.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct CallRequest {
    #[serde(rename = "do")]
    pub(crate) verb: Verb,
    pub(crate) mark: String,
    pub(crate) cancel: Option<CancelPoint>,
    pub(crate) auth: Option<AuthMode>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Verb {
    Read,
    Write,
    WriteUnsafe,
    Upload,
    Download,
    List,
    /// A verb of another machine, or of a later version.
    #[serde(other)]
    Other,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum CancelPoint {
    OnRetry,
    BeforeStart,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum AuthMode {
    Refreshable,
}

/// What is written to standard output.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub(crate) enum Outgoing {
    Hello {
        protocol: u32,
        sdk: Identity,
        language: &'static str,
        runtime: &'static str,
        environment: Environment,
    },
    Opened {
        case: String,
    },
    Unsupported {
        case: String,
        reason: String,
    },
    Event(Event),
    Result {
        case: String,
        call: String,
        outcome: Outcome,
    },
    Closed {
        case: String,
    },
    Sleep {
        case: String,
        call: String,
        duration: Span,
        n: u64,
        #[serde(skip_serializing_if = "Option::is_none")]
        during: Option<Beside>,
    },
    Advanced {
        case: String,
        now: Span,
    },
    Ended {
        case: String,
    },
}

#[derive(Debug, Serialize)]
pub(crate) struct Identity {
    pub(crate) name: &'static str,
    pub(crate) version: &'static str,
}

#[derive(Debug, Serialize)]
pub(crate) struct Environment {
    pub(crate) zone_offsets: [String; 2],
    pub(crate) locale: String,
}

/// What the client tells its caller during a call.
#[derive(Debug, Serialize)]
pub(crate) struct Event {
    pub(crate) case: String,
    pub(crate) call: String,
    pub(crate) event: EventName,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) failed_attempt: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) next_attempt: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) delay: Option<Span>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<u16>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum EventName {
    Retry,
    Refresh,
}

/// What a timer runs beside, when it is not the wait between two attempts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Beside {
    Request,
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub(crate) enum Outcome {
    Returned { status: u16 },
    Raised { error: CallError },
    Cancelled,
    Unsupported { reason: String },
}

/// The error that a caller sees.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct CallError {
    pub(crate) kind: ErrorKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) retry_after: Option<Span>,
    pub(crate) message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ErrorKind {
    RateLimited,
    Status,
    Transport,
    Timeout,
    Auth,
    Other,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_transcript_of_the_documentation_is_read() {
        let open = r#"{"type":"open","case":"c17","loop":"operation","base_url":"http://127.0.0.1:1/c",
            "params":{"max_attempts":3,"base_delay":"1","max_jitter":"0.1"},"seed":4711,"clock":{"kind":"virtual"}}"#;
        let Incoming::Open(open) = serde_json::from_str(open).unwrap() else {
            panic!("not an open");
        };
        assert_eq!(open.params["max_attempts"], Param::Count(3));
        assert_eq!(
            open.params["max_jitter"],
            Param::Duration(Span::from_millis(100))
        );
        assert_eq!(open.clock.kind, ClockKind::Virtual);
    }

    #[test]
    fn messages_and_verbs_of_a_later_version_are_told_apart_from_garbage() {
        let later = serde_json::from_str(r#"{"type":"rewind","case":"c"}"#);
        assert!(matches!(later, Ok(Incoming::Unknown)));
        let verb: CallRequest = serde_json::from_str(r#"{"do":"juggle","mark":"1"}"#).unwrap();
        assert_eq!(verb.verb, Verb::Other);
        assert!(serde_json::from_str::<Incoming>("{}").is_err());
    }

    #[test]
    fn an_event_is_written_flat() {
        let event = Outgoing::Event(Event {
            case: "c".into(),
            call: "a".into(),
            event: EventName::Retry,
            failed_attempt: Some(1),
            next_attempt: Some(2),
            delay: Some(Span::from_secs(120)),
            status: Some(503),
        });
        assert_eq!(
            serde_json::to_string(&event).unwrap(),
            r#"{"type":"event","case":"c","call":"a","event":"retry","failed_attempt":1,"next_attempt":2,"delay":"120","status":503}"#
        );
    }
}
