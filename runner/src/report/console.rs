//! The console: what fails at once, and the census at the end.

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::case_text::case_text;
use super::causes;
use super::known_groups::{KnownGroup, OWN_TIMELINE, known_groups};
use super::palette::Palette;
use super::sink::Sink;
use crate::escape::log_line;
use crate::judge::{CaseReport, Verdict};
use crate::run::{Cause, RunEnd, RunEvent, RunFooter, RunHeader};

/// Reasons that are listed for cases that were not judged.
const REASONS: usize = 30;

/// Writes for people.
pub struct Console<W> {
    writer: W,
    palette: Palette,
    header: Option<RunHeader>,
    unjudged: BTreeMap<(Verdict, String), usize>,
    /// Failures that are no divergences, by adapter and reason: an adapter that
    /// does not start fails each of its cases with the same words.
    failures: BTreeMap<(String, String), usize>,
    /// By adapter.
    known: BTreeMap<String, Vec<CaseReport>>,
}

impl<W: Write> Console<W> {
    /// Writes to `writer`.
    pub fn new(writer: W, palette: Palette) -> Self {
        Self {
            writer,
            palette,
            header: None,
            unjudged: BTreeMap::new(),
            failures: BTreeMap::new(),
            known: BTreeMap::new(),
        }
    }

    fn start(&mut self, header: &RunHeader) -> io::Result<()> {
        for adapter in &header.adapters {
            let cases = if adapter.cases == 1 { "case" } else { "cases" };
            writeln!(
                self.writer,
                "{}: {} of {} {cases} can be judged ({})",
                self.palette.strong(&log_line(&adapter.name)),
                adapter.judgeable,
                adapter.cases,
                adapter.clocks
            )?;
        }
        self.header = Some(header.clone());
        self.writer.flush()
    }

    fn case(&mut self, report: &CaseReport) -> io::Result<()> {
        match report.verdict {
            Verdict::Pass => Ok(()),
            Verdict::Known => {
                let known = self.known.entry(report.adapter.clone()).or_default();
                known.push(report.clone());
                Ok(())
            }
            Verdict::Unsupported | Verdict::Unavailable | Verdict::NeedsClock => {
                let reason = report.reason.clone().unwrap_or_default();
                *self.unjudged.entry((report.verdict, reason)).or_default() += 1;
                Ok(())
            }
            _ => {
                if self.is_repeated(report) {
                    return Ok(());
                }
                let Some(header) = &self.header else {
                    return Ok(());
                };
                let text = case_text(header, report, self.palette);
                writeln!(self.writer, "\n{}", text.trim_end())?;
                self.writer.flush()
            }
        }
    }

    /// Whether these words have been shown already for another case.
    fn is_repeated(&mut self, report: &CaseReport) -> bool {
        let (Verdict::Error, Some(reason)) = (report.verdict, &report.reason) else {
            return false;
        };
        if !report.differences.is_empty() {
            return false;
        }
        let words = (report.adapter.clone(), reason.clone());
        let count = self.failures.entry(words).or_default();
        *count += 1;
        *count > 1
    }

    fn repeated(&mut self) -> io::Result<()> {
        for ((adapter, reason), count) in &self.failures {
            let Some(more @ 1..) = count.checked_sub(1) else {
                continue;
            };
            let cases = if more == 1 { "case" } else { "cases" };
            writeln!(
                self.writer,
                "\n{} the same for {more} more {cases} on {}: {}",
                self.palette.verdict(Verdict::Error, "error"),
                log_line(adapter),
                log_line(reason)
            )?;
        }
        Ok(())
    }

    fn causes(&mut self, causes: &[Cause]) -> io::Result<()> {
        let mut adapter = "";
        for cause in causes {
            if cause.adapter != adapter {
                adapter = &cause.adapter;
                let name = log_line(adapter);
                writeln!(
                    self.writer,
                    "\nwhat would explain the divergences of {name}:"
                )?;
            }
            let name = log_line(causes::name(cause));
            let does = causes::does(cause);
            let colon = if does.is_empty() { "" } else { ": " };
            writeln!(self.writer, "{:>5} {name}{colon}{does}", cause.cases)?;
        }
        Ok(())
    }

    /// Known divergences, one cause after the other.
    fn known(&mut self) -> io::Result<()> {
        for (adapter, cases) in std::mem::take(&mut self.known) {
            let (word, name) = (
                self.palette.verdict(Verdict::Known, "known"),
                self.palette.strong(&log_line(&adapter)),
            );
            writeln!(self.writer, "\n{word} divergences of {name}")?;
            for group in known_groups(&cases) {
                self.cause(&group)?;
            }
        }
        Ok(())
    }

    fn cause(&mut self, group: &KnownGroup<'_>) -> io::Result<()> {
        let example = group.example();
        writeln!(
            self.writer,
            "{:>5} {}\n      {}\n      {}",
            group.cases.len(),
            self.palette
                .strong(&log_line(group.signature().unwrap_or(OWN_TIMELINE))),
            log_line(group.because()),
            log_line(group.recorded())
        )?;
        let differences = example.differences.iter();
        let seen: Vec<_> = differences.map(|differs| differs.text.as_str()).collect();
        writeln!(
            self.writer,
            "      {}",
            self.palette.faint(&log_line(&format!(
                "such as {}: {}",
                example.case,
                seen.join("; ")
            )))
        )
    }

    fn finish(&mut self, footer: &RunFooter) -> io::Result<()> {
        self.repeated()?;
        self.known()?;
        if !self.unjudged.is_empty() {
            writeln!(self.writer)?;
        }
        for ((verdict, reason), count) in self.unjudged.iter().take(REASONS) {
            let word = self.palette.verdict(*verdict, verdict.as_str());
            writeln!(self.writer, "{count:>5} {word}: {}", log_line(reason))?;
        }
        if let Some(more) = self.unjudged.len().checked_sub(REASONS + 1) {
            writeln!(self.writer, "      and {} more reasons", more + 1)?;
        }
        self.causes(&footer.causes)?;
        for note in &footer.notes {
            writeln!(self.writer, "\nnote: {}", log_line(note))?;
        }
        for stale in &footer.stale {
            writeln!(
                self.writer,
                "\n{} {}",
                self.palette.bad("unmatched"),
                log_line(stale)
            )?;
        }
        let end = match footer.end {
            RunEnd::Complete => "",
            RunEnd::Interrupted => " (interrupted)",
        };
        writeln!(
            self.writer,
            "\n{}{end}",
            self.palette.strong(&footer.census.to_string())
        )?;
        self.writer.flush()
    }
}

impl<W: Write> Sink for Console<W> {
    fn take(&mut self, event: &RunEvent) -> io::Result<()> {
        match event {
            RunEvent::Started(header) => self.start(header),
            RunEvent::CaseStarted { .. } => Ok(()),
            RunEvent::CaseFinished(report) => self.case(report),
            RunEvent::Finished(footer) => self.finish(footer),
        }
    }
}
