//! The definition of moves and reductions.
//!
//! A reduction takes one element after the other in Octave's order, and rounds each time to the precision of
//! the result. So no cut of the matrix and no number of MEUs changes a bit.

use std::sync::Arc;

use super::Real;
use crate::error::Result;
use crate::matrix::Matrix;
use crate::operation::{OpKind, Parameters, Side};
use crate::pool::Pool;
use crate::trace::TraceOperation;
use spe_kernels::Opcode;

/// The result of a move or reduction.
pub(super) fn compute<T: Real>(
    operation: &TraceOperation,
    operands: &[Arc<Matrix>],
    pool: &Pool,
) -> Result<Matrix> {
    let parameters = operation.parameters.as_deref().copied().unwrap_or_default();
    let a = &*operands[0];
    match operation.kind {
        OpKind::Norm => {
            let elements = (0..a.shape().columns).flat_map(|c| a.column::<T>(c)).copied();
            let norm = norm(elements, T::element);
            Matrix::from_fn(operation.shape, pool, |_, _| norm)
        }
        OpKind::CumulativeSum => {
            cumulative(operation, a, pool, |sum: T, element| step(OpKind::Sum, sum, element))
        }
        kind if kind.is_reduction() => {
            let side = Side::of(&parameters);
            Matrix::from_fn(operation.shape, pool, |r, c| match side {
                Side::Column => reduce(kind, a.column::<T>(c as u32).iter().copied()),
                Side::Row => reduce(kind, (0..a.shape().columns).map(|c| a.column::<T>(c)[r])),
            })
        }
        _ => moved::<T>(operation, operands, &parameters, pool),
    }
}

fn moved<T: Real>(
    operation: &TraceOperation,
    operands: &[Arc<Matrix>],
    parameters: &Parameters,
    pool: &Pool,
) -> Result<Matrix> {
    let a = &*operands[0];
    let (rows, columns) = (a.shape().rows as usize, a.shape().columns as usize);
    let element = |matrix: &Matrix, r: usize, c: usize| matrix.column::<T>(c as u32)[r];
    let numbered = |number: usize| element(a, number % rows, number / rows);
    let zero = T::of(0.0);
    Matrix::from_fn(operation.shape, pool, |r, c| {
        let (i, j) = (r as i64, c as i64);
        match operation.kind {
            OpKind::View => numbered((parameters[0] + parameters[1] * i + parameters[2] * j) as usize),
            OpKind::Repeat => element(a, r % rows, c % columns),
            OpKind::Join if Side::of(parameters) == Side::Column && r >= rows => {
                element(&operands[1], r - rows, c)
            }
            OpKind::Join if c >= columns => element(&operands[1], r, c - columns),
            OpKind::Join => element(a, r, c),
            OpKind::Band if (parameters[0]..=parameters[1]).contains(&(j - i)) => element(a, r, c),
            OpKind::Diagonal if j - i == parameters[0] => numbered(r.min(c)),
            _ => zero,
        }
    })
}

fn step<T: Real>(kind: OpKind, sum: T, a: T) -> T {
    let truth = |condition: bool| T::of(f64::from(u8::from(condition)));
    let zero = T::of(0.0);
    match kind {
        OpKind::Product => T::element(Opcode::Times, sum, a),
        OpKind::SumSquares => T::element(Opcode::Add, sum, T::element(Opcode::Times, a, a)),
        OpKind::Any => truth(sum != zero || a < zero || a > zero),
        OpKind::All => truth(sum != zero && a != zero),
        OpKind::Maximum if a > sum || sum.double().is_nan() => a,
        OpKind::Minimum if a < sum || sum.double().is_nan() => a,
        OpKind::Maximum | OpKind::Minimum => sum,
        _ => T::element(Opcode::Add, sum, a),
    }
}

fn reduce<T: Real>(kind: OpKind, elements: impl Iterator<Item = T>) -> T {
    let start = match kind {
        OpKind::Product | OpKind::All => 1.0,
        OpKind::Maximum | OpKind::Minimum => f64::NAN,
        _ => 0.0,
    };
    elements.fold(T::of(start), |sum, a| step(kind, sum, a))
}

/// All partial sums; `add` makes the next sum of a sum and an element.
pub(super) fn cumulative<T: Real>(
    operation: &TraceOperation,
    a: &Matrix,
    pool: &Pool,
    add: impl Fn(T, T) -> T,
) -> Result<Matrix> {
    let side = Side::of(&operation.parameters());
    let mut sums: Vec<Option<T>> = vec![None; a.shape().rows.max(a.shape().columns) as usize];
    // One column after the other: each sum adds this element to the sum above, or to the sum on the left.
    Matrix::from_fn(operation.shape, pool, |r, c| {
        let element = a.column::<T>(c as u32)[r];
        let sum = &mut sums[if side == Side::Column { c } else { r }];
        *sum.insert(sum.map_or(element, |sum| add(sum, element)))
    })
}

/// Octave's scaled accumulation: no square overflows, and no square of a small number vanishes. `compute` is an
/// element-wise operation on one element.
pub(super) fn norm<T: Real>(elements: impl Iterator<Item = T>, compute: impl Fn(Opcode, T, T) -> T) -> T {
    let square = |a: T, b: T| {
        let ratio = compute(Opcode::Divide, a, b);
        compute(Opcode::Times, ratio, ratio)
    };
    let (zero, one) = (T::of(0.0), T::of(1.0));
    let holds = |opcode, a: T, b: T| compute(opcode, a, b) == one;
    let (mut scale, mut squares) = (zero, one);
    for element in elements {
        let size = compute(Opcode::Abs, element, element);
        if holds(Opcode::Equal, scale, size) {
            squares = compute(Opcode::Add, squares, one);
        } else if holds(Opcode::Less, scale, size) {
            squares = compute(Opcode::Add, compute(Opcode::Times, squares, square(scale, size)), one);
            scale = size;
        } else if !holds(Opcode::Equal, size, zero) {
            squares = compute(Opcode::Add, squares, square(size, scale));
        }
    }
    compute(Opcode::Times, scale, compute(Opcode::Sqrt, squares, squares))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extremes_skip_nan_and_keep_the_first_of_equals() {
        let nan = f64::NAN;
        let max = |elements: &[f64]| reduce(OpKind::Maximum, elements.iter().copied());
        assert_eq!(max(&[nan, 1.0, 3.0, nan, 2.0]), 3.0);
        assert!(max(&[nan, nan]).is_nan());
        assert!(max(&[-0.0, 0.0]).is_sign_negative());
        assert_eq!(reduce(OpKind::Minimum, [2.0f32, -1.0, 0.0].into_iter()), -1.0);
    }

    #[test]
    fn sums_go_from_zero_on_in_order() {
        assert!(reduce(OpKind::Sum, [-0.0f64].into_iter()).is_sign_positive());
        assert_eq!(reduce(OpKind::Sum, [1e30f32, 1.0, -1e30, 1.0].into_iter()), 1.0);
        assert_eq!(reduce(OpKind::SumSquares, [3.0f32, 4.0].into_iter()), 25.0);
        assert_eq!(reduce(OpKind::Product, std::iter::empty::<f64>()), 1.0);
        assert_eq!(reduce(OpKind::Any, [0.0, f64::NAN].into_iter()), 0.0);
        assert_eq!(reduce(OpKind::All, [1.0, f64::NAN].into_iter()), 1.0);
    }

    #[test]
    fn norms_neither_overflow_nor_vanish() {
        fn ieee<T: Real>(elements: &[T]) -> T {
            norm(elements.iter().copied(), T::element)
        }
        assert_eq!(ieee(&[3e200f64, 3e200, 3e200, 3e200]), 6e200);
        assert_eq!(ieee(&[3e-200f64, 3e-200, 0.0, 3e-200, 3e-200]), 6e-200);
        assert_eq!(ieee::<f64>(&[]), 0.0);
        assert_eq!(ieee(&[f64::NEG_INFINITY, 1.0]), f64::INFINITY);
    }
}
