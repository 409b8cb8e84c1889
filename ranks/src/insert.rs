//! Insertion: the block operations of a chunk become operations of StarPU, on all ranks in the same order.

use std::io;
use std::sync::Arc;

use pmatrix::engine::Task;
use pmatrix::lower::{self, Held, LoweredGraph, Place};

use super::record::{Faults, Operand, Record};
use super::shards::{Frame, Region, Shard, Shards};
use super::shim::{Handle, Ranks, release};

/// A temporary block that has been written and not read.
#[derive(Debug, Clone, Copy)]
struct Temporary {
    shard: Shard,
    frame: Frame,
}

/// Inserts block operations, and remembers what it has inserted.
#[derive(Debug)]
pub(super) struct Inserter<'r> {
    ranks: &'r Ranks,
    /// A hash of all that has been inserted. All ranks have the same.
    pub(super) hash: u64,
}

/// The shards of the operation that is being inserted.
#[derive(Debug, Default)]
struct Inserted {
    handles: Vec<Handle>,
}

impl Inserted {
    /// The number of a shard among the blocks of the operation.
    fn number(&mut self, handle: Handle) -> usize {
        self.handles.iter().position(|&other| other == handle).unwrap_or_else(|| {
            self.handles.push(handle);
            self.handles.len() - 1
        })
    }
}

impl<'r> Inserter<'r> {
    pub(super) fn new(ranks: &'r Ranks) -> Inserter<'r> {
        Inserter { ranks, hash: 0 }
    }

    /// Inserts all operations of a chunk.
    pub(super) fn chunk(&mut self, graph: &LoweredGraph, faults: &Arc<Faults>) -> io::Result<()> {
        let shards: Vec<&Shards> = graph
            .matrices
            .iter()
            .zip(&graph.shards)
            .map(|(matrix, grid)| Shards::of(matrix, grid, self.ranks))
            .collect();
        let mut temporaries: Vec<Option<Temporary>> = vec![None; graph.len()];
        for index in 0..graph.len() as u32 {
            self.operation(graph, index, &shards, &mut temporaries, faults)?;
        }
        Ok(())
    }

    fn operation(
        &mut self,
        graph: &LoweredGraph,
        index: u32,
        shards: &[&Shards],
        temporaries: &mut [Option<Temporary>],
        faults: &Arc<Faults>,
    ) -> io::Result<()> {
        let operation = &graph.operations[index as usize];
        let owner = owner(graph, index, shards);
        if operation.result == Place::Temporary(index) {
            temporaries[index as usize] = Some(self.temporary(graph, index, owner));
        }
        let mut inserted = Inserted::default();
        let whole = graph.whole_operand(index);
        let read = graph.regions_read(index);
        let operands: Vec<_> = read
            .iter()
            .zip(graph.inputs(operation))
            .enumerate()
            .map(|(position, (held, (place, (rows, columns))))| {
                let held = held.or_else(|| match place {
                    // An operand of which no element is read still has a precision.
                    Place::Matrix { matrix, .. } => Some(Held::Matrix(matrix, (0, 0, 0, 0))),
                    _ => None,
                });
                let transposed = operation.transposed.get(position).is_some_and(|&transposed| transposed);
                let sides = (u32::from(rows), u32::from(columns));
                let sides = if transposed { (sides.1, sides.0) } else { sides };
                let (sides, from_origin) = match whole {
                    Some(shape) if position == 0 => ((shape.rows, shape.columns), true),
                    _ => (sides, false),
                };
                let operand = self.block(graph, held, shards, temporaries, &mut inserted);
                Operand { sides, from_origin, transposed, ..operand }
            })
            .collect();
        let reads = inserted.handles.len();
        let results: Vec<_> = graph
            .regions_written(index)
            .into_iter()
            .map(|held| self.block(graph, Some(held), shards, temporaries, &mut inserted))
            .collect();
        self.note(owner, &inserted, reads, operation);
        let is_here = owner == self.ranks.place.rank as u32;
        let record = is_here.then(|| {
            let task = Task::of(graph, index).map(|program| Arc::clone(program));
            let faults = Arc::clone(faults);
            Box::new(Record { task, operation: operation.operation, operands, results, faults })
        });
        self.ranks.insert(owner, record, &inserted.handles, reads)?;
        // A temporary has one reader.
        for place in operation.operands {
            if let Place::Temporary(writer) = place
                && let Some(read) = temporaries[writer as usize].take()
            {
                release(read.shard.handle);
            }
        }
        Ok(())
    }

    /// The temporary block that an operation writes. It belongs to the rank that executes the operation.
    fn temporary(&self, graph: &LoweredGraph, index: u32, owner: u32) -> Temporary {
        let operation = &graph.operations[index as usize];
        let (rows, columns) = (u32::from(operation.rows), u32::from(operation.columns));
        let element_bytes = operation.precision.element_bytes();
        let touches = graph.temporary_stride_bytes(index) as usize == element_bytes;
        let frame = Frame { element_bytes, touches };
        let (column_bytes, count) = frame.sides((rows, columns));
        let handle = self.ranks.shard(column_bytes, count, owner);
        Temporary { shard: Shard { handle, owner, region: (0, 0, rows, columns) }, frame }
    }

    /// A block that an operation reads or writes, whose shards are entered among those of the operation.
    fn block(
        &self,
        graph: &LoweredGraph,
        held: Option<Held>,
        shards: &[&Shards],
        temporaries: &[Option<Temporary>],
        inserted: &mut Inserted,
    ) -> Operand {
        let (frame, precision, region, found): (_, _, Region, Vec<Shard>) = match held {
            Some(Held::Matrix(matrix, region)) => {
                let (all, is_empty) = (shards[matrix as usize], region.2 == 0 || region.3 == 0);
                let found = if is_empty { Vec::new() } else { all.overlapping(region).collect() };
                (all.frame, graph.matrices[matrix as usize].precision(), region, found)
            }
            Some(Held::Temporary(writer)) => {
                let Some(temporary) = temporaries[writer as usize] else {
                    unreachable!("a temporary is read once, after it has been written")
                };
                let precision = graph.operations[writer as usize].precision;
                (temporary.frame, precision, temporary.shard.region, vec![temporary.shard])
            }
            None => unreachable!("every operand lies somewhere"),
        };
        Operand {
            frame,
            precision,
            region: (!found.is_empty()).then_some(region),
            sides: (region.2, region.3),
            from_origin: false,
            transposed: false,
            shards: found.iter().map(|shard| (inserted.number(shard.handle), shard.region)).collect(),
        }
    }

    /// Adds an operation to the hash.
    fn note(&mut self, owner: u32, inserted: &Inserted, reads: usize, operation: &lower::BlockOperation) {
        let numbers = [owner as usize, inserted.handles.len(), reads, operation.operation as usize];
        for number in numbers.into_iter().chain([usize::from(operation.rows), usize::from(operation.columns)])
        {
            // FNV-1a.
            self.hash = (self.hash ^ number as u64).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

/// The rank that executes an operation: the owner of its result. A temporary of a reduction belongs to the rank that
/// has what is reduced; any other temporary belongs to the owner of the result that it goes into.
fn owner(graph: &LoweredGraph, index: u32, shards: &[&Shards]) -> u32 {
    let first = |matrix: u32, (row, column): (u32, u32)| {
        shards[matrix as usize].overlapping((row, column, 1, 1)).next().map_or(0, |shard| shard.owner)
    };
    let mut index = index;
    loop {
        let operation = &graph.operations[index as usize];
        match (operation.result, operation.work, operation.operands[0]) {
            (Place::Matrix { matrix, row, column }, ..)
            | (_, lower::Work::Reduce(_), Place::Matrix { matrix, row, column }) => {
                return first(matrix, (row, column));
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
