//! Transposes that are not moved: products read the operand of the transpose in place.
//!
//! An MEU that addresses main memory copies parts of the operands of a product into its own room for work.
//! It can transpose them on the way.  So a transpose whose readers are all products is not lowered.  The
//! products read what the transpose would read, and have the bits that they would have with the transpose.

use super::super::programs;
use super::super::target::{Target, Venue};
use super::super::{Axis, Region};
use crate::operation::{OpKind, View};
use crate::trace::{Operand, Trace, TraceOperation};
use spe_kernels::sys;

/// Whether an operation is the transpose of its whole operand.
pub(in crate::lower) fn is_transpose(trace: &Trace, operation: &TraceOperation) -> bool {
    operation.kind == OpKind::View && {
        let from = trace.operand(operation.operands[0]).0;
        View::is_transpose(&operation.parameters(), from, operation.shape)
    }
}

/// Whether MEUs can read operands of this product that are stored transposed.
fn reads_in_place(trace: &Trace, operation: &TraceOperation, target: &Target) -> bool {
    let inner = trace.operand(operation.operands[0]).0.columns;
    operation.kind == OpKind::Multiply
        && !programs::is_program(trace, operation, target)
        && target.reads_transposed(target.inner_axis(operation.shape, inner, operation.precision))
}

impl Target {
    /// Whether MEUs can read operands of a product in memory that are stored transposed, where the inner side
    /// is cut like this.
    #[must_use]
    pub fn reads_transposed(&self, inner: Axis) -> bool {
        inner.padded(0) <= sys::MEMORY_TRANSPOSED_LENGTH
    }
}

/// Chooses the transposes that are read in place: for each operation, whether it is one.  Empty if none is.
pub(in crate::lower) fn choose(trace: &Trace, target: &Target) -> Vec<bool> {
    let in_memory = target.memory.is_some_and(|memory| memory.product.is_some())
        && target.venue(OpKind::Multiply) == Venue::Memory;
    let is_free = |operation: &TraceOperation| operation.keep.is_none() && is_transpose(trace, operation);
    if !in_memory || !trace.operations.iter().any(is_free) {
        return Vec::new();
    }
    let mut chosen: Vec<bool> = trace.operations.iter().map(is_free).collect();
    for operation in &trace.operations {
        let mut reads = None;
        for operand in operation.operands {
            let Operand::Operation(read) = operand else { continue };
            if chosen[read as usize] {
                chosen[read as usize] =
                    *reads.get_or_insert_with(|| reads_in_place(trace, operation, target));
            }
        }
    }
    chosen
}

/// The region that a region of a transpose is in the operand of the transpose.
pub(in crate::lower) fn turned((row, column, rows, columns): Region) -> Region {
    (column, row, columns, rows)
}
