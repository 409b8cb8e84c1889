//! The timeline of a session: what is noted where, and who may read it.

use std::io;
use std::path::Path;

use super::stages::Core;
use super::{Options, Session};
use crate::error::{Error, Result};
use crate::lower::Target;
use crate::output;
use crate::timeline::{Counter, Stage, Timeline, Total};
use crate::trace::Value;

/// An error of the system, which names the file.
pub(super) fn not_written(error: &io::Error) -> Error {
    Error::File { path: "the timeline".into(), line: None, what: error.to_string() }
}

impl Options {
    /// Checks the name of the timeline's file.
    pub(super) fn check_profile(&self) -> Result<()> {
        let checked = self.profile.as_deref().map_or(Ok(()), output::check);
        checked.map_err(|error| not_written(&error))
    }

    /// The timeline of a session on this engine.
    pub(super) fn new_timeline(&self, engine: &str, target: &Target) -> Result<Timeline> {
        let meus = if target.meus == 1 { "1 MEU".into() } else { format!("{} MEUs", target.meus) };
        let title = format!("pmatrix, engine {engine}, {meus}");
        Timeline::new(self.profile.as_deref(), title).map_err(|error| not_written(&error))
    }
}

impl Session {
    /// Begins or ends to note in the timeline what the session does. Sessions of the process that name the same
    /// file in [`Options::profile`], and all that name none, begin and end together.
    pub fn switch_timeline(&self, on: bool) {
        self.core.timeline.switch(on);
    }

    /// Forgets what the timeline holds.
    pub fn clear_timeline(&self) {
        self.core.timeline.log().clear();
    }

    /// Saves the timeline in the file of [`Options::profile`], if there is one. A session does that by itself when
    /// it ends, and the process does when it ends by `exit`.
    ///
    /// # Errors
    /// [`Error::File`]
    pub fn save_timeline(&self) -> Result<()> {
        self.core.timeline.save().map_err(|error| not_written(&error))
    }

    /// Saves the timeline as Chrome trace events.
    ///
    /// # Errors
    /// [`Error::File`]
    pub fn export_timeline(&self, path: &Path) -> Result<()> {
        self.core.timeline.log().save(path).map_err(|error| not_written(&error))
    }

    /// What each operation of each line of the program has taken while the timeline was on, the longest first.
    #[must_use]
    pub fn totals(&self) -> Vec<Total> {
        self.core.timeline.log().totals()
    }

    /// Notes that the program has waited for a value.
    pub(super) fn note_force(&self, begun: Option<u64>, value: &Value) {
        if begun.is_some() {
            let trace = self.core.recorder.trace_of(value).unwrap_or_default();
            self.core.timeline.stage(begun, Stage::Force, trace.into(), 1);
            self.core.note_memory();
        }
    }
}

impl Core {
    /// Notes the bytes that are in use, while the timeline is on.
    pub(super) fn note_memory(&self) {
        self.timeline.counter(Counter::PinnedBytes, || self.recorder.pending().bytes);
        self.timeline.counter(Counter::PoolBytes, || self.pool.used_bytes().0 as u64);
    }
}
