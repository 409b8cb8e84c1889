//! The shards of a matrix: who owns them, and how they lie in memory.

use std::io;
use std::mem;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pmatrix::error::{Error, Result};
use pmatrix::lower::Grid;
use pmatrix::matrix::{Home, Layout, Matrix, QUADWORD_BYTES};
use pmatrix::operation::{Precision, Shape};

use super::shim::{Handle, Ranks, release};

/// First row, first column, rows and columns.
pub(super) type Region = (u32, u32, u32, u32);

/// The ranks as a grid of P x Q, as square as their number allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RankGrid {
    rows: u32,
    columns: u32,
}

impl RankGrid {
    pub(super) fn of(ranks: u32) -> RankGrid {
        let rows = (1..=ranks).filter(|rows| ranks.is_multiple_of(*rows) && rows * rows <= ranks).max();
        let rows = rows.unwrap_or(1);
        RankGrid { rows, columns: ranks / rows }
    }

    /// The owner of shard (i, j) of a matrix with so many rows and columns of shards: block-cyclic. A matrix with few of
    /// one, such as a vector, is dealt out shard by shard, so that all ranks have some of it.
    pub(super) fn owner(&self, (i, j): (u32, u32), (rows, columns): (u32, u32)) -> u32 {
        if rows < self.rows || columns < self.columns {
            (i * columns + j) % (self.rows * self.columns)
        } else {
            (i % self.rows) * self.columns + j % self.columns
        }
    }
}

/// How the elements of a region lie in a shard's memory, or in a copy of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Frame {
    /// Bytes of an element.
    pub(super) element_bytes: usize,
    /// Whether the elements of its one row touch: it is a row of a matrix of one row.
    pub(super) touches: bool,
}

impl Frame {
    /// The frame of regions of a matrix.
    pub(super) fn of(shape: Shape, precision: Precision) -> Frame {
        let touches = Layout::Touching.leading_elements(shape, precision) == 1;
        Frame { element_bytes: precision.element_bytes(), touches }
    }

    /// Bytes of a column of memory, whole quadwords, and columns. Elements of one row that touch are one column.
    pub(super) fn sides(&self, (rows, columns): (u32, u32)) -> (usize, usize) {
        let (run, columns) = if self.touches { (columns, 1) } else { (rows, columns) };
        ((run as usize * self.element_bytes).next_multiple_of(QUADWORD_BYTES), columns as usize)
    }

    /// The distance of the region's columns in such memory, whose columns lie so far apart.
    pub(super) fn stride(&self, stride_bytes: usize) -> usize {
        if self.touches { self.element_bytes } else { stride_bytes }
    }
}

/// A shard: what one rank owns as a whole. All ranks know it, and only those that execute something with it, or that
/// transfer it, tell StarPU about it.
#[derive(Debug)]
pub(super) struct Shard {
    /// The same on all ranks.
    pub(super) number: u64,
    pub(super) owner: u32,
    pub(super) region: Region,
    /// Bytes of a column of its memory, and columns.
    pub(super) sides: (usize, usize),
    here: Mutex<Here>,
}

/// What this rank has done with a shard.
#[derive(Debug, Default)]
struct Here {
    handle: Option<Handle>,
    is_taken: bool,
    given_to: Vec<u32>,
}

impl Drop for Shard {
    fn drop(&mut self) {
        let here = self.here.get_mut().unwrap_or_else(PoisonError::into_inner);
        here.handle.take().into_iter().for_each(release);
    }
}

impl Shard {
    pub(super) fn new(number: u64, owner: u32, region: Region, frame: Frame) -> Shard {
        let sides = frame.sides((region.2, region.3));
        Shard { number, owner, region, sides, here: Mutex::default() }
    }

    fn here(&self) -> MutexGuard<'_, Here> {
        // The data are consistent between statements, also after a panic, which has been reported.
        self.here.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What StarPU knows of it.
    pub(super) fn handle(&self, ranks: &Ranks) -> Handle {
        let (column_bytes, columns) = self.sides;
        *self.here().handle.get_or_insert_with(|| ranks.shard(column_bytes, columns))
    }

    /// Sends it from its owner to `reader`, unless the reader has it. Each of the two calls this; for any other rank it
    /// does nothing.
    pub(super) fn transfer(&self, ranks: &Ranks, reader: u32) -> io::Result<()> {
        if self.owner == reader {
            return Ok(());
        }
        if ranks.is_here(self.owner) {
            let handle = self.handle(ranks);
            let mut here = self.here();
            if !here.given_to.contains(&reader) {
                here.given_to.push(reader);
                ranks.give(handle, self.number, self.sides.0 * self.sides.1, reader)?;
            }
        } else if ranks.is_here(reader) {
            let handle = self.handle(ranks);
            if !mem::replace(&mut self.here().is_taken, true) {
                ranks.take(handle, self.number, self.owner)?;
            }
        }
        Ok(())
    }
}

/// All shards of a matrix: its home.
#[derive(Debug)]
pub(super) struct Shards {
    pub(super) frame: Frame,
    grid: Grid,
    shards: Vec<Shard>,
}

impl Home for Shards {
    fn fetch(&self, _: &dyn Fn() -> bool) -> Result<Matrix> {
        let what = "a rank reads its shards where they are".to_owned();
        Err(Error::Argument(what))
    }
}

impl Shards {
    /// The shards of a matrix with this cut, made on first use. All ranks make them.
    pub(super) fn of<'m>(matrix: &'m Matrix, grid: &Grid, ranks: &Ranks) -> &'m Shards {
        let home: &dyn std::any::Any = matrix.settle(|| {
            let (frame, rank_grid) =
                (Frame::of(matrix.shape(), matrix.precision()), RankGrid::of(ranks.place.ranks as u32));
            let count = grid.columns.parts() as usize * grid.rows.parts() as usize;
            let mut numbers = ranks.numbers(count)..;
            let mut shards = Vec::with_capacity(count);
            for j in 0..grid.columns.parts() {
                for i in 0..grid.rows.parts() {
                    let owner = rank_grid.owner((i, j), (grid.rows.parts(), grid.columns.parts()));
                    let (rows, columns) = (grid.rows.logical(i), grid.columns.logical(j));
                    let region = (grid.rows.offset(i), grid.columns.offset(j), rows, columns);
                    shards.extend(numbers.next().map(|number| Shard::new(number, owner, region, frame)));
                }
            }
            Box::new(Shards { frame, grid: *grid, shards })
        });
        match home.downcast_ref() {
            Some(shards) => shards,
            None => unreachable!("a rank's matrices have shards"),
        }
    }

    /// All of them, one column of shards after the other.
    pub(super) fn all(&self) -> &[Shard] {
        &self.shards
    }

    /// The shards with elements of a region.
    pub(super) fn overlapping(&self, (row, column, rows, columns): Region) -> impl Iterator<Item = &Shard> {
        let (down, right) =
            (self.grid.rows.overlapping(row, rows), self.grid.columns.overlapping(column, columns));
        let height = self.grid.rows.parts();
        right.flat_map(move |j| down.clone().map(move |i| &self.shards[(j * height + i) as usize]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_ranks_own_some_shards_of_a_matrix_and_of_a_vector() {
        let grid = RankGrid::of(6);
        assert_eq!(grid, RankGrid { rows: 2, columns: 3 });
        let owners = |rows: u32, columns: u32| {
            let mut owners: Vec<_> = (0..rows)
                .flat_map(|i| (0..columns).map(move |j| grid.owner((i, j), (rows, columns))))
                .collect();
            owners.sort_unstable();
            owners.dedup();
            owners.len()
        };
        assert_eq!((owners(4, 6), owners(12, 1), owners(1, 6)), (6, 6, 6));
        assert_eq!(RankGrid::of(4), RankGrid { rows: 2, columns: 2 });
        assert_eq!(RankGrid::of(1), RankGrid { rows: 1, columns: 1 });
    }
}
