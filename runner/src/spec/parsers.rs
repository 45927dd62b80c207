//! Rows of table 6.3: how the text of a header becomes a told wait.

use super::delay::Ratio;
use super::words::words;
use crate::model::{ParserId, Span};

/// One row of table 6.3.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParserRow {
    /// Name of the parser; table 6.2 cites it.
    pub id: ParserId,
    /// What is trimmed from both ends.
    pub whitespace: Whitespace,
    /// How long a digit string may be.
    pub digits: Digits,
    /// What `0` means.
    pub zero: ZeroRule,
    /// What a decimal fraction means.
    pub fraction: FractionRule,
    /// Accepted shapes of a date; empty for `none`.
    pub dates: Vec<DateShape>,
    /// How the distance to a date becomes a wait.
    pub date_wait: DateWait,
    /// What several header lines mean.
    pub repeated_lines: RepeatedLines,
    /// The longest told wait, if there is one.
    pub wait_ceiling: Option<Span>,
    /// What is done with a told wait above a threshold.
    pub above_threshold: AboveThreshold,
    /// What is drawn onto a told wait.
    pub jitter_on_told: ToldJitter,
    /// How the error shows the told wait.
    pub surfaced: Surfaced,
    /// Line of the row in the document, from 1.
    pub line: usize,
}

words! {
    /// Column *Whitespace*. Both are SP and HTAB and nothing else; the names
    /// follow the documents that the parsers come from.
    pub enum Whitespace {
        /// Optional whitespace of RFC 9110 §5.6.3.
        Ows = "OWS",
        /// The same two bytes, by name.
        SpHtab = "SP HTAB",
    }

    /// Column *Zero*.
    pub enum ZeroRule {
        /// No told wait.
        Malformed = "malformed",
        /// A told wait of no time.
        Now = "now",
        /// The next source of `Told by` is read.
        NextHeader = "next-header",
    }

    /// Column *Fraction*.
    pub enum FractionRule {
        /// No told wait.
        Malformed = "malformed",
        /// Read exactly.
        Accept = "accept",
        /// Read, and rounded down to whole seconds.
        Truncate = "truncate",
        /// The next source of `Told by` is read.
        NextHeader = "next-header",
    }

    /// A shape of HTTP-date (RFC 9110 §5.6.7).
    pub enum DateShape {
        /// `Sun, 06 Nov 1994 08:49:37 GMT`.
        Imf = "IMF",
        /// `Sunday, 06-Nov-94 08:49:37 GMT`.
        Rfc850 = "RFC 850",
        /// `Sun Nov  6 08:49:37 1994`.
        Asctime = "asctime",
    }

    /// Column *Date wait*.
    pub enum DateWait {
        /// Rounded up to whole seconds.
        Ceil = "ceil",
        /// Not rounded.
        Exact = "exact",
        /// Dates are not read.
        NotApplicable = "—",
    }

    /// Column *Repeated lines*.
    pub enum RepeatedLines {
        /// One of the lines alone, or no told wait: not settled.
        AnyOf = "any-of",
        /// The first line.
        First = "first",
        /// No told wait.
        Malformed = "malformed",
    }

    /// Column *Surfaced*.
    pub enum Surfaced {
        /// The error shows no told wait.
        No = "—",
        /// The error shows the told wait as the server named it.
        AsSent = "as sent",
        /// The error shows whole milliseconds until the gate opens.
        Millis = "ms",
    }
}

/// Column *Digits*.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Digits {
    /// `unlimited`: the host's parse limit decides.
    Unlimited,
    /// `i64`: what a signed 64-bit integer holds; more is malformed.
    I64,
    /// `N significant`: that many after leading zeros; more is malformed.
    Significant(u32),
}

/// Column *Above threshold*.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AboveThreshold {
    /// `—`: no threshold.
    Nothing,
    /// `> 60s: discard`: a longer told wait counts as malformed.
    Discard(Span),
    /// `> 120s: give-up`: a longer told wait ends the call.
    GiveUp(Span),
}

/// Column *Jitter on told*.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToldJitter {
    /// `none`: the told wait is exact.
    None,
    /// A duration: a draw from no time to this is added.
    Up(Span),
    /// `spread(lo, hi)`: multiplied by a draw.
    Spread {
        /// Smallest factor.
        lo: Ratio,
        /// Largest factor.
        hi: Ratio,
    },
}
