//! `holdoff report`.

use std::fs::File;
use std::io::{self, BufReader, Write};
use std::path::PathBuf;

use super::failure::Failure;
use super::sinks::{Format, palette};
use crate::report::from_json_lines;
use crate::run::{ExitCode, RunEvent};

#[derive(Debug, clap::Args)]
pub(super) struct ReportArgs {
    /// A run that was saved by `run --save`
    file: PathBuf,
    /// What it is turned into
    #[arg(long, value_enum, default_value = "markdown")]
    format: Format,
}

pub(super) fn report(args: &ReportArgs) -> Result<ExitCode, Failure> {
    let refuse = |error: String| Failure::Usage(format!("{}: {error}", args.file.display()));
    let file = File::open(&args.file).map_err(|error| refuse(error.to_string()))?;
    let record =
        from_json_lines(BufReader::new(file)).map_err(|error| refuse(error.to_string()))?;
    let mut text = Vec::new();
    let mut sink = args.format.sink(&mut text, palette());
    sink.take(&RunEvent::Started(Box::new(record.header)))?;
    for case in record.cases {
        sink.take(&RunEvent::CaseFinished(Box::new(case)))?;
    }
    sink.take(&RunEvent::Finished(record.footer))?;
    drop(sink);
    io::stdout().lock().write_all(&text)?;
    Ok(ExitCode::AsExpected)
}
