//! Execution of one operation on whole matrices, without a lowered graph: by the calling thread, or a product
//! by a team.

use std::sync::Arc;

use super::pieces::execute_pieces;
use crate::engine::{BlockAddress, Caller, Command, Task, Team};
use crate::error::Result;
use crate::lower::{Target, Venue};
use crate::matrix::Matrix;
use crate::operation::{OpKind, Precision};
use crate::pool::Pool;
use crate::trace::{Stated, computed_in};

/// Bytes of a cache line.
const LINE_BYTES: u32 = 64;

/// Columns that kernels multiply side by side: shorter pieces would read A as often for less work.
const TILE_COLUMNS: u32 = 4;

/// The fewest columns of a product that are shared instead of its rows: two tiles for each of two members.
const FEW_COLUMNS: u32 = 4 * TILE_COLUMNS;

/// An A of so many bytes comes from a cache of two of today's processors. With 16 columns, products of 200 to 500
/// rows take two thirds of the time of pieces of rows, and products of 1000 rows more.
const CACHED_BYTES: u64 = 2 << 20;

/// Executes an operation that MEUs of `target` execute in main memory. The result has the bits that lowering
/// and an engine would give: lowering cuts rows and columns, which changes no bit, and the inner sides of
/// products, which are cut here in the same way. None when the operation has to take that way: its result
/// would be complex, or its inner side is too long for one block operation. A product is executed by the
/// members of `team`, if there is one: at most so many, and `wakes` says whether it is worth a wake-up.
///
/// # Errors
/// [`Error::Memory`](crate::error::Error::Memory)
pub fn execute_alone(
    operation: &Stated,
    operands: [Option<&Arc<Matrix>>; 2],
    target: &Target,
    caller: &mut Caller,
    pool: &Pool,
    team: Option<(&mut Team, usize, bool)>,
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
        *to = matrix
            .map(|m| if in_place(m) { Ok(Arc::clone(m)) } else { m.in_layout(target.layout(), pool) })
            .transpose()?;
    }
    let blocks = padded.each_ref().map(|matrix| matrix.as_deref().map(block));
    let [Some(first), second] = blocks else { return Ok(None) };
    let mut both = [first, second.unwrap_or(first)];
    both.iter_mut().zip(transposed).for_each(|(block, transposed)| block.transposed = transposed);
    let operands = &both[..1 + usize::from(second.is_some())];
    let result = Matrix::result(shape, precision, target.layout(), pool)?;
    let results = [block(&result)];
    let outcome = if kind == OpKind::Multiply || is_move {
        let (mut task, mut sharing) = (Task::Direct { kind, parameters, origin: (0, 0) }, None);
        if kind == OpKind::Multiply {
            let inner = if transposed[0] { first.rows } else { first.columns };
            let inner = target.inner_axis(shape, inner, precision);
            let reads_in_place = transposed == [false; 2] || target.reads_transposed(inner);
            if inner.parts() > target.blocks.chain as u32 || !reads_in_place {
                return Ok(None);
            }
            (task, sharing) = (Task::Product(inner, None), team);
        }
        let whole = Command { task, venue: Venue::Memory, results: &results, operands };
        match sharing {
            Some((team, members, wakes)) => {
                share_product(&whole, members, |pieces| execute_pieces(pieces, team, wakes))
            }
            None => caller.execute(&whole)?.is_ok(),
        }
    } else {
        caller.execute_step((kind, form, scalar), computed, operands, results[0])
    };
    if !outcome {
        return Ok(None);
    }
    result.publish();
    Ok(Some(result))
}

/// Executes a product of two blocks in main memory by a team, with the bits that one of its members would give. False
/// when memory could not be had or a member has failed: the result is arbitrary then.
pub fn execute_product(product: &Command<'_>, team: &mut Team) -> bool {
    share_product(product, team.members(), |pieces| execute_pieces(pieces, team, true))
}

/// Cuts a product of two blocks into so many pieces at most, for `execute`. The pieces are columns of the result
/// if it has more columns than rows, or if each member can read all of A from a cache: then no two members write
/// lines near each other. Otherwise they are rows, and A is read once. Pieces begin at cache lines of the result
/// and of an operand that is stored transposed.
fn share_product(whole: &Command<'_>, pieces: usize, execute: impl FnOnce(&[Command<'_>]) -> bool) -> bool {
    let (&[result], &[a, b]) = (whole.results, whole.operands) else { return false };
    let a_bytes = u64::from(a.rows) * u64::from(a.columns) * a.precision.element_bytes() as u64;
    let by_columns =
        result.columns > result.rows || (result.columns >= FEW_COLUMNS && a_bytes <= CACHED_BYTES);
    let length = if by_columns { result.columns } else { result.rows };
    let line = LINE_BYTES / result.precision.element_bytes() as u32;
    let divisor = if by_columns && !b.transposed { TILE_COLUMNS } else { line };
    let share = length.div_ceil(divisor).div_ceil(pieces.max(1) as u32).max(1) * divisor;
    let blocks: Vec<_> = (0..length)
        .step_by(share as usize)
        .map(|start| {
            let length = share.min(length - start);
            match by_columns {
                true => ([result.columns_from(start, length)], [a, b.columns_from(start, length)]),
                false => ([result.rows_from(start, length)], [a.rows_from(start, length), b]),
            }
        })
        .collect();
    let commands: Vec<_> =
        blocks.iter().map(|(results, operands)| Command { results, operands, ..*whole }).collect();
    execute(&commands)
}

/// A whole matrix as a block.
pub(super) fn block(matrix: &Matrix) -> BlockAddress {
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
