//! Direct operations as the kernels want them.

use spe_kernels::{Status, sys};
use static_assertions::const_assert_eq;

use super::{BlockAddress, Command};
use crate::trace::OpKind;

const_assert_eq!(OpKind::View as u32, sys::DIRECT_VIEW);
const_assert_eq!(OpKind::Repeat as u32, sys::DIRECT_REPEAT);
const_assert_eq!(OpKind::Join as u32, sys::DIRECT_JOIN);
const_assert_eq!(OpKind::Band as u32, sys::DIRECT_BAND);
const_assert_eq!(OpKind::Diagonal as u32, sys::DIRECT_DIAGONAL);
const_assert_eq!(OpKind::Sum as u32, sys::DIRECT_SUM);
const_assert_eq!(OpKind::Product as u32, sys::DIRECT_PRODUCT);
const_assert_eq!(OpKind::SumSquares as u32, sys::DIRECT_SUM_OF_SQUARES);
const_assert_eq!(OpKind::CumulativeSum as u32, sys::DIRECT_CUMULATIVE_SUM);
const_assert_eq!(OpKind::Any as u32, sys::DIRECT_ANY);
const_assert_eq!(OpKind::All as u32, sys::DIRECT_ALL);
const_assert_eq!(OpKind::Maximum as u32, sys::DIRECT_MAXIMUM);
const_assert_eq!(OpKind::Minimum as u32, sys::DIRECT_MINIMUM);
const_assert_eq!(OpKind::Norm as u32, sys::DIRECT_NORM);
const_assert_eq!(OpKind::ALL.len(), sys::DIRECT_OPCODE_END as usize);

/// The description of a direct operation.
#[must_use]
pub(super) fn direct_operation(command: &Command) -> sys::direct_operation {
    let mut operands = [sys::direct_matrix::default(); 2];
    let mut operand_count = 0;
    for operand in command.operands.into_iter().flatten() {
        operands[operand_count] = matrix(operand);
        operand_count += 1;
    }
    sys::direct_operation {
        opcode: command.kind as u32,
        precision: command.result.precision as u32,
        operand_count: operand_count as u32,
        origin_row: command.origin.0,
        origin_column: command.origin.1,
        reserved: 0,
        // What follows concerns complex elements.
        parameters: [command.parameters[0], command.parameters[1], command.parameters[2]],
        result: matrix(command.result),
        operands,
    }
}

/// Executes a direct operation.
///
/// # Errors
/// What the kernels say.
///
/// # Safety
/// The operands lie in memory that can be read, and the result where it can be written; nobody else writes them meanwhile, and
/// nobody else reads the result.
pub(super) unsafe fn execute(command: &Command) -> Result<(), Status> {
    // SAFETY: the contract of this function.
    unsafe { spe_kernels::execute_direct(&direct_operation(command)) }
}

fn matrix(block: BlockAddress) -> sys::direct_matrix {
    sys::direct_matrix {
        ea: block.ea,
        stride_bytes: block.stride_bytes.into(),
        rows: block.rows,
        columns: block.columns,
    }
}
