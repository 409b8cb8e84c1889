//! Insertion: the block operations of a chunk become operations of StarPU, on the ranks that own what they write. Ranks
//! that own what they read send it there. All ranks walk over all operations in the same order, so each of them knows
//! what it has to do without asking.

use std::io;
use std::ops::Range;
use std::sync::Arc;

use pmatrix::engine::Task;
use pmatrix::error::Failure;
use pmatrix::lower::{self, ChunkLimits, Held, LoweredGraph, Lowering, OnShards, Place, Target};
use pmatrix::operation::Precision;
use pmatrix::pool::Pool;
use pmatrix::time::TimeModel;
use pmatrix::trace::Trace;
use pmatrix::wire::message::Fault;

use super::record::{By, Faults, Operand, Record};
use super::shards::{Frame, Region, Shard, Shards};
use super::shim::{Handle, Ranks};

/// Block operations of a chunk. All ranks need the same number, since releases come between chunks.
const CHUNK_OPERATIONS: usize = 2048;

/// A temporary block that has been written and not read.
#[derive(Debug)]
struct Temporary {
    shard: Shard,
    frame: Frame,
}

/// What an operation reads or writes, and the shards that have it.
struct Block<'g> {
    frame: Frame,
    precision: Precision,
    region: Region,
    shards: Vec<&'g Shard>,
}

impl Block<'_> {
    /// This block for the kernel, with these of the operation's shards.
    fn operand(&self, shards: Range<usize>) -> Operand {
        let Block { frame, precision, region, .. } = *self;
        Operand {
            frame,
            precision,
            region: (!shards.is_empty()).then_some(region),
            sides: (region.2, region.3),
            from_origin: false,
            transposed: false,
            shards,
        }
    }
}

/// What a rank has inserted, with what all other ranks execute.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Inserted {
    /// A hash of all operations. All ranks have the same.
    pub(super) hash: u64,
    /// How many there are.
    pub(super) operations: u64,
}

/// Inserts block operations, and remembers what it has inserted.
#[derive(Debug)]
pub(super) struct Inserter<'r> {
    ranks: &'r Ranks,
    model: &'r TimeModel,
    /// How long each operation of the present chunk takes.
    #[cfg(feature = "simulation")]
    times: Vec<pmatrix::time::StageTimes>,
    pub(super) inserted: Inserted,
    /// The shards of the operation that is being inserted.
    handles: Vec<Handle>,
}

impl<'r> Inserter<'r> {
    pub(super) fn new(ranks: &'r Ranks, model: &'r TimeModel) -> Inserter<'r> {
        Inserter {
            ranks,
            model,
            #[cfg(feature = "simulation")]
            times: Vec::new(),
            inserted: Inserted::default(),
            handles: Vec::new(),
        }
    }

    /// Lowers a trace and inserts its operations.
    ///
    /// # Errors
    /// When there is no memory, or StarPU takes no operation.
    pub(super) fn trace(
        &mut self,
        trace: &Arc<Trace>,
        target: &Target,
        pool: &Pool,
        faults: &Arc<Faults>,
    ) -> io::Result<()> {
        // Intermediate results are released between chunks.
        let bytes = self.ranks.room.as_ref().map_or(u64::MAX, |room| room.chunk_bytes());
        let chunks = ChunkLimits { operations: CHUNK_OPERATIONS, first: CHUNK_OPERATIONS, bytes };
        let mut lowering = Lowering::new(Arc::clone(trace), target, self.model, pool, chunks);
        let failed = |failure: Failure| io::Error::other(failure.error.to_string());
        while let Some(chunk) = lowering.next_chunk().map_err(failed)? {
            if let Some(fault) = self.chunk(&chunk, faults)? {
                faults.note(fault);
                break;
            }
        }
        Ok(())
    }

    /// Inserts the operations of a chunk, up to one for which ranks have too little memory. All ranks stop there.
    fn chunk(&mut self, graph: &LoweredGraph, faults: &Arc<Faults>) -> io::Result<Option<Fault>> {
        let shards: Vec<&Shards> = graph
            .matrices
            .iter()
            .zip(&graph.shards)
            .map(|(matrix, grid)| Shards::of(matrix, grid, self.ranks))
            .collect();
        #[cfg(feature = "simulation")]
        self.times.clone_from(&pmatrix::schedule::estimate(graph, self.model));
        let mut temporaries: Vec<Option<Temporary>> = Vec::new();
        temporaries.resize_with(graph.len(), || None);
        for index in 0..graph.len() as u32 {
            let fault = self.operation(graph, index, &shards, &mut temporaries, faults)?;
            if fault.is_some() {
                return Ok(fault);
            }
        }
        Ok(None)
    }

    fn operation(
        &mut self,
        graph: &LoweredGraph,
        index: u32,
        shards: &[&Shards],
        temporaries: &mut [Option<Temporary>],
        faults: &Arc<Faults>,
    ) -> io::Result<Option<Fault>> {
        let operation = &graph.operations[index as usize];
        let owner = owner(graph, index, shards);
        if operation.result == Place::Temporary(index) {
            temporaries[index as usize] = Some(self.temporary(graph, index, owner));
        }
        let block = |held| block(graph, held, shards, temporaries);
        let read: Vec<_> = graph
            .regions_read(index)
            .into_iter()
            .zip(graph.inputs(operation))
            .map(|(held, (place, _))| {
                block(held.or(match place {
                    // An operand of which no element is read still has a precision.
                    Place::Matrix { matrix, .. } => Some(Held::Matrix(matrix, (0, 0, 0, 0))),
                    _ => None,
                }))
            })
            .collect();
        let written: Vec<_> =
            graph.regions_written(index).into_iter().map(|held| block(Some(held))).collect();
        self.note(owner, operation, &read, &written);
        let reads = || read.iter().flat_map(|block| block.shards.iter().copied());
        if let Some(room) = &self.ranks.room {
            let writes = written.iter().flat_map(|block| &block.shards);
            let bytes = writes.map(|shard| shard.bytes()).sum();
            if let Err(what) = room.make(self.ranks, owner, reads().collect(), bytes)? {
                return Ok(Some(Fault { operation: operation.operation, is_domain: false, what }));
            }
        }
        for shard in reads() {
            shard.transfer(self.ranks, owner)?;
        }
        if self.ranks.is_here(owner) {
            self.execute(graph, index, &read, &written, faults)?;
        }
        // A temporary has one reader.
        for place in operation.operands {
            if let Place::Temporary(writer) = place {
                temporaries[writer as usize] = None;
            }
        }
        Ok(None)
    }

    /// Inserts an operation that this rank executes.
    fn execute(
        &mut self,
        graph: &LoweredGraph,
        index: u32,
        read: &[Block<'_>],
        written: &[Block<'_>],
        faults: &Arc<Faults>,
    ) -> io::Result<()> {
        let operation = &graph.operations[index as usize];
        if written.iter().flat_map(|block| &block.shards).any(|shard| !self.ranks.is_here(shard.owner)) {
            return Err(io::Error::other("a block operation would write a shard of another rank"));
        }
        let number = self.ranks.next_operation();
        let count = read.iter().chain(written).map(|block| block.shards.len()).sum();
        let (mut operands, mut shards) =
            (Vec::with_capacity(read.len() + written.len()), Vec::with_capacity(count));
        self.handles.clear();
        let mut reads = 0;
        for (position, block) in read.iter().chain(written).enumerate() {
            let begin = shards.len();
            let enter = |shard: &&Shard| (shard.enter(self.ranks, number, &mut self.handles), shard.region);
            shards.extend(block.shards.iter().map(enter));
            operands.push(block.operand(begin..shards.len()));
            if position + 1 == read.len() {
                reads = self.handles.len();
            }
        }
        let whole = graph.whole_operand(index);
        for (position, (operand, (_, sides))) in
            operands[..read.len()].iter_mut().zip(graph.inputs(operation)).enumerate()
        {
            operand.transposed = operation.transposed.get(position).is_some_and(|&transposed| transposed);
            let (rows, columns) = (u32::from(sides.0), u32::from(sides.1));
            operand.sides = if operand.transposed { (columns, rows) } else { (rows, columns) };
            if let Some(shape) = whole.filter(|_| position == 0) {
                (operand.sides, operand.from_origin) = ((shape.rows, shape.columns), true);
            }
        }
        let by = match &self.ranks.own {
            Some(engine) => By::Engine(Arc::clone(engine), OnShards::of(graph, index)),
            None => By::Kernels {
                task: Task::of(graph, index).map(|program| Arc::clone(program)),
                members: self.ranks.members,
            },
        };
        let faults = Arc::clone(faults);
        #[cfg(feature = "simulation")]
        let nanoseconds = {
            let times = &self.times[index as usize];
            times.df + times.ex + times.wb
        };
        let record = Box::new(Record {
            by,
            operation: operation.operation,
            operands,
            reads: read.len(),
            shards,
            faults,
            #[cfg(feature = "simulation")]
            nanoseconds,
        });
        self.ranks.insert(record, &self.handles, reads)
    }

    /// The temporary block that an operation writes. It belongs to the rank that executes the operation.
    fn temporary(&self, graph: &LoweredGraph, index: u32, owner: u32) -> Temporary {
        let operation = &graph.operations[index as usize];
        let region = (0, 0, u32::from(operation.rows), u32::from(operation.columns));
        let element_bytes = operation.precision.element_bytes();
        let touches = graph.temporary_stride_bytes(index) as usize == element_bytes;
        let frame = Frame { element_bytes, touches };
        Temporary { shard: Shard::new(self.ranks, self.ranks.numbers(1), owner, region, frame), frame }
    }

    /// Counts an operation, and adds it to the hash.
    fn note(
        &mut self,
        owner: u32,
        operation: &lower::BlockOperation,
        read: &[Block<'_>],
        written: &[Block<'_>],
    ) {
        self.inserted.operations += 1;
        let shards = read.iter().chain(written).flat_map(|block| &block.shards).map(|shard| shard.number);
        let sides = [operation.rows, operation.columns].map(u64::from);
        let lengths = [read.len() as u64, written.len() as u64];
        let numbers = [u64::from(owner), u64::from(operation.operation)].into_iter();
        for number in numbers.chain(sides).chain(lengths).chain(shards) {
            // FNV-1a.
            self.inserted.hash = (self.inserted.hash ^ number).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

/// Where a block lies that an operation reads or writes.
fn block<'g>(
    graph: &LoweredGraph,
    held: Option<Held>,
    shards: &[&'g Shards],
    temporaries: &'g [Option<Temporary>],
) -> Block<'g> {
    match held {
        Some(Held::Matrix(matrix, region)) => {
            let (all, is_empty) = (shards[matrix as usize], region.2 == 0 || region.3 == 0);
            let shards = if is_empty { Vec::new() } else { all.overlapping(region).collect() };
            let precision = graph.matrices[matrix as usize].precision();
            Block { frame: all.frame, precision, region, shards }
        }
        Some(Held::Temporary(writer)) => {
            let Some(Temporary { shard, frame }) = &temporaries[writer as usize] else {
                unreachable!("a temporary is read once, after it has been written")
            };
            let precision = graph.operations[writer as usize].precision;
            Block { frame: *frame, precision, region: shard.region, shards: vec![shard] }
        }
        None => unreachable!("every operand lies somewhere"),
    }
}

/// A part of a product is computed where its first operand is, if the operand is so many times as large as the part, and
/// its shards so many times as wide. One chain of a product has shards of few of the ranks: if parts were not thin, these
/// ranks would do all the work.
const MUCH_LARGER: u64 = 8;

/// The rank that executes an operation: the owner of its result. A temporary of a reduction belongs to the rank that
/// has what is reduced, and so does a thin temporary of a product, with a large first operand; any other temporary
/// belongs to the owner of the result that it goes into.
fn owner(graph: &LoweredGraph, index: u32, shards: &[&Shards]) -> u32 {
    let first = |matrix: u32, (row, column): (u32, u32)| {
        shards[matrix as usize].overlapping((row, column, 1, 1)).next()
    };
    let owner_of = |matrix, at| first(matrix, at).map_or(0, |shard| shard.owner);
    let is_thin = |matrix, at, columns: u16| {
        let sides = first(matrix, at).map_or((0, 0), |shard| (shard.region.2, shard.region.3));
        u64::from(sides.0.max(sides.1)) >= MUCH_LARGER * u64::from(columns)
    };
    let mut index = index;
    loop {
        let operation = &graph.operations[index as usize];
        match (operation.result, operation.work, operation.operands[0]) {
            (Place::Matrix { matrix, row, column }, ..)
            | (_, lower::Work::Reduce(_), Place::Matrix { matrix, row, column }) => {
                return owner_of(matrix, (row, column));
            }
            (_, lower::Work::Product(parts, _), Place::Matrix { matrix, row, column })
                if u64::from(parts.length()) > MUCH_LARGER * u64::from(operation.columns)
                    && is_thin(matrix, (row, column), operation.columns) =>
            {
                return owner_of(matrix, (row, column));
            }
            _ => {}
        }
        let reads = |reader: &u32| graph.operations[*reader as usize].operands.contains(&operation.result);
        match graph.dependants(index).find(reads) {
            Some(reader) => index = reader,
            None => return 0,
        }
    }
}
