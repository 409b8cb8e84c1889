//! What a session chooses about ranks, and which traces they execute.

use super::choices::MOST_COUNT;
use super::options::Options;
use super::stages::Core;
use crate::engine;
use crate::error::{Error, Result};
use crate::lower::ShardLimits;
use crate::ranks;
use crate::trace::{ResultSlot, Trace, TraceOperation};

impl Options {
    /// What to choose about ranks. None on one machine.
    ///
    /// # Errors
    /// [`Error::Argument`] for an engine that ranks cannot have.
    pub(super) fn ranks_choice(&self) -> Result<Option<ranks::Choice>> {
        if !self.has_ranks() {
            return Ok(None);
        }
        let refused = |why: &str| {
            let names = engine::names_for_ranks().collect::<Vec<_>>().join(", ");
            let what = format!("ranks need an engine that computes in real time ({names}): {why}");
            Err(Error::Argument(what))
        };
        let Some(name) = engine::names_for_ranks().find(|name| *name == self.engine) else {
            return refused(&format!("'{}' is none", self.engine));
        };
        if self.timing {
            return refused("virtual time is the time of one machine");
        }
        Ok(Some(ranks::Choice {
            ranks: self.ranks,
            program: self.rank_program.clone(),
            hostfile: self.hostfile.clone(),
            shards: ShardLimits { side: self.shard },
            engine: name,
            engine_choice: self.choice(),
            memory_bytes: Some(self.ranks_memory).filter(|&bytes| bytes < MOST_COUNT),
            most_bytes: self.limits.bytes,
        }))
    }
}

impl Core {
    /// Whether ranks execute a trace: if it is much work, or if they have what it reads.
    pub(super) fn is_for_ranks(&self, trace: &Trace) -> bool {
        let is_elsewhere = |slot: &ResultSlot| slot.get().is_some_and(|matrix| matrix.is_elsewhere());
        self.ranks.is_some()
            && (trace.constants.iter().any(|constant| is_elsewhere(&constant.slot))
                || self.model_ns(trace) >= self.ranks_work_ns)
    }

    /// Nanoseconds that one thread takes for the operations of a trace by the time model.
    fn model_ns(&self, trace: &Trace) -> f64 {
        let of = |operation: &TraceOperation| {
            let operand = trace.operand(operation.operands[0]).0;
            self.model.estimate_whole(operation.kind, operation.precision, operation.shape, operand)
        };
        trace.operations.iter().map(of).sum()
    }
}
