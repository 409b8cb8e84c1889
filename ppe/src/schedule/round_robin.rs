//! The paper's simple scheduling: operations in topological order, one to each stream in turn.

use super::{Schedule, Scheduler, time_line};
use crate::lower::LoweredGraph;
use crate::time::StageTimes;

/// See the module's documentation.
#[derive(Debug, Clone, Copy, Default)]
pub struct RoundRobin;

impl Scheduler for RoundRobin {
    fn name(&self) -> &'static str {
        "round-robin"
    }

    fn schedule(&self, graph: &LoweredGraph, times: &[StageTimes], meus: usize) -> Schedule {
        // The order of the graph is topological.
        time_line(graph, times, meus, (0..graph.len() as u32).map(|index| (index as usize % meus, index)))
    }
}
