//! How the results of operations are cut beyond the paper's partition: in local stores with regard to the
//! number of MEUs, and in main memory.
//!
//! The bits of a product depend on the cut of its inner side, which follows from shapes and limits alone. The
//! cut of rows and columns changes no bit of any result, so it may depend on the number of MEUs and on the
//! time model.

mod memory;
pub(super) mod partition;
pub(super) mod shards;
pub(super) mod share;

use super::program::{Input, Program, met_sides};
use super::target::{Target, Venue};
use crate::operation::{OpKind, Precision, Shape, Side};
use crate::time::{BlockSize, StageTimes, TimeModel};
use partition::{Axis, Grid, MAX_PART};

/// Most columns and most rows that an MEU reduces at once in its local store.
const LOCAL_COLUMNS: usize = 16;
const LOCAL_ROWS: usize = 256;
/// Bytes of the vector in which an SPE reduces several columns.
const LANES_BYTES: usize = 16;

fn elements((rows, columns): (u16, u16)) -> usize {
    usize::from(rows) * usize::from(columns)
}

/// What the cut of a program's result depends on.
#[derive(Debug, Clone, Default)]
pub(super) struct Outline {
    /// What its steps compute.
    pub(super) kinds: Vec<OpKind>,
    /// Of each input but the sum of an epilogue, whether it has one row (one column) that is repeated along
    /// the result.
    pub(super) repeats: Vec<(bool, bool)>,
    /// Number of results.
    pub(super) results: usize,
    /// Number of strips, at most.
    pub(super) strips: usize,
}

impl Outline {
    /// How a program looks that lowering has made.
    pub(super) fn of(program: &Program) -> Outline {
        let repeats = |input: &Input| match input {
            Input::Matrix(window) => Some(window.repeats),
            Input::Operand(_) => Some((false, false)),
            Input::Sum => None,
        };
        Outline {
            kinds: program.steps.iter().map(|step| step.kind).collect(),
            repeats: program.inputs.iter().filter_map(repeats).collect(),
            results: 1 + program.results.len(),
            strips: program.strips.into(),
        }
    }

    /// What a block with these sides costs. The steps may be the epilogue of a product.
    fn cost(
        &self,
        is_epilogue: bool,
        (operand_precision, precision): (Precision, Precision),
        sides: (u16, u16),
        model: &TimeModel,
    ) -> Cost {
        let inputs = || self.repeats.iter().map(move |&repeats| met_sides(repeats, sides));
        let (kinds, precisions) = (self.kinds.iter().copied(), (operand_precision, precision));
        let times = match is_epilogue {
            true => model.estimate_epilogue(precision, sides, kinds, inputs(), self.results),
            false => model.estimate_program(precisions, sides, kinds, inputs(), self.results),
        };
        let read_bytes = inputs().map(elements).sum::<usize>() * operand_precision.element_bytes();
        Cost {
            times,
            first_bytes: read_bytes,
            read_bytes,
            written_bytes: self.results * elements(sides) * precision.element_bytes(),
        }
    }
}

impl Target {
    /// The cut of the inner side of a product of a rows x inner with an inner x columns matrix, on which its
    /// bits depend.
    #[must_use]
    pub fn inner_axis(&self, shape: Shape, inner: u32, precision: Precision) -> Axis {
        match self.memory.and_then(|memory| memory.product) {
            Some(product) if precision == Precision::Single => product.inner_axis(inner as usize, precision),
            _ => self.blocks.product_grid(shape, inner, precision).1,
        }
    }

    /// The blocks of a product whose inner side is cut like this, and of the results of its epilogue.
    pub(super) fn product_cut(
        &self,
        shape: Shape,
        along: Axis,
        precision: Precision,
        epilogue: Option<&Outline>,
        model: &TimeModel,
    ) -> Grid {
        let inner = along.length();
        if let Some(shards) = self.shards_of(shape) {
            return shards;
        }
        match self.memory.and_then(|memory| memory.product) {
            Some(product) => {
                let sides = [shape.rows, shape.columns, inner].map(|side| side as usize);
                product.grid(sides, precision, self)
            }
            None => {
                let grid = self.blocks.product_grid(shape, inner, precision).0;
                let depth = along.padded(0) as u16;
                let products = along.parts().min(self.blocks.chain as u32);
                let whole = inner.min(products * u32::from(depth));
                let first = whole.min(depth.into());
                let cost = |result: (u16, u16)| {
                    let operands = [(result.0, depth), (depth, result.1)];
                    let kind = OpKind::Multiply;
                    let size = BlockSize {
                        kind,
                        precision,
                        operand_precision: precision,
                        result,
                        operands,
                        products,
                    };
                    let operand_elements =
                        |inner: u32| inner as usize * (usize::from(result.0) + usize::from(result.1));
                    let bytes = |elements: usize| elements * precision.element_bytes();
                    let alone = Cost {
                        times: model.estimate(&size),
                        first_bytes: bytes(operand_elements(first)),
                        read_bytes: bytes(operand_elements(whole)),
                        written_bytes: bytes(elements(result)),
                    };
                    let Some(outline) = epilogue else { return alone };
                    let further = outline.cost(true, (precision, precision), result, model);
                    Cost {
                        times: alone.times.with_epilogue(further.times),
                        read_bytes: alone.read_bytes + further.read_bytes,
                        written_bytes: further.written_bytes,
                        ..alone
                    }
                };
                self.even_out(grid, None, precision, cost)
            }
        }
    }

    /// The blocks, or in main memory the pieces, of the results of a program. `near` is the cut of a value of
    /// this shape that the program reads.
    pub(super) fn program_cut(
        &self,
        shape: Shape,
        (operand_precision, precision): (Precision, Precision),
        outline: &Outline,
        near: Option<Grid>,
        model: &TimeModel,
    ) -> Grid {
        // Operand and result of a conversion are both cut as a single-precision matrix is. Then blocks of
        // both begin at whole quadwords; `fits` makes sure that the double-precision block fits a buffer.
        let cut_precision = operand_precision.min(precision);
        if let Some(shards) = self.shards_of(shape) {
            return shards;
        }
        match (self.memory, outline.kinds.first().map(|&kind| self.venue(kind))) {
            (Some(memory), Some(Venue::Memory)) => memory.pieces(self, shape, cut_precision),
            (_, Some(Venue::LocalStore)) => {
                let fits = |sides: (usize, usize)| {
                    let repeats = outline.repeats.iter().copied();
                    self.room.fits(
                        sides,
                        precision.max(operand_precision),
                        repeats,
                        outline.results,
                        outline.strips,
                    )
                };
                let grid = self.blocks.fitting_grid(shape, cut_precision, fits);
                let cost =
                    |sides: (u16, u16)| outline.cost(false, (operand_precision, precision), sides, model);
                let near = near.filter(|near| fits(largest_sides(near)));
                self.even_out(grid, near, cut_precision, cost)
            }
            _ => self.blocks.grid(shape, cut_precision),
        }
    }

    /// The blocks, or in main memory the pieces, of the result of a move at this venue. A move that walks
    /// along the rows of its operand has blocks also in main memory: a block is read from few columns, a
    /// piece would be from many. Rows of the operand may lie apart.
    pub(super) fn move_cut(
        &self,
        venue: Venue,
        shape: Shape,
        precision: Precision,
        walks_rows: bool,
        rows_apart: usize,
    ) -> Grid {
        if let Some(shards) = self.shards_of(shape) {
            return shards;
        }
        match self.memory {
            _ if venue == Venue::LocalStore => {
                // DMA brings up to a quadword more at either end of a column, of each of two operands.
                let more = 4 * LANES_BYTES / precision.element_bytes();
                let fits = |sides| self.room.fits(sides, precision, std::iter::once((false, false)), 1, 0);
                self.blocks.fitting_grid(shape, precision, |(rows, columns)| {
                    fits((rows * rows_apart + more, columns)) && (!walks_rows || fits((columns + more, rows)))
                })
            }
            Some(memory) if !walks_rows => memory.pieces(self, shape, precision),
            _ => self.blocks.grid(shape, precision),
        }
    }

    /// The pieces of a matrix whose columns (or rows) are reduced.
    pub(super) fn reduction_cut(&self, kind: OpKind, shape: Shape, side: Side, precision: Precision) -> Grid {
        if let Some(shards) = self.shards_of(shape) {
            return shards;
        }
        match self.memory {
            Some(memory) => memory.reduced(self, shape, side, precision),
            None if self.venue(kind) == Venue::LocalStore => {
                self.local_reduction_grid(shape, side, precision)
            }
            None => self.blocks.reduction_grid(shape, side, precision),
        }
    }

    /// The blocks of a cumulative sum. Each goes on from the block above it or on its left.
    pub(super) fn cumulative_cut(&self, shape: Shape, side: Side, precision: Precision) -> Grid {
        if let Some(shards) = self.shards_of(shape) {
            return shards;
        }
        match self.venue(OpKind::CumulativeSum) {
            Venue::LocalStore => self.local_reduction_grid(shape, side, precision),
            Venue::Memory | Venue::Ppe => self.blocks.reduction_grid(shape, side, precision),
        }
    }

    /// The sections of a norm: whole columns where these are short enough, otherwise parts of columns, which
    /// are taken one column after the other.
    pub(super) fn norm_cut(&self, shape: Shape, precision: Precision) -> Grid {
        if self.shards.is_some() || self.venue(OpKind::Norm) != Venue::LocalStore {
            let rows = self.blocks.reduction_grid(shape, Side::Column, precision).rows;
            let columns = self.shards_of(shape).map(|shards| shards.columns);
            let whole = self.blocks.reduction_grid(shape, Side::Row, precision);
            return Grid { rows, columns: columns.unwrap_or(whole.columns) };
        }
        let (elements, divisor) = (self.blocks.elements(precision), self.blocks.divisor(precision));
        let limit = elements.min(MAX_PART) / divisor * divisor;
        let height = (shape.rows as usize).next_multiple_of(divisor).clamp(divisor, limit.max(divisor));
        let width = (elements / height).clamp(1, MAX_PART);
        Grid {
            rows: Axis::new(shape.rows as usize, height, divisor),
            columns: Axis::new(shape.columns as usize, width, 1),
        }
    }

    /// The blocks of a reduction in local stores. Columns are reduced several abreast, and rows many: so
    /// many that each MEU has some, and so few that a block reaches far along the side of the reduction.
    fn local_reduction_grid(&self, shape: Shape, side: Side, precision: Precision) -> Grid {
        let (elements, divisor) = (self.blocks.elements(precision), self.blocks.divisor(precision));
        let (rows, columns) = (shape.rows as usize, shape.columns as usize);
        let share = |length: usize| length.div_ceil(self.meus).max(1);
        let (height, width) = match side {
            Side::Column => {
                let abreast = share(columns).next_multiple_of(LANES_BYTES / precision.element_bytes());
                let width = abreast.min(LOCAL_COLUMNS).min(elements / divisor);
                (elements / width / divisor * divisor, width)
            }
            Side::Row => {
                let height = share(rows).min(LOCAL_ROWS).min(elements).next_multiple_of(divisor);
                (height, (elements / height).max(1))
            }
        };
        let limit = MAX_PART / divisor * divisor;
        Grid {
            rows: Axis::new(rows, height.min(limit), divisor),
            columns: Axis::new(columns, width.min(limit), 1),
        }
    }

    /// A grid with an equal number of blocks for each MEU, where the time model says that its blocks are done
    /// sooner than the fewer, fuller blocks of `grid`. If `near`, the cut of an operand, is only a little
    /// slower than the fastest grid, `near` is taken: with equal cuts a block operation waits for the one
    /// block operation that writes its operand's block, with other cuts for several.
    fn even_out(
        &self,
        grid: Grid,
        near: Option<Grid>,
        precision: Precision,
        cost: impl Fn((u16, u16)) -> Cost,
    ) -> Grid {
        let count = |grid: &Grid| grid.rows.parts() as usize * grid.columns.parts() as usize;
        let blocks = count(&grid);
        // When each MEU has many blocks, it matters little that some MEUs have nothing to do in the last
        // round.
        if !self.even || self.meus == 1 || blocks == 0 || blocks >= MANY_BLOCKS * self.meus {
            return grid;
        }
        let largest = |grid: &Grid| {
            let (rows, columns) = largest_sides(grid);
            cost((rows as u16, columns as u16))
        };
        let whole = largest(&grid);
        // The largest block takes hardly longer than a block of one element, so smaller blocks would save
        // nothing.
        if whole.times.total() < 2 * cost((1, 1)).times.total() {
            return grid;
        }
        let makespan = |grid: &Grid, cost: &Cost| self.makespan(count(grid), cost);
        let divisor = self.blocks.divisor(precision);
        let cut = |axis: Axis, parts: usize| {
            let side = axis.length().div_ceil(axis.divisor()).div_ceil(parts as u32) as usize * divisor;
            Axis::new(axis.length() as usize, side, divisor)
        };
        let (least_rows, least_columns) = (grid.rows.parts() as usize, grid.columns.parts() as usize);
        let mut best = (makespan(&grid, &whole), grid);
        // As many rounds as with `grid`, or one more.
        for rounds in [blocks.div_ceil(self.meus), blocks.div_ceil(self.meus) + 1] {
            let wanted = rounds * self.meus;
            // Grids with many columns come first, because parts along columns begin at whole lines of memory.
            // Of two grids that take equal time the first is kept.
            for columns in (least_columns..=wanted / least_rows).rev() {
                let even =
                    Grid { rows: cut(grid.rows, wanted / columns), columns: cut(grid.columns, columns) };
                let end = makespan(&even, &largest(&even));
                if end < best.0 {
                    best = (end, even);
                }
            }
        }
        let slowest = best.0 + best.0 / NEAR_SHARE;
        near.filter(|near| makespan(near, &largest(near)) <= slowest).unwrap_or(best.1)
    }

    /// Nanoseconds until MEUs that begin together have executed `blocks` blocks of this cost. While an MEU
    /// executes a block, it fetches the next block's operands and writes the previous block's result back.
    /// All MEUs share the bandwidth of main memory.
    fn makespan(&self, blocks: usize, cost: &Cost) -> u64 {
        let (rounds, active) = (blocks.div_ceil(self.meus) as u64, blocks.min(self.meus));
        let moved =
            |bytes: usize| self.bandwidth.map_or(0, |bandwidth| ((active * bytes) as f64 / bandwidth) as u64);
        let StageTimes { df, ex, wb } = cost.times;
        let first = df.max(moved(cost.first_bytes));
        let each = ex.max(df + wb).max(moved(cost.read_bytes + cost.written_bytes));
        let alone = ex.max(moved(cost.read_bytes - cost.first_bytes));
        first + (rounds - 1) * each + alone + wb.max(moved(cost.written_bytes))
    }
}

/// The time that a block takes, and the bytes that it moves.
#[derive(Debug, Clone, Copy)]
struct Cost {
    times: StageTimes,
    /// Bytes of the operands that are fetched before the execution begins.
    first_bytes: usize,
    /// Bytes of all operands.
    read_bytes: usize,
    /// Bytes of the results.
    written_bytes: usize,
}

/// The cut of an operand may take this share (1 / 4) longer than the fastest grid.
const NEAR_SHARE: u64 = 4;

/// Rows and columns of the largest block.
pub(super) fn largest_sides(grid: &Grid) -> (usize, usize) {
    (grid.rows.padded(0) as usize, grid.columns.padded(0) as usize)
}

/// From this number of blocks an MEU on, the number of blocks need not be a multiple of the number of MEUs.
const MANY_BLOCKS: usize = 16;

#[cfg(test)]
mod tests;
