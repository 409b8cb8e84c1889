//! `pmatrix profile`: measures this machine and fits a time model to it.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use pmatrix::output::replace;
use pmatrix::session::{measure_engine, processor};

use super::Failure;
use super::progress::{Progress, Show};

#[derive(Debug, Args)]
pub(crate) struct ProfileArguments {
    /// What is measured: host, or sim, in virtual time
    #[arg(long, default_value = "host")]
    engine: String,
    /// Simulated Cell: the SPEs' processor, cell (Cell BE) or celledp (PowerXCell 8i)
    #[arg(long, default_value = "celledp")]
    cpu: String,
    /// File for the model; the standard output if there is none
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl ProfileArguments {
    pub(crate) fn execute(&self, show: Show, out: &mut dyn Write) -> Result<(), Failure> {
        let mut progress = Progress::new(show);
        let processor = processor(&self.cpu).map_err(Failure::Usage)?;
        let model = measure_engine(&self.engine, processor, &mut |share| {
            progress.update(share, "kernels measured");
        });
        progress.end("kernels measured");
        let text = model.map_err(Failure::Other)?.to_text(&format!(
            "measured by pmatrix profile --engine {} (processor of SPEs: {}); coefficients in nanoseconds",
            self.engine, self.cpu
        ));
        match &self.output {
            None => Ok(out.write_all(text.as_bytes())?),
            Some(path) => Ok(replace(path, text.as_bytes())?),
        }
    }
}
