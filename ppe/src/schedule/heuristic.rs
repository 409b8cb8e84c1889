//! The paper's heuristic: the earliest operation goes to the stream that can start it first (Algorithm
//! "Heuristic Scheduler").
//!
//! It takes O(n log n + m) for n operations and m dependences. A min-heap orders operations by the time when
//! their operands are computed, and the schedule is one pass through the heap. Ties go to the operation that
//! was lowered first, and to the stream with the smallest number.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::stream::Stream;
use super::{Processors, Schedule, Scheduler};
use crate::lower::LoweredGraph;
use crate::time::StageTimes;

/// See the module's documentation.
#[derive(Debug, Clone, Copy, Default)]
pub struct Heuristic;

impl Scheduler for Heuristic {
    fn name(&self) -> &'static str {
        "heuristic"
    }

    fn schedule(&self, graph: &LoweredGraph, times: &[StageTimes], processors: Processors) -> Schedule {
        let mut schedule = Schedule::new(graph.len(), processors);
        let mut streams = vec![Stream::default(); processors.streams()];
        let mut waiting = graph.guards().to_vec();
        let mut earliest = vec![0u64; graph.len()];
        let ready: Vec<_> = (0..graph.len() as u32)
            .filter(|&i| waiting[i as usize] == 0)
            .map(|i| Reverse((0u64, i)))
            .collect();
        let mut queue = BinaryHeap::from(ready);
        while let Some(Reverse((cost, index))) = queue.pop() {
            let time = times[index as usize];
            let (mut best, mut start) = (0, u64::MAX);
            for number in processors.streams_for(graph.operations[index as usize].venue) {
                let slot = streams[number].slot(cost, time);
                if slot < start {
                    (best, start) = (number, slot);
                }
            }
            let end = streams[best].append(start, time);
            schedule.append(best, index, start, end);
            for dependant in graph.dependants(index) {
                let position = dependant as usize;
                waiting[position] -= 1;
                earliest[position] = earliest[position].max(end);
                if waiting[position] == 0 {
                    queue.push(Reverse((earliest[position], dependant)));
                }
            }
        }
        schedule
    }
}
