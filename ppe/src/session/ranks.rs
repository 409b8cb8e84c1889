//! Which traces ranks execute.

use super::stages::Core;
use crate::trace::{ResultSlot, Trace, TraceOperation};

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
