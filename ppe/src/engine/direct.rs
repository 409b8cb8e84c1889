//! Operations that the calling thread executes in main memory.

use spe_kernels::Status;

use super::Command;
use super::record::{direct_operation, program};

/// Executes an operation in main memory.
///
/// # Errors
/// What the kernels say, with the step of a fusion.
///
/// # Safety
/// The operands lie in memory that can be read, and the result where it can be written, in whole groups of 16 bytes a column
/// unless the kind is a direct one; nobody else writes them meanwhile, and nobody else reads the result.
pub(super) unsafe fn execute(command: &Command) -> Result<(), (Status, u32)> {
    if command.kind.is_direct() {
        // SAFETY: the contract of this function.
        return unsafe { spe_kernels::execute_direct(&direct_operation(command)) }
            .map_err(|status| (status, 0));
    }
    let (program, blocks) = program(command).map_err(|status| (status, 0))?;
    // SAFETY: the contract of this function.
    unsafe { program.execute_at(&blocks) }.map_err(|failure| (failure.status, failure.step))
}
