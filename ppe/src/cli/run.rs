//! `pmatrix run`: executes a program.

use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use pmatrix::lang::display::Digits;
use pmatrix::lang::{RunOptions, Runner};
use pmatrix::session::Session;
use pmatrix::trace::Limits;

use super::options::SessionArguments;
use super::{Failure, read_program};

/// Runs shorter than this show no progress.
const QUIET: Duration = Duration::from_secs(2);

#[derive(Debug, Args)]
pub(crate) struct RunArguments {
    #[command(flatten)]
    session: SessionArguments,
    /// Digits of numbers
    #[arg(long, value_enum, default_value_t = FormatName::Long)]
    format: FormatName,
    /// Show counters and times on the standard error at the end
    #[arg(long)]
    stats: bool,
    /// The program; `-` is the standard input
    file: PathBuf,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum FormatName {
    /// As many as it takes to read the same number back
    Long,
    /// Five significant ones
    Short,
}

impl RunArguments {
    pub(crate) fn execute(&self, out: &mut dyn Write) -> Result<(), Failure> {
        let program = read_program(&self.file)?;
        let session = self.session.session(Limits::default(), true)?;
        let options = RunOptions {
            precision: self.session.precision(),
            digits: match self.format {
                FormatName::Long => Digits::Exact,
                FormatName::Short => Digits::Short,
            },
            record_only: false,
        };
        let mut progress = Progress::new(program.statements.len());
        let result = Runner::new(&session, options, out).run(&program, |index| progress.at(index));
        progress.clear();
        if self.stats {
            write_statistics(&session);
        }
        Ok(result?)
    }
}

/// A progress bar on the standard error, if that is a terminal, once a run takes long.
struct Progress {
    statements: u64,
    start: Instant,
    terminal: bool,
    bar: Option<ProgressBar>,
}

impl Progress {
    fn new(statements: usize) -> Progress {
        let terminal = std::io::stderr().is_terminal();
        Progress { statements: statements as u64, start: Instant::now(), terminal, bar: None }
    }

    fn at(&mut self, statement: usize) {
        if self.bar.is_none() && self.terminal && self.start.elapsed() > QUIET {
            let bar = ProgressBar::new(self.statements);
            if let Ok(style) = ProgressStyle::with_template("{elapsed} {wide_bar} statement {pos} of {len}") {
                bar.set_style(style);
            }
            // A statement that waits for results does not stop the clock.
            bar.enable_steady_tick(Duration::from_millis(500));
            self.bar = Some(bar);
        }
        if let Some(bar) = &self.bar {
            bar.set_position(statement as u64);
        }
    }

    fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Whether anybody reads the counters changes nothing.
fn write_statistics(session: &Session) {
    let s = session.statistics();
    let milliseconds = |ns: u64| ns as f64 / 1e6;
    let text = format!(
        "operations: {} recorded, {} executed, {} dropped, {} pending\n\
         traces: {} ({} forced, {} by operations, {} by depth, {} by bytes)\n\
         lowered graphs: {} nodes, {} edges, {} block operations\n\
         time: {:.3} ms lowering, {:.3} ms scheduling, {:.3} ms execution",
        s.operations_recorded,
        s.operations_executed,
        s.operations_dropped,
        s.operations_pending,
        s.traces,
        s.flushes_forced,
        s.flushes_operations,
        s.flushes_depth,
        s.flushes_bytes,
        s.block_nodes,
        s.block_edges,
        s.block_operations,
        milliseconds(s.lower_ns),
        milliseconds(s.schedule_ns),
        milliseconds(s.execute_ns),
    );
    let mut err = std::io::stderr();
    _ = writeln!(err, "{text}");
    for report in session.reports() {
        _ = writeln!(err, "{report}");
    }
}
