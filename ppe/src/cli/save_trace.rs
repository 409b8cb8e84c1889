//! `pmatrix save-trace`: a program's trace in a file.

use std::path::PathBuf;

use clap::Args;
use pmatrix::lang::{RunOptions, saved};
use pmatrix::operation::Precision;
use pmatrix::output;

use super::options::TimelineArgument;
use super::progress::Show;
use super::record::record_for_file;
use super::{Failure, read_program};

#[derive(Debug, Args)]
pub(crate) struct SaveTraceArguments {
    /// Literals and constructors have single precision
    #[arg(long)]
    single: bool,
    /// Save shapes alone: nothing is executed, and no matrix takes memory; the trace cannot be run
    #[arg(long)]
    shapes: bool,
    #[command(flatten)]
    timeline: TimelineArgument,
    /// The program; `-` is the standard input
    program: PathBuf,
    /// The file that is written
    file: PathBuf,
}

impl SaveTraceArguments {
    pub(crate) fn execute(&self, show: Show) -> Result<(), Failure> {
        let program = read_program(&self.program)?;
        let precision = if self.single { Precision::Single } else { Precision::Double };
        let run = RunOptions { precision, shapes_only: self.shapes, ..RunOptions::default() };
        let Some((_session, trace, stated)) = record_for_file(&program, run, self.timeline.file(), show)?
        else {
            return Ok(());
        };
        let saved = saved::save(trace, stated, self.shapes).map_err(Failure::Other)?;
        output::replace(&self.file, &saved.encode())
            .map_err(|error| Failure::Unwritable(self.file.clone(), error))
    }
}
