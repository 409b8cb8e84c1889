//! Counters of a session: what was recorded, lowered, scheduled and executed, why, and how long each stage
//! took.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use crate::lower::LoweredSize;
use crate::trace::{Counts, Limit, Pending, Trace};

/// What execution control has acknowledged. Any thread may read these counters at any time.
#[derive(Debug, Default)]
pub struct Executed {
    block_operations: AtomicU64,
    work: AtomicU64,
    meus_lost: AtomicUsize,
    losses: Mutex<Vec<String>>,
}

impl Executed {
    /// Counts a block operation. One thread at a time counts, so additions need not be atomic, and counting
    /// costs two stores.
    pub fn add(&self, work: u64) {
        let add = |counter: &AtomicU64, by| {
            counter.store(counter.load(Ordering::Relaxed).saturating_add(by), Ordering::Relaxed);
        };
        add(&self.block_operations, 1);
        add(&self.work, work);
    }

    /// Counts a trace that was executed without block operations.
    pub fn add_trace(&self, work: u64) {
        self.work.fetch_add(work, Ordering::Relaxed);
    }

    /// Notes that a processor has been lost: the number of MEUs that are lost now, and what has happened.
    pub fn lose(&self, meus_lost: usize, what: String) {
        log::warn!("{what}");
        self.meus_lost.store(meus_lost, Ordering::Relaxed);
        self.losses.lock().unwrap_or_else(PoisonError::into_inner).push(what);
    }

    /// How many MEUs have been lost.
    #[must_use]
    pub fn meus_lost(&self) -> usize {
        self.meus_lost.load(Ordering::Relaxed)
    }

    /// Takes what has been said of lost processors since the last call.
    pub fn take_losses(&self) -> Vec<String> {
        std::mem::take(&mut self.losses.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// How much has been computed, as [`Trace::work`](crate::trace::Trace::work) counts it.
    #[must_use]
    pub fn work(&self) -> u64 {
        self.work.load(Ordering::Relaxed)
    }
}

/// How far a session is at one moment: what waits, what is being executed, and what has been executed since
/// the session began.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Headway {
    /// Operations that are recorded and whose trace has not been begun.
    pub operations_pending: u64,
    /// Operations on their way through the stages.
    pub operations_in_flight: u64,
    /// Block operations that lowering has emitted.
    pub block_operations_lowered: u64,
    /// Block operations that MEUs have executed.
    pub block_operations_executed: u64,
    /// Chunks that have been lowered.
    pub chunks_lowered: u64,
    /// Chunks whose execution has begun.
    pub chunks_begun: u64,
    /// How much has been computed, in elements, and for products in multiplications.
    pub work_executed: u64,
    /// How much remains to be computed of the operations in flight, including operations that have not been
    /// lowered.
    pub work_in_flight: u64,
    /// MEUs that execute.
    pub meus: usize,
}

/// Counters that the stages add to.
#[derive(Debug, Default)]
pub struct Counters {
    /// The counters of execution control.
    pub executed: Executed,
    /// The counters of the threads that execute work themselves, one at a time, while execution control may
    /// count as well.
    pub at_once: Executed,
    /// Number of the trace whose chunks are executed, and the work that had been executed when the trace
    /// began.
    current: AtomicU64,
    work_before: AtomicU64,
    chunks_lowered: AtomicU64,
    chunks_begun: AtomicU64,
    traces: AtomicU64,
    block_operations: AtomicU64,
    block_nodes: AtomicU64,
    block_edges: AtomicU64,
    forced: AtomicU64,
    limits: [AtomicU64; 3],
    stage_ns: [AtomicU64; 3],
    /// See [`Makespan`]; None unless somebody wants them.
    makespans: Mutex<Option<Vec<Makespan>>>,
}

/// How long the chunks of a trace took, in nanoseconds, and how long their schedules said that they would.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Makespan {
    /// Number of the trace.
    pub trace: u64,
    /// The sum of the schedules' makespans.
    pub predicted_ns: u64,
    /// The sum of the executions, in the engine's virtual time if it has one.
    pub executed_ns: u64,
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
    /// Runs a portion of a stage and adds the time that it takes.
    pub fn timed<R>(&self, stage: Stage, work: impl FnOnce() -> R) -> R {
        let start = Instant::now();
        let result = work();
        self.stage_ns[stage as usize].fetch_add(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
        result
    }

    /// Counts a trace that was begun. `limit` says which limit it has reached; None says that it was forced.
    pub fn trace(&self, limit: Option<Limit>) {
        self.traces.fetch_add(1, Ordering::Relaxed);
        let reason = match limit {
            Some(limit) => &self.limits[limit as usize],
            None => &self.forced,
        };
        reason.fetch_add(1, Ordering::Relaxed);
    }

    /// Notes makespans from now on, or returns what was noted since the last call.
    pub fn take_makespans(&self) -> Vec<Makespan> {
        let mut makespans = self.makespans.lock().unwrap_or_else(PoisonError::into_inner);
        makespans.replace(Vec::new()).unwrap_or_default()
    }

    /// Notes how long a chunk took, if somebody wants that.
    pub fn makespan(&self, chunk: Makespan) {
        let mut makespans = self.makespans.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(makespans) = &mut *makespans else { return };
        match makespans.last_mut() {
            Some(last) if last.trace == chunk.trace => {
                last.predicted_ns += chunk.predicted_ns;
                last.executed_ns += chunk.executed_ns;
            }
            _ => makespans.push(chunk),
        }
    }

    /// Counts a chunk that was lowered to this many block operations.
    pub fn chunk(&self, operations: usize) {
        self.block_operations.fetch_add(operations as u64, Ordering::Relaxed);
        self.chunks_lowered.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a chunk that is executed at once, with this many block operations.
    pub fn chunk_at_once(&self, operations: usize) {
        self.chunk(operations);
        self.chunks_begun.fetch_add(1, Ordering::Relaxed);
    }

    /// Notes that the execution of a chunk of the trace with this number begins.
    pub fn begin_chunk(&self, trace: u64) {
        if self.current.load(Ordering::Relaxed) != trace {
            self.work_before.store(self.executed.work(), Ordering::Relaxed);
            self.current.store(trace, Ordering::Release);
        }
        self.chunks_begun.fetch_add(1, Ordering::Relaxed);
    }

    /// How far the session is on `meus` MEUs, with these traces in flight, oldest first.
    #[must_use]
    pub fn headway(&self, pending: Pending, traces: &[Arc<Trace>], meus: usize) -> Headway {
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let in_flight = traces.iter().map(|trace| trace.operations.len() as u64).sum();
        let work = traces.iter().map(|trace| trace.work()).fold(0, u64::saturating_add);
        let current = self.current.load(Ordering::Acquire);
        let in_order = self.executed.work();
        let begun = traces.first().is_some_and(|trace| trace.id == current);
        let done = if begun { in_order.saturating_sub(get(&self.work_before)) } else { 0 };
        let executed = [&self.executed, &self.at_once];
        Headway {
            operations_pending: pending.operations,
            operations_in_flight: in_flight,
            block_operations_lowered: get(&self.block_operations),
            block_operations_executed: executed.map(|executed| get(&executed.block_operations)).iter().sum(),
            chunks_lowered: get(&self.chunks_lowered),
            chunks_begun: get(&self.chunks_begun),
            work_executed: executed.map(Executed::work).into_iter().fold(0, u64::saturating_add),
            work_in_flight: work.saturating_sub(done),
            meus,
        }
    }

    /// Counts a trace that was lowered to its end.
    pub fn lowered(&self, size: LoweredSize) {
        self.block_nodes.fetch_add(size.nodes, Ordering::Relaxed);
        self.block_edges.fetch_add(size.edges, Ordering::Relaxed);
    }

    /// The counters at this moment, with the recorder's counters, and the most bytes that were ever in use.
    #[must_use]
    pub fn snapshot(&self, counts: Counts, pending: Pending, bytes_peak: u64) -> Statistics {
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Statistics {
            operations_recorded: counts.recorded,
            operations_executed: counts.executed,
            operations_dropped: counts.dropped,
            operations_pending: pending.operations,
            bytes_pinned: pending.bytes,
            bytes_peak,
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
    /// Operations whose values were not needed, and that were therefore never executed.
    pub operations_dropped: u64,
    /// Operations that wait for execution.
    pub operations_pending: u64,
    /// Bytes that waiting operations pin.
    pub bytes_pinned: u64,
    /// The most bytes that results and temporary blocks have ever taken at once.
    pub bytes_peak: u64,
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
