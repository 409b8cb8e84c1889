//! The functions that move elements or reduce columns and rows, recorded as direct operations.

use super::construct;
use super::subscript::{self, Subscript};
use crate::error::{Error, Result};
use crate::operation::{OpKind, Part, Shape, Side, View};
use crate::session::Session;
use crate::trace::Value;

/// What a function of this kind does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direct {
    /// `transpose (x)` and `x'`
    Transpose,
    /// `reshape (x, n, m)`
    Reshape,
    /// `slice (x, first row, last row, first column, last column)`, and perhaps the steps of rows and
    /// columns.
    Slice,
    /// `diagonalof (x, k)`: Octave's `diag` of a matrix.
    DiagonalOf,
    /// `repmat (x, n, m)`
    Repeat,
    /// `vertcat (x, y)` and `horzcat (x, y)`
    Join(Side),
    /// `tril (x, k)`
    Lower,
    /// `triu (x, k)`
    Upper,
    /// `diag (x, k)` of a vector.
    Diagonal,
    /// A reduction, `sum (x, dimension)` and its like.
    Reduce(OpKind),
    /// `norm (x)`: of all elements together.
    Norm,
}

impl Direct {
    /// The kind of operation that is recorded.
    #[must_use]
    pub fn kind(self) -> OpKind {
        match self {
            Direct::Transpose | Direct::Reshape | Direct::Slice | Direct::DiagonalOf => OpKind::View,
            Direct::Repeat => OpKind::Repeat,
            Direct::Join(_) => OpKind::Join,
            Direct::Lower | Direct::Upper => OpKind::Band,
            Direct::Diagonal => OpKind::Diagonal,
            Direct::Reduce(kind) => kind,
            Direct::Norm => OpKind::Norm,
        }
    }
}

/// Matrices that a function takes: 1, or 2 to join.
#[must_use]
pub fn matrices(direct: Direct) -> usize {
    if matches!(direct, Direct::Join(_)) { 2 } else { 1 }
}

fn whole(number: f64, name: &str) -> Result<i64> {
    if number.fract() != 0.0 || number.abs() > f64::from(i32::MAX) {
        let number = super::display::number(number, false);
        return Err(Error::Argument(format!("{name}: {number} is not a whole number of reasonable size")));
    }
    Ok(number as i64)
}

/// Records a function of `values`; `numbers` are its other arguments.
///
/// # Errors
/// [`Error::Argument`] for numbers that make no sense, or shapes that do not fit.
pub fn record(
    session: &Session,
    (direct, name): (Direct, &str),
    values: &[Value],
    numbers: &[f64],
    (file, line): (&str, u32),
) -> Result<Value> {
    let a = &values[0];
    let shape = a.shape();
    let number = |index: usize, default: i64| numbers.get(index).map_or(Ok(default), |&x| whole(x, name));
    if direct == Direct::Slice {
        let side = |first: usize, step: usize| Subscript::Range {
            first: numbers[first],
            step: numbers.get(step).copied().unwrap_or(1.0),
            last: numbers[first + 1],
        };
        return subscript::record(session, name, a, &[side(0, 4), side(2, 5)], (file, line));
    }
    session.record(|recorder| match direct {
        Direct::Transpose => {
            let transposed = Shape { rows: shape.columns, columns: shape.rows };
            recorder.view(a, transposed, View::transpose(shape), file, line)
        }
        Direct::Reshape => {
            let (rows, columns) = (number(0, 0)? as f64, number(1, 0)? as f64);
            let reshaped = construct::shape(rows, columns, name)?;
            if reshaped.elements() != shape.elements() {
                let what = format!("reshape: can't reshape {shape} array to {reshaped} array");
                return Err(Error::Argument(what));
            }
            recorder.view(a, reshaped, View::reshape(reshaped.rows), file, line)
        }
        Direct::Slice => unreachable!("recorded above"),
        Direct::DiagonalOf => {
            let k = number(0, 0)?;
            let (row, column) = ((-k).max(0), k.max(0));
            let count = (i64::from(shape.rows) - row).min(i64::from(shape.columns) - column).max(0);
            let view = View {
                offset: row + column * i64::from(shape.rows),
                row_step: i64::from(shape.rows) + 1,
                column_step: 0,
                part: Part::Whole,
            };
            recorder.view(a, Shape::new(count.unsigned_abs(), 1)?, view, file, line)
        }
        Direct::Repeat => {
            let times = |number: i64| number.max(0).unsigned_abs();
            recorder.repeat(a, (times(number(0, 1)?), times(number(1, 1)?)), file, line)
        }
        Direct::Join(side) => recorder.join(a, &values[1], side, file, line),
        Direct::Lower => recorder.band(a, i64::from(i32::MIN), number(0, 0)?, file, line),
        Direct::Upper => recorder.band(a, number(0, 0)?, i64::from(i32::MAX), file, line),
        Direct::Diagonal => recorder.diagonal(a, number(0, 0)?, file, line),
        Direct::Reduce(kind) => {
            let side = match number(0, Side::first_long(shape) as i64 + 1)? {
                1 => Side::Column,
                2 => Side::Row,
                other => return Err(Error::Argument(format!("{name}: there is no dimension {other}"))),
            };
            recorder.reduce(kind, a, side, file, line)
        }
        Direct::Norm => recorder.norm(a, file, line),
    })
}
