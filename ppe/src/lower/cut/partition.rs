//! How a matrix is cut into blocks (paper, "A New Partitioning Scheme").
//!
//! A side of n elements is cut into p = ceil(ceil(n / delta) / floor(sqrt(S) / delta)) parts.  The length of
//! a part is a multiple of delta.  Lengths differ by at most one delta, and the longer parts come first.
//!
//! In the paper the cut depends on n, S and delta alone, so all operands of an operation are cut alike.  Here
//! partitions need not match, since a block operation depends on all block operations that write elements
//! which it reads.

use crate::error::{Error, Result};
use crate::matrix::QUADWORD_BYTES;
use crate::operation::{Precision, Shape, Side};

/// Longest part: blocks count rows and columns with 16 bits.
pub(in crate::lower) const MAX_PART: usize = 1 << 15;

/// Longest accumulation chain.  Guard counts have 16 bits, and count several operands for a part where
/// partitions differ.
const MAX_CHAIN: usize = 1024;

/// How large a block may be: S and delta for each precision, and the extensions of the paper's scheme.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockLimits {
    /// Most elements of a block (the paper's S), by precision.
    pub block_elements: [usize; 2],
    /// Rows and columns of a block are multiples of this (the paper's delta), by precision.
    pub divisor: [usize; 2],
    /// Most products that one block operation sums up (an accumulation chain).  With 1 every sum is a block
    /// operation of its own, as in the paper.
    pub chain: usize,
    /// Whether the long side of a thin matrix gets longer parts, as far as blocks of S elements allow.  The
    /// paper's parts are never longer than sqrt(S), so its blocks of vectors are nearly empty.
    pub stretch: bool,
}

/// The blocks of a matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grid {
    /// The cut of the rows.
    pub rows: Axis,
    /// The cut of the columns.
    pub columns: Axis,
}

impl BlockLimits {
    /// The paper's values: S = 9216 and 4608, delta = 4 and 2, no chains, nothing stretched.
    #[must_use]
    pub fn paper() -> BlockLimits {
        BlockLimits { block_elements: [9216, 4608], divisor: [4, 2], chain: 1, stretch: false }
    }

    /// Longest side of a block, in elements: delta * floor(sqrt(S) / delta).
    #[must_use]
    pub fn side(&self, precision: Precision) -> usize {
        let divisor = self.divisor(precision);
        (self.elements(precision).isqrt() / divisor.max(1) * divisor).max(divisor)
    }

    /// Most elements of a block.
    pub(super) fn elements(&self, precision: Precision) -> usize {
        self.block_elements[precision.of_numbers() as usize]
    }

    /// What the sides of blocks are multiples of. Blocks of bytes begin at whole quadwords.
    #[must_use]
    pub fn divisor(&self, precision: Precision) -> usize {
        match precision {
            Precision::Byte => QUADWORD_BYTES,
            precision => self.divisor[precision as usize],
        }
    }

    /// Checks that the values make sense.
    ///
    /// # Errors
    /// [`Error::Argument`] for a block that cannot hold delta x delta elements.
    pub fn validate(&self) -> Result<()> {
        if self.chain == 0 || self.chain > MAX_CHAIN {
            return Err(Error::Argument(format!(
                "chains of {} products; 1 to {MAX_CHAIN} are possible",
                self.chain
            )));
        }
        for precision in Precision::ALL {
            let (s, delta) = (self.block_elements[precision as usize], self.divisor[precision as usize]);
            if delta == 0 || s.isqrt() < delta {
                let name = precision.name();
                return Err(Error::Argument(format!(
                    "blocks of {s} elements with divisor {delta} ({name}) hold nothing"
                )));
            }
            if s > usize::from(u16::MAX) * usize::from(u16::MAX) {
                return Err(Error::Argument(format!("blocks of {s} elements are too large")));
            }
        }
        Ok(())
    }

    /// The cut of a matrix that is not a product.
    #[must_use]
    pub fn grid(&self, shape: Shape, precision: Precision) -> Grid {
        let (rows, columns) = (shape.rows as usize, shape.columns as usize);
        let [rows_limit, columns_limit, _] = self.part_limits([rows, columns, 1], precision);
        let divisor = self.divisor(precision);
        Grid {
            rows: Axis::new(rows, rows_limit, divisor),
            columns: Axis::new(columns, columns_limit, divisor),
        }
    }

    /// The cut of a matrix that is not a product.  `fits` holds for its blocks, unless no block satisfies it.
    pub(in crate::lower) fn fitting_grid(
        &self,
        shape: Shape,
        precision: Precision,
        fits: impl Fn((usize, usize)) -> bool,
    ) -> Grid {
        let mut limits = *self;
        loop {
            let grid = limits.grid(shape, precision);
            let sides = (grid.rows.padded(0) as usize, grid.columns.padded(0) as usize);
            match limits.smaller(precision) {
                Some(smaller) if !fits(sides) => limits = smaller,
                _ => return grid,
            }
        }
    }

    /// Limits of somewhat smaller blocks of this precision. None when there are no smaller ones.
    pub(in crate::lower) fn smaller(&self, precision: Precision) -> Option<BlockLimits> {
        let mut smaller = *self;
        let elements = &mut smaller.block_elements[precision.of_numbers() as usize];
        let less = *elements - *elements / 8;
        let is_less = less < *elements && less.isqrt() >= self.divisor(precision);
        *elements = less;
        is_less.then_some(smaller)
    }

    /// The cut of a product of a rows x inner with an inner x columns matrix: of the result, and of the inner
    /// side.
    #[must_use]
    pub fn product_grid(&self, shape: Shape, inner: u32, precision: Precision) -> (Grid, Axis) {
        let sides = [shape.rows, shape.columns, inner].map(|side| side as usize);
        let limits = self.part_limits(sides, precision);
        let divisor = self.divisor(precision);
        let axis = |side: usize| Axis::new(sides[side], limits[side], divisor);
        (Grid { rows: axis(0), columns: axis(1) }, axis(2))
    }

    /// The cut of a matrix whose columns (or rows) stay whole, as far as blocks can count their elements.
    #[must_use]
    pub fn reduction_grid(&self, shape: Shape, side: Side, precision: Precision) -> Grid {
        let (grid, divisor) = (self.grid(shape, precision), self.divisor(precision));
        let whole = |length: u32| Axis::new(length as usize, MAX_PART / divisor * divisor, divisor);
        match side {
            Side::Column => Grid { rows: whole(shape.rows), ..grid },
            Side::Row => Grid { columns: whole(shape.columns), ..grid },
        }
    }

    /// How long the parts of three sides may be, when each two sides are the sides of a block.  Stretching
    /// takes one side after the other.  It lengthens the parts of a side as far as the two blocks with this
    /// side have room.
    fn part_limits(&self, lengths: [usize; 3], precision: Precision) -> [usize; 3] {
        let (side, divisor) = (self.side(precision), self.divisor(precision));
        let mut limits = [side; 3];
        if !self.stretch {
            return limits;
        }
        let parts =
            |limits: [usize; 3], i: usize| lengths[i].next_multiple_of(divisor).clamp(divisor, limits[i]);
        // Columns first: the elements of a column are neighbours in memory.
        for stretched in [1, 0, 2] {
            if lengths[stretched] > side {
                let others = (0..3).filter(|&other| other != stretched).map(|other| parts(limits, other));
                let room = self.elements(precision) / others.max().unwrap_or(divisor);
                let longest = room.min(MAX_PART) / divisor * divisor;
                limits[stretched] = longest.max(limits[stretched]);
            }
        }
        limits
    }
}

/// The cut of one side of a matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Axis {
    length: u32,
    divisor: u32,
    /// Number of parts (the paper's p or q).
    parts: u32,
    /// Shortest padded part, in units of the divisor.
    base: u32,
    /// Parts at the front that are one divisor longer.
    longer: u32,
}

impl Axis {
    /// Parts of at most `side` elements.
    pub(in crate::lower) fn new(length: usize, side: usize, divisor: usize) -> Axis {
        let groups = length.div_ceil(divisor);
        let parts = groups.div_ceil(side / divisor);
        let (base, longer) = (groups.checked_div(parts).unwrap_or(0), groups.checked_rem(parts).unwrap_or(0));
        Axis {
            length: length as u32,
            divisor: divisor as u32,
            parts: parts as u32,
            base: base as u32,
            longer: longer as u32,
        }
    }

    /// A side in one part.
    #[must_use]
    pub fn whole(length: u32) -> Axis {
        Axis::new(length as usize, length.max(1) as usize, 1)
    }

    /// A side of so many parts of equal length.
    pub(crate) fn equal(parts: u32, length: u32) -> Axis {
        Axis::new((parts * length) as usize, length as usize, length as usize)
    }

    /// Elements of the side.
    #[must_use]
    pub fn length(&self) -> u32 {
        self.length
    }

    /// Lengths of parts are multiples of this.
    #[must_use]
    pub fn divisor(&self) -> u32 {
        self.divisor
    }

    /// Length of the shorter padded parts, in units of the divisor.
    #[must_use]
    pub fn base(&self) -> u32 {
        self.base
    }

    /// Number of parts at the front that are one divisor longer.
    #[must_use]
    pub fn longer(&self) -> u32 {
        self.longer
    }

    /// The parts `first .. first + count`, as a side of their own.
    #[must_use]
    pub fn section(&self, first: u32, count: u32) -> Axis {
        let end = self.length.min(self.offset(first + count));
        Axis {
            length: end - self.offset(first),
            parts: count,
            longer: self.longer.saturating_sub(first).min(count),
            ..*self
        }
    }

    /// Number of parts.
    #[must_use]
    pub fn parts(&self) -> u32 {
        self.parts
    }

    /// First element of a part.
    #[must_use]
    pub fn offset(&self, part: u32) -> u32 {
        self.divisor * (self.base * part + part.min(self.longer))
    }

    /// Length of a part including its pad (the paper's k_i or l_j).
    #[must_use]
    pub fn padded(&self, part: u32) -> u32 {
        self.divisor * (self.base + u32::from(part < self.longer))
    }

    /// Elements of a part that belong to the matrix.
    #[must_use]
    pub fn logical(&self, part: u32) -> u32 {
        self.padded(part).min(self.length - self.offset(part))
    }

    /// The parts that share elements with `offset .. offset + length`.
    #[must_use]
    pub fn overlapping(&self, offset: u32, length: u32) -> std::ops::RangeInclusive<u32> {
        self.part_of(offset)..=self.part_of(offset + length - 1)
    }

    fn part_of(&self, element: u32) -> u32 {
        let group = element / self.divisor;
        let long = self.base + 1;
        let in_longer = self.longer * long;
        if group < in_longer { group / long } else { self.longer + (group - in_longer) / self.base }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sides_are_the_papers() {
        let limits = BlockLimits::paper();
        assert_eq!(limits.side(Precision::Single), 96);
        assert_eq!(limits.side(Precision::Double), 66);
        let printed = BlockLimits { block_elements: [9728, 4864], ..limits };
        assert_eq!(printed.side(Precision::Single), 96);
        assert_eq!(printed.side(Precision::Double), 68); // design: neither 4608 nor 4864 elements
    }

    #[test]
    fn parts_are_balanced_and_the_longer_ones_come_first() {
        let axis = Axis::new(100, 48, 4); // 25 groups in 3 parts: 9, 8, 8
        let parts: Vec<_> =
            (0..axis.parts()).map(|i| (axis.offset(i), axis.padded(i), axis.logical(i))).collect();
        assert_eq!(parts, [(0, 36, 36), (36, 32, 32), (68, 32, 32)]);
        let axis = Axis::new(97, 96, 4);
        let parts: Vec<_> =
            (0..axis.parts()).map(|i| (axis.offset(i), axis.padded(i), axis.logical(i))).collect();
        assert_eq!(parts, [(0, 52, 52), (52, 48, 45)]);
    }

    #[test]
    fn thin_matrices_get_longer_blocks() {
        let limits = BlockLimits { stretch: true, ..BlockLimits::paper() };
        let shape = |rows, columns| Shape { rows, columns };
        let parts = |grid: Grid| (grid.rows.parts(), grid.columns.parts());
        assert_eq!(parts(limits.grid(shape(1, 9216), Precision::Single)), (1, 4)); // a row takes four in memory
        assert_eq!(parts(limits.grid(shape(9216, 1), Precision::Single)), (4, 1));
        assert_eq!(parts(limits.grid(shape(8, 400_000), Precision::Single)), (1, 348));
        assert_eq!(parts(limits.grid(shape(960, 960), Precision::Single)), (10, 10));
        // 8 x 64 times 64 x 400000: the second operand decides.
        let (grid, inner) = limits.product_grid(shape(8, 400_000), 64, Precision::Single);
        assert_eq!((parts(grid), inner.parts()), ((1, 2778), 1));
        // 8 x 400000 times 400000 x 3: the inner side is stretched.
        let (grid, inner) = limits.product_grid(shape(8, 3), 400_000, Precision::Single);
        assert_eq!((parts(grid), inner.parts()), ((1, 1), 348));
        // A matrix times a vector: only one of its two long sides can be.
        let (grid, inner) = limits.product_grid(shape(960, 1), 960, Precision::Single);
        assert_eq!((parts(grid), inner.parts()), ((10, 1), 10));
        let paper = BlockLimits::paper();
        assert_eq!(parts(paper.grid(shape(8, 400_000), Precision::Single)), (1, 4167));
    }

    #[test]
    fn senseless_limits_are_refused() {
        let good = BlockLimits::paper();
        assert!(good.validate().is_ok());
        assert!(BlockLimits { chain: 0, ..good }.validate().is_err());
        assert!(BlockLimits { chain: 5000, ..good }.validate().is_err());
        assert!(BlockLimits { divisor: [0, 2], ..good }.validate().is_err());
        assert!(BlockLimits { block_elements: [15, 4608], ..good }.validate().is_err());
    }

    proptest! {
        #[test]
        fn no_block_of_a_product_is_larger_than_it_may_be(
            rows in 1u32..3000, columns in 1u32..3000, inner in 1u32..3000, stretch: bool, single: bool,
        ) {
            let precision = if single { Precision::Single } else { Precision::Double };
            let limits = BlockLimits { stretch, ..BlockLimits::paper() };
            let (grid, inner) = limits.product_grid(Shape { rows, columns }, inner, precision);
            let longest = [grid.rows, grid.columns, inner].map(|axis| axis.padded(0) as usize);
            for (a, b) in [(0, 1), (0, 2), (1, 2)] {
                prop_assert!(longest[a] * longest[b] <= limits.block_elements[precision as usize]);
            }
            let grid = limits.grid(Shape { rows, columns }, precision);
            let elements = grid.rows.padded(0) as usize * grid.columns.padded(0) as usize;
            prop_assert!(elements <= limits.block_elements[precision as usize]);
        }

        #[test]
        fn any_cut_covers_the_side_once(length in 0usize..5000, side_groups in 1usize..40, divisor in 1usize..33) {
            let axis = Axis::new(length, side_groups * divisor, divisor);
            let mut next = 0;
            for part in 0..axis.parts() {
                prop_assert_eq!(axis.offset(part), next);
                prop_assert!(axis.padded(part) as usize <= side_groups * divisor);
                prop_assert_eq!(axis.padded(part) as usize % divisor, 0);
                prop_assert!(axis.logical(part) >= 1);
                for element in [next, next + axis.logical(part) - 1] {
                    prop_assert_eq!(axis.part_of(element), part);
                }
                next += axis.logical(part);
            }
            prop_assert_eq!(next as usize, length);
            if axis.parts() > 0 {
                let first = axis.parts() / 3;
                let count = (axis.parts() - first).div_ceil(2);
                let section = axis.section(first, count);
                for part in 0..count {
                    prop_assert_eq!(section.offset(part) + axis.offset(first), axis.offset(first + part));
                    prop_assert_eq!(section.logical(part), axis.logical(first + part));
                }
            }
            let least = length.div_ceil(divisor).div_ceil(side_groups);
            prop_assert_eq!(axis.parts() as usize, least);
        }
    }
}
