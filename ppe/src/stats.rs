//! Counters of a session: what was recorded, lowered, scheduled and executed, why, and how long each stage took.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use crate::lower::LoweredSize;
use crate::trace::{Counts, Limit, Pending};

/// Counters that the stages add to.
#[derive(Debug, Default)]
pub struct Counters {
    traces: AtomicU64,
    block_operations: AtomicU64,
    block_nodes: AtomicU64,
    block_edges: AtomicU64,
    forced: AtomicU64,
    limits: [AtomicU64; 3],
    stage_ns: [AtomicU64; 3],
}

/// A stage behind the front end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Lowering.
    Lower = 0,
    /// Scheduling.
    Schedule = 1,
    /// Execution.
    Execute = 2,
}

impl Counters {
    /// Runs a part of a stage and adds the time that it takes.
    pub fn timed<R>(&self, stage: Stage, work: impl FnOnce() -> R) -> R {
        let start = Instant::now();
        let result = work();
        self.stage_ns[stage as usize].fetch_add(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
        result
    }

    /// A trace is on its way; `limit` says which limit it reached, None that it was forced.
    pub fn trace(&self, limit: Option<Limit>) {
        self.traces.fetch_add(1, Ordering::Relaxed);
        let reason = match limit {
            Some(limit) => &self.limits[limit as usize],
            None => &self.forced,
        };
        reason.fetch_add(1, Ordering::Relaxed);
    }

    /// A chunk has been lowered to this many block operations.
    pub fn chunk(&self, operations: usize) {
        self.block_operations.fetch_add(operations as u64, Ordering::Relaxed);
    }

    /// A whole trace has been lowered.
    pub fn lowered(&self, size: LoweredSize) {
        self.block_nodes.fetch_add(size.nodes, Ordering::Relaxed);
        self.block_edges.fetch_add(size.edges, Ordering::Relaxed);
    }

    /// The counters now, with those of the recorder.
    #[must_use]
    pub fn snapshot(&self, counts: Counts, pending: Pending) -> Statistics {
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Statistics {
            operations_recorded: counts.recorded,
            operations_executed: counts.executed,
            operations_dropped: counts.dropped,
            operations_pending: pending.operations,
            bytes_pinned: pending.bytes,
            traces: get(&self.traces),
            block_operations: get(&self.block_operations),
            block_nodes: get(&self.block_nodes),
            block_edges: get(&self.block_edges),
            flushes_forced: get(&self.forced),
            flushes_operations: get(&self.limits[Limit::Operations as usize]),
            flushes_depth: get(&self.limits[Limit::Depth as usize]),
            flushes_bytes: get(&self.limits[Limit::Bytes as usize]),
            lower_ns: get(&self.stage_ns[Stage::Lower as usize]),
            schedule_ns: get(&self.stage_ns[Stage::Schedule as usize]),
            execute_ns: get(&self.stage_ns[Stage::Execute as usize]),
        }
    }
}

/// Counters of a session at one moment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Operations recorded.
    pub operations_recorded: u64,
    /// Operations executed.
    pub operations_executed: u64,
    /// Operations that nobody needed, and that were therefore never executed.
    pub operations_dropped: u64,
    /// Operations that wait for execution.
    pub operations_pending: u64,
    /// Bytes that those pin.
    pub bytes_pinned: u64,
    /// Traces that were executed or are on their way.
    pub traces: u64,
    /// Block operations that traces were lowered to.
    pub block_operations: u64,
    /// Nodes of the lowered graphs: block operations, and blocks of constants.
    pub block_nodes: u64,
    /// Edges of the lowered graphs: operands of block operations.
    pub block_edges: u64,
    /// Traces begun because a value was needed.
    pub flushes_forced: u64,
    /// Traces begun because of the number of operations.
    pub flushes_operations: u64,
    /// Traces begun because of the longest path.
    pub flushes_depth: u64,
    /// Traces begun because of the bytes pinned.
    pub flushes_bytes: u64,
    /// Time spent lowering, in nanoseconds.
    pub lower_ns: u64,
    /// Time spent scheduling, in nanoseconds.
    pub schedule_ns: u64,
    /// Time spent executing, in nanoseconds.
    pub execute_ns: u64,
}
