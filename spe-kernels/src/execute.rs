//! The kernels, called directly on slices.

use crate::block::{Block, BlockMut, Element};
use crate::operation::{Form, Opcode, Status};
use crate::sys;

/// The width of the vectors in which kernels compute. Results have the same bits in all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum VectorWidth {
    /// 16 bytes, as on the SPE: every machine has it.
    Bytes16 = 16,
    /// 32 bytes: x86-64 with AVX2 and FMA.
    Bytes32 = 32,
    /// 64 bytes: x86-64 with AVX-512 F, DQ and VL.
    Bytes64 = 64,
}

impl VectorWidth {
    /// The widths that this machine has, narrowest first.
    #[must_use]
    pub fn available() -> Vec<Self> {
        let widths = [Self::Bytes16, Self::Bytes32, Self::Bytes64];
        widths.into_iter().filter(|&width| !table(Some(width)).is_null()).collect()
    }
}

/// The kernels of a width, or of the widest; null if this machine has none.
fn table(width: Option<VectorWidth>) -> *const sys::kernel_table {
    // SAFETY: the function only asks the processor, and returns the address of a constant or null.
    unsafe { sys::meu_host_kernels(width.map_or(0, |width| width as u32)) }
}

/// Executes one operation on slices, without a MEU, in the widest vectors of this machine.
///
/// `scalar` matters in the scalar forms alone, where `b` is `None` and `a` is the operand that is a block.
///
/// # Errors
///
/// What the MEU would report: [`Status::Opcode`], [`Status::Shape`] or [`Status::Domain`]. After the last the contents
/// of `result` are arbitrary.
pub fn execute<T: Element>(
    opcode: Opcode,
    form: Form,
    scalar: f64,
    a: Block<'_, T>,
    b: Option<Block<'_, T>>,
    result: BlockMut<'_, T>,
) -> Result<(), Status> {
    execute_with(None, opcode, form, scalar, a, b, result)
}

/// [`execute`] in vectors of a given width.
///
/// # Errors
///
/// As [`execute`].
///
/// # Panics
///
/// If this machine lacks the width.
pub fn execute_with<T: Element>(
    width: Option<VectorWidth>,
    opcode: Opcode,
    form: Form,
    scalar: f64,
    a: Block<'_, T>,
    b: Option<Block<'_, T>>,
    mut result: BlockMut<'_, T>,
) -> Result<(), Status> {
    let operation = sys::kernel_operation {
        opcode: opcode as u32,
        form: form as u32,
        operand_count: 1 + u32::from(b.is_some()),
        scalar,
        accumulate: 0,
        result: result.raw(),
        operands: [a.raw(), b.map_or(a.raw(), |b| b.raw())],
    };
    run(width, &operation)
}

/// Converts a block to the other precision, or copies it.
///
/// # Errors
///
/// [`Status::Shape`] if the shapes differ.
pub fn convert<S: Element, T: Element>(a: Block<'_, S>, result: BlockMut<'_, T>) -> Result<(), Status> {
    convert_with(None, a, result)
}

/// [`convert`] with the kernels of a given width.
///
/// # Errors
///
/// As [`convert`].
///
/// # Panics
///
/// If this machine lacks the width.
pub fn convert_with<S: Element, T: Element>(
    width: Option<VectorWidth>,
    a: Block<'_, S>,
    mut result: BlockMut<'_, T>,
) -> Result<(), Status> {
    let operation = sys::kernel_operation {
        opcode: Opcode::Convert as u32,
        form: Form::Blocks as u32,
        operand_count: 1,
        scalar: 0.0,
        accumulate: 0,
        result: result.raw(),
        operands: [a.raw(), a.raw()],
    };
    run(width, &operation)
}

fn run(width: Option<VectorWidth>, operation: &sys::kernel_operation) -> Result<(), Status> {
    // SAFETY: `Block::new` and `BlockMut::new` have asserted that the slices hold the blocks, and the slices are borrowed
    // until after the call. The result is borrowed uniquely, so it overlaps no operand.
    unsafe { execute_raw(kernels(width), operation) }
}

/// Executes what one description says in main memory, in the widest vectors of this machine.
///
/// # Errors
///
/// [`Status::Opcode`] or [`Status::Shape`]: nothing was written then.  [`Status::Domain`], with the step of a fusion that met an
/// element outside of its domain: the contents of the result are arbitrary.
///
/// # Safety
///
/// The description is of the sort that its opcode says.  Its matrices lie in memory that can be read, or for the result written,
/// blocks and those of fusions in whole groups of 16 bytes a column.  Until this returns nobody else writes them, or reads the
/// result, which overlaps no operand.
pub unsafe fn execute_direct(description: &sys::direct_description) -> Result<(), (Status, u32)> {
    let mut detail = 0;
    // SAFETY: the contract of this function; shapes are checked against each other before anything is written.
    let raw = unsafe { sys::direct_execute(kernels(None), description, &raw mut detail) };
    let outcome = Status::from_raw(raw).expect("a direct operation returns an enum meu_status");
    outcome.map_err(|status| (status, detail))
}

/// # Panics
///
/// If this machine lacks the width.
fn kernels(width: Option<VectorWidth>) -> *const sys::kernel_table {
    let kernels = table(width);
    assert!(!kernels.is_null(), "this machine has no vectors of {width:?}");
    kernels
}

/// # Safety
///
/// The blocks lie in memory that can be read, or for the result written, in whole groups of 16 bytes a column.  Until this
/// returns nobody else writes them, or reads the result, which overlaps no operand.  `kernels` is a table that has the operation.
pub(crate) unsafe fn execute_raw(
    kernels: *const sys::kernel_table,
    operation: &sys::kernel_operation,
) -> Result<(), Status> {
    // SAFETY: kernel_check reads the description alone. kernel_execute reads and writes, after that check of shapes
    // against each other, whole columns of these blocks, as the contract of this function allows.
    let raw = unsafe {
        match sys::kernel_check(operation) {
            sys::MEU_STATUS_OK => sys::kernel_execute(kernels, operation),
            status => status,
        }
    };
    Status::from_raw(raw).expect("a kernel returns an enum meu_status")
}
