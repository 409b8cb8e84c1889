//! What an SPE computes, one element at a time, on any machine.
//!
//! The kernels are the MEU's kernels. Single precision is defined in integers (`kernels/host/spu_single.h`):
//! truncation, exponents up to 2^128, no infinity, NaN or denormal number. Double precision is IEEE's;
//! functions of the C library are an SPE's vector code (`kernels/functions/`).

use crate::block::{Block, BlockMut, Element};
use crate::image::Processor;
use crate::operation::{Form, Opcode, Precision, Status};
use crate::program::execute_step;
use crate::sys;

/// `a * b + c`, truncated once: a step of a product.
#[must_use]
pub fn multiply_add(a: f32, b: f32, c: f32) -> f32 {
    // SAFETY: a function of three numbers.
    f32::from_bits(unsafe { sys::spu_single_multiply_add(a.to_bits(), b.to_bits(), c.to_bits()) })
}

/// In double precision. A number of 2^128 or more is taken for an infinity or NaN, and on a Cell BE a
/// denormal one for a zero.
#[must_use]
pub fn extend(processor: Processor, a: f32) -> f64 {
    let flush = u32::from(processor == Processor::CellBe);
    // SAFETY: a function of two numbers.
    unsafe { sys::spu_single_extend(a.to_bits(), flush) }
}

/// In single precision, rounded to nearest; infinities, NaN and denormal numbers are IEEE's.
#[must_use]
pub fn round(a: f64) -> f32 {
    // SAFETY: a function of a number.
    f32::from_bits(unsafe { sys::spu_single_round(a) })
}

/// Whether a single is less than another one.
#[must_use]
pub fn less(a: f32, b: f32) -> bool {
    // SAFETY: a function of two numbers.
    unsafe { sys::spu_single_less(a.to_bits(), b.to_bits()) != 0 }
}

/// Whether two singles are equal.
#[must_use]
pub fn equal(a: f32, b: f32) -> bool {
    // SAFETY: a function of two numbers.
    unsafe { sys::spu_single_equal(a.to_bits(), b.to_bits()) != 0 }
}

/// An element-wise operation on one element; `b` matters to binary operations.
///
/// # Errors
/// [`Status::Domain`] outside of the operation's domain, [`Status::Opcode`] for operations that no SPE has,
/// the product, the conversion, and truth values in bytes.
pub fn element<T: Element>(processor: Processor, opcode: Opcode, a: T, b: T) -> Result<T, Status> {
    let is_byte = T::PRECISION == Precision::Byte;
    if is_byte || !opcode.is_on_spe() || matches!(opcode, Opcode::Multiply | Opcode::Convert) {
        return Err(Status::Opcode);
    }
    // A column of one element takes a quadword.
    let (a, b, mut result) = ([a; 4], [b; 4], [T::default(); 4]);
    let blocks = [Block::new(&a, 1, 1, 4).raw(), Block::new(&b, 1, 1, 4).raw()];
    let inputs = &blocks[..1 + usize::from(opcode.is_binary())];
    let table = match processor {
        Processor::CellBe => &raw const sys::kernel_table_cell,
        Processor::PowerXCell8i => &raw const sys::kernel_table_celledp,
    };
    let block = BlockMut::new(&mut result, 1, 1, 4).raw();
    // SAFETY: the arrays outlive the call, hold blocks of one element with its pad, and are three; the table
    // has all opcodes that were not refused above.
    unsafe { execute_step(table, (opcode, Form::Blocks, 0.0), T::PRECISION, inputs, block)? };
    Ok(result[0])
}
