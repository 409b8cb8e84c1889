//! The definition of a matrix product, with its order of summation.
//!
//! The inner side is cut as lowering cuts it. Over one part, an element is a chain of fused multiply-adds
//! from +0 in the order of the inner index; then +0 is added, so the sum is never -0. The sums of as many
//! parts as a chain holds are added in order. The sums of the chains are added in pairs, first in, first out.
//! So shapes and block limits alone decide every bit.

use std::collections::VecDeque;

use super::Real;
use crate::error::Result;
use crate::lower::Target;
use crate::matrix::{Element, Matrix};
use crate::operation::Shape;
use crate::pool::Pool;
use spe_kernels::Opcode;

/// The arithmetic of a product.
pub(super) struct Operators<T> {
    /// a * b + c, rounded once
    pub(super) fused: fn(T, T, T) -> T,
    pub(super) add: fn(T, T) -> T,
}

impl<T: Real> Operators<T> {
    pub(super) fn ieee() -> Operators<T> {
        Operators { fused: T::fused, add: |a, b| T::element(Opcode::Add, a, b) }
    }
}

/// The product of two matrices.
pub(super) fn multiply<T: Real>(
    a: &Matrix,
    b: &Matrix,
    target: &Target,
    pool: &Pool,
    Operators { fused, add }: &Operators<T>,
) -> Result<Matrix> {
    let shape = Shape { rows: a.shape().rows, columns: b.shape().columns };
    let inner = target.inner_axis(shape, a.shape().columns, <T as Element>::PRECISION);
    let rows: Vec<Vec<T>> = (0..shape.rows as usize)
        .map(|r| (0..a.shape().columns).map(|k| a.column::<T>(k)[r]).collect())
        .collect();
    Matrix::from_fn(shape, pool, |r, c| {
        let (row, column) = (&rows[r], b.column::<T>(c as u32));
        let product = |part: u32| {
            let first = inner.offset(part) as usize;
            let range = first..first + inner.logical(part) as usize;
            let sum = range.fold(T::of(0.0), |sum, k| fused(row[k], column[k], sum));
            add(sum, T::of(0.0))
        };
        let mut sums: VecDeque<T> = (0..inner.parts())
            .step_by(target.blocks.chain)
            .map(|first| {
                let rest = first + 1..inner.parts().min(first + target.blocks.chain as u32);
                rest.fold(product(first), |sum, part| add(sum, product(part)))
            })
            .collect();
        let mut sum = sums.pop_front();
        while let (Some(first), Some(second)) = (sum, sums.pop_front()) {
            sums.push_back(add(first, second));
            sum = sums.pop_front();
        }
        sum.unwrap_or(T::of(0.0))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lower::BlockLimits;

    #[test]
    fn products_are_summed_in_the_order_of_lowering() {
        let pool = Pool::new(0, true);
        let blocks = BlockLimits { block_elements: [4, 4], divisor: [2, 2], ..BlockLimits::paper() };
        let target = Target { blocks, ..Target::paper(1) };
        let shape = |rows, columns| Shape { rows, columns };
        let row = Matrix::from_columns(shape(1, 5), &[1e30f32, 1.0, -1e30, 1.0, 1.0], &pool).unwrap();
        let ones = Matrix::from_columns(shape(5, 1), &[1f32; 5], &pool).unwrap();
        // Parts (1e30 + 1), (-1e30 + 1), (1); then the first two, then the third.
        assert_eq!(
            multiply::<f32>(&row, &ones, &target, &pool, &Operators::ieee()).unwrap().value(0, 0),
            1.0
        );
        let row = Matrix::from_columns(shape(1, 5), &[1e30f32, 1.0, 1.0, 1.0, -1e30], &pool).unwrap();
        assert_eq!(
            multiply::<f32>(&row, &ones, &target, &pool, &Operators::ieee()).unwrap().value(0, 0),
            0.0
        );
        let special = Matrix::from_columns(shape(2, 1), &[f64::INFINITY, f64::NAN], &pool).unwrap();
        let zeros = Matrix::from_columns(shape(1, 2), &[0f64, 0.0], &pool).unwrap();
        assert!(
            multiply::<f64>(&special, &zeros, &target, &pool, &Operators::ieee())
                .unwrap()
                .values()
                .all(f64::is_nan)
        );
    }
}
