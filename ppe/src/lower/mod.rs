//! Lowering: operations on matrices become operations on blocks (paper, "Lowering").
//!
//! [`Lowering`] walks a trace once, in order, and yields it in chunks within [`ChunkLimits`].  A chunk is a [`LoweredGraph`] of its
//! own: chunks are executed one after the other, so what comes from an earlier chunk is a constant to a later one.  A whole trace as a single chunk is the paper's lowered data dependence graph.

mod cluster;
mod direct;
mod fusion;
mod graph;
mod in_place;
mod panels;
mod partition;
mod rules;
mod validate;

use std::sync::Arc;

use cluster::Clusters;
pub use fusion::{Fusion, Input, MAX_INPUTS, MAX_STEPS, Source, Step};
pub use graph::{BlockOperation, LoweredGraph, Place};
pub use in_place::InPlace;
use panels::Panel;
pub use partition::{Axis, BlockLimits, Grid, ProductLimits};
pub use validate::Written;

use crate::error::{Error, Failure, Result};
use crate::matrix::Matrix;
use crate::memory;
use crate::operation::{OpKind, Precision};
use crate::pool::Pool;
use crate::trace::{Operand, Trace};

/// Entries of a chunk's table of matrices in which a constant is looked for before it gets one more.
const RECENT: usize = 16;

/// Position within the blocks of an operation's result.
#[derive(Debug, Clone, Copy, Default)]
struct Cursor {
    row: u32,
    column: u32,
}

/// First row, first column, rows and columns of a part of a matrix.
type Region = (u32, u32, u32, u32);

/// What is known about a value of the trace while it is being lowered.
#[derive(Debug, Default)]
struct Known {
    matrix: Option<Arc<Matrix>>,
    /// For results: how they are cut.
    grid: Option<Grid>,
    /// For results: number, counted over all chunks, of the block operation that writes each block.
    producers: Vec<u32>,
    /// Operand positions that have not been lowered yet.
    uses: u32,
    /// Of a panel: the column that it begins at.
    first_column: u32,
    /// Index in the table of the chunk with number `chunk`.
    local: u32,
    chunk: u32,
}

/// Sizes of a lowered trace, constants included (the paper's table of graph sizes).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LoweredSize {
    /// Block operations and blocks of constants.
    pub nodes: u64,
    /// Operands of block operations.
    pub edges: u64,
}

/// How large a chunk may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChunkLimits {
    /// Block operations: a chunk ends between two blocks of a result, so it may have a few more.
    pub operations: usize,
    /// Bytes of results that get their memory with this chunk.  A larger result has a chunk of its own.
    pub bytes: u64,
}

impl ChunkLimits {
    /// The whole trace is one chunk.
    pub const WHOLE: ChunkLimits = ChunkLimits { operations: usize::MAX, bytes: u64::MAX };
}

/// What the choice of fusions and of groups of panels takes for a value, and the numbers of the block operations that write
/// the value.
const CHOICE_BYTES: usize = 160;

/// A trace on its way to block operations.
#[derive(Debug)]
pub struct Lowering<'p> {
    trace: Arc<Trace>,
    limits: BlockLimits,
    in_place: Option<InPlace>,
    fusions: Clusters,
    groups: Clusters,
    panel: Panel,
    pool: &'p Pool,
    known: Vec<Known>,
    next: u32,
    cursor: Cursor,
    chunk: LoweredGraph,
    chunk_number: u32,
    /// Number of the chunk's first block operation, counted over all chunks.
    chunk_base: u32,
    chunk_limits: ChunkLimits,
    queue: Vec<u32>,
    size: LoweredSize,
}

impl<'p> Lowering<'p> {
    /// Sees whether there is memory for what is noted of the values of a trace.
    ///
    /// # Errors
    /// [`Error::Memory`]
    pub fn check_memory(trace: &Trace, pool: &Pool) -> Result<()> {
        let values = trace.constants.len() + trace.operations.len();
        let bytes = values.saturating_mul(size_of::<Known>() + CHOICE_BYTES);
        pool.insist(|| memory::check().and_then(|()| memory::ensure(bytes)))
    }

    /// Begins to lower `trace` for an engine with these limits.  Results get their memory from `pool`.
    #[must_use]
    pub fn new(
        trace: Arc<Trace>,
        limits: BlockLimits,
        pool: &'p Pool,
        chunk_limits: ChunkLimits,
    ) -> Lowering<'p> {
        let count = trace.constants.len() + trace.operations.len();
        let mut lowering = Lowering {
            limits,
            in_place: None,
            fusions: Clusters::default(),
            groups: Clusters::default(),
            panel: Panel::default(),
            pool,
            known: std::iter::repeat_with(Known::default).take(count).collect(),
            next: 0,
            cursor: Cursor::default(),
            chunk: LoweredGraph::new(Arc::clone(&trace)),
            chunk_number: 1,
            chunk_base: 0,
            chunk_limits,
            queue: Vec::new(),
            size: LoweredSize::default(),
            trace,
        };
        for operation in &lowering.trace.operations {
            for operand in operation.operands {
                if let Some(index) = known_index(&lowering.trace, operand) {
                    lowering.known[index].uses += 1;
                }
            }
        }
        for constant in &lowering.trace.constants {
            let grid = limits.grid(constant.shape, constant.precision);
            lowering.size.nodes += u64::from(grid.rows.parts()) * u64::from(grid.columns.parts());
        }
        lowering
    }

    /// The same for an engine that executes element-wise operations in main memory, if it does.
    #[must_use]
    pub fn in_place(mut self, in_place: Option<InPlace>) -> Lowering<'p> {
        self.in_place = in_place;
        if let Some(in_place) = in_place {
            self.fusions = fusion::choose(&self.trace, in_place.steps);
            self.groups = panels::choose(&self.trace, &self.fusions, in_place);
            self.chunk.in_place = true;
        }
        self
    }

    /// Sizes so far; of the whole trace once the last chunk has been taken.
    #[must_use]
    pub fn size(&self) -> LoweredSize {
        self.size
    }

    /// The next chunk; None after the last.
    ///
    /// # Errors
    /// [`Error::Memory`] when there is no room for a result, or for a copy of an operand.
    pub fn next_chunk(&mut self) -> Result<Option<LoweredGraph>, Failure> {
        let trace = Arc::clone(&self.trace);
        let count = trace.operations.len() as u32;
        if self.next >= count {
            return Ok(None);
        }
        while self.next < count && self.has_room() {
            let index = self.next;
            self.pool.insist(memory::check)?;
            if self.is_part(index) {
                self.next += 1;
                continue;
            }
            if self.groups.has_parts(index) {
                if !self.lower_group(index)? {
                    break;
                }
                for index in self.groups.operations(index) {
                    self.forget_operands_of_all(index);
                }
            } else {
                if let Some(cursor) = self.lower_operation(index, self.cursor)? {
                    self.cursor = cursor;
                    break;
                }
                self.cursor = Cursor::default();
                self.forget_operands_of_all(index);
            }
            self.next += 1;
        }
        self.size.nodes += self.chunk.len() as u64;
        let operands = |o: &BlockOperation| (o.operand_count() + self.chunk.inputs(o).count()) as u64;
        self.size.edges += self.chunk.operations.iter().map(operands).sum::<u64>();
        self.chunk_base += self.chunk.len() as u32;
        self.chunk_number += 1;
        let mut chunk = std::mem::replace(&mut self.chunk, LoweredGraph::new(trace));
        self.chunk.in_place = chunk.in_place;
        chunk.last = self.next >= count;
        Ok(Some(chunk))
    }

    /// An operation, or the fusion that it is the root of; where to go on, when the chunk is full before its end.
    fn lower_operation(&mut self, index: u32, cursor: Cursor) -> Result<Option<Cursor>, Failure> {
        let lowered = match self.trace.operations[index as usize].kind {
            _ if self.is_fusion(index) => self.lower_fusion(index, cursor),
            OpKind::Multiply => self.lower_multiply(index, cursor),
            kind if kind.is_direct() => self.lower_direct(index, cursor),
            _ => self.lower_elementwise(index, cursor),
        };
        lowered.map_err(|error| self.trace.failure(index, error))
    }

    /// Whether an operation is lowered in the place of a later one.
    fn is_part(&self, index: u32) -> bool {
        self.fusions.is_part(index) || self.groups.is_part(index)
    }

    fn is_full(&self) -> bool {
        self.chunk.len() >= self.chunk_limits.operations
    }

    /// Whether the result of the next operation may get its memory with this chunk.
    fn has_room(&self) -> bool {
        let operation = &self.trace.operations[self.next as usize];
        let bytes = operation.shape.elements() * operation.precision.element_bytes() as u64;
        self.is_part(self.next) || self.has_room_for(bytes)
    }

    fn has_room_for(&self, bytes: u64) -> bool {
        self.chunk.is_empty() || self.chunk.result_bytes.saturating_add(bytes) <= self.chunk_limits.bytes
    }

    /// Lets `lower` push what computes each block of the result of operation `index`, column of blocks by column, from the
    /// cursor on; it returns the block operation that writes the block.  Where to go on, when the chunk is full before.
    fn each_block(
        &mut self,
        index: u32,
        grid: Grid,
        cursor: Cursor,
        mut lower: impl FnMut(&mut Self, Region) -> u32,
    ) -> Option<Cursor> {
        let mut first_row = cursor.row;
        let (parts, first) = self.columns_now(index, &grid);
        for j in cursor.column.max(parts.start)..parts.end {
            let (column, columns) = (first + grid.columns.offset(j), grid.columns.logical(j));
            for i in first_row..grid.rows.parts() {
                if self.is_full() {
                    return Some(Cursor { row: i, column: j });
                }
                let (row, rows) = (grid.rows.offset(i), grid.rows.logical(i));
                let target = lower(self, (row, column, rows, columns));
                self.produced(index, target);
            }
            first_row = 0;
        }
        None
    }

    /// Number within the chunk of the block operation that is pushed next.
    fn next_local(&self) -> u32 {
        self.chunk.len() as u32
    }

    fn push(&mut self, operation: BlockOperation) -> u32 {
        self.chunk.push(operation)
    }

    fn depend(&mut self, source: u32, target: u32) {
        self.chunk.depend(source, target);
    }

    /// The blocks of the result of an operation that is not a product, or the pieces, where it is executed in main memory.  A
    /// conversion is cut as single precision is, on both of its sides: such blocks of the double side still fit a buffer, and
    /// begin at whole quadwords in both.
    fn grid(&mut self, index: u32) -> Grid {
        let operation = &self.trace.operations[index as usize];
        let precision =
            if operation.kind == OpKind::Convert { Precision::Single } else { operation.precision };
        let grid = match self.in_place {
            // What walks along rows stays within the same few columns of its operand.
            Some(in_place) if !direct::walks_rows(&self.trace, operation) => {
                in_place.grid(&self.limits, self.shape_now(index), precision)
            }
            _ => self.limits.grid(operation.shape, precision),
        };
        let grid = self.grid_now(index, grid);
        self.set_grid(index, grid);
        grid
    }

    fn set_grid(&mut self, index: u32, grid: Grid) {
        self.known[self.trace.constants.len() + index as usize].grid = Some(grid);
    }

    /// The blocks of a product, and the cut of its inner side.
    fn product_grid(&mut self, index: u32) -> (Grid, Axis) {
        let operation = &self.trace.operations[index as usize];
        let inner = self.trace.operand(operation.operands[0]).0.columns;
        let (grid, inner) = self.limits.product_grid(operation.shape, inner, operation.precision);
        let grid = self.grid_now(index, grid);
        self.set_grid(index, grid);
        (grid, inner)
    }

    /// Index of a value's matrix in the table of the chunk, where it is entered on first use.
    fn place(&mut self, operand: Operand) -> Result<u32> {
        let Some(index) = known_index(&self.trace, operand) else { return Ok(u32::MAX) };
        if self.known[index].chunk == self.chunk_number {
            return Ok(self.known[index].local);
        }
        let matrix = match (&self.known[index].matrix, operand) {
            (Some(matrix), _) => Arc::clone(matrix),
            (None, Operand::Operation(operation)) => self.make_result(operation)?,
            (None, _) => self.constant(operand)?,
        };
        let known = &mut self.known[index];
        known.matrix = Some(Arc::clone(&matrix));
        known.chunk = self.chunk_number;
        known.local = self.chunk.matrices.len() as u32;
        self.chunk.matrices.push(matrix);
        self.chunk.origins.push((operand, known.first_column));
        Ok(known.local)
    }

    /// The same for what is read in main memory: a constant need not be fit for DMA.
    fn place_in_memory(&mut self, operand: Operand) -> Result<u32> {
        let Operand::Constant(index) = operand else { return self.place(operand) };
        if self.known[index as usize].chunk == self.chunk_number {
            return Ok(self.known[index as usize].local);
        }
        let matrix = Arc::clone(self.given(index)?);
        let recent =
            self.chunk.matrices.iter().rev().take(RECENT).position(|other| Arc::ptr_eq(other, &matrix));
        if let Some(age) = recent {
            return Ok((self.chunk.matrices.len() - 1 - age) as u32);
        }
        self.chunk.matrices.push(matrix);
        self.chunk.origins.push((operand, 0));
        Ok(self.chunk.matrices.len() as u32 - 1)
    }

    fn given(&self, constant: u32) -> Result<&Arc<Matrix>> {
        // The matrix is missing when an earlier trace that was to compute it has failed, or has not been lowered yet.
        let slot = self.trace.constants[constant as usize].slot.get();
        slot.ok_or_else(|| Error::Argument("a value that this trace reads has not been computed".into()))
    }

    fn constant(&self, operand: Operand) -> Result<Arc<Matrix>> {
        let Operand::Constant(index) = operand else { unreachable!("scalars have no place") };
        self.given(index)?.transferable(self.pool)
    }

    fn make_result(&mut self, index: u32) -> Result<Arc<Matrix>> {
        let operation = &self.trace.operations[index as usize];
        let matrix = Arc::new(Matrix::result(self.shape_now(index), operation.precision, self.pool)?);
        let first_column = self.panel_of(index).map_or(0, |(first, _)| first);
        self.known[self.trace.constants.len() + index as usize].first_column = first_column;
        self.chunk.result_bytes += matrix.bytes() as u64;
        if let Some(slot) = &operation.keep {
            // A slot is filled once: each sealing makes new ones.
            _ = slot.set(Arc::clone(&matrix));
        }
        Ok(matrix)
    }

    /// The column that the matrix of an operand begins at: 0 but for panels.
    fn first_column(&self, operand: Operand) -> u32 {
        known_index(&self.trace, operand).map_or(0, |index| self.known[index].first_column)
    }

    fn produced(&mut self, index: u32, local: u32) {
        let number = self.chunk_base + local;
        let constants = self.trace.constants.len();
        self.known[constants + index as usize].producers.push(number);
    }

    /// `target` reads the elements `(row, column, rows, columns)` of an operand: it depends on the block operations of this
    /// chunk that write any of them.
    fn depend_on_region(&mut self, operand: Operand, (row, column, rows, columns): Region, target: u32) {
        let Operand::Operation(index) = operand else { return };
        let known = &self.known[self.trace.constants.len() + index as usize];
        let Some(grid) = known.grid else { return };
        let column = column - known.first_column;
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

    /// The same for all operations of the fusion with this root.
    fn forget_operands_of_all(&mut self, index: u32) {
        if self.fusions.has_parts(index) {
            self.fusions.operations(index).into_iter().for_each(|index| self.forget_operands(index));
        } else {
            self.forget_operands(index);
        }
    }

    /// Lets go of values that no further operation reads; chunks under way keep what they need.
    fn forget_operands(&mut self, index: u32) {
        let constants = self.trace.constants.len();
        let operands = self.trace.operations[index as usize].operands;
        for operand in operands {
            if let Some(known) = known_index(&self.trace, operand) {
                self.known[known].uses -= 1;
                if self.known[known].uses == 0 {
                    self.forget(known);
                }
            }
        }
        if self.known[constants + index as usize].uses == 0 {
            self.forget(constants + index as usize);
        }
    }

    fn forget(&mut self, known: usize) {
        self.known[known].matrix = None;
        self.known[known].producers = Vec::new();
    }
}

/// Position of an operand in the table of known values: constants first, then results.
fn known_index(trace: &Trace, operand: Operand) -> Option<usize> {
    match operand {
        Operand::None => None,
        Operand::Constant(index) => Some(index as usize),
        Operand::Operation(index) => Some(trace.constants.len() + index as usize),
    }
}

#[cfg(test)]
mod tests;
