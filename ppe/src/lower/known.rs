//! What lowering knows about the values of a trace: their matrices, and the block operations that write them.

use std::sync::Arc;

use super::cut::partition::Grid;
use super::extent::Extent;
use super::ring::Ring;
use super::validate::Origin;
use super::{Lowering, Region};
use crate::error::{Error, Result};
use crate::matrix::Matrix;
use crate::operation::Shape;
use crate::trace::{Operand, Trace};

/// How many of the last entries of a chunk's table of matrices are searched for a constant before it gets a
/// new entry.
const RECENT: usize = 16;

/// What lowering knows about a value of the trace.
#[derive(Debug, Default)]
pub(super) struct Known {
    pub(super) matrix: Option<Arc<Matrix>>,
    /// For a result: how it is cut.
    pub(super) grid: Option<Grid>,
    /// For a result: for each block the number, counted over all chunks, of the block operation that writes
    /// it.
    pub(super) producers: Vec<u32>,
    /// Operand positions that have not been lowered yet.
    pub(super) uses: u32,
    /// For a panel: the column of the value at which the panel begins.
    pub(super) first_column: u32,
    /// Index in the table of the chunk with number `chunk`.
    pub(super) local: u32,
    pub(super) chunk: u32,
    /// For an intermediate result of a group that is being lowered: the memory of its panels.
    pub(super) ring: Option<Ring>,
}

/// Position of an operand in the table of known values: constants first, then results.
pub(super) fn known_index(trace: &Trace, operand: Operand) -> Option<usize> {
    match operand {
        Operand::None => None,
        Operand::Constant(index) => Some(index as usize),
        Operand::Operation(index) => Some(trace.constants.len() + index as usize),
    }
}

impl Lowering<'_> {
    /// What is known about the result of an operation.
    pub(super) fn known_result(&mut self, index: u32) -> &mut Known {
        &mut self.known[self.trace.constants.len() + index as usize]
    }

    /// Index of the matrix of an operation's result in the table of the chunk; the matrix gets its memory,
    /// and is entered, on first use.
    pub(super) fn place_result(&mut self, index: u32, extent: &Extent) -> Result<u32> {
        if self.known_result(index).matrix.is_none() {
            let operation = &self.trace.operations[index as usize];
            let shape = Shape { columns: extent.grid.columns.length(), ..operation.shape };
            let (precision, layout) = (operation.precision, self.chunk.layout);
            let meus = self.plan.target().meus;
            let known = &mut self.known[self.trace.constants.len() + index as usize];
            let again = known.ring.as_mut().and_then(|ring| ring.take(shape, meus));
            let matrix = match again {
                Some(matrix) => matrix,
                None => {
                    let matrix = match self.plan.target().shards {
                        Some(_) => Matrix::elsewhere(shape, precision, layout),
                        None => Matrix::result(shape, precision, layout, self.pool)?,
                    };
                    self.chunk.result_bytes += matrix.bytes() as u64;
                    Arc::new(matrix)
                }
            };
            if let Some(slot) = &operation.keep {
                // A slot is filled only once, because each sealing makes new slots.
                _ = slot.set(Arc::clone(&matrix));
            }
            let known = self.known_result(index);
            (known.matrix, known.grid) = (Some(matrix), Some(extent.grid));
            known.first_column = extent.first_column;
        }
        self.place_operand(Operand::Operation(index))
    }

    /// Index of an operand's matrix in the table of the chunk, where it is entered on first use.
    pub(super) fn place_operand(&mut self, operand: Operand) -> Result<u32> {
        let Some(index) = known_index(&self.trace, operand) else { return Ok(u32::MAX) };
        if self.known[index].chunk == self.chunk_number {
            return Ok(self.known[index].local);
        }
        let matrix = match (&self.known[index].matrix, operand) {
            (Some(matrix), _) => Arc::clone(matrix),
            (None, Operand::Constant(constant)) => {
                self.given(constant)?.in_layout(self.chunk.layout, self.pool)?
            }
            (None, _) => unreachable!("what is read has been emitted before"),
        };
        let known = &mut self.known[index];
        known.matrix = Some(Arc::clone(&matrix));
        known.chunk = self.chunk_number;
        known.local = self.chunk.matrices.len() as u32;
        let (local, first_column) = (known.local, known.first_column);
        self.enter(matrix, (operand, first_column));
        Ok(local)
    }

    /// Index of the matrix of an operand that is read in memory.  Such a constant need not have the alignment
    /// of DMA.
    pub(super) fn place_in_memory(&mut self, operand: Operand) -> Result<u32> {
        let Operand::Constant(index) = operand else { return self.place_operand(operand) };
        if self.known[index as usize].chunk == self.chunk_number {
            return Ok(self.known[index as usize].local);
        }
        let matrix = Arc::clone(self.given(index)?);
        let recent =
            self.chunk.matrices.iter().rev().take(RECENT).position(|other| Arc::ptr_eq(other, &matrix));
        if let Some(age) = recent {
            return Ok((self.chunk.matrices.len() - 1 - age) as u32);
        }
        self.enter(matrix, (operand, 0));
        Ok(self.chunk.matrices.len() as u32 - 1)
    }

    /// Enters a matrix in the table of the chunk. Its shards are those of its value: a result is cut as every
    /// matrix of its shape is.
    fn enter(&mut self, matrix: Arc<Matrix>, origin: Origin) {
        self.chunk.shards.extend(self.plan.target().shards_of(matrix.shape()));
        self.chunk.matrices.push(matrix);
        self.chunk.origins.push(origin);
    }

    pub(super) fn given(&self, constant: u32) -> Result<&Arc<Matrix>> {
        // The matrix is missing when the earlier trace that computes it has failed, or has not been lowered
        // yet.
        let slot = self.trace.constants[constant as usize].slot.get();
        let missing = || Error::Argument("a value that this trace reads has not been computed".into());
        let matrix = slot.ok_or_else(missing)?;
        if self.plan.target().shards.is_none() {
            matrix.bring(&|| false)?;
        }
        Ok(matrix)
    }

    /// The column of the value at which an operand's matrix begins: 0 except for panels.
    pub(super) fn first_column(&self, operand: Operand) -> u32 {
        known_index(&self.trace, operand).map_or(0, |index| self.known[index].first_column)
    }

    /// Notes that a block operation writes this block of an operation's result. Blocks are counted one column
    /// of blocks after the other.
    pub(super) fn produced(&mut self, index: u32, block: usize, local: u32) {
        let base = self.chunk_base;
        let known = self.known_result(index);
        if known.producers.len() <= block {
            known.producers.resize(block + 1, u32::MAX);
        }
        known.producers[block] = base + local;
        let Some((ring, grid)) = known.ring.as_ref().zip(known.grid) else { return };
        let (i, j) = (block as u32 % grid.rows.parts(), block as u32 / grid.rows.parts());
        let written =
            (grid.rows.offset(i), grid.columns.offset(j), grid.rows.logical(i), grid.columns.logical(j));
        for reader in ring.earlier_readers(written, base) {
            self.chunk.depend(reader - base, local);
        }
    }

    /// Notes that `target` reads the region `(row, column, rows, columns)` of an operand.  So `target`
    /// depends on the block operations of this chunk that write elements of the region.
    pub(super) fn depend_on_region(
        &mut self,
        operand: Operand,
        (row, column, rows, columns): Region,
        target: u32,
    ) {
        let Operand::Operation(index) = operand else { return };
        let number = self.chunk_base + target;
        let known = &mut self.known[self.trace.constants.len() + index as usize];
        let Some(grid) = known.grid else { return };
        let column = column - known.first_column;
        if let Some(ring) = &mut known.ring {
            ring.note_read((row, column, rows, columns), number);
        }
        for j in grid.columns.overlapping(column, columns) {
            for i in grid.rows.overlapping(row, rows) {
                let block = (j * grid.rows.parts() + i) as usize;
                let number = known.producers[block];
                if number >= self.chunk_base {
                    self.chunk.depend(number - self.chunk_base, target);
                }
            }
        }
    }

    /// Releases the operands of all operations of the program with this root.
    pub(super) fn forget_operands_of_all(&mut self, index: u32) {
        if self.plan.programs().has_parts(index) {
            self.plan.programs().operations(index).into_iter().for_each(|index| self.forget_operands(index));
        } else {
            self.forget_operands(index);
        }
    }

    /// Releases values that no further operation reads.  Chunks under way keep the matrices that they need.
    pub(super) fn forget_operands(&mut self, index: u32) {
        let constants = self.trace.constants.len();
        let operands = self.trace.operations[index as usize].operands;
        for operand in operands {
            if let Some(known) = known_index(&self.trace, operand) {
                self.known[known].uses -= 1;
                if self.known[known].uses == 0 {
                    self.forget(known);
                    // Nobody reads the operand of this transpose in place any more.
                    if let Operand::Operation(read) = operand
                        && self.plan.is_read_in_place(read)
                    {
                        self.forget_operands(read);
                    }
                }
            }
        }
        if self.known[constants + index as usize].uses == 0 {
            self.forget(constants + index as usize);
        }
    }

    pub(super) fn forget(&mut self, known: usize) {
        let matrix = self.known[known].matrix.take();
        let operation = known.checked_sub(self.trace.constants.len());
        if let (Some(matrix), Some(operation)) = (matrix, operation)
            && self.trace.operations[operation].keep.is_none()
        {
            self.chunk.released_bytes += matrix.bytes() as u64;
        }
        self.known[known].producers = Vec::new();
    }
}
