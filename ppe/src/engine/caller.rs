//! The calling thread as a processor: it executes operations in main memory, one after the other.
//!
//! Nothing is handed over, so nothing waits: no mailbox, no record ring, no other thread. The kernels are the
//! kernels of the MEUs of the host engine, so results have the same bits.

use spe_kernels::{Opcode, PRODUCT_WORK_BYTES, sys};

use super::{BlockAddress, Command, Fault, Task, direct, record};
use crate::error::Result;
use crate::operation::{Form, OpKind, Precision};
use crate::pool::{Buffer, Pool};

/// See the module's documentation.
#[derive(Debug)]
pub struct Caller {
    pool: Pool,
    /// Where products are computed.  It is there from the first product on.
    work: Option<Buffer>,
}

impl Caller {
    /// A processor that takes memory to work in from `pool`.
    #[must_use]
    pub fn new(pool: &Pool) -> Caller {
        Caller { pool: pool.clone(), work: None }
    }

    /// Executes an operation.  As with [`Engine::offer`](super::Engine::offer), all operands are in main
    /// memory.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::error::Error::Memory) outside; inside the [`Fault`] of the operation.
    pub fn execute(&mut self, command: &Command<'_>) -> Result<std::result::Result<(), Fault>> {
        let outcome = match command.task {
            // Products with an epilogue are executed in local stores.
            Task::Product(parts, None) => {
                let work = match self.work.take() {
                    Some(work) => work,
                    None => self.pool.allocate(PRODUCT_WORK_BYTES)?,
                };
                let product = record::product(command, parts);
                // SAFETY: commands name memory that stays until the operation has been executed, and each
                // block has one writer: matrix.rs argues this for results and constants, execute/README.md
                // for temporaries.  Lowering makes products whose blocks fit each other.  The buffer is as
                // large as products need, pools align to 128 bytes, and only this thread has the buffer.
                unsafe { spe_kernels::execute_product(&product, work.pointer()) };
                self.work = Some(work);
                Ok(())
            }
            // SAFETY: commands name memory that stays until the operation has been executed, and each block has one
            // writer: matrix.rs argues this for results and constants, execute/README.md for temporaries.
            _ => unsafe { direct::execute(command) },
        };
        Ok(outcome.map_err(|failed| Fault::in_memory(None, failed)))
    }

    /// Executes one element-wise operation on blocks that are described as in a command. False when its
    /// result would be complex, and when blocks do not fit each other. `of_bytes`: the precision in which it
    /// is computed if all blocks are of bytes.
    pub fn execute_step(
        &mut self,
        (kind, form, scalar): (OpKind, Form, f64),
        of_bytes: Precision,
        operands: &[BlockAddress],
        result: BlockAddress,
    ) -> bool {
        let step = (Opcode::ALL[kind as usize], form.into(), scalar);
        let mut blocks = [kernel_block(result); 2];
        let blocks = &mut blocks[..operands.len()];
        blocks.iter_mut().zip(operands).for_each(|(to, operand)| *to = kernel_block(*operand));
        // SAFETY: a block operation is described as in a command, whose memory stays meanwhile; each block has one writer
        // (matrix.rs). The kernel checks that shapes fit.
        unsafe { spe_kernels::execute_step_at(step, of_bytes.into(), blocks, kernel_block(result)) }.is_ok()
    }
}

fn kernel_block(block: BlockAddress) -> sys::kernel_block {
    sys::kernel_block {
        data: std::ptr::with_exposed_provenance_mut(block.ea as usize),
        stride_bytes: block.stride_bytes,
        rows: block.rows,
        columns: block.columns,
        precision: block.precision as u32,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use std::sync::Arc;

    use super::super::Cause;
    use super::*;
    use crate::lower::{Axis, Program, Venue};
    use crate::matrix::{Layout, Matrix};
    use crate::operation::Shape;

    fn block(matrix: &Matrix) -> BlockAddress {
        let Shape { rows, columns } = matrix.shape();
        let (ea, stride_bytes) = (matrix.ea(0, 0), matrix.stride_bytes() as u32);
        BlockAddress { ea, stride_bytes, rows, columns, precision: matrix.precision(), transposed: false }
    }

    #[test]
    fn products_programs_and_reductions_are_executed_at_once() {
        let pool = Pool::new(0, true);
        let shape = Shape { rows: 3, columns: 3 };
        let a = Matrix::from_fn(shape, &pool, |r, c| (3 * r + c) as f64).unwrap();
        let [product, negated] =
            [(); 2].map(|()| Matrix::result(shape, Precision::Double, Layout::Apart, &pool).unwrap());
        let sums =
            Matrix::result(Shape { rows: 1, columns: 3 }, Precision::Double, Layout::Apart, &pool).unwrap();
        let mut caller = Caller::new(&pool);
        let mut run = |task, operands: &[&Matrix], result: &Matrix| {
            let operands: Vec<_> = operands.iter().map(|operand| block(operand)).collect();
            let results = [block(result)];
            let command = Command { task, venue: Venue::Memory, results: &results, operands: &operands };
            caller.execute(&command).unwrap()
        };
        run(Task::Product(Axis::whole(3), None), &[&a, &a], &product).unwrap();
        product.publish();
        let program = Arc::new(Program::alone(OpKind::Negate, Precision::Double));
        run(Task::Program(&program), &[&product], &negated).unwrap();
        negated.publish();
        let sum = Task::Direct { kind: OpKind::Sum, parameters: [0; 4], origin: (0, 0) };
        run(sum, &[&negated], &sums).unwrap();
        sums.publish();
        assert!(sums.values().eq([-126.0, -162.0, -198.0]));
        // A root of a negative number, and operands that do not fit.
        let program = Arc::new(Program::alone(OpKind::Sqrt, Precision::Double));
        let other = Matrix::result(shape, Precision::Double, Layout::Apart, &pool).unwrap();
        let fault = run(Task::Program(&program), &[&negated], &other).unwrap_err();
        assert_eq!(fault.cause, Cause::Domain);
        let fault = run(Task::Program(&program), &[&product], &sums).unwrap_err();
        assert!(fault.cause == Cause::Refused && fault.what.contains("do not fit"), "{}", fault.what);
    }
}
