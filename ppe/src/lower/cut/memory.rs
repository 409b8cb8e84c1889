//! How the results of operations in main memory are cut: by caches, and by the number of MEUs.

use super::super::target::{MemoryLimits, ProductLimits, Target};
use super::partition::{Axis, Grid, MAX_PART};
use crate::operation::{Precision, Shape, Side};

/// Least bytes of a piece that is made for one more MEU: waking the MEU costs as much as computing them.
const LEAST_PIECE_BYTES: usize = 16 << 10;

/// Number of columns that a reduction adds up side by side.
const COLUMNS_ABREAST: usize = 8;

/// Most bytes of sums that a block operation holds while it adds up rows.
const MOST_ROW_BYTES: usize = 16 << 10;

/// Pieces of a result for each of several MEUs: the one that has finished first goes on with another one.
pub(super) const EACH: usize = 2;

impl Target {
    /// How many pieces of a result the MEUs want that its operation can count on.
    fn wanted_pieces(&self) -> usize {
        let all = if self.meus == 1 { 1 } else { EACH * self.meus };
        self.memory.and_then(|memory| memory.pieces).map_or(all, |pieces| all.min(pieces as usize))
    }
}

impl MemoryLimits {
    /// The pieces of a matrix: whole columns where they are short enough.
    pub(super) fn pieces(&self, target: &Target, shape: Shape, precision: Precision) -> Grid {
        if shape.rows == 1 && shape.columns > 1 {
            // A row is cut as a column is: its elements touch, so parts are whole quadwords.
            let Grid { rows, columns } = self.pieces(target, shape.transposed(), precision);
            return Grid { rows: columns, columns: rows };
        }
        let divisor = target.blocks.divisor(precision);
        let (rows, columns) = (shape.rows as usize, shape.columns as usize);
        let padded = rows.next_multiple_of(divisor);
        let share = padded * columns * precision.element_bytes() / target.wanted_pieces();
        let bytes = share.clamp(LEAST_PIECE_BYTES.min(self.piece_bytes), self.piece_bytes);
        let elements = bytes / precision.element_bytes();
        let longest = elements.min(MAX_PART) / divisor * divisor;
        let rows_limit = padded.min(longest).max(divisor);
        let columns_limit = (elements / rows_limit).clamp(1, MAX_PART);
        Grid { rows: Axis::new(rows, rows_limit, divisor), columns: Axis::new(columns, columns_limit, 1) }
    }

    /// The pieces of a matrix that is reduced; a piece has whole columns (or rows). Several columns are added
    /// up side by side. When rows are added up, a piece has as many rows as sums fit the nearest cache.
    pub(super) fn reduced(&self, target: &Target, shape: Shape, side: Side, precision: Precision) -> Grid {
        let whole = target.blocks.reduction_grid(shape, side, precision);
        let part = |length: u32, least: usize, most: usize, divisor: usize| {
            let share = (length as usize).div_ceil(target.wanted_pieces());
            Axis::new(length as usize, share.clamp(least, most).next_multiple_of(divisor), divisor)
        };
        match side {
            Side::Column => {
                let column_bytes = shape.rows.max(1) as usize * precision.element_bytes();
                let most = (self.piece_bytes / column_bytes).clamp(COLUMNS_ABREAST, MAX_PART);
                Grid { columns: part(shape.columns, COLUMNS_ABREAST, most, COLUMNS_ABREAST), ..whole }
            }
            Side::Row => {
                let divisor = target.blocks.divisor(precision);
                let most = MOST_ROW_BYTES / precision.element_bytes();
                Grid { rows: part(shape.rows, most / 16, most, divisor), ..whole }
            }
        }
    }
}

impl ProductLimits {
    /// Multiply-adds below which a product is not cut for the sake of more MEUs.
    const WORTH_CUTTING: u64 = 1 << 20;

    /// Elements read and written below which a product is not cut for the sake of more MEUs, either.
    const WORTH_CUTTING_ELEMENTS: u64 = 1 << 13;

    /// A product with so few columns, or rows, streams the other operand through the processor. Longer pieces
    /// stream better, so each MEU gets one block.
    const FEW: usize = 16;

    /// Elements of a cache line. Parts of rows and of the inner side begin at a whole line.
    fn line(precision: Precision) -> usize {
        64 / precision.element_bytes()
    }

    /// The cut of the inner side. The bits of the result depend on it, so it follows from the length alone.
    pub(super) fn inner_axis(&self, inner: usize, precision: Precision) -> Axis {
        Axis::new(inner, self.inner, ProductLimits::line(precision))
    }

    /// The cut of a rows x columns result whose elements are sums of `inner` products. The cut of rows and
    /// columns changes no bits, so it may depend on the number of MEUs: each MEU should get the same number
    /// of blocks, unless the product has only a share of the MEUs.
    pub(super) fn grid(
        &self,
        [rows, columns, inner]: [usize; 3],
        precision: Precision,
        target: &Target,
    ) -> Grid {
        let meus = target.meus;
        let (line, most_columns) = (ProductLimits::line(precision), self.columns[precision as usize]);
        // The elements of one row touch, so its parts are whole quadwords, as parts of a column are.
        let column_divisor = if rows == 1 { line } else { self.tile_columns };
        // A block that is short on one side may be longer on the other.
        let elements = self.rows * most_columns;
        let longest = |other: usize, least: usize| (elements / other.max(1)).clamp(least, MAX_PART);
        let mut row_parts = rows.div_ceil(longest(columns.min(most_columns), self.rows));
        let mut column_parts = columns.div_ceil(longest(rows.min(self.rows), most_columns));

        let [m, n, k] = [rows, columns, inner].map(|side| side as u64);
        let work = (m * n * k / ProductLimits::WORTH_CUTTING)
            .max((m * k + k * n + m * n) / ProductLimits::WORTH_CUTTING_ELEMENTS);
        let all = if rows.min(columns) <= ProductLimits::FEW { meus } else { EACH * meus };
        let shared = target.wanted_pieces();
        // Of a product with a share of the MEUs each piece helps. Alone, it has pieces for all MEUs or none.
        let wanted = match work.min(all.min(shared) as u64) as usize {
            wanted if shared < all => wanted,
            wanted => wanted / meus * meus,
        };
        let is_even = |parts: usize| {
            parts >= wanted && (shared < all || parts >= 16 * meus || parts.is_multiple_of(meus))
        };
        while wanted > 1 && !is_even(row_parts * column_parts) {
            // Rows are cut rather than columns: in a power, a block row of a product needs only the same
            // block row of the product before.
            if rows / row_parts > 2 * line.max(columns / column_parts / 8) {
                row_parts += 1;
            } else if columns / column_parts > self.tile_columns {
                column_parts += 1;
            } else {
                break;
            }
        }
        let axis = |length: usize, parts: usize, divisor: usize| {
            Axis::new(length, length.div_ceil(divisor).div_ceil(parts.max(1)).max(1) * divisor, divisor)
        };
        Grid { rows: axis(rows, row_parts, line), columns: axis(columns, column_parts, column_divisor) }
    }
}
