//! Element-wise operations on operands that are read where they are, as one column of elements.
//!
//! Kernels read and write whole groups of 16 bytes. Memory of a front end may end within a group, so the
//! last elements are computed in copies.

use spe_kernels::{Opcode, Status, sys};

use crate::operation::{Form, OpKind, Precision};

/// Elements of one precision, one after the other.
#[derive(Debug, Clone, Copy)]
pub(super) struct Run {
    pub(super) data: *mut u8,
    pub(super) precision: Precision,
}

/// The most elements of a group: bytes.
const WIDEST_GROUP: usize = 16;

/// Room for a group of the widest elements.
#[derive(Clone, Copy)]
#[repr(align(16))]
struct Group([u8; WIDEST_GROUP * size_of::<f64>()]);

impl Run {
    fn block(self, first: usize, count: usize) -> sys::kernel_block {
        let bytes = self.precision.element_bytes();
        sys::kernel_block {
            data: self.data.wrapping_add(first * bytes).cast(),
            stride_bytes: (count * bytes).next_multiple_of(16) as u32,
            rows: count as u32,
            columns: 1,
            precision: self.precision as u32,
        }
    }
}

/// Computes `count` elements. `computed`: the precision of the arithmetic.
///
/// # Errors
/// The status of the kernel; the result may have been written in part.
///
/// # Safety
/// Each run has `count` elements, which nobody else writes, or for the result reads, until this returns. The
/// result overlaps no operand.
pub(super) unsafe fn execute(
    (kind, form, scalar): (OpKind, Form, f64),
    computed: Precision,
    operands: &[Run],
    result: Run,
    count: usize,
) -> Result<(), Status> {
    let step = (Opcode::ALL[kind as usize], form.into(), scalar);
    let whole = count - count % (WIDEST_GROUP / computed.element_bytes());
    let mut blocks = [result.block(0, whole); 2];
    let blocks = &mut blocks[..operands.len()];
    if whole > 0 {
        blocks.iter_mut().zip(operands).for_each(|(block, run)| *block = run.block(0, whole));
        // SAFETY: the contract of this function; so many elements fill whole groups.
        unsafe { spe_kernels::execute_step_at(step, computed.into(), blocks, result.block(0, whole))? };
    }
    let rest = count - whole;
    if rest == 0 {
        return Ok(());
    }
    let mut copies = [Group([0; WIDEST_GROUP * size_of::<f64>()]); 3];
    let [to, from @ ..] = &mut copies;
    for ((block, run), copy) in blocks.iter_mut().zip(operands).zip(from) {
        let bytes = rest * run.precision.element_bytes();
        // SAFETY: the run has these elements, and a group has room for them.
        unsafe { copy.0.as_mut_ptr().copy_from_nonoverlapping(run.block(whole, rest).data.cast(), bytes) };
        *block = Run { data: copy.0.as_mut_ptr(), ..*run }.block(0, rest);
    }
    let target = Run { data: to.0.as_mut_ptr(), ..result };
    // SAFETY: the copies are whole groups, and belong to this function.
    unsafe { spe_kernels::execute_step_at(step, computed.into(), blocks, target.block(0, rest))? };
    let bytes = rest * result.precision.element_bytes();
    // SAFETY: the result has these elements.
    unsafe { result.block(whole, rest).data.cast::<u8>().copy_from_nonoverlapping(to.0.as_ptr(), bytes) };
    Ok(())
}
