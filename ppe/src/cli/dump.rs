//! `pmatrix dump`: a program stage by stage.

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::atomic::Ordering;

use clap::{Args, ValueEnum};
use petgraph::dot::{Config, Dot};
use petgraph::graph::DiGraph;
use pmatrix::error::Error;
use pmatrix::lang::{RunOptions, Runner};
use pmatrix::lower::LoweredGraph;
use pmatrix::schedule::Schedule;
use pmatrix::session::{Options, Session};
use pmatrix::trace::Limits;

use super::options::SessionArguments;
use super::progress::{Show, watch};
use super::{Failure, read_program};

#[derive(Debug, Args)]
pub(crate) struct DumpArguments {
    #[command(flatten)]
    session: SessionArguments,
    /// What to show
    #[arg(long, value_enum)]
    stage: Stage,
    /// As text, or as a graph for Graphviz
    #[arg(long, value_enum, default_value_t = FormatName::Text)]
    format: FormatName,
    /// The program; `-` is the standard input
    file: PathBuf,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Stage {
    /// Operations and the dependences between them
    Trace,
    /// Which operations are executed together, why, where, and how their results are cut
    Plan,
    /// Block operations
    Lowered,
    /// Which MEU executes which block operation, and when
    Schedule,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FormatName {
    /// A line an operation
    Text,
    /// Graphviz
    Dot,
}

/// No limit: the program is one trace.
const UNLIMITED: Limits = Limits { operations: u64::MAX, depth: u64::MAX, bytes: u64::MAX };

impl DumpArguments {
    pub(crate) fn execute(&self, show: Show, out: &mut dyn Write) -> Result<(), Failure> {
        let program = read_program(&self.file)?;
        // A taken trace can be lowered once its constants are there, so nothing may be in flight. It has
        // every operation, so none is computed at once.
        let options = Options { immediate: false, ..self.session.options(UNLIMITED, false)? };
        let session = Session::new(&options).map_err(Failure::of_session)?;
        let options =
            RunOptions { precision: self.session.precision(), record_only: true, ..RunOptions::default() };
        let mut unused = io::sink();
        // Its variables are what the trace is to compute, so the runner lives until the trace is taken.
        let mut runner = Runner::new(&session, options, &mut unused);
        watch(show, &session, program.statements.len(), |begun| {
            runner.run(&program, |index| begun.store(index + 1, Ordering::Relaxed))
        })?;
        let trace = session.take_trace();
        drop(runner);
        let Some(trace) = trace else {
            log::warn!("the program leaves nothing to execute");
            return Ok(());
        };
        let dot = self.format == FormatName::Dot;
        if let Stage::Trace = self.stage {
            match dot {
                true => write_dot(out, &trace.to_petgraph())?,
                false => write!(out, "{trace}")?,
            }
            return Ok(());
        }
        if let Stage::Plan = self.stage {
            if dot {
                return Err(Failure::Usage(Error::Argument(
                    "a plan is text; there is no graph of it".into(),
                )));
            }
            write!(out, "{}", session.plan(trace))?;
            return Ok(());
        }
        let graph = session.lower(trace).map_err(Failure::Other)?;
        match self.stage {
            Stage::Schedule => {
                let (schedule, times) = session.schedule(&graph);
                match dot {
                    true => write_schedule_dot(out, &graph, &schedule)?,
                    false => write!(out, "{}", schedule.to_text(&graph, &times))?,
                }
            }
            Stage::Trace | Stage::Plan | Stage::Lowered => match dot {
                true => write_dot(out, &graph.to_petgraph())?,
                false => write!(out, "{graph}")?,
            },
        }
        Ok(())
    }
}

fn write_dot(out: &mut dyn Write, graph: &DiGraph<String, ()>) -> io::Result<()> {
    let labels = |_, (_, label): (_, &String)| format!("label = {label:?}");
    let dot = Dot::with_attr_getters(
        graph,
        &[Config::NodeNoLabel, Config::EdgeNoLabel],
        &|_, _| String::new(),
        &labels,
    );
    write!(out, "{dot:?}")
}

/// The lowered graph with a box for each MEU.
fn write_schedule_dot(out: &mut dyn Write, graph: &LoweredGraph, schedule: &Schedule) -> io::Result<()> {
    writeln!(out, "digraph {{")?;
    for (number, stream) in schedule.streams.iter().enumerate() {
        let name = schedule.processors.name(number);
        writeln!(out, "    subgraph cluster_{number} {{\n        label = \"{name}\"")?;
        for &index in stream {
            let label = format!("{}: {}", schedule.starts[index as usize], graph.operation_text(index));
            writeln!(out, "        {index} [label = {label:?}]")?;
        }
        writeln!(out, "    }}")?;
    }
    for index in 0..graph.len() as u32 {
        for dependant in graph.dependants(index) {
            writeln!(out, "    {index} -> {dependant}")?;
        }
    }
    writeln!(out, "}}")
}
