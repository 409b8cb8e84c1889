//! Sealed traces: plain lists that lowering and the reference read without a lock.

use std::sync::Arc;

use super::graph::ResultSlot;
use super::rules::computed_in;
use crate::error::{Blame, Error, Failure, Site};
use crate::operation::{Class, Form, OpId, OpKind, Parameters, Precision, Shape};

/// Where an operation of a trace finds an operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operand {
    /// There is none, or it is the operation's scalar.
    None,
    /// The result of an earlier operation of this trace.
    Operation(u32),
    /// A value that was known before this trace.
    Constant(u32),
}

/// A value from outside the trace.
#[derive(Debug, Clone)]
pub struct TraceConstant {
    /// Its matrix, which is filled in before the trace is lowered.
    pub slot: Arc<ResultSlot>,
    /// Its shape.
    pub shape: Shape,
    /// Its precision.
    pub precision: Precision,
}

/// An operation of a sealed trace.
#[derive(Debug, Clone)]
pub struct TraceOperation {
    /// Its node.
    pub id: OpId,
    /// What it computes.
    pub kind: OpKind,
    /// Which operands are values.
    pub form: Form,
    /// Precision of the result, and of the operands. An element-wise operation may also have a result in
    /// bytes or operands in bytes, and a sum of bytes is a number.
    pub precision: Precision,
    /// Class of the result.
    pub class: Class,
    /// Shape of the result.
    pub shape: Shape,
    /// Operands; with a scalar form the value is operand 0.
    pub operands: [Operand; 2],
    /// The scalar of the scalar forms.
    pub scalar: f64,
    /// The parameters of a move or reduction.
    pub parameters: Option<Box<Parameters>>,
    /// Where the result goes, if a handle holds the value, or an operation outside of the trace reads it.
    /// None for an intermediate result.
    pub keep: Option<Arc<ResultSlot>>,
    /// Where it was recorded.
    pub site: Arc<Site>,
}

/// Bytes of an operation in a sealed trace: the operation, two constants, a slot for its result, and its
/// parameters.
pub(super) const SEALED_BYTES: usize = size_of::<TraceOperation>() + 2 * size_of::<TraceConstant>() + 128;

/// A sealed trace: operations in the order of recording, which is topological.
#[derive(Debug)]
pub struct Trace {
    /// Number of the trace, from 1.
    pub id: u64,
    /// Values that it reads from outside.
    pub constants: Vec<TraceConstant>,
    /// Its operations.
    pub operations: Vec<TraceOperation>,
    /// Bytes that it pins: results and constants.
    pub bytes: u64,
}

impl Trace {
    pub(super) fn new(id: u64, operations: usize, bytes: u64) -> Trace {
        Trace { id, constants: Vec::new(), operations: Vec::with_capacity(operations), bytes }
    }

    /// How much there is to compute, in elements. A product counts its multiplications, and a reduction
    /// counts the elements that it reads.
    #[must_use]
    pub fn work(&self) -> u64 {
        self.operations.iter().map(|operation| self.work_of(operation)).fold(0, u64::saturating_add)
    }

    /// How much an operation computes, as [`work`](Trace::work) counts it.
    #[must_use]
    pub fn work_of(&self, operation: &TraceOperation) -> u64 {
        let elements = |operand| match operand {
            Operand::None => 0,
            operand => self.operand(operand).0.elements(),
        };
        match operation.kind {
            OpKind::Multiply => {
                let inner = self.operand(operation.operands[0]).0.columns;
                operation.shape.elements().saturating_mul(inner.into())
            }
            kind if kind.is_sum() => elements(operation.operands[0]),
            _ => operation.shape.elements(),
        }
    }

    /// Shape and precision of an operand.
    ///
    /// # Panics
    /// For [`Operand::None`].
    #[must_use]
    pub fn operand(&self, operand: Operand) -> (Shape, Precision) {
        match operand {
            Operand::Operation(index) => {
                let operation = &self.operations[index as usize];
                (operation.shape, operation.precision)
            }
            Operand::Constant(index) => {
                let constant = &self.constants[index as usize];
                (constant.shape, constant.precision)
            }
            Operand::None => panic!("a scalar has no shape"),
        }
    }

    /// The precision in which an element-wise operation is computed ([`computed_in`]).
    #[must_use]
    pub fn computed_in(&self, operation: &TraceOperation) -> Precision {
        let operands = operation.operands.into_iter().filter(|&operand| operand != Operand::None);
        let stored = operands.map(|operand| self.operand(operand).1).chain([operation.precision]);
        computed_in(operation.kind, operation.form, operation.scalar, stored)
    }

    /// Nodes and edges of the data dependence graph, constants included (the paper's table of graph sizes).
    #[must_use]
    pub fn graph_size(&self) -> (usize, usize) {
        let edges = self.operations.iter().flat_map(|o| o.operands).filter(|&o| o != Operand::None).count();
        (self.constants.len() + self.operations.len(), edges)
    }

    /// The operation, for an error message.
    #[must_use]
    pub fn blame(&self, index: u32) -> Blame {
        let operation = &self.operations[index as usize];
        Blame { kind: operation.kind, shape: operation.shape, site: Site::clone(&operation.site) }
    }

    /// A failure that concerns the operation.
    #[must_use]
    pub fn failure(&self, index: u32, error: Error) -> Failure {
        let error = match error {
            Error::Memory { bytes, .. } => Error::Memory { bytes, purpose: self.blame(index).to_string() },
            error => error,
        };
        Failure { error, operation: Some(self.operations[index as usize].id) }
    }
}
