//! The product of a row with a matrix, whose elements are read where they are.
//!
//! Each element of the result is a dot product of two columns of elements. The kernel for dot products reads
//! nothing beside these elements, so memory of a front end needs no pads.

use std::cell::RefCell;

use super::in_place::Run;
use crate::engine::{BlockAddress, Caller, Command, Task};
use crate::lower::{Axis, Venue};
use crate::pool::Pool;

thread_local! {
    static CALLER: RefCell<Caller> = RefCell::new(Caller::new(&Pool::new(0, false)));
}

/// Computes the product of a row of `inner` elements with a matrix of `inner` rows and so many columns. The inner
/// side is one part. False when there is no memory for the kernel's work: nothing is written then.
///
/// # Safety
/// The runs have as many elements, of one precision of numbers, as the row, the matrix and the result. Nobody
/// else writes the operands, or uses the result, until this returns. The result overlaps no operand.
pub(super) unsafe fn row_times_matrix(inner: u32, columns: u32, operands: [Run; 2], result: Run) -> bool {
    let block = |run: Run, rows: u32, columns: u32| BlockAddress {
        ea: run.data.expose_provenance() as u64,
        stride_bytes: rows * run.precision.element_bytes() as u32,
        rows,
        columns,
        precision: run.precision,
        transposed: false,
    };
    let [row, matrix] = operands;
    let operands = [block(row, 1, inner), block(matrix, inner, columns)];
    let results = [block(result, 1, columns)];
    let task = Task::Product(Axis::whole(inner), None);
    let command = Command { task, venue: Venue::Memory, results: &results, operands: &operands };
    CALLER.with_borrow_mut(|caller| matches!(caller.execute(&command), Ok(Ok(()))))
}
