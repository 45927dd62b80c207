//! [`Sink`]: what is fed with the events of a run.

use std::io::{self, Write};

use super::record::{Recorder, RunRecord};
use crate::run::RunEvent;

/// Something that is fed with the events of a run and writes.
pub trait Sink {
    /// Takes one event.
    ///
    /// # Errors
    /// If it cannot be written.
    fn take(&mut self, event: &RunEvent) -> io::Result<()>;
}

/// A sink that writes once, when it has the whole run.
pub struct WholeRun<W, F> {
    recorder: Recorder,
    render: F,
    writer: W,
}

impl<W: Write, F: FnMut(&RunRecord) -> String> WholeRun<W, F> {
    /// Writes what `render` makes of the run.
    pub fn new(writer: W, render: F) -> Self {
        Self {
            recorder: Recorder::default(),
            render,
            writer,
        }
    }
}

impl<W: Write, F: FnMut(&RunRecord) -> String> Sink for WholeRun<W, F> {
    fn take(&mut self, event: &RunEvent) -> io::Result<()> {
        if let Some(record) = self.recorder.take(event) {
            self.writer.write_all((self.render)(&record).as_bytes())?;
            self.writer.flush()?;
        }
        Ok(())
    }
}
