//! `pmatrix save-trace`: a program's trace in a file.

use std::path::PathBuf;

use clap::Args;
use pmatrix::lang::saved;
use pmatrix::operation::Precision;
use pmatrix::output;

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
    /// The program; `-` is the standard input
    program: PathBuf,
    /// The file that is written
    file: PathBuf,
}

impl SaveTraceArguments {
    pub(crate) fn execute(&self, show: Show) -> Result<(), Failure> {
        let program = read_program(&self.program)?;
        let precision = if self.single { Precision::Single } else { Precision::Double };
        let Some((_session, trace, stated)) = record_for_file(&program, precision, self.shapes, show)? else {
            return Ok(());
        };
        let saved = saved::save(trace, stated, self.shapes).map_err(Failure::Other)?;
        output::replace(&self.file, &saved.encode())
            .map_err(|error| Failure::Unwritable(self.file.clone(), error))
    }
}
