//! List scheduling: ready operations in an order of priority, each to the stream that can start it first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::stream::Stream;
use super::{Processors, Schedule};
use crate::lower::LoweredGraph;
use crate::time::StageTimes;

/// Which of several streams gets an operation that all of them can start at one time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ties {
    /// The stream with the smallest number.
    First,
    /// The stream that wrote an operand: of the operands that other operations compute, the one that ended
    /// last. It is the likeliest to be in the cache of the processor. Without such an operand, the stream
    /// with the smallest number.
    Near,
}

/// The stream of no operation.
const NOWHERE: u32 = u32::MAX;

/// Schedules the ready operation with the greatest `key` next, until there is none. `key` is given an
/// operation and the time when its operands are computed. Equal keys go to the operation that was lowered
/// first.
///
/// With several Cells, of the streams that can start an operation at one time, a stream of the Cell comes first in whose
/// memory most blocks of the operation lie. It takes O(n log n + m) for n operations and m dependences.
pub(super) fn list_schedule<K: Ord>(
    graph: &LoweredGraph,
    times: &[StageTimes],
    processors: Processors,
    ties: Ties,
    key: impl Fn(u32, u64) -> K,
) -> Schedule {
    let mut schedule = Schedule::new(graph.len(), processors);
    let mut streams = vec![Stream::default(); processors.streams()];
    let mut waiting = graph.guards().to_vec();
    // For each operation: when its operands are computed, and the stream that wrote the last of them.
    let mut operands = vec![(0u64, NOWHERE); graph.len()];
    let ready: Vec<_> = (0..graph.len() as u32)
        .filter(|&i| waiting[i as usize] == 0)
        .map(|i| (key(i, 0), Reverse(i)))
        .collect();
    let mut queue = BinaryHeap::from(ready);
    while let Some((_, Reverse(index))) = queue.pop() {
        let time = times[index as usize];
        let (earliest, near) = operands[index as usize];
        let operation = &graph.operations[index as usize];
        let range = processors.streams_for(operation.venue);
        // With several Cells: the Cell in whose memory the blocks lie.
        let cell = graph.nearest_cell(operation);
        let is_near =
            |number| cell.is_none_or(|cell| graph.placement.cell_of(number, processors.meus) == cell);
        let (mut best, mut start) = (0, u64::MAX);
        let near = near as usize;
        if ties == Ties::Near && range.contains(&near) {
            (best, start) = (near, streams[near].slot(earliest, time));
        }
        for number in range {
            let slot = streams[number].slot(earliest, time);
            if slot < start || (slot == start && is_near(number) && !is_near(best)) {
                (best, start) = (number, slot);
            }
        }
        let end = streams[best].append(start, time);
        schedule.append(best, index, start, end);
        for dependant in graph.dependants(index) {
            let position = dependant as usize;
            waiting[position] -= 1;
            if end >= operands[position].0 {
                operands[position] = (end, best as u32);
            }
            if waiting[position] == 0 {
                queue.push((key(dependant, operands[position].0), Reverse(dependant)));
            }
        }
    }
    schedule
}
