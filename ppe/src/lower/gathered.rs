//! Moves whose elements lie anywhere in their operand: reshaped matrices, long steps, repetitions, diagonals.
//!
//! An SPE gathers these elements: DMA fetches the quadwords around each run of elements, as
//! `spe-kernels/include/gather.h` describes.

use super::Region;
use crate::matrix::QUADWORD_BYTES;
use crate::operation::{OpKind, Parameters, Precision, Shape, View};

/// Whether the elements of a move lie anywhere in its operand, so that an SPE gathers them: DMA fetches the
/// quadwords around each run of elements.
pub(super) fn is_gathered(kind: OpKind, parameters: &Parameters, operand: Shape, result: Shape) -> bool {
    match kind {
        OpKind::Repeat | OpKind::Diagonal => true,
        OpKind::View => View::of_rectangle(parameters, operand, result).is_none(),
        _ => false,
    }
}

/// The rows and columns of elements that DMA fetches for a block of the result of a move that gathers. An element
/// that has no neighbour beside it in the block counts as a quadword.
pub(super) fn gathered_sides(
    (kind, parameters, precision): (OpKind, &Parameters, Precision),
    operand: Shape,
    block: Region,
) -> (u32, u32) {
    let (.., rows, columns) = block;
    match kind {
        OpKind::Repeat => (rows.min(operand.rows), columns.min(operand.columns)),
        OpKind::Diagonal => {
            on_diagonal(parameters[0], block, operand).map_or((0, 0), |(_, count)| (1, count))
        }
        _ => {
            let lanes = (QUADWORD_BYTES / precision.element_bytes()) as u32;
            let &[_, row_step, column_step, _] = parameters;
            let side = |step: i64, length: u32| if step == 0 { 1 } else { length };
            let elements = if row_step.unsigned_abs() <= 1 { 1 } else { lanes };
            (side(row_step, rows) * elements, side(column_step, columns))
        }
    }
}

/// The elements of a vector that lie in a block of the matrix with the vector on this diagonal: the first one, and
/// their number.
pub(crate) fn on_diagonal(
    diagonal: i64,
    (row, column, rows, columns): Region,
    vector: Shape,
) -> Option<(u32, u32)> {
    let (down, right) = ((-diagonal).max(0), diagonal.max(0));
    let (row, column) = (i64::from(row) - down, i64::from(column) - right);
    let first = row.max(column).max(0);
    let end = (row + i64::from(rows)).min(column + i64::from(columns)).min(vector.elements() as i64);
    Some((first as u32, u32::try_from(end - first).ok().filter(|&count| count > 0)?))
}
