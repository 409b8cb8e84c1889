//! How matrices are cut that several ranks hold.
//!
//! A **rank** is one process of several that hold matrices together, and a **shard** is the part of a matrix
//! that one rank owns and that travels as a whole. Block operations on shards are the block operations of
//! MEUs in main memory: only the cut of rows and columns differs, which changes no bit.

use super::super::target::Target;
use super::partition::{Axis, Grid, MAX_PART};
use crate::error::{Error, Result};
use crate::operation::Shape;

/// Rows and columns of shards are multiples of this. 16 bytes are a quadword, and 16 elements of a longer kind are whole
/// quadwords, so matrices of all precisions are cut alike.
const DIVISOR: usize = 16;

/// A longer side has longer shards instead of more: each shard costs every rank a few microseconds.
const MOST_PARTS: usize = 64;

/// How matrices are cut into shards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShardLimits {
    /// Rows and columns of a shard, at most, of a matrix whose sides are not very long.
    pub side: u32,
}

impl ShardLimits {
    /// Shards of 512 x 512 elements: to multiply two of them takes some milliseconds, a thousand times as long as to
    /// insert the operation.
    pub const USUAL: ShardLimits = ShardLimits { side: 512 };

    /// Checks that shards can be made.
    ///
    /// # Errors
    /// [`Error::Argument`]
    pub fn validate(&self) -> Result<()> {
        let side = self.side as usize;
        if side == 0 || !side.is_multiple_of(DIVISOR) || side > MAX_PART {
            let what =
                format!("a shard of {side} rows: they are a multiple of {DIVISOR} and at most {MAX_PART}");
            return Err(Error::Argument(what));
        }
        Ok(())
    }

    /// The cut of a side, which follows from its length alone. So the operands of an element-wise operation are cut
    /// as its result is, and nothing has to travel.
    fn axis(&self, length: u32) -> Axis {
        let (length, side) = (length as usize, self.side as usize);
        let longest = length.div_ceil(MOST_PARTS).next_multiple_of(DIVISOR);
        Axis::new(length, longest.clamp(side, MAX_PART), DIVISOR)
    }

    /// The shards of a matrix.
    #[must_use]
    pub fn grid(&self, shape: Shape) -> Grid {
        Grid { rows: self.axis(shape.rows), columns: self.axis(shape.columns) }
    }
}

impl Target {
    /// The shards of a matrix, for a target that has shards.
    pub(in crate::lower) fn shards_of(&self, shape: Shape) -> Option<Grid> {
        self.shards.map(|shards| shards.grid(shape))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_side_is_cut_by_its_length_alone() {
        let grid = |rows, columns| ShardLimits::USUAL.grid(Shape { rows, columns });
        let sides = |axis: Axis| (axis.parts(), axis.padded(0));
        let square = grid(1024, 1000);
        assert_eq!([square.rows, square.columns].map(sides), [(2, 512), (2, 512)]);
        assert_eq!(grid(1024, 3).rows, square.rows);
        assert_eq!(sides(grid(1_000_000, 1).rows), (64, 15_632));
        assert_eq!(grid(1, 1).rows.logical(0), 1);
        assert_eq!(grid(0, 5).rows.parts(), 0);
    }

    #[test]
    fn senseless_shards_are_refused() {
        assert!(ShardLimits::USUAL.validate().is_ok());
        assert!([0, 40, 1 << 20].iter().all(|&side| ShardLimits { side }.validate().is_err()));
    }
}
