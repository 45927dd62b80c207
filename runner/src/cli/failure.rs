//! [`Failure`]: why a command cannot do what it was asked for.

use std::io::{self, IsTerminal, Write};

use crate::diagnostic::Diagnostics;
use crate::escape::terminal_lines;
use crate::run::ExitCode;

/// Why a command cannot do what it was asked for.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// Something that a person wrote is wrong.
    #[error("{0}")]
    Diagnostics(#[from] Diagnostics),
    /// The command line does not fit what is there.
    #[error("{0}")]
    Usage(String),
    /// An adapter, the runner or the system failed.
    #[error("{0}")]
    Harness(String),
    /// Output could not be written.
    #[error("output cannot be written: {0}")]
    Output(#[from] io::Error),
}

impl Failure {
    /// The code that the command ends with.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            Self::Diagnostics(_) | Self::Usage(_) => ExitCode::Usage,
            Self::Harness(_) | Self::Output(_) => ExitCode::Harness,
        }
    }

    /// Says it on standard error, and how the command ends. A reader that has
    /// closed its end of a pipe has read enough.
    pub fn tell(&self) -> ExitCode {
        match self {
            Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                return ExitCode::AsExpected;
            }
            Self::Diagnostics(diagnostics) => {
                let text = if io::stderr().is_terminal() {
                    diagnostics.render_coloured()
                } else {
                    diagnostics.render()
                };
                let count = diagnostics.len();
                let errors = if count == 1 { "error" } else { "errors" };
                say_aside(format_args!("{text}\n\n{count} {errors}"));
            }
            other => say_aside(format_args!(
                "error: {}",
                terminal_lines(&other.to_string())
            )),
        }
        self.exit_code()
    }
}

/// One line on standard error. If nobody reads it, the exit code has to do;
/// `eprintln` would panic.
pub(super) fn say_aside(line: impl std::fmt::Display) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}
