//! The blocks of operations in main memory: their addresses, and the memory of temporaries.

use std::sync::Arc;

use crate::engine::{BlockAddress, Cause, Command, Fault, Task};
use crate::error::{Error, Failure, Result};
use crate::lower::{LoweredGraph, Place, Program};
use crate::pool::{Buffer, Pool};

/// Turns operations of a graph into commands, one at a time.
#[derive(Debug)]
pub(super) struct Blocks<'a> {
    graph: &'a LoweredGraph,
    pool: &'a Pool,
    /// The temporary that each operation has written and that has not been read.
    temporaries: Vec<Option<Buffer>>,
}

/// Where the blocks of one command lie.
#[derive(Debug, Default)]
pub(super) struct Addresses {
    results: Vec<BlockAddress>,
    operands: Vec<BlockAddress>,
}

impl<'a> Blocks<'a> {
    /// Temporaries come from `pool`.
    pub(super) fn new(graph: &'a LoweredGraph, pool: &'a Pool) -> Blocks<'a> {
        let temporaries = std::iter::repeat_with(|| None).take(graph.len()).collect();
        Blocks { graph, pool, temporaries }
    }

    /// The command of an operation, whose addresses are written to `addresses`. Its temporary gets memory.
    ///
    /// # Errors
    /// [`Error::Memory`]
    pub(super) fn command<'b>(
        &mut self,
        index: u32,
        addresses: &'b mut Addresses,
    ) -> Result<Command<'b>, Failure>
    where
        'a: 'b,
    {
        let task = self.prepare(index, addresses).map_err(|error| concerning(self.graph, index, 0, error))?;
        let venue = self.graph.operations[index as usize].venue;
        Ok(Command { task, venue, results: &addresses.results, operands: &addresses.operands })
    }

    /// Fills in the addresses of an operation's results and operands. Returns what the operation computes.
    fn prepare(&mut self, index: u32, addresses: &mut Addresses) -> Result<Task<&'a Arc<Program>>> {
        let Addresses { results, operands } = addresses;
        let graph = self.graph;
        let operation = &graph.operations[index as usize];
        // An operation that a lost processor has left has its temporary.
        if operation.result == Place::Temporary(index) && self.temporaries[index as usize].is_none() {
            self.temporaries[index as usize] = Some(self.pool.allocate(graph.temporary_bytes(index))?);
        }
        results.clear();
        for place in std::iter::once(operation.result).chain(graph.more_results(operation)) {
            let block = self.block(place, (operation.rows, operation.columns));
            results.extend(block);
        }
        operands.clear();
        for (place, sides) in graph.inputs(operation) {
            let block = self.block(place, sides);
            operands.extend(block);
        }
        for (block, _) in operands.iter_mut().zip(operation.transposed).filter(|(_, turned)| *turned) {
            (block.rows, block.columns, block.transposed) = (block.columns, block.rows, true);
        }
        if let (Some(shape), Some(operand)) = (graph.whole_operand(index), operands.first_mut()) {
            (operand.rows, operand.columns) = (shape.rows, shape.columns);
        }
        Ok(Task::of(graph, index))
    }

    fn block(&self, place: Place, (rows, columns): (u16, u16)) -> Option<BlockAddress> {
        let (ea, stride_bytes) = self.address(place)?;
        let precision = self.graph.precision(place)?;
        Some(BlockAddress {
            ea,
            stride_bytes,
            rows: rows.into(),
            columns: columns.into(),
            precision,
            transposed: false,
        })
    }

    fn address(&self, place: Place) -> Option<(u64, u32)> {
        match place {
            Place::Temporary(writer) => {
                let buffer = self.temporaries[writer as usize].as_ref()?;
                Some((buffer.pointer() as u64, self.graph.temporary_stride_bytes(writer)))
            }
            place => self.graph.address(place),
        }
    }

    /// Notes that an operation has been executed: a temporary has one reader.
    pub(super) fn executed(&mut self, index: u32) {
        for place in self.graph.operations[index as usize].operands {
            if let Place::Temporary(writer) = place {
                self.temporaries[writer as usize] = None;
            }
        }
    }

    /// Leaves the memory of all blocks to an engine that may still use it.
    pub(super) fn forget(self) {
        self.temporaries.into_iter().for_each(std::mem::forget);
        self.graph.matrices.iter().for_each(|matrix| std::mem::forget(Arc::clone(matrix)));
    }
}

/// A failure of a step of a block operation.
pub(super) fn concerning(graph: &LoweredGraph, operation: u32, step: u32, error: Error) -> Failure {
    graph.trace.failure(graph.recorded_index(operation, step), error)
}

/// What a fault of a processor says of the block operation that it met.
pub(super) fn failure_of(
    graph: &LoweredGraph,
    operation: u32,
    processor: Box<str>,
    fault: &Fault,
) -> Failure {
    let blame = graph.trace.blame(graph.recorded_index(operation, fault.step));
    let error = match fault.cause {
        Cause::Domain => Error::Domain { blame },
        Cause::Refused | Cause::Lost => Error::Meu { what: fault.what.clone(), processor, blame },
    };
    concerning(graph, operation, fault.step, error)
}
