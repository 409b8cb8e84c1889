//! Recording of an operation that a trace from elsewhere has.

use super::{Recorder, Recording, TraceOperation, Value};
use crate::error::{Error, Result};
use crate::operation::{Class, Form, OpKind, Parameters, Part, Side, View};

fn side(parameters: Parameters) -> Result<Side> {
    [Side::Column, Side::Row]
        .into_iter()
        .find(|&side| side as i64 == parameters[0])
        .ok_or_else(|| Error::Argument(format!("there is no side {}", parameters[0])))
}

fn view([offset, row_step, column_step, part]: Parameters) -> Result<View> {
    let part = [Part::Whole, Part::Conjugate, Part::Real].into_iter().find(|&known| known as i64 == part);
    let part = part.ok_or_else(|| Error::Argument("a view takes an unknown part of its elements".into()))?;
    Ok(View { offset, row_step, column_step, part })
}

impl Recorder {
    /// Records an operation of another session's trace, on these values in place of its operands. Nothing is taken on
    /// trust: the operation is checked as one that a program states, and must have the result that the trace says.
    ///
    /// # Errors
    /// [`Error::Argument`] when it has not, and the errors of stating such an operation.
    pub fn restate(
        &self,
        operation: &TraceOperation,
        operands: [Option<&Value>; 2],
        file: &str,
        line: u32,
    ) -> Result<Recording> {
        let TraceOperation { kind, form, precision, class, shape, scalar, .. } = *operation;
        let parameters = operation.parameters();
        let missing = || Error::Argument(format!("{} has too few operands", kind.name()));
        let [a, b] = operands;
        let a = a.ok_or_else(missing)?;
        let recording = match (kind, b) {
            (OpKind::Convert, None) => self.convert(a, precision, file, line),
            (OpKind::View, None) => self.view(a, shape, view(parameters)?, file, line),
            (OpKind::Repeat, None) => {
                let times = |length: u32, of: u32| u64::from(length) / u64::from(of.max(1));
                let (down, right) = (times(shape.rows, a.shape.rows), times(shape.columns, a.shape.columns));
                self.repeat(a, (down, right), file, line)
            }
            (OpKind::Band, None) => self.band(a, parameters[0], parameters[1], file, line),
            (OpKind::Diagonal, None) => self.diagonal(a, parameters[0], file, line),
            (OpKind::Norm, None) => self.norm(a, file, line),
            (OpKind::Join, b) => self.join(a, b.ok_or_else(missing)?, side(parameters)?, file, line),
            (kind, None) if kind.is_direct() => self.reduce(kind, a, side(parameters)?, file, line),
            (kind, None) if form == Form::Values => self.unary(kind, a, file, line),
            (kind, None) => {
                let beside = if class == Class::Logical { Class::Double } else { class };
                self.binary_scalar(kind, form, a, scalar, beside, file, line)
            }
            (kind, Some(b)) => self.binary(kind, a, b, file, line),
        }?;
        let value = &recording.value;
        if (value.shape, value.class) != (shape, class) {
            let (found, name) = (value.shape, kind.name());
            let what =
                format!("{name} has a {found} result of its operands, and a {shape} result in the trace");
            return Err(Error::Argument(what));
        }
        Ok(recording)
    }
}
