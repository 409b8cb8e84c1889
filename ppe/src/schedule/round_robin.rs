//! The paper's simple scheduling: operations in topological order, one to each stream in turn.

use super::{Processors, Schedule, Scheduler, time_line};
use crate::lower::LoweredGraph;
use crate::time::StageTimes;

/// See the module's documentation.
#[derive(Debug, Clone, Copy, Default)]
pub struct RoundRobin;

impl Scheduler for RoundRobin {
    fn name(&self) -> &'static str {
        "round-robin"
    }

    fn schedule(&self, graph: &LoweredGraph, times: &[StageTimes], processors: Processors) -> Schedule {
        // The order of the graph is topological.
        let mut next = 0;
        let order = (0..graph.len() as u32).map(|index| {
            let streams = processors.streams_for(graph.operations[index as usize].venue);
            if streams.start > 0 {
                return (streams.start, index);
            }
            let stream = next;
            next = (next + 1) % processors.meus;
            (stream, index)
        });
        time_line(graph, times, processors, order)
    }
}
