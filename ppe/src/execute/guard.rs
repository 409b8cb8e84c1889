//! Guard counts: how many operand positions of an operation still wait for another operation.

use crate::lower::LoweredGraph;

/// The guard count of every operation of a graph.
///
/// Constants do not count, because their values are in memory. An operand in two positions counts twice,
/// because it has two edges. An operation may be offered when its count is zero.
#[derive(Debug)]
pub struct GuardCounts {
    counts: Vec<u16>,
}

impl GuardCounts {
    /// The counts before anything is executed.
    #[must_use]
    pub fn new(graph: &LoweredGraph) -> GuardCounts {
        GuardCounts { counts: graph.guards().to_vec() }
    }

    /// True when all operands of the operation are in main memory.
    #[must_use]
    pub fn is_open(&self, operation: u32) -> bool {
        self.counts[operation as usize] == 0
    }

    /// Notes that an operation has been acknowledged: each reader of its result waits for one operand less.
    /// Calls `opened` with each reader that waits no longer.
    pub fn acknowledge(&mut self, graph: &LoweredGraph, operation: u32, mut opened: impl FnMut(u32)) {
        for dependant in graph.dependants(operation) {
            let count = &mut self.counts[dependant as usize];
            debug_assert!(*count > 0, "operation {dependant} was acknowledged too often");
            *count -= 1;
            if *count == 0 {
                opened(dependant);
            }
        }
    }
}
