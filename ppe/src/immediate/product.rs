//! Products of matrices in memory of a front end, which has no pads between columns.
//!
//! Kernels with vectors of less than 64 bytes read and write whole groups of 16 bytes of a column in two places: where
//! they read a left factor of several rows that is not transposed, and where they write a result of several rows. They
//! read single elements of any other factor. So nothing else is copied, and a transposed factor is read where it is.

use std::cell::RefCell;

use spe_kernels::{PRODUCT_WORK_BYTES, sys};

use super::padded::{Copies, Real, Room, give_columns};
use super::{SmallDestination, SmallElements};
use crate::engine::chain;
use crate::error::Result;
use crate::lower::Axis;
use crate::operation::Shape;
use crate::pool::{Buffer, Pool};

thread_local! {
    /// Where the kernels copy transposed factors. It is there from the first product on.
    static WORK: RefCell<Option<Buffer>> = const { RefCell::new(None) };
}

/// A factor of a product: its elements, the shape in which they are stored, and whether the product takes the
/// transpose.
#[derive(Clone, Copy)]
pub(super) struct Factor<'a> {
    pub(super) stored: Shape,
    pub(super) elements: SmallElements<'a>,
    pub(super) transposed: bool,
}

fn block<T: Real>(data: *const T, stride: usize, shape: Shape) -> sys::kernel_block {
    sys::kernel_block {
        data: data.cast_mut().cast(),
        stride_bytes: (stride * size_of::<T>()) as u32,
        rows: shape.rows,
        columns: shape.columns,
        precision: T::PRECISION as u32,
    }
}

/// Computes a small product in arithmetic of type `T`. Its factors have as many elements as their shapes, which fit
/// each other and the result, and its inner side has a host's `parts`. `pads`: whether the kernels need them
/// ([`spe_kernels::products_need_pads`]).
///
/// # Errors
/// [`Error::Memory`](crate::error::Error::Memory) when there is no memory for the kernel's work.
pub(super) fn compute<T: Real>(
    [left, right]: [Factor<'_>; 2],
    parts: Axis,
    (shape, mut result): (Shape, SmallDestination<'_>),
    pads: bool,
) -> Result<()> {
    let copies = Copies { flat: false };
    let (mut a, mut b) = (Room::<T>::new(), Room::<T>::new());
    let in_groups = pads && shape.rows > 1;
    let (first, first_stride) =
        copies.elements(&mut a, (left.stored, left.elements), in_groups && !left.transposed);
    let (second, second_stride) = copies.elements(&mut b, (right.stored, right.elements), false);
    let operands = [
        block(first.as_ptr(), first_stride, left.stored),
        block(second.as_ptr(), second_stride, right.stored),
    ];
    let chain = chain(parts, [left.transposed, right.transposed]);
    let execute = |to: &mut [T], stride: usize| {
        let result = block(to.as_mut_ptr(), stride, shape);
        WORK.with_borrow_mut(|work| {
            let work = match work {
                Some(work) => work,
                None => work.insert(Pool::new(0, false).allocate(PRODUCT_WORK_BYTES)?),
            };
            // SAFETY: the blocks are slices with as many elements as their shapes, and with pads where the kernels
            // read or write groups; the shapes and the parts fit each other, and a host's parts are short enough for
            // transposes; the result is borrowed uniquely. The buffer is as large as products need, pools align to
            // 128 bytes, and this thread alone has the buffer.
            unsafe {
                spe_kernels::execute_product_of_blocks(&operands, &chain, &result, work.pointer());
            }
            Ok(())
        })
    };
    let ((rows, columns), padded) = (copies.sides(shape), copies.stride::<T>(shape));
    if let Some(to) = T::as_it_is(&mut result).filter(|_| !in_groups || rows == padded) {
        return execute(to, rows);
    }
    let mut c = Room::<T>::new();
    let to = c.take(padded * columns);
    execute(to, padded)?;
    give_columns(result, to, (rows, padded));
    Ok(())
}
