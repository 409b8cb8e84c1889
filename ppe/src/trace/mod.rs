//! The trace: operations are recorded instead of executed (paper, "System Overview").
//!
//! [`Recorder`] checks shapes and classes, inserts the conversions that mixed classes need, and adds
//! operations to the data dependence graph.  A [`Value`] is a counted handle to a node of the graph.  Sealing
//! turns pending operations into a [`Trace`], a plain list that lowering and the reference read without a
//! lock.

mod at_once;
mod direct;
mod dump;
mod graph;
mod limits;
mod record;
mod restate;
mod rules;
mod sealed;
mod sites;
mod value;

use std::fmt;
use std::mem;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

pub use at_once::{Calculator, Stated};
pub use graph::{Below, Part, Pending, ResultSlot, Sealing};
pub use limits::{Limit, Limits};
pub use rules::{Signature, ValueType, check_view, computed_in, reduction, signature};
pub use sealed::{Operand, Trace, TraceConstant, TraceOperation};
pub use value::{Progress, Recorded, Value};

use crate::error::{Error, Result};
use crate::matrix::Matrix;
use crate::memory;
use crate::operation::{Class, OpId, Precision};
use crate::pool::Pool;
use crate::process::ForkMutex;
use crate::sync::Condvar;
use crate::timeline::Timeline;
use graph::{Common, Graph, Wanted};
use sealed::SEALED_BYTES;

/// Numbers of operations so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Recorded.
    pub recorded: u64,
    /// Executed.
    pub executed: u64,
    /// Dropped before execution, because their values were no longer needed.
    pub dropped: u64,
}

/// What a trace is sealed for.
#[derive(Debug, Clone, Copy)]
pub enum Demand<'v> {
    /// A value is needed: the trace takes the operations that compute it, and nothing else.
    Value(&'v Value),
    /// Several values are needed: the trace takes the operations that compute them, and nothing else.
    Values(&'v [&'v Value]),
    /// A limit has been reached: the trace takes what counts towards the limits, and what it needs.
    Limit,
    /// All that is pending.
    All,
}

/// Values that are no longer needed. To drop them may give memory back to its owner, whose code may call this
/// library.
#[derive(Debug, Default)]
#[must_use = "drop it when no lock is held"]
pub struct Discarded {
    _garbage: Vec<Arc<ResultSlot>>,
}

struct Shared {
    graph: ForkMutex<Graph>,
    changed: Condvar,
    /// Operations that the calculator has computed.
    computed: AtomicU64,
}

/// Records operations.  Clones record into the same graph.
#[derive(Clone)]
pub struct Recorder {
    shared: Arc<Shared>,
    limits: Limits,
    pool: Pool,
    calculator: Option<Arc<dyn Calculator>>,
    /// Whether logical results of element-wise operations are stored in bytes.
    in_bytes: bool,
    timeline: Option<Arc<Timeline>>,
}

/// A recorded value, and the limit that the trace has reached with it.
#[derive(Debug)]
pub struct Recording {
    /// The result.
    pub value: Value,
    /// Set when the trace should be executed now.
    pub limit: Option<Limit>,
}

impl Shared {
    /// Runs `f` on the graph, and drops the garbage of `f` after the lock is released.  None in a forked
    /// child that cannot have the lock.
    fn try_with<R>(&self, f: impl FnOnce(&mut Graph) -> R) -> Option<R> {
        let mut graph = self.graph.lock()?;
        let result = f(&mut graph);
        let garbage = mem::take(&mut graph.garbage);
        drop(graph);
        drop(garbage);
        Some(result)
    }

    /// Runs `f` on the graph like `try_with`.  A forked child that cannot have the lock gets [`Error::Fork`].
    fn with<R>(&self, f: impl FnOnce(&mut Graph) -> R) -> Result<R> {
        self.try_with(f).ok_or(Error::Fork)
    }
}

impl Recorder {
    /// A recorder with an empty graph.  `pool` gives memory for products over an empty inner side, which are
    /// zeros.
    #[must_use]
    pub fn new(limits: Limits, pool: Pool) -> Recorder {
        let shared =
            Shared { graph: ForkMutex::default(), changed: Condvar::new(), computed: AtomicU64::new(0) };
        Recorder { shared: Arc::new(shared), limits, pool, calculator: None, in_bytes: false, timeline: None }
    }

    /// The same recorder, which notes in a timeline what is stated.
    #[must_use]
    pub fn with_timeline(self, timeline: Arc<Timeline>) -> Recorder {
        Recorder { timeline: Some(timeline), ..self }
    }

    /// The same recorder, whose logical values take a byte an element, for an engine whose MEUs address main
    /// memory. Otherwise they are stored in the precision of the numbers that they come from.
    #[must_use]
    pub fn with_logical_bytes(self) -> Recorder {
        Recorder { in_bytes: true, ..self }
    }

    /// The precision in which a constant of this class is stored best.
    #[must_use]
    pub fn storage(&self, class: Class) -> Precision {
        match class {
            Class::Single => Precision::Single,
            Class::Logical if self.in_bytes => Precision::Byte,
            Class::Double | Class::Logical => Precision::Double,
        }
    }

    /// The same recorder, which records equal operations on equal operands once, as long as they have not
    /// been executed. The message of an error then names the first line that states the operation.
    #[must_use]
    pub fn with_common_subexpressions(self) -> Recorder {
        _ = self.shared.with(|graph| graph.common = Some(Common::default()));
        self
    }

    /// A value whose elements are known.
    ///
    /// # Errors
    /// [`Error::Fork`], [`Error::Memory`]
    pub fn constant(&self, matrix: Matrix, class: Class) -> Result<Value> {
        self.pool.insist(memory::check)?;
        if self.shared.graph.is_foreign() {
            return Err(Error::Fork);
        }
        Ok(Value::of_matrix(&self.shared, Arc::new(matrix), class))
    }

    /// Runs `f` on a graph that has room for the nodes that one call records.
    fn with_room<R>(&self, f: impl FnOnce(&mut Graph) -> R) -> Result<R> {
        self.pool.insist(memory::check)?;
        self.shared.with(|graph| {
            self.pool.insist(|| graph.make_room())?;
            Ok(f(graph))
        })?
    }

    fn own(&self, value: &Value) -> Result<()> {
        if self.shared.graph.is_foreign() {
            return Err(Error::Fork);
        }
        if Arc::ptr_eq(&self.shared, &value.shared) {
            return Ok(());
        }
        Err(Error::Argument("a value of another session cannot be an operand here".into()))
    }

    /// Seals the operations that are asked for as a trace, unless they pin more than `most_bytes`.
    ///
    /// # Errors
    /// [`Error::Memory`], [`Error::Fork`]
    pub fn seal(&self, demand: Demand<'_>, most_bytes: u64) -> Result<Sealing> {
        let (id, ids): (Option<OpId>, Vec<OpId>);
        let wanted = match demand {
            Demand::Value(value) => {
                id = value.node();
                Wanted::These(id.as_slice())
            }
            Demand::Values(values) => {
                ids = values.iter().filter_map(|value| value.node()).collect();
                Wanted::These(&ids)
            }
            Demand::Limit => Wanted::Limited,
            Demand::All => Wanted::All,
        };
        let prepare = |operations| self.ensure_sealed(operations);
        self.shared.graph.lock().ok_or(Error::Fork)?.seal(wanted, most_bytes, prepare)
    }

    /// Seals what a value needs, if all that the trace reads is known, and `accept` agrees with each of its
    /// operations and each value that it reads. Everything else that is pending is in the trace as well, if
    /// all that it reads is known, nothing of it has been given up, and `ahead` agrees with each part of the
    /// whole.
    ///
    /// # Errors
    /// [`Error::Memory`], [`Error::Fork`]
    pub fn seal_accepted(
        &self,
        value: &Value,
        accept: impl FnMut(Part) -> bool,
        ahead: impl FnMut(Part) -> bool,
    ) -> Result<Option<Trace>> {
        let Some(id) = value.node() else { return Ok(None) };
        let prepare = |operations| self.ensure_sealed(operations);
        self.shared.graph.lock().ok_or(Error::Fork)?.seal_accepted(id, accept, ahead, prepare)
    }

    /// Checks that there is memory for a trace of so many operations.
    fn ensure_sealed(&self, operations: usize) -> Result<()> {
        let bytes = operations.saturating_mul(SEALED_BYTES);
        self.pool.insist(|| memory::check().and_then(|()| memory::ensure(bytes)))
    }

    /// Seals all that is pending.  None if nothing is pending, or without memory for the trace.
    #[must_use]
    pub fn seal_all(&self) -> Option<Trace> {
        match self.seal(Demand::All, u64::MAX) {
            Ok(Sealing::Trace(trace)) => Some(trace),
            _ => None,
        }
    }

    /// Notes that the program has given up what is pending now.  From then on it does not count towards the
    /// limits: nobody waits for it, and it stays pending until it is needed.
    pub fn give_up(&self) {
        _ = self.shared.try_with(Graph::give_up);
    }

    /// Notes that the trace has been executed.
    pub fn finish(&self, trace: &Trace) -> Discarded {
        let garbage = self.shared.graph.lock().map(|mut graph| {
            graph.finish(trace);
            mem::take(&mut graph.garbage)
        });
        self.shared.changed.notify_all();
        Discarded { _garbage: garbage.unwrap_or_default() }
    }

    /// Notes that the traces, oldest first, were not executed.  Their operations are pending again, except
    /// `failed` and all operations that depend on it.  These fail for good after a permanent error, and are
    /// set aside after any other error.
    pub fn revert(&self, traces: &[Arc<Trace>], failed: Option<(OpId, &Error)>) -> Discarded {
        let garbage = self.shared.graph.lock().map(|mut graph| {
            // The newest trace first, since each trace goes to the front of the list.
            for (age, trace) in traces.iter().enumerate().rev() {
                graph.revert(trace, failed.filter(|_| age == 0));
            }
            mem::take(&mut graph.garbage)
        });
        self.shared.changed.notify_all();
        Discarded { _garbage: garbage.unwrap_or_default() }
    }

    /// Makes a value that was set aside pending again, and all operations that it needs.
    pub fn reclaim(&self, value: &Value) {
        if let Some(id) = value.node() {
            _ = self.shared.try_with(|graph| graph.reclaim(id));
        }
    }

    /// What has to be computed for a value; nothing in a forked child.
    #[must_use]
    pub fn below(&self, value: &Value) -> Below {
        let below = |id| self.shared.graph.lock().map(|graph| graph.below(id));
        value.node().and_then(below).unwrap_or_default()
    }

    /// The trace, modulo 2^32, that a value is or was computed in. None for a value that no trace computes.
    #[must_use]
    pub fn trace_of(&self, value: &Value) -> Option<u32> {
        let trace = |id| self.shared.graph.lock().map(|graph| graph.trace_of(id));
        value.node().and_then(trace).filter(|&trace| trace > 0)
    }

    /// Sizes of the pending operations.
    #[must_use]
    pub fn pending(&self) -> Pending {
        self.shared.graph.lock().map_or(Pending::default(), |graph| graph.pending())
    }

    /// Numbers of operations so far.
    #[must_use]
    pub fn counts(&self) -> Counts {
        let computed = self.shared.computed.load(Ordering::Relaxed);
        self.shared.graph.lock().map_or(Counts::default(), |graph| Counts {
            recorded: graph.recorded + computed,
            executed: graph.executed + computed,
            dropped: graph.dropped,
        })
    }
}

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorder").field("pending", &self.pending()).field("limits", &self.limits).finish()
    }
}

#[cfg(test)]
mod tests;
