//! Rows and columns.

use std::fmt;

/// Rows and columns of a matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Shape {
    /// Number of rows.
    pub rows: u32,
    /// Number of columns.
    pub columns: u32,
}

/// Longest side of a matrix.
pub const MAX_SIDE: u64 = 1 << 30;

/// A side of a matrix would be longer than [`MAX_SIDE`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a {rows}x{columns} matrix (a side is at most {MAX_SIDE})")]
pub struct SideTooLong {
    /// Rows that were asked for.
    pub rows: u64,
    /// Columns that were asked for.
    pub columns: u64,
}

impl Shape {
    /// A shape within bounds.
    ///
    /// # Errors
    /// [`SideTooLong`] when a side is longer than [`MAX_SIDE`].
    pub fn new(rows: u64, columns: u64) -> Result<Shape, SideTooLong> {
        let side = |n: u64| u32::try_from(n).ok().filter(|_| n <= MAX_SIDE);
        match (side(rows), side(columns)) {
            (Some(rows), Some(columns)) => Ok(Shape { rows, columns }),
            _ => Err(SideTooLong { rows, columns }),
        }
    }

    /// Number of elements.
    #[must_use]
    pub fn elements(self) -> u64 {
        u64::from(self.rows) * u64::from(self.columns)
    }

    /// The shape of the transpose.
    #[must_use]
    pub fn transposed(self) -> Shape {
        Shape { rows: self.columns, columns: self.rows }
    }

    /// True when there are no elements.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.rows == 0 || self.columns == 0
    }

    /// True for 1x1.
    #[must_use]
    pub fn is_scalar(self) -> bool {
        self.rows == 1 && self.columns == 1
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.rows, self.columns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absurd_sizes_are_refused() {
        assert!(Shape::new(u64::MAX, 1).is_err());
        assert!(Shape::new(1, MAX_SIDE).is_ok());
    }
}
