//! Which part of an operation's result is emitted at a time: all of the result, or the columns of one panel.

use std::ops::Range;

use super::cut::partition::Grid;

/// The part of a result that is emitted now.
#[derive(Debug, Clone)]
pub(super) struct Extent {
    /// The blocks of the result's matrix.
    pub(super) grid: Grid,
    /// The columns of blocks that are emitted.
    pub(super) parts: Range<u32>,
    /// The column of the value at which the matrix begins: 0 except for panels.
    pub(super) first_column: u32,
}

impl Extent {
    /// All of a result.
    pub(super) fn whole(grid: Grid) -> Extent {
        Extent { grid, parts: 0..grid.columns.parts(), first_column: 0 }
    }
}
