//! `pmatrix explain`: what of a program would be executed where, why, and how long the time model says that it
//! takes.
//!
//! The plan and its reasons are those of `pmatrix dump --stage plan`; times are those of the schedule.

use std::collections::BTreeMap;
use std::fmt;
use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use pmatrix::lang::ast::{Action, Program};
use pmatrix::lower::{LoweredGraph, Planned, Venue};
use pmatrix::operation::OpKind;
use pmatrix::schedule::bounds::Bounds;
use pmatrix::schedule::{Processors, Schedule};
use pmatrix::session::{SHARE_NS, Session};
use pmatrix::time::StageTimes;
use pmatrix::trace::{Operand, Trace};

use super::options::SessionArguments;
use super::progress::Show;
use super::record::record_program;
use super::room::{Room, room_for};
use super::{Failure, read_program};

#[derive(Debug, Args)]
pub(crate) struct ExplainArguments {
    #[command(flatten)]
    session: SessionArguments,
    /// The program; `-` is the standard input
    file: PathBuf,
}

/// From so many statements on that need a value, the program is told of them.
const FORCES: usize = 5;

impl ExplainArguments {
    pub(crate) fn execute(&self, show: Show, out: &mut dyn Write) -> Result<(), Failure> {
        let program = read_program(&self.file)?;
        let Some((session, trace)) = record_program(&self.session, &program, show)? else {
            return Ok(writeln!(out, "the program leaves nothing to execute")?);
        };
        let (planned, graph) = session.explain(trace).map_err(Failure::Other)?;
        let (schedule, times) = session.schedule(&graph);
        let costs = Costs::new(&graph, &times);
        let processors = Processors::of(session.target());
        let (operations, blocks) = (graph.trace.operations.len(), graph.len());
        writeln!(
            out,
            "{operations} operations become {blocks} block operations, on {} of engine {}",
            named(processors),
            session.engine_name()
        )?;
        self.write_room(&program, &session, out)?;
        writeln!(out)?;
        // The iterations of a loop that is written out are alike.
        for alike in
            planned.chunk_by(|a, b| a.rest() == b.rest() && costs.of(a.operation) == costs.of(b.operation))
        {
            write_operations(out, &graph.trace, alike, &costs)?;
        }
        write_streams(out, &graph, &schedule, &times, session.target().bandwidth)?;
        let mut hints = hints(&graph, &costs, processors);
        hints.extend(forced_often(&program));
        if !hints.is_empty() {
            writeln!(out, "\nhints")?;
        }
        for hint in hints {
            writeln!(out, "  {hint}")?;
        }
        Ok(())
    }

    /// Writes how much memory a run takes for matrices, and whether that is too much.
    fn write_room(&self, program: &Program, session: &Session, out: &mut dyn Write) -> Result<(), Failure> {
        let options = self.session.options(self.session.limits(), true)?;
        let most_bytes = self.session.room();
        match room_for(program, &options, session, self.session.precision(), most_bytes)? {
            Room::Enough { bytes } => {
                writeln!(
                    out,
                    "its matrices take at most {bytes} bytes at a time, of {most_bytes} (--memory)"
                )?;
            }
            Room::TooLittle(failure) => writeln!(out, "a run of it is refused: {failure}")?,
            Room::Unknown => {}
        }
        Ok(())
    }
}

fn named(processors: Processors) -> String {
    let meus = if processors.meus == 1 { "1 MEU".into() } else { format!("{} MEUs", processors.meus) };
    if processors.ppe { format!("{meus} and the PPE") } else { meus }
}

/// Block operations and estimated time of each recorded operation, which is the last of its program.
struct Costs(BTreeMap<u32, (u64, u64)>);

impl Costs {
    fn new(graph: &LoweredGraph, times: &[StageTimes]) -> Costs {
        let mut costs = BTreeMap::<_, (u64, u64)>::new();
        for (operation, times) in graph.operations.iter().zip(times) {
            let (blocks, ns) = costs.entry(operation.operation).or_default();
            (*blocks, *ns) = (*blocks + 1, *ns + times.total());
        }
        Costs(costs)
    }

    fn of(&self, operation: u32) -> (u64, u64) {
        self.0.get(&operation).copied().unwrap_or_default()
    }
}

/// Writes operations with equal plans and costs.
fn write_operations(
    out: &mut dyn Write,
    trace: &Trace,
    alike: &[Planned],
    costs: &Costs,
) -> Result<(), Failure> {
    let line = |planned: &Planned| trace.operations[planned.operation as usize].site.line;
    let ([first, ..], [.., last]) = (alike, alike) else { return Ok(()) };
    let (blocks, ns) = costs.of(first.operation);
    let each = match alike.len() {
        1 => {
            write!(out, "line {}: {}", line(first), first.text)?;
            ""
        }
        count => {
            write!(out, "lines {} to {}, {count} operations alike: {}", line(first), line(last), first.text)?;
            " each"
        }
    };
    if blocks > 0 {
        let plural = if blocks == 1 { "" } else { "s" };
        writeln!(out, "  costs {}{each} in {blocks} block operation{plural}, by the time model", Time(ns))?;
    }
    Ok(())
}

fn write_streams(
    out: &mut dyn Write,
    graph: &LoweredGraph,
    schedule: &Schedule,
    times: &[StageTimes],
    bandwidth: Option<f64>,
) -> Result<(), Failure> {
    writeln!(out, "\nstreams")?;
    for (number, stream) in schedule.streams.iter().enumerate() {
        let busy = stream.iter().map(|&index| times[index as usize].total()).sum();
        let name = schedule.processors.name(number);
        writeln!(out, "  {name}: {} block operations, busy {}", stream.len(), Time(busy))?;
    }
    let bounds = Bounds::of(graph, times, schedule.processors, bandwidth);
    let bound = if bounds.path >= bounds.work { "its longest path" } else { "its work" };
    writeln!(
        out,
        "  together {}; no schedule takes less than {}, because of {bound}",
        Time(schedule.makespan),
        Time(bounds.makespan())
    )?;
    Ok(())
}

/// What a user may want to change.
fn hints(graph: &LoweredGraph, costs: &Costs, processors: Processors) -> Vec<String> {
    let trace = &graph.trace;
    let mut hints = Vec::new();
    for (index, operation) in trace.operations.iter().enumerate() {
        let place = format!("line {}: ", operation.site.line);
        let (blocks, ns) = costs.of(index as u32);
        if operation.kind == OpKind::Convert && matches!(operation.operands[0], Operand::Constant(_)) {
            let to = operation.precision.name();
            hints.push(format!(
                "{place}a {} operand is converted to {to} here; convert it once, where it is made, if it is used again",
                operation.shape
            ));
        }
        if operation.kind == OpKind::Multiply && processors.meus > 1 {
            if blocks > 0 && (ns as f64) < SHARE_NS {
                hints.push(format!(
                    "{place}a {} product takes {}, too little to be shared by several MEUs; products of several columns \
                     at a time can be shared",
                    operation.shape,
                    Time(ns)
                ));
            } else if blocks == 1 {
                hints.push(format!(
                    "{place}a {} product is one block operation, so one MEU executes it alone",
                    operation.shape
                ));
            }
        }
    }
    hints.extend(on_ppe(graph));
    hints
}

/// Statements that need values one after the other, as those of a loop that is written out.
fn forced_often(program: &Program) -> Option<String> {
    let forces = program.statements.iter().filter(|statement| match &statement.action {
        Action::Assign { show, .. } | Action::Evaluate { show, .. } => *show,
        _ => true,
    });
    let lines: Vec<_> = forces.map(|statement| statement.position.line).collect();
    let (first, last) = (lines.first()?, lines.last()?);
    (lines.len() >= FORCES).then(|| {
        format!(
            "lines {first} to {last}: {} statements show, save or force values; each waits, so little can be executed side by \
             side; ask for values at the end, or for several at once",
            lines.len()
        )
    })
}

/// Kinds of operations that MEUs of this engine do not execute.
fn on_ppe(graph: &LoweredGraph) -> Option<String> {
    let of_ppe = graph.operations.iter().filter(|operation| operation.venue == Venue::Ppe);
    let mut kinds: Vec<_> = of_ppe
        .flat_map(|operation| {
            operation.work.kind().into_iter().chain(graph.steps(operation).iter().map(|step| step.kind))
        })
        .map(OpKind::name)
        .collect();
    kinds.sort_unstable();
    kinds.dedup();
    (!kinds.is_empty()).then(|| {
        format!("the PPE executes what MEUs do not have ({}), one after the other", kinds.join(", "))
    })
}

/// Nanoseconds in a unit that fits.
struct Time(u64);

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0..10_000 => write!(f, "{} ns", self.0),
            10_000..10_000_000 => write!(f, "{:.1} us", self.0 as f64 / 1e3),
            _ => write!(f, "{:.1} ms", self.0 as f64 / 1e6),
        }
    }
}
