//! `holdoff report`.

use std::fs::{self, File};
use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};

use super::failure::Failure;
use super::sinks::{Format, palette};
use crate::report::{RunRecord, from_json_lines};
use crate::run::{ExitCode, RunEvent};

#[derive(Debug, clap::Args)]
pub(super) struct ReportArgs {
    /// A run that was saved by `run --save`
    file: PathBuf,
    /// What it is turned into
    #[arg(long, value_enum, default_value = "markdown")]
    format: Format,
    /// Write one file an adapter below this folder, not to standard output
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub(super) fn report(args: &ReportArgs) -> Result<ExitCode, Failure> {
    let refuse = |error: String| Failure::Usage(format!("{}: {error}", args.file.display()));
    let file = File::open(&args.file).map_err(|error| refuse(error.to_string()))?;
    let record =
        from_json_lines(BufReader::new(file)).map_err(|error| refuse(error.to_string()))?;
    let Some(folder) = &args.out else {
        io::stdout().lock().write_all(&rendered(args, record)?)?;
        return Ok(ExitCode::AsExpected);
    };
    for adapter in record.adapters() {
        let path = file_of(folder, adapter, args.format)
            .ok_or_else(|| refuse(format!("`{adapter}` is no name of an adapter")))?;
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(&path, rendered(args, record.of_adapter(adapter))?)?;
        writeln!(io::stdout().lock(), "{}", path.display())?;
    }
    Ok(ExitCode::AsExpected)
}

fn rendered(args: &ReportArgs, record: RunRecord) -> Result<Vec<u8>, Failure> {
    let mut text = Vec::new();
    let mut sink = args.format.sink(&mut text, palette());
    sink.take(&RunEvent::Started(Box::new(record.header)))?;
    for case in record.cases {
        sink.take(&RunEvent::CaseFinished(Box::new(case)))?;
    }
    sink.take(&RunEvent::Finished(record.footer))?;
    drop(sink);
    Ok(text)
}

/// `FOLDER/NAME/VARIANT@VERSION.md`; none for a name that would lead elsewhere.
fn file_of(folder: &Path, adapter: &str, format: Format) -> Option<PathBuf> {
    let is_plain = |part: &str| {
        let is_allowed = |c: char| c.is_ascii_alphanumeric() || "._@+-".contains(c);
        part.starts_with(|c: char| c.is_ascii_alphanumeric()) && part.chars().all(is_allowed)
    };
    let extension = match format {
        Format::Markdown => "md",
        Format::Html => "html",
        Format::Junit => "xml",
        Format::Json => "jsonl",
        Format::Console | Format::Github => "txt",
    };
    adapter
        .split('/')
        .all(is_plain)
        .then(|| folder.join(format!("{adapter}.{extension}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_leads_below_the_folder_or_nowhere() {
        let file = |name| file_of(Path::new("reports"), name, Format::Markdown);
        let path = file("basecamp-python/sync@0.15.0").unwrap();
        assert_eq!(path, Path::new("reports/basecamp-python/sync@0.15.0.md"));
        for name in ["", "/etc/x", "../x", "a/../../x", "a//b", "a b", "a\\b"] {
            assert_eq!(file(name), None, "{name}");
        }
    }
}
