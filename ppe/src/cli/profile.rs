//! `pmatrix profile`: measures this machine and fits a time model to it.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use pmatrix::lang::files::replace;
use pmatrix::session::measure_host;

use super::Failure;
use super::progress::{Progress, Show};

#[derive(Debug, Args)]
pub(crate) struct ProfileArguments {
    /// File for the model; the standard output if there is none
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl ProfileArguments {
    pub(crate) fn execute(&self, show: Show, out: &mut dyn Write) -> Result<(), Failure> {
        let mut progress = Progress::new(show);
        let model = measure_host(&mut |share| progress.update(share, "kernels measured"));
        progress.end("kernels measured");
        let text = model
            .map_err(Failure::Other)?
            .to_text("measured by pmatrix profile; coefficients in nanoseconds");
        match &self.output {
            None => Ok(out.write_all(text.as_bytes())?),
            Some(path) => Ok(replace(path, text.as_bytes())?),
        }
    }
}
