//! The reference: executes the operations of a trace one after the other, by code that is easily seen to be
//! right.
//!
//! The reference defines the results by which engines are judged. It calls no kernel of the MEUs.
//! [`spe_kernels::definition`] defines element-wise operations, and judges the kernels in the tests of that
//! crate as well. `product` defines products, and `direct` defines moves and reductions.
//!
//! In the arithmetic of SPEs ([`Arithmetic::Spu`]) what SPEs execute is computed by the MEU's sources, single
//! precision over a definition of the SPU's arithmetic in integers (`spe`).

mod direct;
mod product;
mod spe;

use std::sync::Arc;

use crate::error::{Error, Failure, Result};
use crate::lower::Target;
use crate::matrix::{Element, Matrix};
use crate::operation::{Form, OpKind, Precision};
use crate::pool::Pool;
use crate::trace::{Operand, Trace, TraceOperation};
use product::Operators;
use spe_kernels::{Opcode, Processor, definition};

/// How elements are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Arithmetic {
    /// As IEEE 754 and Octave do.
    #[default]
    Ieee,
    /// As SPEs with this processor do. Operations that they do not have are computed as the PPE does.
    Spu(Processor),
}

/// Executes all operations of a trace.
///
/// # Errors
/// A [`Failure`] names the operation whose result would be complex, or has no memory.
pub fn execute(trace: &Trace, target: &Target, arithmetic: Arithmetic, pool: &Pool) -> Result<(), Failure> {
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
                    let matrix = slot.get().ok_or_else(missing)?;
                    matrix.bring(&|| false)?;
                    operands.push(Arc::clone(matrix));
                }
            }
        }
        let computed = precision_of(trace, operation);
        let read = |operand: &Arc<Matrix>| match operation.kind {
            OpKind::Convert => Ok(Arc::clone(operand)),
            _ => in_numbers(operand, computed, pool),
        };
        let operands = operands.iter().map(read).collect::<Result<Vec<_>>>();
        let result = operands.and_then(|operands| match arithmetic {
            Arithmetic::Spu(processor) if spe::differs(operation, &operands) => {
                spe::compute(operation, &operands, processor, target, pool)
            }
            _ => compute_in(computed, operation, &operands, target, pool),
        });
        let index = index as u32;
        let domain = || Error::Domain { blame: trace.blame(index) };
        let result = result.and_then(|result| result.ok_or_else(domain));
        let result = Arc::new(result.map_err(|error| trace.failure(index, error))?);
        if let Some(slot) = &operation.keep {
            // A slot is filled only once, because each sealing makes new slots.
            _ = slot.set(Arc::clone(&result));
        }
        results.push(result);
    }
    Ok(())
}

/// The precision in which an operation is computed. Bytes are defined as what the operation gives in numbers.
fn precision_of(trace: &Trace, operation: &TraceOperation) -> Precision {
    let of_elements = !operation.kind.is_direct() && operation.kind != OpKind::Convert;
    let computed = if of_elements { trace.computed_in(operation) } else { operation.precision };
    computed.of_numbers()
}

/// A matrix, or a copy in this precision of a matrix of bytes.
fn in_numbers(matrix: &Arc<Matrix>, precision: Precision, pool: &Pool) -> Result<Arc<Matrix>> {
    let shape = matrix.shape();
    let value = |r: usize, c: usize| matrix.value(r as u32, c as u32);
    match (matrix.precision(), precision) {
        (Precision::Byte, Precision::Double) => Matrix::from_fn(shape, pool, value).map(Arc::new),
        (Precision::Byte, _) => Matrix::from_fn(shape, pool, |r, c| value(r, c) as f32).map(Arc::new),
        _ => Ok(Arc::clone(matrix)),
    }
}

/// The result of an operation, computed in a precision of numbers.
fn compute_in(
    computed: Precision,
    operation: &TraceOperation,
    operands: &[Arc<Matrix>],
    target: &Target,
    pool: &Pool,
) -> Result<Option<Matrix>> {
    let result = match computed {
        Precision::Double => compute::<f64>(operation, operands, target, pool),
        _ => compute::<f32>(operation, operands, target, pool),
    }?;
    match (result, operation.precision) {
        (Some(result), Precision::Byte) => {
            let truth = |r: usize, c: usize| u8::from(result.value(r as u32, c as u32) != 0.0);
            Matrix::from_fn(operation.shape, pool, truth).map(Some)
        }
        (result, _) => Ok(result),
    }
}

/// The type of an element, which has definitions of its operations.
trait Real: Element + definition::Number {}

impl Real for f32 {}

impl Real for f64 {}

/// The result of an operation; None when it would be complex.
fn compute<T: Real>(
    operation: &TraceOperation,
    operands: &[Arc<Matrix>],
    target: &Target,
    pool: &Pool,
) -> Result<Option<Matrix>> {
    let shape = operation.shape;
    match operation.kind {
        OpKind::Multiply => {
            let operators = Operators::<T>::ieee();
            return product::multiply(&operands[0], &operands[1], target, pool, &operators).map(Some);
        }
        OpKind::Convert => {
            let from = &operands[0];
            return Matrix::from_fn(shape, pool, |r, c| T::of(from.value(r as u32, c as u32))).map(Some);
        }
        kind if kind.is_direct() => return direct::compute::<T>(operation, operands, pool).map(Some),
        _ => {}
    }
    let opcode = Opcode::ALL[operation.kind as usize];
    let mut outside = false;
    let result = each_element(operation, operands, T::of(operation.scalar), pool, |a, b| {
        outside |= definition::is_outside(opcode, a.double(), b.double());
        T::element(opcode, a, b)
    })?;
    Ok((!outside).then_some(result))
}

/// Applies `compute` to each element of one or two operands, or of an operand and a scalar.
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
