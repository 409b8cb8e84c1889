//! Parameters of moves and reductions.
//!
//! Moves take elements to other positions, and reductions combine columns or rows. Both read or write
//! elements without alignment, so most of them are executed in memory, not in a local store.

use super::Shape;

/// The parameters of an operation. Their meaning depends on the kind:
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
    /// The elements of a column: Octave's dimension 1.
    Column = 0,
    /// The elements of a row: Octave's dimension 2.
    Row = 1,
}

impl Side {
    /// The side that [`Parameters`] hold.
    #[must_use]
    pub fn of(parameters: &Parameters) -> Side {
        if parameters[0] == 0 { Side::Column } else { Side::Row }
    }

    /// Octave's rule where a program names no side: the first side whose length is not 1.
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

    /// Shape of a matrix after each column, or row, has been reduced to one element.
    #[must_use]
    pub fn reduced(self, shape: Shape) -> Shape {
        match self {
            Side::Column => Shape { rows: 1, ..shape },
            Side::Row => Shape { columns: 1, ..shape },
        }
    }
}

/// What a view takes of complex elements; real elements are taken as they are. The engine has no complex
/// numbers. This parameter is for a caller that computes a view itself, after its elements have turned out to
/// be complex.
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

/// The longest step from row to row that an SPE takes. DMA fetches the rows between as well.
pub(crate) const MOST_ROWS_APART: u64 = 16;

/// DMA counts the bytes from column to column with 32 bits.
const MOST_ELEMENTS_APART: u64 = 1 << 28;

/// How a view takes a rectangle of its operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Taken {
    /// As it is.
    AsItIs,
    /// Transposed.
    Transposed,
    /// Rows and columns that lie so far apart, in reverse order where the number is negative.
    Picked { rows_apart: i64, columns_apart: i64 },
}

impl Taken {
    /// The rows and columns that DMA fetches for a block of the view.
    pub(crate) fn fetched(self, (rows, columns): (u32, u32)) -> (u32, u32) {
        match self {
            Taken::AsItIs => (rows, columns),
            Taken::Transposed => (columns, rows),
            Taken::Picked { rows_apart, .. } => ((rows - 1) * rows_apart.unsigned_abs() as u32 + 1, columns),
        }
    }
}

/// Which elements of a matrix a view takes. Element (i, j) of the view is the element with number `offset +
/// row_step * i + column_step * j`, counted from 0, column after column, without gaps.
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
    /// What the view takes of complex elements.
    pub part: Part,
}

impl View {
    /// The transpose of a matrix of this shape.
    #[must_use]
    pub fn transpose(shape: Shape) -> View {
        View { offset: 0, row_step: i64::from(shape.rows), column_step: 1, part: Part::Whole }
    }

    /// Whether a view with these parameters, and a result of shape `to`, is the transpose of a matrix of
    /// shape `from`.
    #[must_use]
    pub fn is_transpose(parameters: &Parameters, from: Shape, to: Shape) -> bool {
        to == from.transposed() && *parameters == View::transpose(from).parameters()
    }

    /// All elements, reshaped into `rows` rows.
    #[must_use]
    pub fn reshape(rows: u32) -> View {
        View { offset: 0, row_step: 1, column_step: i64::from(rows), part: Part::Whole }
    }

    /// Rows `row`, `row + row_step`, ... and columns `column`, `column + column_step`, ..., all from 0, of a
    /// matrix of this shape.
    #[must_use]
    pub fn slice(shape: Shape, (row, row_step): (i64, i64), (column, column_step): (i64, i64)) -> View {
        let rows = i64::from(shape.rows);
        let column_step = column_step * rows;
        View { offset: row + column * rows, row_step, column_step, part: Part::Whole }
    }

    /// Whether all elements of a `result` are elements of an `operand`.
    pub(crate) fn lies_within(self, result: Shape, operand: Shape) -> bool {
        let last = |count: u32| i128::from(count) - 1;
        let inside = |i: i128, j: i128| {
            let at =
                i128::from(self.offset) + i128::from(self.row_step) * i + i128::from(self.column_step) * j;
            (0..i128::from(operand.elements())).contains(&at)
        };
        let (i, j) = (last(result.rows), last(result.columns));
        result.is_empty() || (inside(0, 0) && inside(i, 0) && inside(0, j) && inside(i, j))
    }

    /// How the elements of a `result` are taken from a rectangle of the `operand`; None if they are not.
    pub(crate) fn of_rectangle(parameters: &Parameters, operand: Shape, result: Shape) -> Option<Taken> {
        let &[offset, row_step, column_step, _] = parameters;
        let [height, rows, columns] = [operand.rows, result.rows, result.columns].map(i64::from);
        let top = offset.checked_rem_euclid(height)?;
        let steps = |down, right| (rows <= 1 || row_step == down) && (columns <= 1 || column_step == right);
        if steps(1, height) && top + rows <= height {
            return Some(Taken::AsItIs);
        }
        if steps(height, 1) && top + columns <= height {
            return Some(Taken::Transposed);
        }
        let rows_apart = if rows <= 1 { 1 } else { row_step };
        let columns_apart = if columns <= 1 { height } else { column_step };
        let is_picked = (1..=MOST_ROWS_APART).contains(&rows_apart.unsigned_abs())
            && (0..height).contains(&(top + rows_apart * (rows - 1)))
            && columns_apart != 0
            && columns_apart % height == 0
            && columns_apart.unsigned_abs() <= MOST_ELEMENTS_APART;
        is_picked.then(|| Taken::Picked { rows_apart, columns_apart: columns_apart / height })
    }

    pub(crate) fn parameters(self) -> Parameters {
        [self.offset, self.row_step, self.column_step, self.part as i64]
    }
}
