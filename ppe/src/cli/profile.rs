//! `pmatrix profile`: measures this machine and fits a time model to it.

use std::io::{IsTerminal, Write};
use std::path::PathBuf;

use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget};
use pmatrix::error::Error;
use pmatrix::session::measure_host;

use super::Failure;

#[derive(Debug, Args)]
pub(crate) struct ProfileArguments {
    /// File for the model; the standard output if there is none
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

const STEPS: u64 = 1000;

impl ProfileArguments {
    pub(crate) fn execute(&self, out: &mut dyn Write) -> Result<(), Failure> {
        let bar = ProgressBar::new(STEPS);
        if !std::io::stderr().is_terminal() {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        let model = measure_host(&mut |share| bar.set_position((share * STEPS as f64) as u64));
        bar.finish_and_clear();
        let text = model
            .map_err(Failure::Other)?
            .to_text("measured by pmatrix profile; coefficients in nanoseconds");
        match &self.output {
            None => Ok(out.write_all(text.as_bytes())?),
            Some(path) => std::fs::write(path, text).map_err(|error| {
                let (path, what) = (path.display().to_string(), error.to_string());
                Failure::Other(Error::File { path, line: None, what })
            }),
        }
    }
}
