use std::fmt;
use std::str::FromStr;

use crate::model::{CallId, Span};

/// One opened case of a tap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CaseKey(pub(super) u32);

/// One request of one case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExchangeId {
    /// The case.
    pub case: CaseKey,
    /// Number of the request within the case, from 0, in the order of first
    /// bytes.
    pub number: u32,
}

impl fmt::Display for ExchangeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.case.0, self.number)
    }
}

impl FromStr for ExchangeId {
    type Err = std::num::ParseIntError;

    /// Reads what `Display` writes.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (case, number) = text.split_once('.').unwrap_or((text, ""));
        Ok(Self {
            case: CaseKey(case.parse()?),
            number: number.parse()?,
        })
    }
}

/// Why a reply is not written at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DelayReason {
    /// The step says so.
    Scripted,
    /// Its date is only safe in the middle of a second.
    DateWindow,
}

/// What happened at the tap. Instants are the case's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TapEvent {
    /// The first byte of a request has arrived.
    RequestBegun {
        /// The request.
        exchange: ExchangeId,
        /// When.
        at: Span,
    },
    /// A request has arrived whole; its answer is being decided.
    RequestComplete {
        /// The request.
        exchange: ExchangeId,
        /// The call that it belongs to.
        call: Option<CallId>,
        /// When.
        at: Span,
    },
    /// The reply waits for [`super::Tap::release`]. If it is never released it
    /// is never written.
    Delayed {
        /// The request.
        exchange: ExchangeId,
        /// The call that it belongs to.
        call: Option<CallId>,
        /// The instant at which it is to be released.
        until: Span,
        /// Why.
        reason: DelayReason,
    },
    /// The first byte of the reply is about to be written, or the fault that
    /// stands for a reply is about to happen. Sent *before* it, so that nobody
    /// can react to a reply that was not announced.
    ReplyWritten {
        /// The request.
        exchange: ExchangeId,
        /// The call that it belongs to.
        call: Option<CallId>,
        /// When.
        at: Span,
    },
    /// Nothing will be answered; the connection stays open until the client
    /// closes it or the case ends.
    Stalled {
        /// The request.
        exchange: ExchangeId,
        /// The call that it belongs to.
        call: Option<CallId>,
        /// When.
        at: Span,
    },
    /// A connection is closed, by whichever side.
    ConnectionClosed {
        /// The case.
        case: CaseKey,
        /// Number of the connection within the case, from 1.
        connection: u32,
        /// The request that is cut by it: partial, delayed or stalled.
        cut: Option<ExchangeId>,
        /// When.
        at: Span,
    },
    /// Not a request that can be read, or one over a limit. The tap has
    /// answered it.
    Malformed {
        /// The request.
        exchange: ExchangeId,
        /// When.
        at: Span,
    },
    /// The tap itself failed to get an answer decided: an error of the
    /// harness, never of the SDK.
    Failed {
        /// The request.
        exchange: ExchangeId,
        /// What went wrong.
        reason: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exchange_is_named_and_found_again() {
        let id = ExchangeId {
            case: CaseKey(7),
            number: 12,
        };
        assert_eq!(id.to_string().parse(), Ok(id));
        for text in ["", "7", "7.", ".1", "7.x", "-1.2"] {
            assert!(text.parse::<ExchangeId>().is_err(), "{text}");
        }
    }
}
