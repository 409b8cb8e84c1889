//! Recording of moves and reductions.

use super::{Limit, Recorder, Recording, Signature, Value, ValueType, rules};
use crate::error::{Error, Result};
use crate::matrix::Matrix;
use crate::operation::{Class, Form, OpKind, Parameters, Precision, Shape, Side, View};

impl Recorder {
    /// Records a view of a value, of this shape.
    ///
    /// # Errors
    /// [`Error::Argument`] when an element lies outside of the value.
    pub fn view(&self, a: &Value, shape: Shape, view: View, file: &str, line: u32) -> Result<Recording> {
        rules::check_view(view, shape, a.shape)?;
        self.record_direct(OpKind::View, shape, a.class, [Some(a), None], view.parameters(), (file, line))
    }

    /// Records a value repeated `down` times downwards and `right` times to the right.
    ///
    /// # Errors
    /// [`Error::Memory`] when the result is too large.
    pub fn repeat(&self, a: &Value, times: (u64, u64), file: &str, line: u32) -> Result<Recording> {
        let side = |length: u32, times: u64| u64::from(length).saturating_mul(times);
        let shape = Shape::new(side(a.shape.rows, times.0), side(a.shape.columns, times.1))?;
        self.record_direct(OpKind::Repeat, shape, a.class, [Some(a), None], [0; 4], (file, line))
    }

    /// Records two values one below the other ([`Side::Column`]) or side by side ([`Side::Row`]). The class
    /// is Octave's: single as soon as one is single, logical when both are.
    ///
    /// # Errors
    /// [`Error::Argument`] with Octave's text when the shapes do not fit.
    pub fn join(&self, a: &Value, b: &Value, side: Side, file: &str, line: u32) -> Result<Recording> {
        let (shape, class) = rules::join(a.value_type(), b.value_type(), side)?;
        let parameters = [side as i64, 0, 0, 0];
        // An operand without elements contributes its class only.
        match (a.shape.is_empty(), b.shape.is_empty()) {
            (true, false) => self.in_class(b, class, file, line),
            (false, true) => self.in_class(a, class, file, line),
            _ => self.record_direct(OpKind::Join, shape, class, [Some(a), Some(b)], parameters, (file, line)),
        }
    }

    fn in_class(&self, a: &Value, class: Class, file: &str, line: u32) -> Result<Recording> {
        match class {
            Class::Logical => Ok(Recording { value: a.clone(), limit: None }),
            Class::Single => self.convert(a, Precision::Single, file, line),
            Class::Double => self.convert(a, Precision::Double, file, line),
        }
    }

    /// Records the elements on the diagonals from `least` to `most`, with zeros elsewhere. Diagonal 0 is the
    /// main diagonal; diagonals 1, 2, ... are above it.
    ///
    /// # Errors
    /// [`Error::Fork`]
    pub fn band(&self, a: &Value, least: i64, most: i64, file: &str, line: u32) -> Result<Recording> {
        self.record_direct(OpKind::Band, a.shape, a.class, [Some(a), None], [least, most, 0, 0], (file, line))
    }

    /// Records the square matrix that has the elements of a vector on one diagonal, and zeros elsewhere.
    ///
    /// # Errors
    /// [`Error::Argument`] when `a` is no vector; [`Error::Memory`] when the result is too large.
    pub fn diagonal(&self, a: &Value, diagonal: i64, file: &str, line: u32) -> Result<Recording> {
        if a.shape.rows != 1 && a.shape.columns != 1 {
            return Err(Error::Argument(format!("a {} matrix is no vector", a.shape)));
        }
        let side = a.shape.elements().saturating_add(diagonal.unsigned_abs());
        let shape = Shape::new(side, side)?;
        self.record_direct(
            OpKind::Diagonal,
            shape,
            a.class,
            [Some(a), None],
            [diagonal, 0, 0, 0],
            (file, line),
        )
    }

    /// Records a reduction of each column or row to one element, or cumulative sums along them.
    ///
    /// # Errors
    /// [`Error::Argument`] for other kinds.
    pub fn reduce(&self, kind: OpKind, a: &Value, side: Side, file: &str, line: u32) -> Result<Recording> {
        let (shape, class) = rules::reduction(kind, a.value_type(), side)?;
        self.record_direct(kind, shape, class, [Some(a), None], [side as i64, 0, 0, 0], (file, line))
    }

    /// Records the Euclidean norm of all elements together.
    ///
    /// # Errors
    /// [`Error::Fork`]
    pub fn norm(&self, a: &Value, file: &str, line: u32) -> Result<Recording> {
        let (shape, class) = rules::reduction(OpKind::Norm, a.value_type(), Side::Column)?;
        self.record_direct(OpKind::Norm, shape, class, [Some(a), None], [0; 4], (file, line))
    }

    fn record_direct(
        &self,
        kind: OpKind,
        shape: Shape,
        class: Class,
        operands: [Option<&Value>; 2],
        parameters: Parameters,
        (file, line): (&str, u32),
    ) -> Result<Recording> {
        for operand in operands.into_iter().flatten() {
            self.own(operand)?;
        }
        // Bytes become numbers where a value beside them is stored so.
        let mut precisions = operands.into_iter().flatten().map(|operand| operand.precision);
        let stored = precisions.find(|&precision| precision != Precision::Byte).unwrap_or(Precision::Byte);
        let precision = match class {
            Class::Single => Precision::Single,
            Class::Double => Precision::Double,
            Class::Logical => stored,
        };
        let nothing = operands.into_iter().flatten().all(|operand| operand.shape.is_empty());
        if shape.is_empty() || nothing {
            let element = kind.of_nothing().unwrap_or(0.0);
            let matrix = match precision {
                Precision::Single => Matrix::from_fn(shape, &self.pool, |_, _| element as f32),
                Precision::Double => Matrix::from_fn(shape, &self.pool, |_, _| element),
                Precision::Byte => Matrix::from_fn(shape, &self.pool, |_, _| u8::from(element != 0.0)),
            };
            return Ok(Recording { value: self.constant(matrix?, class)?, limit: None::<Limit> });
        }
        let signature = Signature { kind, result: ValueType { shape, class, precision } };
        self.finish_recording(signature, Form::Values, operands, 0.0, Some(parameters), file, line)
    }
}
