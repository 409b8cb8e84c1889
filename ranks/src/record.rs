//! One block operation: what it computes, and which shards it reads and writes. A worker of its owner executes it.

use std::cell::RefCell;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use pmatrix::engine::{BlockAddress, Caller, Cause, Command, Task, Team};
use pmatrix::execute::execute_product;
use pmatrix::lower::{OnShards, Program, Venue};
use pmatrix::matrix::Matrix;
use pmatrix::operation::{Precision, Shape};
use pmatrix::pool::{Buffer, Pool};
use pmatrix::wire::message::Fault;

use super::own::OwnEngine;
use super::shards::{Frame, Region};
use super::shim::Block;

/// Bytes of freed scratch memory that a worker keeps.
const KEPT_BYTES: usize = 64 << 20;

/// A block that is read or written, and the shards that have its elements.
#[derive(Debug)]
pub(super) struct Operand {
    pub(super) frame: Frame,
    pub(super) precision: Precision,
    /// The elements that are read or written; None when there are none.
    pub(super) region: Option<Region>,
    /// Rows and columns that the operation is told.
    pub(super) sides: (u32, u32),
    /// Whether it is told where element (0, 0) of the matrix would be, instead of the first element of the region.
    pub(super) from_origin: bool,
    /// Whether it is the operand of a product, stored transposed.
    pub(super) transposed: bool,
    /// Its shards among those of the operation.
    pub(super) shards: Range<usize>,
}

/// The first failure of a trace, in the order of its operations, on one rank.
#[derive(Debug, Default)]
pub(super) struct Faults(Mutex<Option<Fault>>);

/// Who executes a block operation.
#[derive(Debug)]
pub(super) enum By {
    /// A worker of StarPU, with the kernels of the host.
    Kernels {
        task: Task<Arc<Program>>,
        /// Threads that compute a product: the worker, and helpers of its own.
        members: usize,
    },
    /// The engine of the rank, which a worker waits for.
    Engine(Arc<OwnEngine>, OnShards),
}

/// See the module's documentation.
#[derive(Debug)]
pub(super) struct Record {
    pub(super) by: By,
    /// Index of the operation in the trace.
    pub(super) operation: u32,
    /// What it reads, and behind that what it writes.
    pub(super) operands: Vec<Operand>,
    /// How many of them it reads.
    pub(super) reads: usize,
    /// The region of each shard of an operand, and the number of the shard among the blocks of the operation. One list
    /// for all operands, since its memory comes with each operation.
    pub(super) shards: Vec<(u32, Region)>,
    pub(super) faults: Arc<Faults>,
    /// How long it takes by the time model.
    #[cfg(feature = "simulation")]
    pub(super) nanoseconds: u64,
}

/// The memory of an operation's blocks, and the regions of the shards that lie there.
#[derive(Clone, Copy)]
struct Memory<'a> {
    blocks: &'a [Block],
    shards: &'a [(u32, Region)],
}

/// What a worker computes with.
struct Worker {
    caller: Caller,
    pool: Pool,
    /// It is there from the first product on that has several members.
    team: Option<Team>,
}

thread_local! {
    static WORKER: RefCell<Worker> = RefCell::new({
        let pool = Pool::new(KEPT_BYTES, false);
        Worker { caller: Caller::new(&pool), pool, team: None }
    });
}

impl Faults {
    /// Notes a failure, unless an earlier operation has failed as well.
    pub(super) fn note(&self, fault: Fault) {
        let mut first = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if first.as_ref().is_none_or(|first| fault.operation < first.operation) {
            *first = Some(fault);
        }
    }

    /// The first failure.
    #[cfg(not(feature = "simulation"))]
    pub(super) fn take(&self) -> Option<Fault> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Operand {
    /// Where element (0, 0) of the matrix would be, if all of the matrix lay as this block of it does, in this frame.
    fn origin(&self, frame: Frame, block: &Block, (row, column, ..): Region) -> (u64, usize) {
        let stride = frame.stride(block.stride_bytes);
        let before = row as usize * frame.element_bytes + column as usize * stride;
        ((block.data as u64).wrapping_sub(before as u64), stride)
    }

    fn at(&self, origin: u64, stride: usize, (row, column): (u32, u32)) -> u64 {
        origin.wrapping_add((row as usize * self.frame.element_bytes + column as usize * stride) as u64)
    }

    /// Where element (0, 0) of the matrix would be if all of it lay as the block does, and the distance of columns there: in
    /// the block's shard, or in a copy of the parts that several shards have. With `is_apart` the elements of a row that
    /// touch are copied as well, so that they lie apart.
    fn place(
        &self,
        is_apart: bool,
        Memory { blocks, shards }: Memory<'_>,
        pool: &Pool,
        copies: &mut Vec<Buffer>,
    ) -> Result<(u64, usize), pmatrix::error::Error> {
        Ok(match (self.region, &shards[self.shards.clone()]) {
            (None, _) => (0, 0),
            (Some(_), &[(number, shard)]) if !(is_apart && self.frame.touches) => {
                self.origin(self.frame, &blocks[number as usize], shard)
            }
            (Some(region), shards) => {
                let frame = Frame { touches: self.frame.touches && !is_apart, ..self.frame };
                let (column_bytes, columns) = frame.sides((region.2, region.3));
                let copy = pool.allocate((column_bytes * columns).max(1))?;
                let block = Block { data: copy.pointer(), stride_bytes: column_bytes };
                copies.push(copy);
                let (to, to_stride) = self.origin(frame, &block, region);
                for &(number, shard) in shards {
                    let (from, from_stride) = self.origin(self.frame, &blocks[number as usize], shard);
                    let (row, end_row) =
                        (region.0.max(shard.0), (region.0 + region.2).min(shard.0 + shard.2));
                    let (column, end_column) =
                        (region.1.max(shard.1), (region.1 + region.3).min(shard.1 + shard.3));
                    let copy_run = |at: (u32, u32), bytes: usize| {
                        let (from, to) = (self.at(from, from_stride, at), self.at(to, to_stride, at));
                        // SAFETY: the elements lie in both regions, so in the shard's memory and in the copy's, which
                        // no other thread has. StarPU lets this operation read the shard.
                        unsafe {
                            std::ptr::copy_nonoverlapping(
                                std::ptr::with_exposed_provenance::<u8>(from as usize),
                                std::ptr::with_exposed_provenance_mut(to as usize),
                                bytes,
                            );
                        }
                    };
                    let bytes = |count: u32| count as usize * frame.element_bytes;
                    if frame.touches {
                        copy_run((row, column), bytes(end_column - column));
                    } else {
                        (column..end_column).for_each(|column| copy_run((row, column), bytes(end_row - row)));
                    }
                }
                (to, to_stride)
            }
        })
    }

    /// The block's address, at its [`place`](Self::place).
    fn address(
        &self,
        is_apart: bool,
        memory: Memory<'_>,
        pool: &Pool,
        copies: &mut Vec<Buffer>,
    ) -> Result<BlockAddress, pmatrix::error::Error> {
        let (origin, stride) = self.place(is_apart, memory, pool, copies)?;
        let first = self.region.map_or((0, 0), |(row, column, ..)| (row, column));
        let ea = if self.from_origin { origin } else { self.at(origin, stride, first) };
        let (rows, columns) = self.sides;
        let transposed = self.transposed;
        Ok(BlockAddress {
            ea,
            stride_bytes: stride as u32,
            rows,
            columns,
            precision: self.precision,
            transposed,
        })
    }

    /// The matrix of the block as a window that shows the block, at its [`place`](Self::place).
    fn window(
        &self,
        memory: Memory<'_>,
        pool: &Pool,
        copies: &mut Vec<Buffer>,
    ) -> Result<Arc<Matrix>, pmatrix::error::Error> {
        let (origin, stride) = self.place(false, memory, pool, copies)?;
        let (rows, columns) = match self.region {
            Some((row, column, rows, columns)) if !self.from_origin => (row + rows, column + columns),
            _ => self.sides,
        };
        Ok(Arc::new(Matrix::window(Shape { rows, columns }, self.precision, origin, stride)))
    }
}

/// For tests: ends this process before the operation that `PMATRIX_RANK_ENDS_AT` counts to, from 1, as a crash does.
fn end_on_purpose() {
    static ENDS_AT: LazyLock<Option<u64>> =
        LazyLock::new(|| std::env::var("PMATRIX_RANK_ENDS_AT").ok()?.parse().ok());
    static BEGUN: AtomicU64 = AtomicU64::new(0);
    if let Some(last) = *ENDS_AT
        && BEGUN.fetch_add(1, Ordering::Relaxed) + 1 == last
    {
        std::process::abort();
    }
}

impl Record {
    /// Executes the operation on these blocks of memory: first those that it reads, then those that it writes.
    pub(super) fn execute(&self, blocks: &[Block]) {
        end_on_purpose();
        blocks.iter().for_each(|block| _ = block.data.expose_provenance());
        let outcome =
            WORKER.with_borrow_mut(|worker| self.execute_by(worker, Memory { blocks, shards: &self.shards }));
        if let Err(fault) = outcome {
            self.faults.note(fault);
        }
    }

    fn execute_by(&self, worker: &mut Worker, memory: Memory<'_>) -> Result<(), Fault> {
        match &self.by {
            By::Kernels { task, members } => self.by_kernels(task, *members, worker, memory),
            By::Engine(engine, operation) => {
                let mut copies = Vec::new();
                let mut windows = |all: &[Operand]| {
                    all.iter()
                        .map(|operand| operand.window(memory, &worker.pool, &mut copies))
                        .collect::<Result<Vec<_>, _>>()
                };
                let (operands, results) = self.operands.split_at(self.reads);
                let read = windows(operands).map_err(|error| self.failed(error))?;
                let written = windows(results).map_err(|error| self.failed(error))?;
                engine.execute(operation, read, written)
            }
        }
    }

    /// A failure before any of its steps.
    fn failed(&self, error: pmatrix::error::Error) -> Fault {
        Fault { operation: self.operation, is_domain: false, what: error.to_string() }
    }

    fn by_kernels(
        &self,
        task: &Task<Arc<Program>>,
        members: usize,
        worker: &mut Worker,
        memory: Memory<'_>,
    ) -> Result<(), Fault> {
        let Worker { caller, pool, team } = worker;
        let (operands, results) = self.operands.split_at(self.reads);
        let mut copies = Vec::new();
        // A program whose results have one row takes all of its rows as they lie: touching or apart.
        let is_row = |result: &Operand| result.sides.0 == 1 && !result.frame.touches;
        let is_apart = matches!(task, Task::Program(_)) && results.iter().any(is_row);
        let mut addresses = |all: &[Operand]| {
            all.iter()
                .map(|operand| operand.address(is_apart, memory, pool, &mut copies))
                .collect::<Result<Vec<_>, _>>()
        };
        let operands = addresses(operands).map_err(|error| self.failed(error))?;
        let results = addresses(results).map_err(|error| self.failed(error))?;
        let command = Command {
            task: task.map(|program| program),
            venue: Venue::Memory,
            results: &results,
            operands: &operands,
        };
        if matches!(task, Task::Product(..)) && members > 1 {
            if team.is_none() {
                *team = Team::new(members - 1, pool).ok();
            }
            if team.as_mut().is_some_and(|team| execute_product(&command, team)) {
                return Ok(());
            }
            // Without helpers the worker does it alone, and says what goes wrong.
        }
        let outcome = caller.execute(&command).map_err(|error| self.failed(error))?;
        outcome.map_err(|fault| {
            let operation = match task {
                Task::Program(program) => program.steps.get(fault.step as usize).map(|step| step.operation),
                _ => None,
            };
            let operation = operation.unwrap_or(self.operation);
            Fault { operation, is_domain: fault.cause == Cause::Domain, what: fault.what }
        })
    }
}
