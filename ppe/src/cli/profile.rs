//! `pmatrix profile`: measures this machine and fits a time model to it.

mod page;

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use pmatrix::operation::KindSet;
use pmatrix::output::replace;
use pmatrix::session::{measure_engine, processor};

use super::Failure;
use super::options::TimelineArgument;
use super::progress::{Progress, Show};

#[derive(Debug, Args)]
pub(crate) struct ProfileArguments {
    /// What is measured: host, or sim, in virtual time
    #[arg(long, default_value = "host")]
    engine: String,
    /// Simulated Cell: the SPEs' processor, cell (Cell BE) or celledp (PowerXCell 8i)
    #[arg(long, default_value = "celledp")]
    cpu: String,
    /// Kinds to measure beside products and additions: all, paper, or names with commas between them. Other kinds
    /// have the times of the model that comes with pmatrix
    #[arg(long, default_value = "all")]
    kinds: KindSet,
    /// File for the model; the standard output if there is none
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Page with what the model says against what was measured, kind by kind
    #[arg(long, value_name = "PAGE.html")]
    report: Option<PathBuf>,
    #[command(flatten)]
    timeline: TimelineArgument,
}

impl ProfileArguments {
    pub(crate) fn execute(&self, show: Show, out: &mut dyn Write) -> Result<(), Failure> {
        let mut progress = Progress::new(show);
        let processor = processor(&self.cpu).map_err(Failure::Usage)?;
        let timeline = self.timeline.file();
        let measured =
            measure_engine(&self.engine, processor, self.kinds, timeline.as_deref(), &mut |share| {
                progress.update(share, "kernels measured");
            });
        progress.end("kernels measured");
        let measured = measured.map_err(Failure::Other)?;
        let title = format!("pmatrix profile --engine {} (processor of SPEs: {})", self.engine, self.cpu);
        if let Some(path) = &self.report {
            replace(path, page::page(&title, &measured).as_bytes())?;
        }
        for outlier in &measured.outliers {
            log::info!("outliers: {outlier}");
        }
        // Other processes disturb many of some thousand trials a little, on any machine.
        if !measured.outliers.is_empty() {
            let count = measured.outliers.len();
            log::warn!(
                "{count} trials had outliers, which do not count; --verbose and --report name the trials"
            );
        }
        let text = measured.model.to_text(&format!("measured by {title}; coefficients in nanoseconds"));
        match &self.output {
            None => Ok(out.write_all(text.as_bytes())?),
            Some(path) => Ok(replace(path, text.as_bytes())?),
        }
    }
}
