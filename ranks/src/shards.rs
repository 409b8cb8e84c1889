//! The shards of a matrix: who owns them, and how they lie in memory.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pmatrix::error::{Error, Result};
use pmatrix::lower::Grid;
use pmatrix::matrix::{Home, Matrix, QUADWORD_BYTES};

use super::room::Room;
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
    pub(super) fn of(matrix: &Matrix) -> Frame {
        let element_bytes = matrix.precision().element_bytes();
        let touches = matrix.shape().rows == 1 && matrix.stride_bytes() == element_bytes;
        Frame { element_bytes, touches }
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
    /// Counts it, where memory is limited.
    room: Option<Arc<Room>>,
    here: Mutex<Here>,
}

/// What this rank knows of a shard.
#[derive(Debug, Default)]
struct Here {
    /// What StarPU knows of it, and the era of a copy.
    handle: Option<(Handle, u32)>,
    /// The ranks that have a copy, and the era in which they got it. Where memory is limited, these are all of them;
    /// otherwise those to which this rank has given one, or this rank itself.
    copies: Vec<(u32, u32)>,
    /// The last operation that this rank executes with it, and its number among the blocks of that.
    entered: (u64, u32),
}

impl Drop for Shard {
    fn drop(&mut self) {
        let bytes = self.bytes();
        let Here { handle, copies, .. } = self.here.get_mut().unwrap_or_else(PoisonError::into_inner);
        let handle = handle.take().map(|(handle, _)| handle);
        match &self.room {
            Some(room) => room.give_up(self.owner, bytes, copies, handle),
            None => handle.into_iter().for_each(release),
        }
    }
}

impl Shard {
    /// A shard of this number and owner.
    pub(super) fn new(ranks: &Ranks, number: u64, owner: u32, region: Region, frame: Frame) -> Shard {
        let sides = frame.sides((region.2, region.3));
        let shard = Shard { number, owner, region, sides, room: ranks.room.clone(), here: Mutex::default() };
        shard.room.iter().for_each(|room| room.own(owner, shard.bytes()));
        shard
    }

    fn here(&self) -> MutexGuard<'_, Here> {
        // The data are consistent between statements, also after a panic, which has been reported.
        self.here.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Bytes of its memory.
    pub(super) fn bytes(&self) -> u64 {
        (self.sides.0 * self.sides.1) as u64
    }

    /// What StarPU knows of it.
    pub(super) fn handle(&self, ranks: &Ranks) -> Handle {
        self.handle_in(&mut self.here(), ranks)
    }

    fn handle_in(&self, here: &mut Here, ranks: &Ranks) -> Handle {
        let copy_in = self.room.as_ref().filter(|_| !ranks.is_here(self.owner));
        let era = copy_in.map_or(0, |room| room.era(ranks.here()));
        match here.handle {
            Some((handle, of)) if of == era => handle,
            _ => {
                let handle = ranks.shard(self.sides.0, self.sides.1);
                copy_in.into_iter().for_each(|room| room.keep_copy(handle));
                here.handle = Some((handle, era));
                handle
            }
        }
    }

    /// Its number among the blocks of an operation that this rank executes. It is added to them unless it is there.
    pub(super) fn enter(&self, ranks: &Ranks, operation: u64, blocks: &mut Vec<Handle>) -> u32 {
        let mut here = self.here();
        if here.entered.0 != operation {
            here.entered = (operation, blocks.len() as u32);
            blocks.push(self.handle_in(&mut here, ranks));
        }
        here.entered.1
    }

    /// Whether a rank has it: as its owner, or a copy that this rank knows of.
    pub(super) fn is_on(&self, ranks: &Ranks, rank: u32) -> bool {
        self.owner == rank || self.here().copies.contains(&(rank, ranks.era(rank)))
    }

    /// Sends it from its owner to `reader`, unless the reader has it. Each of the two calls this. For any other rank it
    /// does nothing, unless memory is limited: then all ranks count.
    pub(super) fn transfer(&self, ranks: &Ranks, reader: u32) -> io::Result<()> {
        let (is_given, is_taken) = (ranks.is_here(self.owner), ranks.is_here(reader));
        if self.owner == reader || !(is_given || is_taken || self.room.is_some()) || self.is_on(ranks, reader)
        {
            return Ok(());
        }
        let mut number = self.number;
        if let Some(room) = &self.room {
            room.copy(reader, self.bytes());
            // It may be sent to this rank again while it is under way.
            number = ranks.numbers(1);
        }
        self.here().copies.push((reader, ranks.era(reader)));
        match (is_given, is_taken) {
            (true, _) => ranks.give(self.handle(ranks), number, self.bytes(), reader),
            (_, true) => ranks.take(self.handle(ranks), number, self.owner),
            _ => Ok(()),
        }
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
            let (frame, rank_grid) = (Frame::of(matrix), RankGrid::of(ranks.place.ranks as u32));
            let count = grid.columns.parts() as usize * grid.rows.parts() as usize;
            let mut numbers = ranks.numbers(count)..;
            let mut shards = Vec::with_capacity(count);
            for j in 0..grid.columns.parts() {
                for i in 0..grid.rows.parts() {
                    let owner = rank_grid.owner((i, j), (grid.rows.parts(), grid.columns.parts()));
                    let (rows, columns) = (grid.rows.logical(i), grid.columns.logical(j));
                    let region = (grid.rows.offset(i), grid.columns.offset(j), rows, columns);
                    shards
                        .extend(numbers.next().map(|number| Shard::new(ranks, number, owner, region, frame)));
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
