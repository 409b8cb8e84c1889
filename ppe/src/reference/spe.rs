//! The reference in the arithmetic of SPEs: it has the bits that an MEU on an SPE computes in single
//! precision.
//!
//! `spe-kernels/README.md` describes this arithmetic. Only the paper's operations differ from IEEE
//! arithmetic: the PPE of a Cell executes all other operations.

use std::sync::Arc;

use spe_kernels::{Opcode, Processor, Status, spe_single};

use super::each_element;
use super::product::{Operators, multiply};
use crate::error::Result;
use crate::lower::Target;
use crate::matrix::Matrix;
use crate::operation::{KindSet, OpKind, Precision};
use crate::pool::Pool;
use crate::trace::TraceOperation;

/// Whether this operation has other results on an SPE.
pub(super) fn differs(operation: &TraceOperation, operands: &[Arc<Matrix>]) -> bool {
    let single = |precision| precision == Precision::Single;
    let convert = operation.kind == OpKind::Convert && single(operands[0].precision());
    KindSet::PAPER.contains(operation.kind) && (single(operation.precision) || convert)
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
            let operators = Operators {
                fused: spe_single::multiply_add,
                add: |a, b| spe_single::multiply_add(a, 1.0, b),
            };
            return multiply::<f32>(from, &operands[1], target, pool, &operators).map(Some);
        }
        (OpKind::Convert, Precision::Single, Precision::Double) => {
            let value = |r: usize, c: usize| spe_single::extend(processor, from.column::<f32>(c as u32)[r]);
            return Matrix::from_fn(operation.shape, pool, value).map(Some);
        }
        (OpKind::Convert, Precision::Double, Precision::Single) => {
            let value = |r: usize, c: usize| spe_single::round(from.column::<f64>(c as u32)[r]);
            return Matrix::from_fn(operation.shape, pool, value).map(Some);
        }
        (OpKind::Convert, Precision::Single, Precision::Single) => {
            let value = |r: usize, c: usize| from.column::<f32>(c as u32)[r];
            return Matrix::from_fn(operation.shape, pool, value).map(Some);
        }
        _ => {}
    }
    let opcode = Opcode::ALL[kind as usize];
    let mut complex = false;
    let result = each_element(operation, operands, spe_single::round(operation.scalar), pool, |a, b| {
        let value = spe_single::element(processor, opcode, a, b);
        complex |= value == Err(Status::Domain);
        value.unwrap_or_default()
    })?;
    Ok((!complex).then_some(result))
}
