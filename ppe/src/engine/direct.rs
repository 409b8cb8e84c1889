//! Execution in main memory by the calling thread.

use spe_kernels::Status;

use super::record::{blocks, direct_operation};
use super::{Command, Task};

/// Executes an operation in main memory.
///
/// # Errors
/// The status that a kernel returns, and the step of the program.
///
/// # Safety
/// Operands lie in memory that can be read, results in memory that can be written. In a program every column
/// has whole quadwords, and so has a row whose elements touch; the operands of a move or a reduction need not. Meanwhile no other thread writes
/// operands or results, and no other thread reads results.
pub(super) unsafe fn execute(command: &Command<'_>) -> Result<(), (Status, u32)> {
    match command.task {
        // Only MEUs execute products.
        Task::Product(..) => Err((Status::Opcode, 0)),
        Task::Program(program) => {
            let program = program.encoded().map_err(|status| (status, 0))?;
            // SAFETY: the contract of this function.
            unsafe { program.execute_at(None, &blocks(command)) }
                .map_err(|failure| (failure.status, failure.step))
        }
        Task::Direct { kind, parameters, origin } => {
            let operation = direct_operation(command, kind, parameters, origin);
            // SAFETY: the contract of this function.
            unsafe { spe_kernels::execute_direct(&operation) }.map_err(|status| (status, 0))
        }
    }
}
