//! Moves that gather their elements, in the layout of records (`struct meu_gather`).

use spe_kernels::sys;

use super::command::{block, direct};
use crate::engine::Command;
use crate::lower::on_diagonal;
use crate::operation::{OpKind, Parameters, Shape};

/// The record of a move that gathers, and its second line.
pub(in crate::engine) fn gather(
    command: &Command<'_>,
    kind: OpKind,
    parameters: &Parameters,
    origin: (u32, u32),
) -> (sys::meu_record, sys::meu_gather) {
    let mut record = direct(OpKind::Repeat);
    record.blocks[0] = block(command.results[0]);
    let line = match kind {
        OpKind::Repeat => repeated(command, origin),
        OpKind::Diagonal => diagonal(command, parameters[0], origin),
        _ => viewed(command, parameters, origin),
    };
    (record, line)
}

/// The rows and columns of the result's block, and the elements of the operand as DMA reaches them.
fn sides(command: &Command<'_>) -> ((u32, u32), Elements) {
    let (operand, result) = (command.operands[0], command.results[0]);
    let elements = Elements {
        ea: operand.ea,
        column_bytes: operand.stride_bytes.into(),
        element_bytes: operand.precision.element_bytes() as i64,
        height: operand.rows,
    };
    ((result.rows, result.columns), elements)
}

/// The elements of an operand in main memory.
#[derive(Debug, Clone, Copy)]
struct Elements {
    ea: u64,
    column_bytes: i64,
    element_bytes: i64,
    height: u32,
}

impl Elements {
    /// The row and the column of an element, counted column after column, or those of a distance.
    fn split(self, number: i64) -> (u32, i64) {
        let height = self.height.into();
        (number.rem_euclid(height) as u32, number.div_euclid(height))
    }

    /// Bytes from the first element to one in this row and column.
    fn bytes(self, (row, column): (u32, i64)) -> i64 {
        column.wrapping_mul(self.column_bytes).wrapping_add(i64::from(row) * self.element_bytes)
    }

    fn ea(self, at: (u32, i64)) -> u64 {
        self.ea.wrapping_add_signed(self.bytes(at))
    }

    /// Bytes of the rows of a column.
    fn height_bytes(self) -> i64 {
        i64::from(self.height) * self.element_bytes
    }
}

/// A block of a view. A step of 0 repeats one row, or one column.
fn viewed(
    command: &Command<'_>,
    &[offset, row_step, column_step, _]: &Parameters,
    origin: (u32, u32),
) -> sys::meu_gather {
    let ((rows, columns), of) = sides(command);
    // What a single row or column has for a step may be any number.
    let step = |step: i64, length: u32| if length <= 1 { 0 } else { step };
    let (row_step, column_step) = (step(row_step, rows + origin.0), step(column_step, columns + origin.1));
    let distinct = |step: i64, length: u32| if step == 0 { 1 } else { length };
    let at = of.split(offset + row_step * i64::from(origin.0) + column_step * i64::from(origin.1));
    let (down, right) = (of.split(row_step), of.split(column_step));
    sys::meu_gather {
        ea: of.ea(at),
        down_bytes: of.bytes(down),
        right_bytes: of.bytes(right),
        wrap_bytes: of.column_bytes - of.height_bytes(),
        row: at.0,
        height: of.height,
        down: down.0,
        right: right.0,
        width: u32::MAX,
        rows: distinct(row_step, rows),
        columns: distinct(column_step, columns),
        ..sys::meu_gather::default()
    }
}

/// A block of a repetition. As many rows and columns as the operand has are gathered.
fn repeated(command: &Command<'_>, origin: (u32, u32)) -> sys::meu_gather {
    let ((rows, columns), of) = sides(command);
    let width = command.operands[0].columns;
    let (row, column) = (origin.0 % of.height, origin.1 % width);
    sys::meu_gather {
        ea: of.ea((row, column.into())),
        down_bytes: of.element_bytes,
        right_bytes: of.column_bytes,
        wrap_bytes: -of.height_bytes(),
        turn_bytes: -of.column_bytes * i64::from(width),
        row,
        height: of.height,
        down: 1 % of.height,
        column,
        width,
        rows: rows.min(of.height),
        columns: columns.min(width),
        ..sys::meu_gather::default()
    }
}

/// A block of a matrix that has a vector on a diagonal.
fn diagonal(command: &Command<'_>, diagonal: i64, origin: (u32, u32)) -> sys::meu_gather {
    let ((rows, columns), of) = sides(command);
    let vector = command.operands[0];
    let block = (origin.0, origin.1, rows, columns);
    let is_column = vector.columns == 1;
    let shape = Shape { rows: vector.rows, columns: vector.columns };
    let line = sys::meu_gather {
        ea: of.ea,
        right_bytes: if is_column { of.element_bytes } else { of.column_bytes },
        height: u32::MAX,
        width: u32::MAX,
        rows: 1,
        diagonal: 1,
        ..sys::meu_gather::default()
    };
    let Some((first, count)) = on_diagonal(diagonal, block, shape) else { return line };
    let place = |shift: i64, origin: u32| (i64::from(first) + shift.max(0) - i64::from(origin)) as u32;
    sys::meu_gather {
        ea: of.ea(if is_column { (first, 0) } else { (0, first.into()) }),
        columns: count,
        to_row: place(-diagonal, origin.0),
        to_column: place(diagonal, origin.1),
        ..line
    }
}
