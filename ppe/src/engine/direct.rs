//! Operations that the calling thread executes in main memory.

use spe_kernels::Status;

use super::record::{blocks, direct_operation};
use super::{Command, Task};

/// Executes an operation in main memory.
///
/// # Errors
/// What the kernels say, with the step of a program.
///
/// # Safety
/// The operands lie in memory that can be read, and the results where they can be written, in whole groups of 16 bytes a column
/// unless the operation moves or reduces elements; nobody else writes them meanwhile, and nobody else reads the results.
pub(super) unsafe fn execute(command: &Command<'_>) -> Result<(), (Status, u32)> {
    match command.task {
        // A product is a MEU's.
        Task::Product(_) => Err((Status::Opcode, 0)),
        Task::Program(program) => {
            let program = program.encoded().map_err(|status| (status, 0))?;
            // SAFETY: the contract of this function.
            unsafe { program.execute_at(&blocks(command)) }.map_err(|failure| (failure.status, failure.step))
        }
        Task::Direct { kind, parameters, origin } => {
            let operation = direct_operation(command, kind, parameters, origin);
            // SAFETY: the contract of this function.
            unsafe { spe_kernels::execute_direct(&operation) }.map_err(|status| (status, 0))
        }
    }
}
