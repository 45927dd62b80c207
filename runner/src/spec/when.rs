//! Column *When*: the conditions under which a branch governs.

use std::fmt;

use super::words::words;

/// A condition on what came back for a request. `!` binds closest, then `&`,
/// then `|`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum When {
    /// A single test.
    Is(Condition),
    /// `!a`.
    Not(Box<Self>),
    /// `a & b & …`, at least two.
    All(Vec<Self>),
    /// `a | b | …`, at least two.
    AnyOf(Vec<Self>),
}

/// One test of a [`When`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// `any`: always.
    Any,
    /// `429`: the reply has that status.
    Status(u16),
    /// `2xx`, `5xx except 501, 505`: the reply's status has that first digit
    /// and is none of the exceptions.
    Class {
        /// First digit, 1 to 5.
        digit: u8,
        /// Statuses of the class that do not count; may be empty.
        except: Vec<u16>,
    },
    /// `code(x)`: the body carries that error code.
    Code(String),
    /// `header(h)`: the reply has that header and it is not empty.
    Header(String),
    /// `h = 0`, `h <= 10`: the header is a number and compares so.
    HeaderNumber {
        /// Name of the header, in lower case.
        header: String,
        /// How it compares.
        compare: Compare,
        /// With what.
        number: u64,
    },
    /// A plain word.
    Word(ConditionWord),
}

words! {
    /// Conditions that are one word.
    pub enum ConditionWord {
        /// No reply: the connection was refused, reset or cut.
        Transport = "transport",
        /// No reply within the attempt's own time limit.
        Timeout = "timeout",
        /// A told wait was parsed from the reply.
        Told = "told",
        /// The credentials can be refreshed and were not yet in this call.
        Refreshable = "refreshable",
        /// The running loop has an attempt left.
        AttemptsLeft = "attempts-left",
        /// The request followed a redirect.
        Redirected = "redirected",
        /// Seam outcome: retryable, and a wait was told.
        Throttled = "throttled",
        /// Seam outcome: retryable, and no wait was told.
        Transient = "transient",
        /// Seam outcome: credentials were refused.
        Unauthorized = "unauthorized",
    }

    /// How a header's number compares.
    pub enum Compare {
        /// Equal.
        Equal = "=",
        /// At most.
        AtMost = "<=",
        /// At least.
        AtLeast = ">=",
        /// Less.
        Less = "<",
        /// More.
        More = ">",
    }
}

impl Compare {
    /// Whether `left` compares so with `right`.
    pub fn holds(self, left: u64, right: u64) -> bool {
        match self {
            Self::Equal => left == right,
            Self::AtMost => left <= right,
            Self::AtLeast => left >= right,
            Self::Less => left < right,
            Self::More => left > right,
        }
    }
}

impl Condition {
    /// Whether a reply of this status satisfies a condition that is about the
    /// status; `None` for a condition that is about something else. `any`
    /// holds for every status.
    pub fn of_status(&self, status: u16) -> Option<bool> {
        match self {
            Self::Any => Some(true),
            Self::Status(wanted) => Some(*wanted == status),
            Self::Class { digit, except } => {
                Some(status / 100 == u16::from(*digit) && !except.contains(&status))
            }
            _ => None,
        }
    }
}

impl When {
    /// Whether the condition holds, given what each single test says.
    pub fn holds(&self, test: &dyn Fn(&Condition) -> bool) -> bool {
        match self {
            Self::Is(condition) => test(condition),
            Self::Not(inner) => !inner.holds(test),
            Self::All(parts) => parts.iter().all(|part| part.holds(test)),
            Self::AnyOf(parts) => parts.iter().any(|part| part.holds(test)),
        }
    }

    /// Calls `visit` with each single test, in reading order.
    pub fn each(&self, visit: &mut dyn FnMut(&Condition)) {
        match self {
            Self::Is(condition) => visit(condition),
            Self::Not(inner) => inner.each(visit),
            Self::All(parts) | Self::AnyOf(parts) => {
                for part in parts {
                    part.each(visit);
                }
            }
        }
    }

    /// How tightly the outermost operator binds.
    fn rank(&self) -> u8 {
        match self {
            Self::AnyOf(_) => 0,
            Self::All(_) => 1,
            Self::Not(_) => 2,
            Self::Is(_) => 3,
        }
    }

    fn fmt_inside(&self, outer: u8, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // An operator inside its own kind keeps its parentheses, so that text
        // and tree stay one to one.
        if self.rank() <= outer && self.rank() < 2 {
            write!(f, "({self})")
        } else {
            write!(f, "{self}")
        }
    }
}

impl fmt::Display for When {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let joined = |parts: &[Self], sign: &str, f: &mut fmt::Formatter<'_>| {
            for (index, part) in parts.iter().enumerate() {
                if index > 0 {
                    f.write_str(sign)?;
                }
                part.fmt_inside(self.rank(), f)?;
            }
            Ok(())
        };
        match self {
            Self::Is(condition) => write!(f, "{condition}"),
            Self::Not(inner) => {
                f.write_str("!")?;
                inner.fmt_inside(2, f)
            }
            Self::All(parts) => joined(parts, " & ", f),
            Self::AnyOf(parts) => joined(parts, " | ", f),
        }
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("any"),
            Self::Status(status) => write!(f, "{status}"),
            Self::Class { digit, except } => {
                write!(f, "{digit}xx")?;
                for (index, status) in except.iter().enumerate() {
                    write!(f, "{}{status}", if index == 0 { " except " } else { ", " })?;
                }
                Ok(())
            }
            Self::Code(code) => write!(f, "code({code})"),
            Self::Header(header) => write!(f, "header({header})"),
            Self::HeaderNumber {
                header,
                compare,
                number,
            } => write!(f, "{header} {compare} {number}"),
            Self::Word(word) => write!(f, "{word}"),
        }
    }
}
