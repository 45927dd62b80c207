//! Formats by name, and the sinks behind them.

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;

use super::failure::Failure;
use crate::report::{
    Console, Palette, RunRecord, Sink, WholeRun, github, html, junit, markdown, to_json_lines,
};

/// Formats of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Format {
    /// For people
    Console,
    /// JSON lines, as --save writes them
    Json,
    /// JUnit XML
    Junit,
    /// A report for a tracking issue
    Markdown,
    /// A page of its own
    Html,
    /// Workflow commands of GitHub Actions
    Github,
}

impl Format {
    /// The sink that writes this format to `writer`.
    pub(super) fn sink<'a>(self, writer: impl Write + 'a, palette: Palette) -> Box<dyn Sink + 'a> {
        let whole: fn(&RunRecord) -> String = match self {
            Self::Console => return Box::new(Console::new(writer, palette)),
            Self::Json => to_json_lines,
            Self::Junit => junit,
            Self::Markdown => markdown,
            Self::Html => html,
            Self::Github => github,
        };
        Box::new(WholeRun::new(writer, whole))
    }
}

/// Colours if standard output is a terminal and nobody asked for none.
pub(super) fn palette() -> Palette {
    let is_refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    if io::stdout().is_terminal() && !is_refused {
        Palette::Coloured
    } else {
        Palette::Plain
    }
}

/// The sink of `--save`.
pub(super) fn saved(file: &Path) -> Result<Box<dyn Sink>, Failure> {
    let writer = File::create(file).map_err(|error| {
        Failure::Usage(format!("{} cannot be written: {error}", file.display()))
    })?;
    Ok(Format::Json.sink(BufWriter::new(writer), Palette::Plain))
}

/// One line on standard output.
///
/// # Errors
/// If it cannot be written; `println` would panic at a closed pipe.
pub(super) fn say(line: impl std::fmt::Display) -> Result<(), Failure> {
    writeln!(io::stdout().lock(), "{line}")?;
    Ok(())
}
