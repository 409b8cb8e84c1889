//! Scheduling: which MEU executes which block operation, and in which order (paper, "Scheduling").
//!
//! A schedule has a stream for each processor: for each MEU, and for the PPE where MEUs do not execute all
//! kinds of operations.
//!
//! A schedule follows from the lowered graph and estimated times alone, and is complete before execution
//! begins. Every feasible schedule gives right results. Estimated times only decide how long execution takes.

pub mod bounds;
mod estimate;
mod heuristic;
mod hlfet;
pub mod integer;
mod list;
mod online;
pub mod optimal;
mod portfolio;
mod processors;
mod round_robin;
mod stream;

pub use estimate::estimate;
pub use heuristic::Heuristic;
pub use hlfet::Hlfet;
pub use online::Online;
pub use portfolio::Portfolio;
pub use processors::Processors;
pub use round_robin::RoundRobin;
pub use stream::Stream;

use std::fmt::Write as _;

use crate::error::{Error, Result};
use crate::lower::LoweredGraph;
use crate::time::StageTimes;

/// An algorithm that makes schedules.
pub trait Scheduler: Send + Sync + std::fmt::Debug {
    /// Its name on the command line.
    fn name(&self) -> &'static str;

    /// Distributes the operations of `graph`, whose estimated times are `times`, over the streams of
    /// `processors`.
    fn schedule(&self, graph: &LoweredGraph, times: &[StageTimes], processors: Processors) -> Schedule;
}

/// All schedulers.
#[must_use]
pub fn schedulers() -> Vec<Box<dyn Scheduler>> {
    vec![Box::new(Heuristic), Box::new(RoundRobin), Box::new(Hlfet), Box::new(Online), Box::new(Portfolio)]
}

/// The scheduler of this name.
///
/// # Errors
/// [`Error::Argument`] lists all names.
pub fn scheduler(name: &str) -> Result<Box<dyn Scheduler>> {
    schedulers().into_iter().find(|scheduler| scheduler.name() == name).ok_or_else(|| {
        let names: Vec<_> = schedulers().iter().map(|scheduler| scheduler.name()).collect();
        Error::Argument(format!("there is no scheduler '{name}' (there are: {})", names.join(", ")))
    })
}

/// An order of operations for each processor, on a time line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    /// The processors of the streams.
    pub processors: Processors,
    /// For each MEU, and then for the PPE if it executes operations: its operations in order.
    pub streams: Vec<Vec<u32>>,
    /// Estimated start of each operation, in nanoseconds.
    pub starts: Vec<u64>,
    /// Estimated end of the operation that ends last.
    pub makespan: u64,
}

impl Schedule {
    fn new(operations: usize, processors: Processors) -> Schedule {
        let stream = Vec::with_capacity(operations / processors.meus + 1);
        Schedule {
            processors,
            streams: vec![stream; processors.streams()],
            starts: vec![0; operations],
            makespan: 0,
        }
    }

    fn append(&mut self, stream: usize, index: u32, start: u64, end: u64) {
        self.streams[stream].push(index);
        self.starts[index as usize] = start;
        self.makespan = self.makespan.max(end);
    }

    /// Checks that every operation is in exactly one stream, of a processor that executes its venue. Checks
    /// that it starts after its operands end, and that none of its stages overlaps the stage of this kind of
    /// its predecessor in the stream.
    ///
    /// # Errors
    /// What is wrong, in words: a mistake of ours.
    pub fn validate(&self, graph: &LoweredGraph, times: &[StageTimes]) -> Result<(), String> {
        let mut seen = vec![false; graph.len()];
        let end = |index: u32| self.starts[index as usize] + times[index as usize].total();
        for (number, stream) in self.streams.iter().enumerate() {
            let name = self.processors.name(number);
            for (position, &index) in stream.iter().enumerate() {
                let venue = graph.operations[index as usize].venue;
                if !self.processors.streams_for(venue).contains(&number) {
                    return Err(format!("{name} does not execute operation {index}, {}", venue.name()));
                }
                if std::mem::replace(&mut seen[index as usize], true) {
                    return Err(format!("operation {index} is scheduled twice"));
                }
                if end(index) > self.makespan {
                    return Err(format!("operation {index} ends after the makespan"));
                }
                if position > 0 {
                    let previous = stream[position - 1];
                    let (t, u) = (times[previous as usize], times[index as usize]);
                    let (a, b) = (self.starts[previous as usize], self.starts[index as usize]);
                    if a + t.df > b || a + t.df + t.ex > b + u.df || a + t.total() > b + u.df + u.ex {
                        return Err(format!("operations {previous} and {index} overlap on {name}"));
                    }
                }
            }
        }
        if let Some(missing) = seen.iter().position(|&seen| !seen) {
            return Err(format!("operation {missing} is not scheduled"));
        }
        for index in 0..graph.len() as u32 {
            if let Some(early) = graph.dependants(index).find(|&d| self.starts[d as usize] < end(index)) {
                return Err(format!("operation {early} starts before its operand {index} ends"));
            }
        }
        Ok(())
    }

    /// The schedule as text: one line an operation, ordered by processor and time.
    #[must_use]
    pub fn to_text(&self, graph: &LoweredGraph, times: &[StageTimes]) -> String {
        let mut text = String::new();
        for (number, stream) in self.streams.iter().enumerate() {
            _ = writeln!(text, "{}:", self.processors.name(number));
            for &index in stream {
                let (start, t) = (self.starts[index as usize], times[index as usize]);
                let (df, ex, wb) = (start + t.df, start + t.df + t.ex, start + t.total());
                let operation = graph.operation_text(index);
                _ = writeln!(text, "  {start} df {df} ex {ex} wb {wb}: b{index}: {operation}");
            }
        }
        _ = writeln!(text, "makespan {} ns", self.makespan);
        text
    }
}

/// Puts operations, given with their streams in a topological order, on the time line.
fn time_line(
    graph: &LoweredGraph,
    times: &[StageTimes],
    processors: Processors,
    order: impl Iterator<Item = (usize, u32)>,
) -> Schedule {
    let mut schedule = Schedule::new(graph.len(), processors);
    let mut streams = vec![Stream::default(); processors.streams()];
    let mut earliest = vec![0u64; graph.len()];
    for (number, index) in order {
        let time = times[index as usize];
        let start = streams[number].slot(earliest[index as usize], time);
        let end = streams[number].append(start, time);
        schedule.append(number, index, start, end);
        for dependant in graph.dependants(index) {
            let position = dependant as usize;
            earliest[position] = earliest[position].max(end);
        }
    }
    schedule
}

#[cfg(test)]
mod tests;
