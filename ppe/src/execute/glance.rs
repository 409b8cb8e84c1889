//! `any` and `all` of a matrix whose first elements tell the answer.
//!
//! Whether any element of a column is true is known at the first true one. A mask with both truth values in each
//! column is decided by a few elements of each, however long the columns are. So these elements are looked at
//! before an operation is recorded for all of them.

use super::alone::block;
use crate::engine::{Caller, Command, Task};
use crate::error::Result;
use crate::lower::{Target, Venue};
use crate::matrix::Matrix;
use crate::operation::{OpKind, Side};
use crate::pool::Pool;
use crate::trace::Stated;

/// Bytes of each column that are looked at: a cache line, which is fetched for the first element in any case.
const COLUMN_BYTES: usize = 64;

/// Elements of each row that are looked at. Of random truth values so many leave one row in 2^32 undecided.
const ROW_ELEMENTS: u32 = 32;

/// The result of `any` or `all` of a matrix, if the first elements of each column, or row, decide it. None for all
/// other kinds, and where more elements have to be read.
///
/// # Errors
/// [`Error::Memory`](crate::error::Error::Memory)
pub fn glance(
    operation: &Stated,
    operand: &Matrix,
    target: &Target,
    caller: &mut Caller,
    pool: &Pool,
) -> Result<Option<Matrix>> {
    let &Stated { kind, precision, shape, parameters, .. } = operation;
    let decisive = match kind {
        OpKind::Any => 1.0,
        OpKind::All => 0.0,
        _ => return Ok(None),
    };
    let whole = block(operand);
    let part = match parameters[0] == Side::Row as i64 {
        true => whole.columns_from(0, whole.columns.min(ROW_ELEMENTS)),
        false => {
            let rows = (COLUMN_BYTES / operand.precision().element_bytes()) as u32;
            whole.rows_from(0, whole.rows.min(rows))
        }
    };
    let result = Matrix::result(shape, precision, target.layout(), pool)?;
    let task = Task::Direct { kind, parameters, origin: (0, 0) };
    let command = Command { task, venue: Venue::Memory, results: &[block(&result)], operands: &[part] };
    if caller.execute(&command)?.is_err() {
        return Ok(None);
    }
    result.publish();
    let is_decided = result.values().all(|truth| truth == decisive);
    Ok(is_decided.then_some(result))
}
