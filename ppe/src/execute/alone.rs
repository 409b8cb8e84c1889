//! Execution of one operation on whole matrices by the calling thread, without a lowered graph.

use std::sync::Arc;

use crate::engine::{BlockAddress, Caller, Command, Task};
use crate::error::Result;
use crate::lower::{Target, Venue};
use crate::matrix::Matrix;
use crate::operation::{OpKind, Precision};
use crate::pool::Pool;
use crate::trace::{Stated, computed_in};

/// Executes an operation that MEUs of `target` execute in main memory. The result has the bits that lowering
/// and an engine would give: lowering cuts rows and columns, which changes no bit, and the inner sides of
/// products, which are cut here in the same way. None when the operation has to take that way: its result
/// would be complex, or its inner side is too long for one block operation.
///
/// # Errors
/// [`Error::Memory`](crate::error::Error::Memory)
pub fn execute_alone(
    operation: &Stated,
    operands: [Option<&Arc<Matrix>>; 2],
    target: &Target,
    caller: &mut Caller,
    pool: &Pool,
) -> Result<Option<Matrix>> {
    let &Stated { kind, form, precision, shape, transposed, scalar, parameters } = operation;
    let is_move = kind.is_direct();
    let stored = operands.into_iter().flatten().map(|matrix| matrix.precision()).chain([precision]);
    let computed = if is_move { precision } else { computed_in(kind, form, scalar, stored) };
    let mut padded = [None, None];
    for (to, matrix) in padded.iter_mut().zip(operands) {
        // Moves and reductions read any matrix in place, and so do programs that widen bytes.
        let in_place =
            |m: &Matrix| is_move || (m.precision() == Precision::Byte && computed != Precision::Byte);
        *to =
            matrix.map(|m| if in_place(m) { Ok(Arc::clone(m)) } else { m.transferable(pool) }).transpose()?;
    }
    let blocks = padded.each_ref().map(|matrix| matrix.as_deref().map(block));
    let [Some(first), second] = blocks else { return Ok(None) };
    let mut both = [first, second.unwrap_or(first)];
    both.iter_mut().zip(transposed).for_each(|(block, transposed)| block.transposed = transposed);
    let operands = &both[..1 + usize::from(second.is_some())];
    let result = Matrix::result(shape, precision, pool)?;
    let results = [block(&result)];
    let outcome = if kind == OpKind::Multiply || is_move {
        let task = match kind {
            OpKind::Multiply => {
                let inner = if transposed[0] { first.rows } else { first.columns };
                let inner = target.inner_axis(shape, inner, precision);
                let reads_in_place = transposed == [false; 2] || target.reads_transposed(inner);
                if inner.parts() > target.blocks.chain as u32 || !reads_in_place {
                    return Ok(None);
                }
                Task::Product(inner, None)
            }
            kind => Task::Direct { kind, parameters, origin: (0, 0) },
        };
        caller.execute(&Command { task, venue: Venue::Memory, results: &results, operands })?.is_ok()
    } else {
        caller.execute_step((kind, form, scalar), computed, operands, results[0])
    };
    if !outcome {
        return Ok(None);
    }
    result.publish();
    Ok(Some(result))
}

fn block(matrix: &Matrix) -> BlockAddress {
    let shape = matrix.shape();
    BlockAddress {
        ea: matrix.ea(0, 0),
        stride_bytes: matrix.stride_bytes() as u32,
        rows: shape.rows,
        columns: shape.columns,
        precision: matrix.precision(),
        transposed: false,
    }
}
