//! Reductions of few elements.

use spe_kernels::sys;

use super::padded::{Real, give};
use super::{SmallDestination, SmallElements, most_elements};
use crate::error::{Error, Result};
use crate::operation::{OpKind, Shape, Side};
use crate::trace::{ValueType, reduction};

/// Reduces each column or row of a matrix of few numbers to one element, or takes cumulative sums along them.
/// [`OpKind::Norm`] takes all elements together, whatever `side` is.
///
/// # Errors
/// [`Error::Argument`] for other kinds, for the norm of logical values, for matrices that are empty or too large, and
/// when the result has another shape or class, or an operand another number of elements than its shape.
pub fn reduce_small(
    kind: OpKind,
    side: Side,
    (shape, elements): (Shape, SmallElements<'_>),
    (result_shape, result): (Shape, SmallDestination<'_>),
) -> Result<()> {
    let expected = reduction(kind, ValueType::of(shape, elements.class()), side)?;
    if shape.is_empty()
        || shape.elements() > most_elements(kind) as u64
        || expected != (result_shape, result.class())
    {
        return Err(Error::Argument(format!("{} of a {shape} matrix has no such small form", kind.name())));
    }
    if elements.len() as u64 != shape.elements() || result.len() as u64 != result_shape.elements() {
        return Err(Error::Argument("the number of elements is not that of the shape".into()));
    }
    match (elements, result) {
        (SmallElements::Single(from), SmallDestination::Single(to)) => {
            reduce_in(kind, side, (shape, from), (result_shape, to))
        }
        (SmallElements::Double(from), SmallDestination::Double(to)) => {
            reduce_in(kind, side, (shape, from), (result_shape, to))
        }
        (SmallElements::Single(from), to) => decide(kind, side, (shape, from), (result_shape, to)),
        (SmallElements::Double(from), to) => decide(kind, side, (shape, from), (result_shape, to)),
        // Sums and products count bytes.
        (SmallElements::Logical(from), SmallDestination::Double(to)) if kind != OpKind::Norm => {
            reduce_in(kind, side, (shape, from), (result_shape, to))
        }
        (SmallElements::Logical(from), SmallDestination::Logical(to)) => {
            reduce_in(kind, side, (shape, from), (result_shape, to))
        }
        (SmallElements::Logical(_), _) => {
            Err(Error::Argument("a logical matrix has no such small reduction".into()))
        }
    }
}

/// A reduction of numbers to truth values, which the kernel gives as numbers.
fn decide<T: Real>(
    kind: OpKind,
    side: Side,
    from: (Shape, &[T]),
    (result_shape, result): (Shape, SmallDestination<'_>),
) -> Result<()> {
    let mut numbers = vec![T::default(); result.len()];
    reduce_in(kind, side, from, (result_shape, &mut numbers))?;
    give(result, numbers.into_iter());
    Ok(())
}

/// A reduction to elements of the same type, or of bytes to doubles.
fn reduce_in<T: spe_kernels::Element, R: spe_kernels::Element>(
    kind: OpKind,
    side: Side,
    (shape, from): (Shape, &[T]),
    (result_shape, to): (Shape, &mut [R]),
) -> Result<()> {
    let matrix = |ea, shape: Shape, element_bytes: usize| sys::direct_matrix {
        ea,
        stride_bytes: u64::from(shape.rows) * element_bytes as u64,
        rows: shape.rows,
        columns: shape.columns,
    };
    let operation = sys::direct_operation {
        opcode: kind as u32,
        precision: R::PRECISION as u32,
        operand_count: 1,
        counts_bytes: (T::PRECISION != R::PRECISION).into(),
        parameters: [side as i64, 0, 0],
        result: matrix(to.as_mut_ptr() as u64, result_shape, size_of::<R>()),
        operands: [matrix(from.as_ptr() as u64, shape, size_of::<T>()), sys::direct_matrix::default()],
        ..sys::direct_operation::default()
    };
    // SAFETY: both matrices are slices with as many elements as their shapes have, and the result is borrowed
    // uniquely.
    unsafe { spe_kernels::execute_direct(&operation) }
        .map_err(|status| Error::Argument(format!("{}: {status}", kind.name())))
}
