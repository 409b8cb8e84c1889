//! `pmatrix simulate`: how long a program takes on a Cell, by the time model.

use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

use clap::Args;
use pmatrix::engine::{MeuReport, Waits};
use pmatrix::lang::{RunOptions, Runner};
use pmatrix::session::Session;

use super::options::SessionArguments;
use super::progress::{Show, watch};
use super::room::check_room;
use super::{Failure, read_program};

#[derive(Debug, Args)]
pub(crate) struct SimulateArguments {
    #[command(flatten)]
    session: SessionArguments,
    /// The program; `-` is the standard input
    file: PathBuf,
}

impl SimulateArguments {
    pub(crate) fn execute(&self, show: Show, out: &mut dyn Write) -> Result<(), Failure> {
        let program = read_program(&self.file)?;
        let options = self.session.options_on("clock", self.session.limits())?;
        let session = Session::new(&options).map_err(Failure::of_session)?;
        check_room(&program, &options, &session, self.session.precision(), self.session.room())?;
        let options = RunOptions { precision: self.session.precision(), ..RunOptions::default() };
        let mut unread = std::io::sink();
        let mut runner = Runner::new(&session, options, &mut unread);
        watch(show, &session, program.statements.len(), |begun| {
            runner.run(&program, |index| begun.store(index + 1, Ordering::Relaxed))
        })?;
        drop(runner);
        write_reports(&session.reports(), out)
    }
}

fn write_reports(reports: &[MeuReport], out: &mut dyn Write) -> Result<(), Failure> {
    let all = || reports.iter().filter_map(|report| report.waits);
    let makespan = all().map(|waits| waits.total_ns()).fold(0.0, f64::max);
    let meus = all().count();
    writeln!(out, "makespan: {:.6} ms on {meus} MEUs", makespan / 1e6)?;
    let sum = |part: fn(Waits) -> f64| all().map(part).sum::<f64>();
    let whole = (makespan * meus as f64).max(1.0);
    for (name, ns) in [
        ("executing", sum(|waits| waits.busy_ns)),
        ("idle, waiting for data", sum(|waits| waits.data_ns)),
        ("idle, waiting for operands", sum(|waits| waits.operands_ns)),
        ("idle, waiting for the PPE", sum(|waits| waits.ppe_ns)),
    ] {
        writeln!(out, "{name}: {:.2} %", 100.0 * ns / whole)?;
    }
    for report in reports {
        writeln!(out, "{report}")?;
    }
    Ok(())
}
