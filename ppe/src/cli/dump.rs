//! `pmatrix dump`: a program stage by stage.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use petgraph::dot::{Config, Dot};
use petgraph::graph::DiGraph;
use pmatrix::error::Error;
use pmatrix::lower::LoweredGraph;
use pmatrix::schedule::Schedule;

use super::Failure;
use super::options::SessionArguments;
use super::progress::Show;
use super::record::record;

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

impl DumpArguments {
    pub(crate) fn execute(&self, show: Show, out: &mut dyn Write) -> Result<(), Failure> {
        let Some((session, trace)) = record(&self.session, &self.file, show)? else { return Ok(()) };
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
