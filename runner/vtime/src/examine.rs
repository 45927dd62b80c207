//! [`examine`]: what virtual time needs of a computer, and whether it is there.

use std::fmt;

/// Something that virtual time needs of a computer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Precondition {
    /// Linux on x86-64.
    System,
    /// Memory that processes share by a file that has no name.
    Memory,
    /// A process may trace its own children.
    Tracing,
    /// A filter may stop kernel calls.
    Filter,
    /// The kernel tells what is between two sockets.
    Sockets,
    /// A program that sleeps for an hour is done at once.
    SelfTest,
}

impl fmt::Display for Precondition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::System => "system",
            Self::Memory => "memfd",
            Self::Tracing => "ptrace",
            Self::Filter => "seccomp",
            Self::Sockets => "sock_diag",
            Self::SelfTest => "self-test",
        })
    }
}

/// Whether a computer has what virtual time needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What is needed.
    pub precondition: Precondition,
    /// What is wrong with it; none: it is there.
    pub trouble: Option<Trouble>,
}

/// What is wrong, and what can be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// The system's answer.
    pub reason: String,
    /// What would help.
    pub remedy: String,
}

impl Finding {
    /// It is there.
    pub fn met(precondition: Precondition) -> Self {
        Self {
            precondition,
            trouble: None,
        }
    }

    /// It is not there.
    pub fn missing(
        precondition: Precondition,
        reason: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self {
            precondition,
            trouble: Some(Trouble {
                reason: reason.into(),
                remedy: remedy.into(),
            }),
        }
    }

    /// Whether it is there.
    pub fn is_met(&self) -> bool {
        self.trouble.is_none()
    }
}

/// Tries out everything that virtual time needs, in the order in which it needs
/// it. Takes some ten milliseconds of real time, of which the most is for the
/// self-test; what depends on something that is missing is left out.
pub fn examine() -> Vec<Finding> {
    crate::system::examine()
}
