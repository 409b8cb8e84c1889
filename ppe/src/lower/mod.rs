//! Lowering: operations on matrices become operations on blocks (paper, "Lowering").
//!
//! Lowering has two phases.  The plan (`plan.rs`) says which operations are executed together, in which
//! venue, and how their results are cut.  [`Lowering`] then walks the trace once, in order, and emits the
//! plan's block operations.
//!
//! Block operations are emitted in chunks, whose size [`ChunkLimits`] limits.  A chunk is a [`LoweredGraph`]
//! of its own.  Chunks are executed one after the other, so a result of an earlier chunk is a constant to a
//! later chunk.  A whole trace in one chunk is the paper's lowered data dependence graph.

mod cluster;
mod cut;
mod extent;
mod graph;
mod in_place;
mod moves;
mod panels;
mod partition;
mod plan;
mod products;
mod program;
mod programs;
mod reductions;
mod share;
mod target;
mod text;
mod validate;

use std::sync::Arc;

use extent::Extent;
pub use graph::{BlockOperation, LoweredGraph, Place, Work};
use panels::Progress;
pub use partition::{Axis, BlockLimits, Grid};
use plan::{Cut, PLAN_BYTES, Plan};
pub use program::{Input, MAX_INPUTS, MAX_RESULTS, MAX_STEPS, Program, Slot, Step, Window};
pub use target::{MemoryLimits, ProductLimits, Room, Target, Venue};
pub use validate::Written;

use crate::error::{Error, Failure, Result};
use crate::matrix::Matrix;
use crate::memory;
use crate::operation::{OpKind, Shape};
use crate::pool::Pool;
use crate::time::TimeModel;
use crate::trace::{Operand, Trace};

/// How many of the last entries of a chunk's table of matrices are searched for a constant before it gets a
/// new entry.
const RECENT: usize = 16;

/// Position within the blocks of an operation's result.
#[derive(Debug, Clone, Copy, Default)]
struct Cursor {
    row: u32,
    column: u32,
}

/// The order in which the blocks of a result are emitted.  A scheduler prefers what was emitted first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    /// One column of blocks after the other.
    Columns,
    /// One row of blocks after the other.
    Rows,
}

/// First row, first column, rows and columns of a part of a matrix.
type Region = (u32, u32, u32, u32);

/// What lowering knows about a value of the trace.
#[derive(Debug, Default)]
struct Known {
    matrix: Option<Arc<Matrix>>,
    /// For a result: how it is cut.
    grid: Option<Grid>,
    /// For a result: for each block the number, counted over all chunks, of the block operation that writes
    /// it.
    producers: Vec<u32>,
    /// Operand positions that have not been lowered yet.
    uses: u32,
    /// For a panel: the column of the value at which the panel begins.
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

/// A trace on its way to block operations.
#[derive(Debug)]
pub struct Lowering<'p> {
    trace: Arc<Trace>,
    plan: Plan<'p>,
    progress: Progress,
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
    /// Checks that there is memory for what lowering notes about the values of a trace.
    ///
    /// # Errors
    /// [`Error::Memory`]
    pub fn check_memory(trace: &Trace, pool: &Pool) -> Result<()> {
        let values = trace.constants.len() + trace.operations.len();
        // The last term is the number of the block operation that writes a block.
        let bytes = values.saturating_mul(size_of::<Known>() + PLAN_BYTES + size_of::<u64>());
        pool.insist(|| memory::check().and_then(|()| memory::ensure(bytes)))
    }

    /// Begins to lower `trace` for an engine.  Results get their memory from `pool`.  The time model decides
    /// between cuts.
    #[must_use]
    pub fn new(
        trace: Arc<Trace>,
        target: &Target,
        model: &'p TimeModel,
        pool: &'p Pool,
        chunk_limits: ChunkLimits,
    ) -> Lowering<'p> {
        let count = trace.constants.len() + trace.operations.len();
        let mut lowering = Lowering {
            plan: Plan::new(&trace, *target, model),
            progress: Progress::default(),
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
            let grid = target.blocks.grid(constant.shape, constant.precision);
            lowering.size.nodes += u64::from(grid.rows.parts()) * u64::from(grid.columns.parts());
        }
        lowering
    }

    /// The plan as text, one line an operation: what is executed together, in which venue, how results are
    /// cut, and why.
    #[must_use]
    pub fn plan_text(&self) -> String {
        self.plan.to_text(&self.trace)
    }

    /// Sizes of all chunks so far.  After the last chunk these are the sizes of the whole trace.
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
            if self.plan.is_part(index) {
                self.next += 1;
                continue;
            }
            if let (true, Some(memory)) = (self.plan.groups().has_parts(index), self.plan.target().memory) {
                if !self.emit_group(index, &memory)? {
                    break;
                }
                for index in self.plan.groups().operations(index) {
                    self.forget_operands_of_all(index);
                }
            } else {
                let cut = self.plan.cut(&trace, index);
                let extent = Extent::whole(cut.grid);
                if let Some(cursor) = self.emit(index, cut, &extent, self.cursor)? {
                    self.cursor = cursor;
                    break;
                }
                self.cursor = Cursor::default();
                self.forget_operands_of_all(index);
            }
            self.next += 1;
        }
        self.size.nodes += self.chunk.len() as u64;
        let operands = |operation: &BlockOperation| self.chunk.operand_count(operation) as u64;
        self.size.edges += self.chunk.operations.iter().map(operands).sum::<u64>();
        self.chunk_base += self.chunk.len() as u32;
        self.chunk_number += 1;
        let mut chunk = std::mem::replace(&mut self.chunk, LoweredGraph::new(trace));
        chunk.last = self.next >= count;
        Ok(Some(chunk))
    }

    /// Emits an operation, or the program whose root it is.  Returns where to continue, if the chunk is full
    /// before the end.
    fn emit(
        &mut self,
        index: u32,
        cut: Cut,
        extent: &Extent,
        cursor: Cursor,
    ) -> Result<Option<Cursor>, Failure> {
        let kind = self.trace.operations[index as usize].kind;
        let along = cut.along.unwrap_or(Axis::whole(0));
        let emitted = match (kind, cut.program) {
            (_, Some(composed)) => self.emit_program(index, composed, extent, along, cursor),
            (OpKind::Multiply, _) => self.emit_product(index, extent, along, cursor),
            (kind, _) if kind.is_move() => self.emit_move(index, extent, cursor),
            _ => self.emit_reduction(index, extent, along, cursor),
        };
        emitted.map_err(|error| self.trace.failure(index, error))
    }

    fn is_full(&self) -> bool {
        self.chunk.len() >= self.chunk_limits.operations
    }

    /// Whether the result of the next operation may get its memory with this chunk.
    fn has_room(&self) -> bool {
        let operation = &self.trace.operations[self.next as usize];
        let bytes = operation.shape.elements() * operation.precision.element_bytes() as u64;
        self.plan.is_part(self.next) || self.has_room_for(bytes)
    }

    fn has_room_for(&self, bytes: u64) -> bool {
        self.chunk.is_empty() || self.chunk.result_bytes.saturating_add(bytes) <= self.chunk_limits.bytes
    }

    /// Calls `emit` for each block of the results of these operations, which are cut alike, from the cursor
    /// on. `emit` pushes the block operations that compute the block, and returns the number of the one that
    /// writes it. Returns where to continue, if the chunk is full before the end.
    fn each_block(
        &mut self,
        results: &[u32],
        extent: &Extent,
        order: Order,
        cursor: Cursor,
        mut emit: impl FnMut(&mut Self, Region) -> u32,
    ) -> Option<Cursor> {
        let Extent { grid, parts, first_column } = extent;
        let rows = 0..grid.rows.parts();
        let first = Cursor { column: cursor.column.max(parts.start), ..cursor };
        let mut next = Some(first).filter(|first| !rows.is_empty() && first.column < parts.end);
        while let Some(Cursor { row: i, column: j }) = next {
            if self.is_full() {
                return next;
            }
            let (column, columns) = (first_column + grid.columns.offset(j), grid.columns.logical(j));
            let target = emit(self, (grid.rows.offset(i), column, grid.rows.logical(i), columns));
            for &index in results {
                self.produced(index, (j * rows.end + i) as usize, target);
            }
            next = match order {
                Order::Columns if i + 1 < rows.end => Some(Cursor { row: i + 1, column: j }),
                Order::Columns => {
                    Some(Cursor { row: 0, column: j + 1 }).filter(|next| next.column < parts.end)
                }
                Order::Rows if j + 1 < parts.end => Some(Cursor { row: i, column: j + 1 }),
                Order::Rows => {
                    Some(Cursor { row: i + 1, column: parts.start }).filter(|next| next.row < rows.end)
                }
            };
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

    /// What is known about the result of an operation.
    fn known_result(&mut self, index: u32) -> &mut Known {
        &mut self.known[self.trace.constants.len() + index as usize]
    }

    /// Index of the matrix of an operation's result in the table of the chunk; the matrix gets its memory,
    /// and is entered, on first use.
    fn place_result(&mut self, index: u32, extent: &Extent) -> Result<u32> {
        if self.known_result(index).matrix.is_none() {
            let operation = &self.trace.operations[index as usize];
            let shape = Shape { columns: extent.grid.columns.length(), ..operation.shape };
            let matrix = Arc::new(Matrix::result(shape, operation.precision, self.pool)?);
            self.chunk.result_bytes += matrix.bytes() as u64;
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
    fn place_operand(&mut self, operand: Operand) -> Result<u32> {
        let Some(index) = known_index(&self.trace, operand) else { return Ok(u32::MAX) };
        if self.known[index].chunk == self.chunk_number {
            return Ok(self.known[index].local);
        }
        let matrix = match (&self.known[index].matrix, operand) {
            (Some(matrix), _) => Arc::clone(matrix),
            (None, Operand::Constant(constant)) => self.given(constant)?.transferable(self.pool)?,
            (None, _) => unreachable!("what is read has been emitted before"),
        };
        let known = &mut self.known[index];
        known.matrix = Some(Arc::clone(&matrix));
        known.chunk = self.chunk_number;
        known.local = self.chunk.matrices.len() as u32;
        self.chunk.matrices.push(matrix);
        self.chunk.origins.push((operand, known.first_column));
        Ok(known.local)
    }

    /// Index of the matrix of an operand that is read in memory.  Such a constant need not have the alignment
    /// of DMA.
    fn place_in_memory(&mut self, operand: Operand) -> Result<u32> {
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
        self.chunk.matrices.push(matrix);
        self.chunk.origins.push((operand, 0));
        Ok(self.chunk.matrices.len() as u32 - 1)
    }

    fn given(&self, constant: u32) -> Result<&Arc<Matrix>> {
        // The matrix is missing when the earlier trace that computes it has failed, or has not been lowered
        // yet.
        let slot = self.trace.constants[constant as usize].slot.get();
        slot.ok_or_else(|| Error::Argument("a value that this trace reads has not been computed".into()))
    }

    /// The column of the value at which an operand's matrix begins: 0 except for panels.
    fn first_column(&self, operand: Operand) -> u32 {
        known_index(&self.trace, operand).map_or(0, |index| self.known[index].first_column)
    }

    /// Notes that a block operation writes this block of an operation's result. Blocks are counted one column
    /// of blocks after the other.
    fn produced(&mut self, index: u32, block: usize, local: u32) {
        let number = self.chunk_base + local;
        let producers = &mut self.known_result(index).producers;
        if producers.len() <= block {
            producers.resize(block + 1, u32::MAX);
        }
        producers[block] = number;
    }

    /// Notes that `target` reads the region `(row, column, rows, columns)` of an operand.  So `target`
    /// depends on the block operations of this chunk that write elements of the region.
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

    /// Releases the operands of all operations of the program with this root.
    fn forget_operands_of_all(&mut self, index: u32) {
        if self.plan.programs().has_parts(index) {
            self.plan.programs().operations(index).into_iter().for_each(|index| self.forget_operands(index));
        } else {
            self.forget_operands(index);
        }
    }

    /// Releases values that no further operation reads.  Chunks under way keep the matrices that they need.
    fn forget_operands(&mut self, index: u32) {
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
