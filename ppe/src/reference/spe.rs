//! The reference in the arithmetic of SPEs: it has the bits that an MEU on an SPE computes.
//!
//! `spe-kernels/README.md` describes this arithmetic. What SPEs execute differs from IEEE arithmetic in
//! single precision. Functions of the C library differ in double precision too: an SPE has vector code for
//! them. The PPE of a Cell executes all other operations.

use std::sync::Arc;

use spe_kernels::{Opcode, Processor, Status, spe};

use super::product::{Operators, multiply};
use super::{Real, direct, each_element};
use crate::error::Result;
use crate::lower::Target;
use crate::matrix::Matrix;
use crate::operation::{KindSet, OpKind, Precision, Side};
use crate::pool::Pool;
use crate::trace::TraceOperation;

/// Whether this operation has other results on an SPE.
pub(super) fn differs(operation: &TraceOperation, operands: &[Arc<Matrix>]) -> bool {
    let single = |precision| precision == Precision::Single;
    let convert = operation.kind == OpKind::Convert && single(operands[0].precision());
    let library = Opcode::ALL.get(operation.kind as usize).is_some_and(|opcode| opcode.is_library());
    !operation.kind.is_move()
        && KindSet::SPE.contains(operation.kind)
        && (single(operation.precision) || convert || library)
}

/// The result of an operation; None when it would be complex.
pub(super) fn compute(
    operation: &TraceOperation,
    operands: &[Arc<Matrix>],
    processor: Processor,
    target: &Target,
    pool: &Pool,
) -> Result<Option<Matrix>> {
    let (kind, from) = (operation.kind, &operands[0]);
    match (kind, from.precision(), operation.precision) {
        (OpKind::Multiply, ..) => {
            let operators = Operators { fused: spe::multiply_add, add: |a, b| spe::multiply_add(a, 1.0, b) };
            return multiply::<f32>(from, &operands[1], target, pool, &operators).map(Some);
        }
        (OpKind::Convert, Precision::Single, Precision::Double) => {
            let value = |r: usize, c: usize| spe::extend(processor, from.column::<f32>(c as u32)[r]);
            return Matrix::from_fn(operation.shape, pool, value).map(Some);
        }
        (OpKind::Convert, Precision::Double, Precision::Single) => {
            let value = |r: usize, c: usize| spe::round(from.column::<f64>(c as u32)[r]);
            return Matrix::from_fn(operation.shape, pool, value).map(Some);
        }
        (OpKind::Convert, Precision::Single, Precision::Single) => {
            let value = |r: usize, c: usize| from.column::<f32>(c as u32)[r];
            return Matrix::from_fn(operation.shape, pool, value).map(Some);
        }
        (OpKind::CumulativeSum, ..) => {
            return direct::cumulative(operation, from, pool, |sum, a| spe::multiply_add(a, 1.0, sum))
                .map(Some);
        }
        (OpKind::Norm, ..) => {
            let elements = (0..from.shape().columns).flat_map(|c| from.column::<f32>(c)).copied();
            // No operation of a norm is outside of its domain.
            let element = |opcode, a, b| spe::element(processor, opcode, a, b).unwrap_or_default();
            let norm = direct::norm(elements, element);
            return Matrix::from_fn(operation.shape, pool, |_, _| norm).map(Some);
        }
        (kind, ..) if kind.is_reduction() => return reduce(operation, from, pool).map(Some),
        _ => {}
    }
    match operation.precision {
        Precision::Single => {
            elementwise(operation, operands, spe::round(operation.scalar), (processor, pool))
        }
        // No operation that differs gives bytes.
        Precision::Double | Precision::Byte => {
            elementwise(operation, operands, operation.scalar, (processor, pool))
        }
    }
}

/// A reduction of singles, one element after the other.
fn reduce(operation: &TraceOperation, from: &Matrix, pool: &Pool) -> Result<Matrix> {
    let add = |a, b| spe::multiply_add(a, 1.0, b);
    let times = |a, b| spe::multiply_add(a, b, 0.0);
    let step = |sum: f32, a: f32| match operation.kind {
        OpKind::Product => times(sum, a),
        OpKind::SumSquares => add(times(a, a), sum),
        OpKind::Maximum if spe::less(sum, a) => a,
        OpKind::Minimum if spe::less(a, sum) => a,
        OpKind::Maximum | OpKind::Minimum => sum,
        // Octave's NaN is no truth, though the SPU compares it as a number.
        OpKind::Any if spe::equal(a, 0.0) || a.is_nan() => sum,
        OpKind::All if !spe::equal(a, 0.0) => sum,
        OpKind::Any => 1.0,
        OpKind::All => 0.0,
        _ => add(a, sum),
    };
    // There is no NaN: extrema begin with the number that no other one is below, or above.
    let start = match operation.kind {
        OpKind::Product | OpKind::All => 1.0,
        OpKind::Maximum => f32::from_bits(0xffff_ffff),
        OpKind::Minimum => f32::from_bits(0x7fff_ffff),
        _ => 0.0,
    };
    let side = Side::of(&operation.parameters());
    Matrix::from_fn(operation.shape, pool, |r, c| match side {
        Side::Column => from.column::<f32>(c as u32).iter().copied().fold(start, step),
        Side::Row => (0..from.shape().columns).map(|c| from.column::<f32>(c)[r]).fold(start, step),
    })
}

fn elementwise<T: Real>(
    operation: &TraceOperation,
    operands: &[Arc<Matrix>],
    scalar: T,
    (processor, pool): (Processor, &Pool),
) -> Result<Option<Matrix>> {
    let opcode = Opcode::ALL[operation.kind as usize];
    let mut complex = false;
    let result = each_element(operation, operands, scalar, pool, |a, b| {
        let value = spe::element(processor, opcode, a, b);
        complex |= value == Err(Status::Domain);
        value.unwrap_or_default()
    })?;
    Ok((!complex).then_some(result))
}
