//! Immediate execution: the program's own thread does little work itself.
//!
//! Handing work over means that threads wake each other: the stages one after the other, then an MEU for each
//! operation that waits for another one, and in the end the thread that forces. A wake-up takes some
//! microseconds when a core is free. When another process has the core, it takes a time slice. So for little
//! work it is better to use one core, and to hand over nothing:
//!
//! 1. **Instead of recording.** An operation on known operands is computed when it is stated
//!    ([`execute_alone`]), if it takes about as long as recording it, or if the last force was little work:
//!    then the program will probably force this operation as well ([`Immediate::note_force`]).
//! 2. **At once.** A force whose work takes no longer than [`MOST_NS`] is lowered and executed by the thread
//!    that forces. There are no queues, no schedule, and no locks of the stages. Little work is lowered for
//!    one processor and executed block operation by block operation ([`execute_here`]). More work is lowered
//!    for several processors, and helpers take part ([`Team`]). Results have the bits that the engine gives:
//!    the cut of rows and columns changes no bit, and the cut of inner sides does not depend on the number of
//!    MEUs.
//!    If the last force was little work as well, the program is a loop that asks for a number at each
//!    step. Then everything else that is pending is executed with it, if that is hardly more work: an
//!    operation that a step leaves pending makes those operations of the next step pending that depend on it,
//!    although each could be computed when it is stated.
//! 3. **In this thread.** What is asked for together, and what reads values that are in flight, runs through
//!    all stages in the thread that forces, if it is not more than that, and nothing else is in flight: only
//!    the MEUs are woken.
//!
//! # What decides
//! With W nanoseconds of work on one thread and H nanoseconds for handing it over, m processors take
//! H + W/m at best. So one thread is better while W < H m / (m - 1). The time model, and the sizes of the
//! values that are too large for caches, give W. H is about a microsecond for a helper that is awake
//! ([`SHARE_NS`]). Whether a helper that sleeps is woken depends on W, and on what earlier wake-ups gained
//! ([`WAKE_NS`], [`Team`]).
//!
//! # Why it is sound
//! A trace that is executed at once reads known values only, so no trace in flight can change its outcome,
//! and it need not be in flight itself. The lock of the pipeline is held meanwhile: no other trace is sealed
//! before the results are there. So a trace that reads them finds their matrices.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use spe_kernels::last_cache_bytes;

use super::stages::{Core, Executor, lock, publish};
use crate::engine::{Caller, Team};
use crate::error::{Error, Failure, Result};
use crate::execute::{Witness, execute_alone, execute_here, execute_together, glance};
use crate::lower::{Lowering, Target, Written};
use crate::matrix::Matrix;
use crate::operation::OpKind;
use crate::pool::Pool;
use crate::stats::Stage;
use crate::sync::{Mutex, MutexGuard};
use crate::time::{RECORDED_NS, TimeModel};
use crate::timeline;
use crate::trace::{Calculator, Discarded, Part, Stated, Trace, Value};

/// Bytes that one core reads from main memory in a nanosecond, about.
const BYTES_PER_NS: f64 = 10.0;

/// Bytes that one core reads from the last cache in a nanosecond, about.
const CACHED_BYTES_PER_NS: f64 = 40.0;

/// What a loop reads at each step is still in the last cache, if it takes less than this part of it: other
/// processes use the cache as well. The time model has the time of reading from caches.
const CACHED_PART: u64 = 2;

/// A force of no more work than this is little work, and the program probably forces again soon. Also the
/// longest product that is executed instead of being recorded.
const LITTLE_NS: f64 = 500_000.0;

/// The most work that a force does beyond what is needed, and the most operations and values in it: about
/// what it costs to force an operation later.
const MOST_NS_AHEAD: f64 = 10_000.0;
const MOST_PARTS_AHEAD: u32 = 16;

/// A force that executes the work itself does not look at its deadline, so the work must be shorter than what
/// a user notices.
pub(super) const MOST_NS: f64 = 10e6;

/// The least work, in nanoseconds, for which a further thread, if it is awake, is worth its part in sharing it:
/// an entry into the team, locks, and more block operations, about a microsecond in all. Afterwards a part of
/// the result is in the caches of another core.
pub const SHARE_NS: f64 = 4_000.0;

/// The least work for which a thread that sleeps is woken: of one force or product, or of several that come close
/// together. A wake-up takes the thread that wakes about three microseconds.
const WAKE_NS: f64 = 20_000.0;

/// A glance at the first elements of one column takes about this long, since they are far apart in memory.
const GLANCE_NS: f64 = 3.0;

/// In a loop that forces often, the part of an operation in the time of a trace, and in the time of the force.
const FORCED_NS: f64 = 3000.0;

/// What immediate execution needs to know.
#[derive(Debug)]
pub(super) struct Immediate {
    /// The engine as it would be with one processor.
    target: Target,
    /// The threads that share work. None with one processor.
    team: Option<Mutex<Team>>,
    model: TimeModel,
    pool: Pool,
    /// Values of so many bytes together are read from a cache.
    cached_bytes: u64,
    /// Nanoseconds of work that long operations may still do instead of being recorded, until the next force.
    /// 0 after a force of more than little work.
    left_ns: AtomicU64,
    /// Nanoseconds that products may still take instead of being recorded, until the next force.
    left_products_ns: AtomicU64,
    /// Computes operations at once.
    caller: Mutex<Caller>,
}

impl Immediate {
    /// None for an engine that executes operations in another way than this machine's kernels in memory.
    ///
    /// # Errors
    /// As [`Team::new`].
    pub(super) fn new(
        executor: &Executor,
        target: &Target,
        model: &TimeModel,
        pool: &Pool,
    ) -> Result<Option<Immediate>> {
        let Executor::Blocks(engine) = executor else { return Ok(None) };
        if !engine.computes() || target.memory.is_none() {
            return Ok(None);
        }
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let helpers = target.meus.min(cores) - 1;
        Ok(Some(Immediate {
            target: Target { meus: 1, ..*target },
            team: if helpers > 0 { Some(Mutex::new(Team::new(helpers, pool)?)) } else { None },
            model: model.clone(),
            pool: pool.clone(),
            cached_bytes: last_cache_bytes().unwrap_or(0) / CACHED_PART,
            left_ns: AtomicU64::new(0),
            left_products_ns: AtomicU64::new(0),
            caller: Mutex::new(Caller::new(pool)),
        }))
    }

    /// The most work that long operations do instead of being recorded, between two forces: what one thread
    /// does faster than several.
    fn unrecorded_ns(&self) -> f64 {
        if self.team.is_none() { MOST_NS } else { WAKE_NS }
    }

    /// Nanoseconds that one thread takes for an operation on operands in a cache, about. The time model knows
    /// blocks, which are in the nearest caches. A large matrix that is read once, as in its product with a
    /// column, comes from the last cache.
    fn operation_ns(&self, kind: OpKind, part: Part) -> f64 {
        let read = part.operand.elements()
            + match kind {
                OpKind::Multiply => u64::from(part.operand.columns) * u64::from(part.shape.columns),
                _ => 0,
            };
        let bytes = read * part.precision.element_bytes() as u64;
        let of_blocks = self.model.estimate_whole(kind, part.precision, part.shape, part.operand);
        of_blocks.max(bytes as f64 / CACHED_BYTES_PER_NS)
    }

    /// The team for so much work, how many members get a share, and whether it is worth a wake-up. None if it
    /// is work for one thread.
    fn sharing(&self, work_ns: f64) -> Option<(MutexGuard<'_, Team>, usize, bool)> {
        let shares = (work_ns / SHARE_NS) as usize;
        let mut team = self.team.as_ref().filter(|_| shares > 1).map(lock)?;
        let members = team.members().min(shares);
        let wakes = work_ns >= WAKE_NS || team.has_missed(work_ns as u64, WAKE_NS as u64);
        Some((team, members, wakes))
    }

    /// The longest operation of a kind that is computed although nobody has forced it.
    fn unforced_ns(&self, kind: OpKind) -> f64 {
        match self.left_ns.load(Ordering::Relaxed) {
            0 => RECORDED_NS,
            // The team shares a product without a lowered graph, and a product gains little from the operations
            // beside it. Many products that nobody asks for gain more: some are equal, and some may never be needed.
            _ if kind == OpKind::Multiply => {
                LITTLE_NS.min(self.left_products_ns.load(Ordering::Relaxed) as f64).max(RECORDED_NS)
            }
            left_ns => FORCED_NS.max(left_ns as f64),
        }
    }

    /// Nanoseconds of a glance at the first elements of each column or row, about ([`glance`]).
    fn glance_ns(kind: OpKind, part: Part) -> f64 {
        match kind {
            OpKind::Any | OpKind::All => part.shape.elements() as f64 * GLANCE_NS,
            _ => f64::INFINITY,
        }
    }

    fn no_work(&self) -> Work<'_> {
        Work { immediate: self, operations_ns: 0.0, read_bytes: 0 }
    }
}

/// Work of one thread.
#[derive(Clone, Copy)]
struct Work<'a> {
    immediate: &'a Immediate,
    operations_ns: f64,
    /// Bytes of the known values that are read.
    read_bytes: u64,
}

impl Work<'_> {
    /// The work and a further operation, or a value that is read.
    fn with(mut self, part: Part) -> Self {
        match part.kind {
            Some(kind) => self.operations_ns += self.immediate.operation_ns(kind, part),
            None => self.read_bytes += part.shape.elements() * part.precision.element_bytes() as u64,
        }
        self
    }

    /// Nanoseconds, about.
    fn nanoseconds(&self) -> f64 {
        let is_cached = self.read_bytes <= self.immediate.cached_bytes;
        self.operations_ns + if is_cached { 0.0 } else { self.read_bytes as f64 / BYTES_PER_NS }
    }
}

impl Immediate {
    /// Notes that the program has forced a pending value, and whether that was little work.
    pub(super) fn note_force(&self, little: bool) {
        let [left_ns, left_products_ns] = if little { [self.unrecorded_ns(), MOST_NS] } else { [0.0; 2] };
        self.left_ns.store(left_ns as u64, Ordering::Relaxed);
        self.left_products_ns.store(left_products_ns as u64, Ordering::Relaxed);
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
        let most_ns = self.unforced_ns(kind);
        self.operation_ns(kind, operation) <= most_ns || Self::glance_ns(kind, operation) <= most_ns
    }

    fn compute(&self, operation: &Stated, operands: [Option<&Arc<Matrix>>; 2]) -> Option<Matrix> {
        let mut caller = self.caller.try_lock().ok()?;
        let first = operands[0]?;
        let work_ns = self.operation_ns(operation.kind, operation.part(first.shape()));
        if matches!(operation.kind, OpKind::Any | OpKind::All) && work_ns > RECORDED_NS {
            let found = glance(operation, first, &self.target, &mut caller, &self.pool).ok()?;
            if found.is_some() || work_ns > self.unforced_ns(operation.kind) {
                return found;
            }
        }
        let mut sharing = if operation.kind == OpKind::Multiply { self.sharing(work_ns) } else { None };
        let sharing = sharing.as_mut().map(|(team, members, wakes)| (&mut **team, *members, *wakes));
        let result =
            execute_alone(operation, operands, &self.target, &mut caller, &self.pool, sharing).ok()?;
        // Only the thread that has locked the caller takes time away, and a force may give all of it back.
        let left = if operation.kind == OpKind::Multiply { &self.left_products_ns } else { &self.left_ns };
        if work_ns > FORCED_NS || operation.kind == OpKind::Multiply {
            let left_ns = left.load(Ordering::Relaxed);
            let less_ns = left_ns.saturating_sub(work_ns as u64).max(left_ns.min(1));
            left.store(less_ns, Ordering::Relaxed);
        }
        result
    }
}

/// What is left of a trace that was executed at once.
pub(super) struct AtOnce {
    /// Why nothing was executed, where no operation is the reason.
    pub(super) error: Option<Error>,
    /// Whether it was little work.
    pub(super) little: bool,
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
            is_elsewhere: false,
        });
        let values = trace.constants.iter().map(|constant| Part {
            kind: None,
            precision: constant.precision,
            shape: constant.shape,
            operand: constant.shape,
            is_elsewhere: false,
        });
        operations.chain(values).fold(immediate.no_work(), Work::with).nanoseconds()
    }

    /// Executes what a value needs at once, if that is little, and if it reads nothing that is in flight.
    /// None if it is not executed. The caller holds the lock of the pipeline, and drops what is returned
    /// without it.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::error::Error::Memory) when there is no memory to seal a trace.
    pub(super) fn execute_at_once(&self, value: &Value) -> Result<Option<AtOnce>> {
        let Some(immediate) = &self.immediate else { return Ok(None) };
        let busy = !lock(&self.flight).traces.is_empty();
        let forces_often = immediate.left_ns.load(Ordering::Relaxed) > 0;
        let (work, parts) = (Cell::new(immediate.no_work()), Cell::new(0));
        let little = |part: Part| {
            work.set(work.get().with(part));
            parts.set(parts.get() + 1);
            // What ranks have is read by ranks.
            work.get().nanoseconds() <= MOST_NS && !part.is_elsewhere
        };
        let (mut whole, mut left) = (immediate.no_work(), None);
        let ahead = |part: Part| {
            let left = left.get_or_insert(parts.get() + MOST_PARTS_AHEAD);
            *left -= 1;
            whole = whole.with(part);
            forces_often
                && !part.is_elsewhere
                && *left > 0
                && whole.nanoseconds() <= work.get().nanoseconds() + MOST_NS_AHEAD
        };
        let Some(trace) = self.recorder.seal_accepted(value, little, ahead)? else { return Ok(None) };
        // Work ahead is too little to count.
        let nanoseconds = work.get().nanoseconds();
        let trace = Arc::new(trace);
        self.counters.trace(None);
        // While traces are in flight, the MEUs have the processors.
        let failure = self.execute_whole(&trace, immediate, if busy { 0.0 } else { nanoseconds }).err();
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
        let little = nanoseconds <= LITTLE_NS;
        Ok(Some(AtOnce { error, little, _trace: trace, _discarded: discarded }))
    }

    /// Lowers and executes a trace, with helpers if it is enough work.
    fn execute_whole(
        &self,
        trace: &Arc<Trace>,
        immediate: &Immediate,
        nanoseconds: f64,
    ) -> Result<(), Failure> {
        Lowering::check_memory(trace, &self.pool)?;
        let mut sharing = immediate.sharing(nanoseconds);
        let meus = sharing.as_ref().map_or(1, |&(_, members, _)| members);
        let target = Target { meus, ..immediate.target };
        // Chunk by chunk, so that intermediate results give their memory back early.
        let limits = self.chunks.of(trace);
        let mut lowering = Lowering::new(Arc::clone(trace), &target, &self.model, &self.pool, limits);
        let mut written = Written::default();
        loop {
            let begun = self.timeline.begin();
            let chunk = self.counters.timed(Stage::Lower, || lowering.next_chunk())?;
            let Some(chunk) = chunk else { break };
            self.timeline.stage(begun, timeline::Stage::Lower, trace.id, chunk.len());
            if self.validate {
                assert_eq!(chunk.validate(&mut written), Ok(()));
            }
            self.counters.chunk_at_once(chunk.len());
            let witness = Witness::new(&self.counters.at_once, &self.timeline);
            let begun = self.timeline.begin();
            self.counters.timed(Stage::Execute, || match &mut sharing {
                Some((team, members, wakes)) => {
                    execute_together(&chunk, (team, *members, *wakes), &self.pool, witness)
                }
                None => execute_here(&chunk, &self.pool, witness),
            })?;
            self.timeline.stage(begun, timeline::Stage::Execute, trace.id, chunk.len());
        }
        self.counters.lowered(lowering.size());
        Ok(())
    }
}
