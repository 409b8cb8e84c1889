//! `pmatrix run`: executes a program.

use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

use clap::{Args, ValueEnum};
use pmatrix::error::Error;
use pmatrix::input::begins_with;
use pmatrix::lang::display::Digits;
use pmatrix::lang::{RunOptions, Runner, saved};
use pmatrix::ranks::Tally;
use pmatrix::session::Session;
use pmatrix::wire::saved::{MAGIC, Saved};

use super::options::SessionArguments;
use super::progress::{Show, watch};
use super::room::check_room;
use super::{Failure, read_bytes, read_program};

/// Most bytes of a saved trace.
const MOST_TRACE_BYTES: u64 = 1 << 36;

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
    /// The program, or a trace of `pmatrix save-trace`; `-` is a program on the standard input
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
    pub(crate) fn execute(&self, show: Show, out: &mut dyn Write) -> Result<(), Failure> {
        if begins_with(&self.file, &MAGIC) {
            return self.execute_saved(&read_bytes(&self.file, MOST_TRACE_BYTES)?, show, out);
        }
        let program = read_program(&self.file)?;
        let options = self.session.options(self.session.limits(), true)?;
        let session = Session::new(&options).map_err(Failure::of_session)?;
        check_room(&program, &options, &session, self.session.precision(), self.session.room())?;
        let options = RunOptions {
            precision: self.session.precision(),
            digits: self.digits(),
            ..RunOptions::default()
        };
        let mut runner = Runner::new(&session, options, out);
        let result = watch(show, &session, program.statements.len(), |begun| {
            runner.run(&program, |index| begun.store(index + 1, Ordering::Relaxed))
        });
        let shown = runner.has_shown();
        drop(runner);
        let finished = self.finish(&session);
        if result.is_ok() && !shown && show != Show::Never {
            write_what_ran(&session);
        }
        result?;
        finished
    }

    fn digits(&self) -> Digits {
        match self.format {
            FormatName::Long => Digits::Exact,
            FormatName::Short => Digits::Short,
        }
    }

    /// Runs a trace that `pmatrix save-trace` has saved.
    fn execute_saved(&self, bytes: &[u8], show: Show, out: &mut dyn Write) -> Result<(), Failure> {
        let file = self.file.display().to_string();
        let damaged = |error: Error| {
            Failure::Other(Error::File { path: file.clone(), line: None, what: error.to_string() })
        };
        let saved = Saved::decode(bytes).map_err(damaged)?;
        let options = self.session.options(self.session.limits(), true)?;
        let session = Session::new(&options).map_err(Failure::of_session)?;
        let operations = saved.trace.trace.operations.len();
        let result = watch(show, &session, operations, |begun| {
            let progress = |operation| begun.store(operation, Ordering::Relaxed);
            saved::run(&saved, &session, &file, self.digits(), out, progress)
        });
        let finished = self.finish(&session);
        result.map_err(Failure::Other)?;
        finished
    }

    /// What happens at the end, however the program has ended.
    fn finish(&self, session: &Session) -> Result<(), Failure> {
        let saved = session.save_timeline();
        if self.stats {
            write_statistics(session);
        }
        saved.map_err(Failure::Other)
    }
}

/// A program that shows nothing would leave its user in doubt whether it did anything.
fn write_what_ran(session: &Session) {
    let s = session.statistics();
    let computed = match s.operations_executed {
        0 => "nothing was computed, since nothing was needed".into(),
        1 => "1 operation was executed".to_owned(),
        count => format!("{count} operations were executed"),
    };
    _ = writeln!(std::io::stderr(), "pmatrix: {computed}; nothing was shown: print (x) shows a value");
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
    if let Some(ranks) = session.ranks() {
        let Tally { traces, starts, sent_bytes, meus_lost, block_operations, insert_ns } = ranks;
        let lost = if meus_lost == 0 { String::new() } else { format!(", {meus_lost} MEUs lost") };
        _ = writeln!(
            err,
            "ranks: {traces} traces, started {starts} times, {sent_bytes} bytes sent to each other{lost}\n\
             inserted by each rank: {block_operations} block operations in {:.3} ms",
            milliseconds(insert_ns),
        );
    }
    for report in session.reports() {
        _ = writeln!(err, "{report}");
    }
}
