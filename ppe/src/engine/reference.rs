//! The reference engine: every operation of a trace, one after the other, in code that is obviously right.
//!
//! This is the definition of the results.  Element-wise operations are Octave's; those which Octave takes from the C library of
//! the machine are the kernels' functions of one element: sin, cos and .^ their own, tested there to be within 1 ulp, the others
//! the C library's.  A matrix product is
//! defined with its order of summation: the inner side is cut as lowering cuts it; over a part an element is a chain of fused
//! multiply-adds from +0 in the order of the inner index, to which +0 is added (so it is never -0); as many of these as a chain
//! holds are added in order; the chains are added in pairs, first in, first out.  So shapes and block limits alone decide every
//! bit.
//!
//! In the arithmetic of SPEs ([`Arithmetic::Spu`]) single precision is defined by what a MEU on an SPE computes.

mod direct;
mod spe;

use std::collections::VecDeque;
use std::sync::Arc;

use crate::error::{Error, Failure, Result};
use crate::lower::BlockLimits;
use crate::matrix::{Element, Matrix};
use crate::operation::{Form, OpKind, Precision};
use crate::pool::Pool;
use crate::trace::{Operand, Trace, TraceOperation};
use spe_kernels::{Block, BlockMut, Opcode, Processor};

/// How single precision is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Arithmetic {
    /// As IEEE 754 and Octave do.
    #[default]
    Ieee,
    /// As SPEs with this processor do, in the paper's operations.
    Spu(Processor),
}

/// Executes all operations of a trace.
///
/// # Errors
/// A [`Failure`] names the operation whose result would be complex, or cannot have its memory.
pub fn execute(
    trace: &Trace,
    limits: &BlockLimits,
    arithmetic: Arithmetic,
    pool: &Pool,
) -> Result<(), Failure> {
    let mut results: Vec<Arc<Matrix>> = Vec::with_capacity(trace.operations.len());
    for (index, operation) in trace.operations.iter().enumerate() {
        let mut operands = Vec::with_capacity(2);
        for operand in operation.operands {
            match operand {
                Operand::None => {}
                Operand::Operation(index) => operands.push(Arc::clone(&results[index as usize])),
                Operand::Constant(index) => {
                    let slot = &trace.constants[index as usize].slot;
                    let missing =
                        || Error::Argument("a value that this trace reads has not been computed".into());
                    operands.push(Arc::clone(slot.get().ok_or_else(missing)?));
                }
            }
        }
        let result = match (arithmetic, operation.precision) {
            (Arithmetic::Spu(processor), _) if spe::differs(operation, &operands) => {
                spe::compute(operation, &operands, processor, limits, pool)
            }
            (_, Precision::Single) => compute::<f32>(operation, &operands, limits, pool),
            (_, Precision::Double) => compute::<f64>(operation, &operands, limits, pool),
        };
        let index = index as u32;
        let domain = || Error::Domain { blame: trace.blame(index) };
        let result = result.and_then(|result| result.ok_or_else(domain));
        let result = Arc::new(result.map_err(|error| trace.failure(index, error))?);
        if let Some(slot) = &operation.keep {
            // A slot is filled once: each sealing makes new ones.
            _ = slot.set(Arc::clone(&result));
        }
        results.push(result);
    }
    Ok(())
}

/// What the definitions need of an element type.
trait Real: Element + PartialOrd + spe_kernels::Element {
    fn of(value: f64) -> Self;
    fn double(self) -> f64;
    fn fused(self, times: Self, plus: Self) -> Self;

    /// A function of the kernels, of one element.
    fn kernel(opcode: Opcode, a: Self, b: Option<Self>) -> Self {
        // A column of one element takes a quadword.
        let (a, b) = ([a; 4], b.map(|b| [b; 4]));
        let mut result = [Self::default(); 4];
        let second = b.as_ref().map(|b| Block::new(b, 1, 1, 4));
        let form = spe_kernels::Form::Blocks;
        let block = BlockMut::new(&mut result, 1, 1, 4);
        // A result that would be complex has been noticed by the caller.
        _ = spe_kernels::execute(opcode, form, 0.0, Block::new(&a, 1, 1, 4), second, block);
        result[0]
    }
}

impl Real for f32 {
    fn of(value: f64) -> f32 {
        value as f32
    }

    fn double(self) -> f64 {
        f64::from(self)
    }

    fn fused(self, times: f32, plus: f32) -> f32 {
        self.mul_add(times, plus)
    }
}

impl Real for f64 {
    fn of(value: f64) -> f64 {
        value
    }

    fn double(self) -> f64 {
        self
    }

    fn fused(self, times: f64, plus: f64) -> f64 {
        self.mul_add(times, plus)
    }
}

/// The result of an operation; None when it would be complex.
fn compute<T: Real>(
    operation: &TraceOperation,
    operands: &[Arc<Matrix>],
    limits: &BlockLimits,
    pool: &Pool,
) -> Result<Option<Matrix>> {
    let shape = operation.shape;
    match operation.kind {
        OpKind::Multiply => {
            let operators = Operators::<T>::ieee();
            return multiply(&operands[0], &operands[1], limits, pool, &operators).map(Some);
        }
        OpKind::Convert => {
            let from = &operands[0];
            return Matrix::from_fn(shape, pool, |r, c| T::of(from.value(r as u32, c as u32))).map(Some);
        }
        kind if kind.is_direct() => return direct::compute::<T>(operation, operands, pool).map(Some),
        _ => {}
    }
    let mut complex = false;
    let result = each_element(operation, operands, T::of(operation.scalar), pool, |a, b| {
        complex |= is_outside(operation.kind, a.double(), b.double());
        elementwise(operation.kind, a, b)
    })?;
    Ok((!complex).then_some(result))
}

/// What `compute` makes of each element of one or two operands, or of an operand and a scalar.
fn each_element<T: Real>(
    operation: &TraceOperation,
    operands: &[Arc<Matrix>],
    scalar: T,
    pool: &Pool,
    mut compute: impl FnMut(T, T) -> T,
) -> Result<Matrix> {
    // A side of length 1 is repeated along a longer side of the result.
    let element = |matrix: &Matrix, r: usize, c: usize| {
        let (rows, columns) = (matrix.shape().rows as usize, matrix.shape().columns as usize);
        matrix.column::<T>(c.min(columns - 1) as u32)[r.min(rows - 1)]
    };
    Matrix::from_fn(operation.shape, pool, |r, c| {
        let first = element(&operands[0], r, c);
        let (a, b) = match operation.form {
            Form::Values => (first, operands.get(1).map_or(first, |second| element(second, r, c))),
            Form::ScalarRight => (first, scalar),
            Form::ScalarLeft => (scalar, first),
        };
        compute(a, b)
    })
}

fn elementwise<T: Real>(kind: OpKind, a: T, b: T) -> T {
    let truth = |condition| T::of(f64::from(u8::from(condition)));
    // One rounding to double and one to single give what a single-precision +, -, * or / gives: 53 >= 2 * 24 + 2.
    let (x, y) = (a.double(), b.double());
    match kind {
        OpKind::Add => T::of(x + y),
        OpKind::Subtract => T::of(x - y),
        OpKind::Times => T::of(x * y),
        OpKind::Divide => T::of(x / y),
        OpKind::Power => T::kernel(Opcode::Power, a, Some(b)),
        OpKind::Mod => modulo(a, b),
        OpKind::Equal => truth(a == b),
        OpKind::NotEqual => truth(a != b),
        OpKind::Abs => T::of(x.abs()),
        OpKind::Sin => T::kernel(Opcode::Sin, a, None),
        OpKind::Cos => T::kernel(Opcode::Cos, a, None),
        OpKind::Sign if x.is_nan() => a,
        OpKind::Sign => T::of(f64::from(i8::from(x > 0.0) - i8::from(x < 0.0))),
        OpKind::Round => T::of(x.round()),
        OpKind::Negate => T::of(-x),
        OpKind::Not => truth(x == 0.0),
        OpKind::Floor => T::of(x.floor()),
        OpKind::Ceil => T::of(x.ceil()),
        OpKind::Fix => T::of(x.trunc()),
        OpKind::Sqrt => T::of(x.sqrt()),
        OpKind::IsNan => truth(x.is_nan()),
        OpKind::IsInf => truth(x.is_infinite()),
        OpKind::IsFinite => truth(x.is_finite()),
        OpKind::Less => truth(a < b),
        OpKind::LessEqual => truth(a <= b),
        OpKind::Greater => truth(a > b),
        OpKind::GreaterEqual => truth(a >= b),
        OpKind::And => truth(x != 0.0 && y != 0.0),
        OpKind::Or => truth(x != 0.0 || y != 0.0),
        OpKind::Max => {
            if a >= b || y.is_nan() {
                a
            } else {
                b
            }
        }
        OpKind::Min => {
            if a <= b || y.is_nan() {
                a
            } else {
                b
            }
        }
        OpKind::MaxRight => {
            if b >= a || x.is_nan() {
                b
            } else {
                a
            }
        }
        OpKind::MinRight => {
            if b <= a || x.is_nan() {
                b
            } else {
                a
            }
        }
        OpKind::Rem => remainder(a, b),
        OpKind::Exp => T::kernel(Opcode::Exp, a, None),
        OpKind::Expm1 => T::kernel(Opcode::Expm1, a, None),
        OpKind::Log => T::kernel(Opcode::Log, a, None),
        OpKind::Log2 => T::kernel(Opcode::Log2, a, None),
        OpKind::Log10 => T::kernel(Opcode::Log10, a, None),
        OpKind::Log1p => T::kernel(Opcode::Log1p, a, None),
        OpKind::Tan => T::kernel(Opcode::Tan, a, None),
        OpKind::Asin => T::kernel(Opcode::Asin, a, None),
        OpKind::Acos => T::kernel(Opcode::Acos, a, None),
        OpKind::Atan => T::kernel(Opcode::Atan, a, None),
        OpKind::Sinh => T::kernel(Opcode::Sinh, a, None),
        OpKind::Cosh => T::kernel(Opcode::Cosh, a, None),
        OpKind::Tanh => T::kernel(Opcode::Tanh, a, None),
        OpKind::Asinh => T::kernel(Opcode::Asinh, a, None),
        OpKind::Acosh => T::kernel(Opcode::Acosh, a, None),
        OpKind::Atanh => T::kernel(Opcode::Atanh, a, None),
        OpKind::Atan2 => T::kernel(Opcode::Atan2, a, Some(b)),
        OpKind::Hypot => T::kernel(Opcode::Hypot, a, Some(b)),
        _ => unreachable!("not element by element"),
    }
}

/// Whether operands are outside of the operation's domain: the result would be complex, or NaN a truth value.
fn is_outside(kind: OpKind, x: f64, y: f64) -> bool {
    match kind {
        // As in Octave, an exponent beyond an int counts as a fraction.
        OpKind::Power => x < 0.0 && !(y == y.round() && -2_147_483_648.0 < y && y < 2_147_483_647.0),
        OpKind::Not => x.is_nan(),
        OpKind::And | OpKind::Or => x.is_nan() || y.is_nan(),
        OpKind::Sqrt | OpKind::Log | OpKind::Log2 | OpKind::Log10 => x < 0.0,
        OpKind::Log1p => x < -1.0,
        OpKind::Asin | OpKind::Acos | OpKind::Atanh => x.abs() > 1.0,
        OpKind::Acosh => x < 1.0,
        _ => false,
    }
}

/// Octave's rem: the sign is that of x, rem (x, 0) is NaN, and quotients are whole as in [`modulo`].
fn remainder<T: Real>(a: T, b: T) -> T {
    let (x, y) = (a.double(), b.double());
    let rounded = |value: f64| T::of(value).double();
    if y == 0.0 {
        return T::of(f64::NAN);
    }
    let quotient = rounded(x / y);
    let rest = match is_whole::<T>(quotient, y) {
        true => 0.0,
        false => rounded(x - rounded(y * quotient.trunc())),
    };
    T::of(if x == y { rest } else { rest.copysign(x) })
}

/// Whether the quotient of something and y is within rounding of a whole number, and y itself is not whole.
fn is_whole<T: Real>(quotient: f64, y: f64) -> bool {
    let epsilon = match <T as Element>::PRECISION {
        Precision::Single => f64::from(f32::EPSILON),
        Precision::Double => f64::EPSILON,
    };
    let whole = (quotient + 0.5).floor();
    (y + 0.5).floor() != y && T::of((quotient - whole) / whole).double().abs() < epsilon
}

/// Octave's mod: the sign is that of y, mod (x, 0) is x, and a quotient within rounding of a whole number counts as whole
/// unless y itself is whole.
fn modulo<T: Real>(a: T, b: T) -> T {
    let (x, y) = (a.double(), b.double());
    let rounded = |value: f64| T::of(value).double();
    if y == 0.0 {
        return a;
    }
    let quotient = rounded(x / y);
    let remainder = match is_whole::<T>(quotient, y) {
        true => 0.0,
        false => rounded(x - rounded(y * quotient.floor())),
    };
    T::of(if x == y { remainder } else { remainder.copysign(y) })
}

/// The arithmetic of a product.
struct Operators<T> {
    /// a * b + c, rounded once
    fused: fn(T, T, T) -> T,
    add: fn(T, T) -> T,
}

impl<T: Real> Operators<T> {
    fn ieee() -> Operators<T> {
        Operators { fused: T::fused, add: |a, b| elementwise(OpKind::Add, a, b) }
    }
}

fn multiply<T: Real>(
    a: &Matrix,
    b: &Matrix,
    limits: &BlockLimits,
    pool: &Pool,
    Operators { fused, add }: &Operators<T>,
) -> Result<Matrix> {
    let shape = crate::operation::Shape { rows: a.shape().rows, columns: b.shape().columns };
    let (_, inner) = limits.product_grid(shape, a.shape().columns, <T as Element>::PRECISION);
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
            .step_by(limits.chain)
            .map(|first| {
                let rest = first + 1..inner.parts().min(first + limits.chain as u32);
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

    fn each(kind: OpKind, a: &[f64], b: &[f64]) -> Vec<f64> {
        a.iter().zip(b).map(|(&a, &b)| elementwise(kind, a, b)).collect()
    }

    fn same(left: &[f64], right: &[f64]) {
        let bits = |values: &[f64]| {
            values.iter().map(|v| if v.is_nan() { 1 } else { v.to_bits() }).collect::<Vec<_>>()
        };
        assert_eq!(bits(left), bits(right), "{left:?} {right:?}");
    }

    const NAN: f64 = f64::NAN;
    const INF: f64 = f64::INFINITY;

    #[test]
    fn mod_is_octaves() {
        same(&each(OpKind::Mod, &[-1., -4., 0., 4.], &[1., 2., -3., -2.]), &[0., 0., -0., -0.]);
        same(
            &each(OpKind::Mod, &[-0., 0., -135., 5., -5.], &[0., -3., 360., 0., 0.]),
            &[-0., -0., 225., 5., -5.],
        );
        same(&each(OpKind::Mod, &[NAN, INF, -INF], &[0., 0., 0.]), &[NAN, INF, -INF]);
        same(&each(OpKind::Mod, &[0.3, -0.3, 2.1], &[0.1, 0.1, 0.1]), &[0., 0., 0.]);
        assert_eq!(elementwise(OpKind::Mod, 5.5f32, 0.1), 0.0);
    }

    #[test]
    fn round_and_sign_are_octaves() {
        let x = [0.49999999999999994, -0.49999999999999994, 4503599627370497., 0.5, -0.5, 2.5, -2.5];
        same(&each(OpKind::Round, &x, &x), &[0., -0., 4503599627370497., 1., -1., 3., -3.]);
        assert_eq!(elementwise(OpKind::Round, 0.49999997f32, 0.0), 0.0);
        let x = [NAN, -0., 0., -INF, 5e-324];
        same(&each(OpKind::Sign, &x, &x), &[NAN, 0., 0., -1., 1.]);
    }

    #[test]
    fn comparisons_and_quotients() {
        let (a, b) = ([NAN, 0., INF], [NAN, -0., INF]);
        same(&each(OpKind::Equal, &a, &b), &[0., 1., 1.]);
        same(&each(OpKind::NotEqual, &a, &b), &[1., 0., 0.]);
        same(&each(OpKind::Divide, &[0., INF, 2.], &[0., INF, 2.]), &[NAN, NAN, 1.]);
        same(&each(OpKind::Times, &[NAN, INF, 1.], &[0.; 3]), &[NAN, NAN, 0.]);
    }

    #[test]
    fn products_are_summed_in_the_order_of_lowering() {
        let pool = Pool::new(0, true);
        let limits = BlockLimits {
            meus: 1,
            block_elements: [4, 4],
            divisor: [2, 2],
            chain: 1,
            stretch: false,
            product: None,
        };
        let shape = |rows, columns| crate::operation::Shape { rows, columns };
        let row = Matrix::from_columns(shape(1, 5), &[1e30f32, 1.0, -1e30, 1.0, 1.0], &pool).unwrap();
        let ones = Matrix::from_columns(shape(5, 1), &[1f32; 5], &pool).unwrap();
        // Parts (1e30 + 1), (-1e30 + 1), (1); then the first two, then the third.
        assert_eq!(
            multiply::<f32>(&row, &ones, &limits, &pool, &Operators::ieee()).unwrap().value(0, 0),
            1.0
        );
        let row = Matrix::from_columns(shape(1, 5), &[1e30f32, 1.0, 1.0, 1.0, -1e30], &pool).unwrap();
        assert_eq!(
            multiply::<f32>(&row, &ones, &limits, &pool, &Operators::ieee()).unwrap().value(0, 0),
            0.0
        );
        let special = Matrix::from_columns(shape(2, 1), &[f64::INFINITY, f64::NAN], &pool).unwrap();
        let zeros = Matrix::from_columns(shape(1, 2), &[0f64, 0.0], &pool).unwrap();
        assert!(
            multiply::<f64>(&special, &zeros, &limits, &pool, &Operators::ieee())
                .unwrap()
                .values()
                .all(f64::is_nan)
        );
    }
}
