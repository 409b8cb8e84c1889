//! The paper's online scheduling, on the time line: operations whose operands are computed lie in a pool, and
//! a processor takes one when it has room for one.
//!
//! A processor has room when the operation before has been fetched, so it fetches one operation while it
//! executes another. It takes the operation that waits longest. An operation that the processor itself has
//! made ready, by computing its last operand, comes before that: the operand is near.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::stream::Stream;
use super::{Processors, Schedule, Scheduler};
use crate::lower::{LoweredGraph, Venue};
use crate::time::StageTimes;

/// See the module's documentation.
#[derive(Debug, Clone, Copy, Default)]
pub struct Online;

/// Processors that execute the same operations, and the pool of these operations.
struct Pool {
    /// When each processor has room: the end of its last fetch, the end of its last execution, its stream.
    idle: BinaryHeap<Reverse<(u64, u64, usize)>>,
    /// When each operation is ready, and the operation. An operation that has been taken stays until it is
    /// the first.
    ready: BinaryHeap<Reverse<(u64, u32)>>,
}

impl Pool {
    fn new(streams: impl Iterator<Item = usize>) -> Pool {
        Pool { idle: streams.map(|stream| Reverse((0, 0, stream))).collect(), ready: BinaryHeap::new() }
    }

    /// When a processor takes an operation next; None when no operation is ready.
    fn next(&mut self, taken: &[bool]) -> Option<u64> {
        while let Some(&Reverse((ready, index))) = self.ready.peek() {
            if !taken[index as usize] {
                let &Reverse((idle, ..)) = self.idle.peek()?;
                return Some(ready.max(idle));
            }
            self.ready.pop();
        }
        None
    }
}

impl Scheduler for Online {
    fn name(&self) -> &'static str {
        "online"
    }

    fn schedule(&self, graph: &LoweredGraph, times: &[StageTimes], processors: Processors) -> Schedule {
        let mut schedule = Schedule::new(graph.len(), processors);
        let mut streams = vec![Stream::default(); processors.streams()];
        let mut waiting = graph.guards().to_vec();
        let mut earliest = vec![0u64; graph.len()];
        let mut taken = vec![false; graph.len()];
        // For each processor: the last operation that it has made ready.
        let mut near: Vec<Option<u32>> = vec![None; processors.streams()];
        let pool_of = |index: u32| usize::from(graph.operations[index as usize].venue == Venue::Ppe);
        let mut pools = [Venue::Memory, Venue::Ppe].map(|venue| Pool::new(processors.streams_for(venue)));
        for index in (0..graph.len() as u32).filter(|&index| waiting[index as usize] == 0) {
            pools[pool_of(index)].ready.push(Reverse((0, index)));
        }
        // Time goes on from one taking of an operation to the next, so each pool has all that is ready.
        while let Some((now, number)) =
            (0..pools.len()).filter_map(|number| Some((pools[number].next(&taken)?, number))).min()
        {
            let pool = &mut pools[number];
            let (Some(Reverse((_, _, stream))), Some(&Reverse((_, oldest)))) =
                (pool.idle.pop(), pool.ready.peek())
            else {
                break;
            };
            // An operation that is not ready yet stays the near one.
            let index = near[stream]
                .filter(|&index| {
                    !taken[index as usize] && earliest[index as usize] <= now && pool_of(index) == number
                })
                .unwrap_or(oldest);
            taken[index as usize] = true;
            let time = times[index as usize];
            let start = streams[stream].slot(earliest[index as usize].max(now), time);
            let end = streams[stream].append(start, time);
            schedule.append(stream, index, start, end);
            pool.idle.push(Reverse((start + time.df, start + time.df + time.ex, stream)));
            for dependant in graph.dependants(index) {
                let position = dependant as usize;
                waiting[position] -= 1;
                earliest[position] = earliest[position].max(end);
                if waiting[position] == 0 {
                    pools[pool_of(dependant)].ready.push(Reverse((earliest[position], dependant)));
                    near[stream] = Some(dependant);
                }
            }
        }
        schedule
    }
}
