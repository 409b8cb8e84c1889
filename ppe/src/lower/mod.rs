//! Lowering: operations on matrices become operations on blocks (paper, "Lowering").
//!
//! Lowering has two phases.  The plan (`plan.rs`) says which operations are executed together, in which
//! venue, and how their results are cut.  [`Lowering`] then walks the trace once, in order, and emits the
//! plan's block operations.
//!
//! Block operations are emitted in chunks, whose size [`ChunkLimits`] limits.  A chunk is a [`LoweredGraph`]
//! of its own.  Chunks are executed one after the other, so a result of an earlier chunk is a constant to a
//! later chunk.  A whole trace in one chunk is the paper's lowered data dependence graph.

mod cut;
mod extent;
mod gathered;
mod graph;
mod known;
mod moves;
mod on_shards;
mod panels;
mod placement;
mod plan;
mod products;
mod program;
mod programs;
mod reductions;
mod ring;
mod target;
mod validate;

use std::sync::Arc;

pub use cut::partition::{Axis, BlockLimits, Grid};
pub use cut::shards::ShardLimits;
use extent::Extent;
pub(crate) use gathered::on_diagonal;
pub use graph::regions::Held;
pub use graph::{BlockOperation, LoweredGraph, Place, Work};
use known::{Known, known_index};
pub use on_shards::OnShards;
use panels::Progress;
pub use placement::Placement;
pub use plan::Planned;
use plan::{Cut, PLAN_BYTES, Plan};
pub use program::{Input, MAX_INPUTS, MAX_RESULTS, MAX_STEPS, Program, Slot, Step, Window};
pub use target::{MemoryLimits, ProductLimits, Room, Target, Venue};
pub use validate::Written;

use crate::error::{Error, Failure, Result};
use crate::memory;
use crate::operation::OpKind;
use crate::pool::Pool;
use crate::time::TimeModel;
use crate::trace::{Trace, TraceOperation};

/// Results of less than so many bytes in all are not checked beforehand.
const RESULTS_WORTH_A_CHECK: u64 = 64 << 20;

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
    /// Block operations of the first chunk of a trace. Each chunk may have twice as many as the chunk before, up to
    /// `operations`. MEUs that have nothing to execute wait for a short first chunk only, and each chunk is ready
    /// when the chunk before has been executed.
    pub first: usize,
    /// Bytes of results that get their memory with this chunk.  A larger result has a chunk of its own.
    pub bytes: u64,
}

impl ChunkLimits {
    /// The whole trace is one chunk.
    pub const WHOLE: ChunkLimits = ChunkLimits { operations: usize::MAX, first: usize::MAX, bytes: u64::MAX };
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

    /// Checks, before anything of the trace is executed, that there is memory for the results that it keeps: all
    /// of them exist in the end. Small results are not checked.
    ///
    /// # Errors
    /// [`Error::Memory`] of the first operation with the largest result.
    pub fn check_results(trace: &Trace, pool: &Pool) -> Result<(), Failure> {
        let bytes = |operation: &TraceOperation| {
            let element_bytes = operation.precision.element_bytes() as u64;
            operation.shape.elements().saturating_mul(element_bytes)
        };
        let kept = || trace.operations.iter().enumerate().filter(|(_, operation)| operation.keep.is_some());
        let sum = kept().map(|(_, operation)| bytes(operation)).fold(0, u64::saturating_add);
        let Some((index, largest)) = kept().rev().max_by_key(|(_, operation)| bytes(operation)) else {
            return Ok(());
        };
        if sum < RESULTS_WORTH_A_CHECK {
            return Ok(());
        }
        let bytes_of_all = usize::try_from(sum).unwrap_or(usize::MAX);
        pool.insist(|| memory::ensure(bytes_of_all)).map_err(|_| {
            let blame = trace.blame(index as u32);
            let purpose = match bytes(largest) == sum {
                true => blame.to_string(),
                false => format!(
                    "{blame} and the other results of its trace; max_bytes (PMATRIX_MAX_BYTES) limits how much \
                     is executed together"
                ),
            };
            Failure { error: Error::Memory { bytes: bytes_of_all, purpose }, operation: Some(largest.id) }
        })
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
            chunk: LoweredGraph::new(Arc::clone(&trace), target.layout(), Placement::of(target)),
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

    /// What the plan says of each operation.
    #[must_use]
    pub fn planned(&self) -> Vec<Planned> {
        self.plan.planned(&self.trace)
    }

    /// Sizes of all chunks so far.  After the last chunk these are the sizes of the whole trace.
    #[must_use]
    pub fn size(&self) -> LoweredSize {
        self.size
    }

    /// The next chunk; None after the last.
    ///
    /// # Errors
    /// [`Error::Memory`] when there is no room for a result, or for a copy of an
    /// operand.
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
        let following = LoweredGraph::new(trace, self.chunk.layout, self.chunk.placement);
        let mut chunk = std::mem::replace(&mut self.chunk, following);
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
        let ChunkLimits { operations, first, .. } = self.chunk_limits;
        let doublings = self.chunk_number.saturating_sub(1).min(usize::BITS - 1);
        self.chunk.len() >= first.saturating_mul(1 << doublings).min(operations)
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
}

#[cfg(test)]
mod tests;
