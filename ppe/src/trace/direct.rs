//! Direct operations: those that move elements, or reduce columns and rows.
//!
//! They read or write elements wherever these lie, so they are executed in main memory rather than on blocks in a local store.
//! What they need to know besides their operands is a small record of numbers, their [`Parameters`].

use super::operation::{Class, Form, OpKind, Precision, Shape, Takes};
use super::{Limit, Recorder, Recording, Value};
use crate::error::{Error, Result};
use crate::matrix::Matrix;

/// What an operation needs to know besides its operands; the meaning depends on the kind:
///
/// | kind | numbers |
/// |---|---|
/// | view | offset, row step, column step, and the [`Part`], as in [`View`] |
/// | join, reductions, cumulative sum | the side, as in [`Side`] |
/// | band | the lowest and the highest diagonal that is kept |
/// | diagonal | the diagonal |
pub type Parameters = [i64; 4];

/// Which elements an operation takes together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Side {
    /// Those of a column: Octave's dimension 1.
    Column = 0,
    /// Those of a row: Octave's dimension 2.
    Row = 1,
}

impl Side {
    /// The side that [`Parameters`] hold.
    #[must_use]
    pub fn of(parameters: &Parameters) -> Side {
        if parameters[0] == 0 { Side::Column } else { Side::Row }
    }

    /// Octave's rule where a program names none: the first side that is not of length 1.
    #[must_use]
    pub fn first_long(shape: Shape) -> Side {
        if shape.rows == 1 { Side::Row } else { Side::Column }
    }

    /// Number of elements that are taken together.
    #[must_use]
    pub fn length(self, shape: Shape) -> u32 {
        match self {
            Side::Column => shape.rows,
            Side::Row => shape.columns,
        }
    }

    /// Shape of what is left of a matrix when each column, or row, has become one element.
    #[must_use]
    pub fn reduced(self, shape: Shape) -> Shape {
        match self {
            Side::Column => Shape { rows: 1, ..shape },
            Side::Row => Shape { columns: 1, ..shape },
        }
    }
}

/// What a view takes of elements that turn out to be complex; real elements are taken as they are.  The engine has no complex
/// numbers: this is for a caller that computes the view itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(u8)]
pub enum Part {
    /// The elements themselves.
    #[default]
    Whole = 0,
    /// Their conjugates, as the transpose `a'` takes them.
    Conjugate = 1,
    /// Their real parts.
    Real = 2,
}

/// Which elements of a matrix are those of a view: element (i, j) of the view is the element with number
/// `offset + row_step * i + column_step * j`, counted from 0, column after column, without gaps.
///
/// Slices, transposes, diagonals, reversed and reshaped matrices are all of this form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct View {
    /// The element that becomes (0, 0).
    pub offset: i64,
    /// Elements from one row to the next.
    pub row_step: i64,
    /// Elements from one column to the next.
    pub column_step: i64,
    /// What it takes of complex ones.
    pub part: Part,
}

impl View {
    /// The transpose of a matrix of this shape.
    #[must_use]
    pub fn transpose(shape: Shape) -> View {
        View { offset: 0, row_step: i64::from(shape.rows), column_step: 1, part: Part::Whole }
    }

    /// The same elements in `rows` rows.
    #[must_use]
    pub fn reshape(rows: u32) -> View {
        View { offset: 0, row_step: 1, column_step: i64::from(rows), part: Part::Whole }
    }

    /// Rows `row`, `row + row_step`, ... and columns `column`, `column + column_step`, ..., all from 0, of a matrix of this shape.
    #[must_use]
    pub fn slice(shape: Shape, (row, row_step): (i64, i64), (column, column_step): (i64, i64)) -> View {
        let rows = i64::from(shape.rows);
        let column_step = column_step * rows;
        View { offset: row + column * rows, row_step, column_step, part: Part::Whole }
    }

    /// Whether all elements of a `result` are elements of an `operand`.
    fn lies_within(self, result: Shape, operand: Shape) -> bool {
        let last = |count: u32| i128::from(count) - 1;
        let inside = |i: i128, j: i128| {
            let at =
                i128::from(self.offset) + i128::from(self.row_step) * i + i128::from(self.column_step) * j;
            (0..i128::from(operand.elements())).contains(&at)
        };
        let (i, j) = (last(result.rows), last(result.columns));
        result.is_empty() || (inside(0, 0) && inside(i, 0) && inside(0, j) && inside(i, j))
    }

    pub(crate) fn parameters(self) -> Parameters {
        [self.offset, self.row_step, self.column_step, self.part as i64]
    }
}

impl OpKind {
    /// True for the operations that are executed in main memory.
    #[must_use]
    pub fn is_direct(self) -> bool {
        self.takes() == Takes::DIRECT
    }

    /// True for direct operations that read elements anywhere in their operand, not in the place of a block.
    #[must_use]
    pub fn reads_anywhere(self) -> bool {
        matches!(self, OpKind::View | OpKind::Repeat | OpKind::Diagonal)
    }

    /// True for what makes one element of a column or row.
    #[must_use]
    pub fn is_reduction(self) -> bool {
        use OpKind::{All, Any, Maximum, Minimum, Product, Sum, SumSquares};
        matches!(self, Sum | Product | SumSquares | Any | All | Maximum | Minimum)
    }

    /// True for what reads many elements for each one that it makes.
    #[must_use]
    pub fn is_sum(self) -> bool {
        self.is_reduction() || self == OpKind::Norm
    }

    /// What a reduction gives for no elements at all; None when that is no element either.
    fn of_nothing(self) -> Option<f64> {
        match self {
            OpKind::Sum | OpKind::SumSquares | OpKind::Any | OpKind::Norm => Some(0.0),
            OpKind::Product | OpKind::All => Some(1.0),
            _ => None,
        }
    }
}

impl Recorder {
    /// Records a view of a value, of this shape.
    ///
    /// # Errors
    /// [`Error::Argument`] when an element lies outside.
    pub fn view(&self, a: &Value, shape: Shape, view: View, file: &str, line: u32) -> Result<Recording> {
        if !view.lies_within(shape, a.shape) {
            return Err(Error::Argument(format!("a {shape} view leaves its {} matrix", a.shape)));
        }
        self.record_direct(OpKind::View, shape, a.class, [Some(a), None], view.parameters(), (file, line))
    }

    /// Records a value repeated so many times downwards and to the right.
    ///
    /// # Errors
    /// [`Error::Memory`] when the result is too large.
    pub fn repeat(&self, a: &Value, times: (u64, u64), file: &str, line: u32) -> Result<Recording> {
        let side = |length: u32, times: u64| u64::from(length).saturating_mul(times);
        let shape = Shape::new(side(a.shape.rows, times.0), side(a.shape.columns, times.1))?;
        self.record_direct(OpKind::Repeat, shape, a.class, [Some(a), None], [0; 4], (file, line))
    }

    /// Records two values one below the other ([`Side::Column`]) or side by side ([`Side::Row`]).  The class is Octave's: single
    /// as soon as one is single, logical when both are.
    ///
    /// # Errors
    /// [`Error::Argument`] with Octave's text when the shapes do not fit.
    pub fn join(&self, a: &Value, b: &Value, side: Side, file: &str, line: u32) -> Result<Recording> {
        let (x, y) = (a.shape, b.shape);
        let (fit, name, shape) = match side {
            Side::Column => (
                x.columns == y.columns,
                "vertical",
                Shape::new(u64::from(x.rows) + u64::from(y.rows), x.columns.into())?,
            ),
            Side::Row => (
                x.rows == y.rows,
                "horizontal",
                Shape::new(x.rows.into(), u64::from(x.columns) + u64::from(y.columns))?,
            ),
        };
        if !fit {
            return Err(Error::Argument(format!("{name} dimensions mismatch ({x} vs {y})")));
        }
        // What has no elements gives its class alone.
        let class = match (a.class, b.class) {
            (Class::Single, _) | (_, Class::Single) => Class::Single,
            (Class::Logical, Class::Logical) => Class::Logical,
            _ => Class::Double,
        };
        let parameters = [side as i64, 0, 0, 0];
        match (x.is_empty(), y.is_empty()) {
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

    /// Records what lies on the diagonals from `least` to `most` (0 the main one, above it 1, 2, ...), and zeros elsewhere.
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
        let class = match kind {
            OpKind::Any | OpKind::All => Class::Logical,
            OpKind::Maximum | OpKind::Minimum => a.class,
            _ if a.class == Class::Single => Class::Single,
            _ => Class::Double,
        };
        let shape = match kind {
            OpKind::CumulativeSum => a.shape,
            // Of no elements there is no largest one.
            OpKind::Maximum | OpKind::Minimum if side.length(a.shape) == 0 => a.shape,
            kind if kind.is_reduction() => side.reduced(a.shape),
            _ => return Err(Error::Argument(format!("{} is no reduction", kind.name()))),
        };
        self.record_direct(kind, shape, class, [Some(a), None], [side as i64, 0, 0, 0], (file, line))
    }

    /// Records the Euclidean norm of all elements together.
    ///
    /// # Errors
    /// [`Error::Fork`]
    pub fn norm(&self, a: &Value, file: &str, line: u32) -> Result<Recording> {
        let class = if a.class == Class::Single { Class::Single } else { Class::Double };
        let shape = Shape { rows: 1, columns: 1 };
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
        let stored = operands[0].map_or(Precision::Double, |a| a.precision);
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
            };
            return Ok(Recording { value: self.constant(matrix?, class)?, limit: None::<Limit> });
        }
        self.finish_recording(
            kind,
            Form::Values,
            shape,
            (class, precision),
            operands,
            0.0,
            Some(parameters),
            file,
            line,
        )
    }
}
