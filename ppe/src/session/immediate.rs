//! Immediate execution: the program's own thread does little work itself.
//!
//! Handing work over means that threads wake each other: the stages one after the other, then an MEU for each
//! operation that waits for another one, and in the end the thread that forces. A wake-up takes some
//! microseconds when a core is free. When another process has the core, it takes a time slice. So for little
//! work it is better to use one core, and to hand over nothing:
//!
//! 1. **Instead of recording.** An operation on known operands is computed when it is stated
//!    ([`execute_alone`]), if it takes about as long as recording it, or if the last forces were little work:
//!    then the program will probably force this operation as well ([`Immediate::note_force`]).
//! 2. **At once.** Work that takes one thread no longer than handing it over saves is lowered for one
//!    processor, and executed block operation by block operation ([`execute_here`]). There are no queues, no
//!    schedule, and no locks of the stages. Results have the bits that the engine gives: the cut of rows and
//!    columns changes no bit, and the cut of inner sides does not depend on the number of MEUs.
//! 3. **In this thread.** More work runs through all stages in the thread that forces, if nothing is in
//!    flight: only the MEUs are woken.
//!
//! # What decides
//! With W nanoseconds of work on one thread and H nanoseconds for handing it over, m processors take
//! H + W/m at best. So one thread is better while W < H m / (m - 1). The time model, and the sizes of the
//! values that are too large for caches, give W. H is the time of a wake-up, as measured in this process,
//! multiplied by the number of wake-ups.
//!
//! # Why it is sound
//! A trace that is executed at once reads known values only, so no trace in flight can change its outcome,
//! and it need not be in flight itself. The lock of the pipeline is held meanwhile: no other trace is sealed
//! before the results are there. So a trace that reads them finds their matrices.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use spe_kernels::last_cache_bytes;

use super::stages::{Core, Executor, lock, publish};
use crate::engine::Caller;
use crate::error::{Error, Failure, Result};
use crate::execute::{execute_alone, execute_here};
use crate::lower::{Lowering, Target, Written};
use crate::matrix::Matrix;
use crate::operation::OpKind;
use crate::pool::Pool;
use crate::stats::Stage;
use crate::time::TimeModel;
use crate::trace::{Calculator, Discarded, Part, Stated, Trace, Value};

/// Bytes that one core reads from main memory in a nanosecond, about.
const BYTES_PER_NS: f64 = 10.0;

/// What a loop reads at each step is still in the last cache, if it takes less than this part of it: other
/// processes use the cache as well. The time model has the time of reading from caches.
const CACHED_PART: u64 = 2;

/// A force that executes the work itself does not look at its deadline, so the work must be shorter than what
/// a user notices.
pub(super) const MOST_NS: f64 = 10e6;

/// Recording an operation, lowering, scheduling and executing it alone takes about this long, without the
/// time of its kernel.
const RECORDED_NS: f64 = 1000.0;

/// A wake-up takes this long until one has been measured.
const FIRST_WAKE_NS: u64 = 10_000;

/// A wake-up that takes longer counts as one that takes this long: another process had the core, which does
/// not happen at each wake-up.
const MOST_WAKE_NS: u64 = 200_000;

/// A measured time moves the average by this part of the difference.
const SMOOTHING: u64 = 8;

/// After so many traces that were executed at once a wake-up is measured, since no other wake-up is.
const PERIOD: u64 = 256;

/// Beyond this number, operations overlap, and do not wait for each other in turn.
const MOST_WAKES: u64 = 16;

/// How long it takes to wake a thread.
#[derive(Debug)]
pub(super) struct WakeUp {
    average_ns: AtomicU64,
    /// Traces that were considered.
    considered: AtomicU64,
}

impl Default for WakeUp {
    fn default() -> WakeUp {
        WakeUp { average_ns: AtomicU64::new(FIRST_WAKE_NS), considered: AtomicU64::new(0) }
    }
}

impl WakeUp {
    /// Notes how long it took to wake a thread that was waiting.
    pub(super) fn note(&self, took: Duration) {
        let took = (took.as_nanos() as u64).min(MOST_WAKE_NS);
        let average = self.average_ns.load(Ordering::Relaxed);
        // One thread notes, so no change is lost.
        self.average_ns.store(average - average / SMOOTHING + took / SMOOTHING, Ordering::Relaxed);
    }

    /// Counts a trace. True when it is time to measure.
    fn is_due(&self) -> bool {
        self.considered.fetch_add(1, Ordering::Relaxed).is_multiple_of(PERIOD)
    }

    /// Nanoseconds for handing over this many operations.
    fn hand_over_ns(&self, operations: u64) -> f64 {
        (self.average_ns.load(Ordering::Relaxed) * (2 + operations.min(MOST_WAKES))) as f64
    }
}

/// What immediate execution needs to know.
#[derive(Debug)]
pub(super) struct Immediate {
    /// The engine as it would be with one processor.
    target: Target,
    /// Processors that work at the same time.
    processors: f64,
    pub(super) wake_up: WakeUp,
    model: TimeModel,
    pool: Pool,
    /// Values of so many bytes together are read from a cache.
    cached_bytes: u64,
    /// Nanoseconds of work that operations may still do instead of being recorded, until the next force.
    left_ns: AtomicU64,
    /// Computes operations at once.
    caller: Mutex<Caller>,
}

impl Immediate {
    /// None for an engine that executes operations in another way than this machine's kernels in memory.
    pub(super) fn new(
        executor: &Executor,
        target: &Target,
        model: &TimeModel,
        pool: &Pool,
    ) -> Option<Immediate> {
        let Executor::Blocks(engine) = executor else { return None };
        if !engine.computes() || target.memory.is_none() {
            return None;
        }
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let processors = target.meus.min(cores) as f64;
        Some(Immediate {
            target: Target { meus: 1, ..*target },
            processors,
            wake_up: WakeUp::default(),
            model: model.clone(),
            pool: pool.clone(),
            cached_bytes: last_cache_bytes().unwrap_or(0) / CACHED_PART,
            left_ns: AtomicU64::new(0),
            caller: Mutex::new(Caller::new(pool)),
        })
    }

    /// The most work of so many operations that is executed at once.
    fn most_ns(&self, operations: u64, busy: bool) -> f64 {
        // With one processor, handing over gains nothing. While traces are in flight, it means waiting for
        // them.
        if self.processors == 1.0 || busy {
            return MOST_NS;
        }
        let saved = self.wake_up.hand_over_ns(operations) * self.processors / (self.processors - 1.0);
        saved.min(MOST_NS)
    }

    /// Nanoseconds that one thread takes for an operation on operands in a cache, about.
    fn operation_ns(&self, kind: OpKind, part: Part) -> f64 {
        self.model.estimate_whole(kind, part.precision, part.shape, part.operand)
    }

    fn no_work(&self) -> Work<'_> {
        Work { immediate: self, operations: 0, operations_ns: 0.0, read_bytes: 0 }
    }
}

/// Work of one thread.
struct Work<'a> {
    immediate: &'a Immediate,
    operations: u64,
    operations_ns: f64,
    /// Bytes of the known values that are read.
    read_bytes: u64,
}

impl Work<'_> {
    fn add(&mut self, part: Part) {
        match part.kind {
            Some(kind) => {
                self.operations += 1;
                self.operations_ns += self.immediate.operation_ns(kind, part);
            }
            None => self.read_bytes += part.shape.elements() * part.precision.element_bytes() as u64,
        }
    }

    /// Nanoseconds, about.
    fn nanoseconds(&self) -> f64 {
        let is_cached = self.read_bytes <= self.immediate.cached_bytes;
        self.operations_ns + if is_cached { 0.0 } else { self.read_bytes as f64 / BYTES_PER_NS }
    }
}

impl Immediate {
    /// Notes that the program has forced a pending value, and whether its work was done at once.
    pub(super) fn note_force(&self, at_once: bool) {
        let left_ns = if at_once { self.most_ns(1, false) as u64 } else { 0 };
        self.left_ns.store(left_ns, Ordering::Relaxed);
    }

    /// Notes that the program has read a value that was known.
    pub(super) fn note_read(&self) {
        if self.left_ns.load(Ordering::Relaxed) > 0 {
            self.note_force(true);
        }
    }
}

impl Calculator for Immediate {
    fn wants(&self, operation: Part) -> bool {
        let Some(kind) = operation.kind else { return false };
        self.operation_ns(kind, operation) <= RECORDED_NS.max(self.left_ns.load(Ordering::Relaxed) as f64)
    }

    fn compute(&self, operation: &Stated, operands: [Option<&Arc<Matrix>>; 2]) -> Option<Matrix> {
        let mut caller = self.caller.try_lock().ok()?;
        let result = execute_alone(operation, operands, &self.target, &mut caller, &self.pool).ok()?;
        let work_ns = self.operation_ns(operation.kind, operation.part(operands[0]?.shape())) as u64;
        let left_ns = self.left_ns.load(Ordering::Relaxed);
        // Only the thread that has locked the caller takes time away, and a force may give all of it back.
        self.left_ns.store(left_ns.saturating_sub(work_ns).max(left_ns.min(1)), Ordering::Relaxed);
        result
    }
}

/// What is left of a trace that was executed at once.
pub(super) struct AtOnce {
    /// Why nothing was executed, where no operation is the reason.
    pub(super) error: Option<Error>,
    _trace: Arc<Trace>,
    _discarded: Discarded,
}

impl Core {
    /// Nanoseconds that one thread takes for a trace, about.
    pub(super) fn trace_ns(&self, immediate: &Immediate, trace: &Trace) -> f64 {
        let operations = trace.operations.iter().map(|operation| Part {
            kind: Some(operation.kind),
            precision: operation.precision,
            shape: operation.shape,
            operand: trace.operand(operation.operands[0]).0,
        });
        let values = trace.constants.iter().map(|constant| Part {
            kind: None,
            precision: constant.precision,
            shape: constant.shape,
            operand: constant.shape,
        });
        let mut work = immediate.no_work();
        operations.chain(values).for_each(|part| work.add(part));
        work.nanoseconds()
    }

    /// Executes what a value needs at once, if that is little, and if it reads nothing that is in flight.
    /// None if it is not executed. `measure` is called when it is time to measure a wake-up. The caller
    /// holds the lock of the pipeline, and drops what is returned without it.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::error::Error::Memory) when there is no memory to seal a trace.
    pub(super) fn execute_at_once(&self, value: &Value, measure: impl FnOnce()) -> Result<Option<AtOnce>> {
        let Some(immediate) = &self.immediate else { return Ok(None) };
        if immediate.wake_up.is_due() {
            measure();
        }
        let busy = !lock(&self.flight).traces.is_empty();
        let mut work = immediate.no_work();
        let little = |part: Part| {
            work.add(part);
            work.nanoseconds() <= immediate.most_ns(work.operations, busy)
        };
        let Some(trace) = self.recorder.seal_accepted(value, little)? else { return Ok(None) };
        let trace = Arc::new(trace);
        self.counters.trace(None);
        let failure = self.execute_whole(&trace, &immediate.target).err();
        let discarded = match &failure {
            None => {
                publish(&trace);
                self.recorder.finish(&trace)
            }
            Some(failure) => {
                let failed = failure.operation.map(|id| (id, &failure.error));
                self.recorder.revert(&[Arc::clone(&trace)], failed)
            }
        };
        // Why an operation has failed is noted with its value.
        let error = failure.filter(|failure| failure.operation.is_none()).map(|failure| failure.error);
        Ok(Some(AtOnce { error, _trace: trace, _discarded: discarded }))
    }

    /// Lowers and executes a trace in this thread.
    fn execute_whole(&self, trace: &Arc<Trace>, target: &Target) -> Result<(), Failure> {
        Lowering::check_memory(trace, &self.pool)?;
        // Chunk by chunk, so that intermediate results give their memory back early.
        let mut lowering =
            Lowering::new(Arc::clone(trace), target, &self.model, &self.pool, self.chunk_limits);
        let mut written = Written::default();
        while let Some(chunk) = self.counters.timed(Stage::Lower, || lowering.next_chunk())? {
            if self.validate {
                assert_eq!(chunk.validate(&mut written), Ok(()));
            }
            self.counters.chunk_at_once(chunk.len());
            let executed = &self.counters.at_once;
            self.counters.timed(Stage::Execute, || execute_here(&chunk, &self.pool, executed))?;
        }
        self.counters.lowered(lowering.size());
        Ok(())
    }
}
