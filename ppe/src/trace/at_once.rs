//! Operations that are computed instead of being recorded.
//!
//! Recording an operation, and executing it later, takes longer than adding two short vectors. So a recorder
//! may have a [`Calculator`], which computes an operation whose operands are known. The result is a value
//! whose elements are known, as if the program had handed it over.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::graph::Part;
use super::rules::conversion_for;
use super::{Recorder, Result, Value};
use crate::matrix::Matrix;
use crate::operation::{Class, Form, OpKind, Parameters, Precision, Shape};

/// An operation without its operands.
#[derive(Debug, Clone, Copy)]
pub struct Stated {
    /// What it computes.
    pub kind: OpKind,
    /// Which operands are values.
    pub form: Form,
    /// Precision of the result. The operands have it as well, except in a conversion, and where bytes are
    /// read or written ([`computed_in`](super::computed_in)).
    pub precision: Precision,
    /// Shape of the result.
    pub shape: Shape,
    /// Which operands of a product are stored transposed.
    pub transposed: [bool; 2],
    /// The scalar of the scalar forms.
    pub scalar: f64,
    /// The parameters of a move or reduction; zeros for any other operation.
    pub parameters: Parameters,
}

impl Stated {
    /// What is asked about the operation, whose first operand is stored with this shape.
    #[must_use]
    pub fn part(&self, operand: Shape) -> Part {
        let operand = if self.transposed[0] { operand.transposed() } else { operand };
        Part {
            kind: Some(self.kind),
            precision: self.precision,
            shape: self.shape,
            operand,
            is_elsewhere: false,
        }
    }
}

/// Computes operations in the thread that states them.
pub trait Calculator: fmt::Debug + Send + Sync {
    /// Whether it would compute such an operation. The question comes before the operands are looked at.
    fn wants(&self, operation: Part) -> bool;

    /// The result of an operation on known operands. None when the operation has to be recorded: its result
    /// would be complex, there is no memory, or another thread computes at the moment.
    fn compute(&self, operation: &Stated, operands: [Option<&Arc<Matrix>>; 2]) -> Option<Matrix>;
}

impl Recorder {
    /// The same recorder, with a calculator.
    #[must_use]
    pub fn with_calculator(self, calculator: Arc<dyn Calculator>) -> Recorder {
        Recorder { calculator: Some(calculator), ..self }
    }

    /// The result of an operation of this class, if the calculator computes it. `computed`: the precision of
    /// its operands, where it cannot read bytes.
    pub(super) fn at_once(
        &self,
        stated: &Stated,
        class: Class,
        computed: Precision,
        operands: [Option<&Value>; 2],
    ) -> Result<Option<Value>> {
        let (Some(calculator), [Some(first), second]) = (&self.calculator, operands) else { return Ok(None) };
        if !calculator.wants(stated.part(first.shape)) {
            return Ok(None);
        }
        let known = |value: &Value| value.matrix().filter(|matrix| matrix.is_here());
        let Some(first) = known(first) else { return Ok(None) };
        let second = match second.map(known) {
            Some(None) => return Ok(None),
            second => second.flatten(),
        };
        let converted = |matrix: Arc<Matrix>| {
            let Some((kind, form, scalar)) = conversion_for(stated.kind, matrix.precision(), computed) else {
                return Some(matrix);
            };
            let (precision, shape, transposed) = (computed, matrix.shape(), [false; 2]);
            let conversion = Stated { kind, form, precision, shape, transposed, scalar, ..*stated };
            calculator.compute(&conversion, [Some(&matrix), None]).map(Arc::new)
        };
        let Some(first) = converted(first) else { return Ok(None) };
        let second = match second.map(converted) {
            Some(None) => return Ok(None),
            second => second.flatten(),
        };
        let Some(matrix) = calculator.compute(stated, [Some(&first), second.as_ref()]) else {
            return Ok(None);
        };
        self.shared.computed.fetch_add(1, Ordering::Relaxed);
        self.constant(matrix, class).map(Some)
    }
}
