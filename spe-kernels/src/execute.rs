//! The kernels, called directly on slices.

use crate::block::{Block, BlockMut, Element};
use crate::operation::{Form, Opcode, Precision, Status};
use crate::program::execute_step;
use crate::sys;

/// The width of the vectors in which kernels compute. Results have equal bits in all widths.
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

/// Executes one operation on slices, without an MEU, in the widest vectors of this machine.
///
/// `scalar` matters in the scalar forms alone, where `b` is `None` and `a` is the operand that is a block.
///
/// # Errors
///
/// What the MEU would report: [`Status::Opcode`], [`Status::Shape`] or [`Status::Domain`]. After the last the
/// contents of `result` are arbitrary.
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
    let operands = [a.raw(), b.map_or(a.raw(), |b| b.raw())];
    if opcode == Opcode::Multiply {
        return multiply(width, form, b.is_some(), &operands, &result.raw());
    }
    let inputs = &operands[..1 + usize::from(b.is_some())];
    if opcode.is_binary() && form == Form::Blocks && b.is_none() {
        return Err(Status::Shape);
    }
    // SAFETY: `Block::new` and `BlockMut::new` have asserted that the slices hold the blocks, and the slices
    // are borrowed until after the call. The result is borrowed uniquely, so it overlaps no operand.
    unsafe { execute_step(kernels(width), (opcode, form, scalar), T::PRECISION, inputs, result.raw()) }
}

fn multiply(
    width: Option<VectorWidth>,
    form: Form,
    two: bool,
    operands: &[sys::kernel_block; 2],
    result: &sys::kernel_block,
) -> Result<(), Status> {
    if form != Form::Blocks {
        return Err(Status::Opcode);
    }
    if !two {
        return Err(Status::Shape);
    }
    // SAFETY: `Block::new` and `BlockMut::new` have asserted that the slices hold the blocks, which are borrowed until
    // after the call; the check looks at shapes alone, and after it the product reads and
    // writes whole columns of these blocks.
    unsafe {
        let raw = sys::product_check(result, operands.as_ptr());
        Status::from_raw(raw).expect("a check returns an enum meu_status")?;
        sys::product_execute(kernels(width), result, operands.as_ptr(), 0);
    }
    Ok(())
}

/// Converts a block to the other precision, or copies it.
///
/// # Errors
///
/// [`Status::Shape`] if the shapes differ, [`Status::Opcode`] for bytes.
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
    let what = (Opcode::Convert, Form::Blocks, 0.0);
    // SAFETY: `Block::new` and `BlockMut::new` have asserted that the slices hold the blocks, and the slices are
    // borrowed until after the call. The result is borrowed uniquely, so it overlaps no operand.
    unsafe { execute_step(kernels(width), what, T::PRECISION, &[a.raw()], result.raw()) }
}

/// Executes one element-wise operation or conversion on blocks in main memory, in the widest vectors of this
/// machine. If all blocks are of bytes, it is computed in the precision `of_bytes`.
///
/// # Errors
///
/// As [`execute`].
///
/// # Safety
///
/// The blocks lie in memory that can be read, or for the result written, in whole groups of 16 bytes a
/// column; blocks of bytes that are widened or narrowed need hold no more than their elements. Until the
/// function returns, no other thread writes the blocks or reads the result. The result overlaps no operand.
pub unsafe fn execute_step_at(
    step: (Opcode, Form, f64),
    of_bytes: Precision,
    operands: &[sys::kernel_block],
    result: sys::kernel_block,
) -> Result<(), Status> {
    // SAFETY: the contract of this function.
    unsafe { execute_step(kernels(None), step, of_bytes, operands, result) }
}

/// Executes a direct operation, in the widest vectors of this machine.
///
/// # Errors
///
/// [`Status::Opcode`] or [`Status::Shape`]: nothing was written then.
///
/// # Safety
///
/// The matrices lie in memory that can be read, or for the result written. Until this returns nobody else
/// writes them, or reads the result, which overlaps no operand.
pub unsafe fn execute_direct(operation: &sys::direct_operation) -> Result<(), Status> {
    // SAFETY: the contract of this function; shapes are checked against each other before anything is
    // written.
    let raw = unsafe { sys::direct_execute(kernels(None), operation) };
    Status::from_raw(raw).expect("a direct operation returns an enum meu_status")
}

/// Executes the product of a record in main memory, in the widest vectors of this machine, with the bits that
/// a MEU gives. `work` has [`PRODUCT_WORK_BYTES`] bytes, aligned to 128.
///
/// # Safety
///
/// The record is sound: its blocks fit each other and its chain. They lie in memory that can be read, or for
/// the result written, in whole groups of 16 bytes a column. Until this returns nobody else writes them,
/// reads the result, or uses `work`.
pub unsafe fn execute_product(record: &sys::meu_record, work: *mut u8) {
    // SAFETY: the contract of this function.
    unsafe { sys::memory_product(kernels(None), record, work) }
}

/// Whether products in main memory read and write whole groups of 16 bytes where a column ends within a group: wide
/// vectors end with any element.
#[must_use]
pub fn products_need_pads() -> bool {
    table(Some(VectorWidth::Bytes64)).is_null()
}

/// Executes the product of whole blocks in main memory, in the widest vectors of this machine, with the bits of
/// [`execute_product`]. `chain`: the parts of the inner side, and which operands are stored transposed. `work` has
/// [`PRODUCT_WORK_BYTES`] bytes, aligned to 128.
///
/// # Safety
///
/// The blocks fit each other and the chain, and a part has at most `MEMORY_TRANSPOSED_LENGTH` elements. The blocks lie in
/// memory that can be read, or for the result written; if it has several rows, and [`products_need_pads`], the result,
/// and a left operand that is not stored transposed, in whole groups of 16 bytes a column. Until this returns nobody
/// else writes the blocks, reads the result, or uses `work`.
pub unsafe fn execute_product_of_blocks(
    operands: &[sys::kernel_block; 2],
    chain: &sys::meu_product,
    result: &sys::kernel_block,
    work: *mut u8,
) {
    // SAFETY: the contract of this function.
    unsafe { sys::memory_product_of_blocks(kernels(None), result, operands.as_ptr(), chain, work) }
}

/// Bytes of memory that [`execute_product`] works in.
pub const PRODUCT_WORK_BYTES: usize = sys::MEMORY_WORK_BYTES as usize;

/// # Panics
///
/// If this machine lacks the width.
pub(crate) fn kernels(width: Option<VectorWidth>) -> *const sys::kernel_table {
    let kernels = table(width);
    assert!(!kernels.is_null(), "this machine has no vectors of {width:?}");
    kernels
}
