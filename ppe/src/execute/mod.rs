#![doc = include_str!("README.md")]

mod distribution;
mod guard;
mod queue;

pub use guard::GuardCounts;
pub use queue::{ExecutionQueue, QUEUE_DEPTH};

use std::sync::Arc;
use std::time::{Duration, Instant};

use distribution::Distribution;

use crate::engine::{BlockAddress, Command, Engine, Fault, Task};
use crate::error::{Error, Failure, Result};
use crate::lower::{LoweredGraph, Place, Program, Work};
use crate::operation::Precision;
use crate::pool::{Buffer, Pool};
use crate::schedule::Schedule;
use crate::stats::Executed;

/// Executes one lowered graph after its schedule.
#[derive(Debug)]
pub struct ExecutionControl<'a> {
    graph: &'a LoweredGraph,
    schedule: &'a Schedule,
    engine: &'a mut dyn Engine,
    pool: &'a Pool,
    guards: GuardCounts,
    queues: Vec<ExecutionQueue>,
    /// Operations of each stream that have been offered.
    offered: Vec<usize>,
    /// How operations are handed to the MEUs.
    distribution: Distribution,
    temporaries: Vec<Option<Buffer>>,
    remaining: usize,
    executed: &'a Executed,
    /// Results of the operation that is being offered.
    results: Vec<BlockAddress>,
    operands: Vec<BlockAddress>,
}

/// Executes all operations of `graph` on `engine`, in the order of `schedule`. Temporary blocks come from
/// `pool`. When nothing completes for as long as `patience`, the engine counts as stuck.
///
/// # Errors
/// The first failure. The engine has been reset, and no operation of the graph is being executed any more.
pub fn execute(
    graph: &LoweredGraph,
    schedule: &Schedule,
    engine: &mut dyn Engine,
    pool: &Pool,
    patience: Duration,
) -> Result<(), Failure> {
    execute_until(graph, schedule, engine, pool, patience, &Executed::default(), &|| false)
}

/// Executes like [`execute`], counts in `executed`, and gives up as soon as `stop` is true: then it offers
/// nothing more, and resets the engine.
///
/// # Errors
/// As [`execute`], and [`Error::Cancelled`].
pub fn execute_until(
    graph: &LoweredGraph,
    schedule: &Schedule,
    engine: &mut dyn Engine,
    pool: &Pool,
    patience: Duration,
    executed: &Executed,
    stop: &dyn Fn() -> bool,
) -> Result<(), Failure> {
    let mut control = ExecutionControl::new(graph, schedule, engine, pool, executed)?;
    let outcome = control.run(patience, stop);
    if outcome.is_err() {
        // No MEU may use the temporaries any more when they go back to the pool.
        if let Err(error) = control.engine.reset() {
            control.temporaries.drain(..).for_each(std::mem::forget);
            return Err(error.into());
        }
    }
    outcome
}

impl<'a> ExecutionControl<'a> {
    fn new(
        graph: &'a LoweredGraph,
        schedule: &'a Schedule,
        engine: &'a mut dyn Engine,
        pool: &'a Pool,
        executed: &'a Executed,
    ) -> Result<ExecutionControl<'a>> {
        let mut queues = Vec::with_capacity(schedule.streams.len());
        for meu in 0..schedule.streams.len() {
            // Nothing is outstanding between two graphs, so all completed operations have been acknowledged.
            let completed = engine
                .completed(meu)
                .map_err(|fault| Error::Engine { engine: engine.name(), what: fault.what })?;
            queues.push(ExecutionQueue::after(completed));
        }
        Ok(ExecutionControl {
            guards: GuardCounts::new(graph),
            offered: vec![0; queues.len()],
            distribution: Distribution::new(engine.may_fall_behind(), schedule),
            temporaries: std::iter::repeat_with(|| None).take(graph.len()).collect(),
            remaining: graph.len(),
            graph,
            schedule,
            engine,
            pool,
            queues,
            executed,
            results: Vec::new(),
            operands: Vec::new(),
        })
    }

    fn run(&mut self, patience: Duration, stop: &dyn Fn() -> bool) -> Result<(), Failure> {
        let mut quiet_since: Option<Instant> = None;
        while self.remaining > 0 {
            if stop() {
                return Err(Error::Cancelled.into());
            }
            let mut changed = false;
            for meu in 0..self.queues.len() {
                changed |= self.acknowledge(meu)?;
                changed |= self.offer(meu)?;
            }
            if changed {
                quiet_since = None;
                continue;
            }
            let since = *quiet_since.get_or_insert_with(Instant::now);
            if since.elapsed() >= patience {
                return Err(self.stuck(patience));
            }
            self.engine.wait(patience.min(Duration::from_millis(100)));
        }
        Ok(())
    }

    /// Acknowledges the operations that an MEU has executed.
    fn acknowledge(&mut self, meu: usize) -> Result<bool, Failure> {
        if self.queues[meu].is_empty() {
            return Ok(false);
        }
        let completed = match self.engine.completed(meu) {
            Ok(completed) => completed,
            Err(fault) => return Err(self.failure(meu, &fault)),
        };
        let mut changed = false;
        while let Some(operation) = self.queues[meu].acknowledge(completed) {
            self.guards.acknowledge(self.graph, operation);
            let block = &self.graph.operations[operation as usize];
            self.executed.add(self.graph.work(block));
            for place in block.operands {
                if let Place::Temporary(writer) = place {
                    self.temporaries[writer as usize] = None;
                }
            }
            self.remaining -= 1;
            changed = true;
        }
        Ok(changed)
    }

    /// Offers an MEU as many operations as it can take.
    fn offer(&mut self, meu: usize) -> Result<bool, Failure> {
        let mut changed = false;
        while self.queues[meu].len() < self.distribution.depth
            && let Some((stream, operation)) = self.next(meu)
            && self.engine.room(meu) > 0
        {
            let task = self.prepare(operation).map_err(|error| self.concerning(operation, 0, error))?;
            let venue = self.graph.operations[operation as usize].venue;
            let command = Command { task, venue, results: &self.results, operands: &self.operands };
            self.engine.offer(meu, &command);
            self.queues[meu].offered(operation);
            self.offered[stream] += 1;
            changed = true;
        }
        Ok(changed)
    }

    /// The operation that an MEU shall be offered next, and its stream.
    fn next(&self, meu: usize) -> Option<(usize, u32)> {
        let front = |stream: usize| {
            let &operation = self.schedule.streams[stream].get(self.offered[stream])?;
            self.guards.is_open(operation).then_some((stream, operation))
        };
        let takes_over = || {
            let streams = self.distribution.streams(meu, &self.queues)?;
            let left = |stream: usize| self.schedule.streams[stream].len() - self.offered[stream];
            streams.filter_map(front).max_by_key(|&(stream, _)| left(stream))
        };
        front(meu).or_else(takes_over)
    }

    /// Fills in the addresses of an operation's results and operands. Returns what the operation computes.
    fn prepare(&mut self, index: u32) -> Result<Task<&'a Arc<Program>>> {
        let graph = self.graph;
        let operation = &graph.operations[index as usize];
        if operation.result == Place::Temporary(index) {
            self.temporaries[index as usize] = Some(self.pool.allocate(graph.temporary_bytes(index))?);
        }
        let program = graph.program(operation);
        let operand_precision = program.map_or(operation.precision, |program| program.operand_precision);
        self.results.clear();
        for place in std::iter::once(operation.result).chain(graph.more_results(operation)) {
            let block = self.block(place, (operation.rows, operation.columns), operation.precision);
            self.results.extend(block);
        }
        self.operands.clear();
        for (place, sides) in graph.inputs(operation) {
            let block = self.block(place, sides, operand_precision);
            self.operands.extend(block);
        }
        Ok(match (operation.work, program) {
            (Work::Product(parts), _) => Task::Product(parts),
            (Work::Program(_), Some(program)) => Task::Program(program),
            (Work::Program(_), None) => unreachable!("the graph has its programs"),
            (Work::Move(kind) | Work::Reduce(kind), _) => {
                if let (Some(shape), Some(operand)) = (graph.whole_operand(index), self.operands.first_mut())
                {
                    (operand.rows, operand.columns) = (shape.rows, shape.columns);
                }
                let (parameters, origin) = graph.parameters(index);
                Task::Direct { kind, parameters, origin }
            }
        })
    }

    fn block(&self, place: Place, (rows, columns): (u16, u16), precision: Precision) -> Option<BlockAddress> {
        let (ea, stride_bytes) = self.address(place)?;
        Some(BlockAddress { ea, stride_bytes, rows: rows.into(), columns: columns.into(), precision })
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

    fn failure(&self, meu: usize, fault: &Fault) -> Failure {
        let queue = &self.queues[meu];
        let operation = fault.operation.and_then(|number| queue.numbered(number)).or_else(|| queue.oldest());
        let Some(operation) = operation else {
            return Error::Engine { engine: self.engine.name(), what: fault.what.clone() }.into();
        };
        let blame = self.graph.trace.blame(self.graph.recorded_index(operation, fault.step));
        let error = match fault.domain {
            true => Error::Domain { blame },
            false => {
                Error::Meu { what: fault.what.clone(), processor: self.schedule.processors.name(meu), blame }
            }
        };
        self.concerning(operation, fault.step, error)
    }

    /// A failure of a step of a block operation.
    fn concerning(&self, operation: u32, step: u32, error: Error) -> Failure {
        self.graph.trace.failure(self.graph.recorded_index(operation, step), error)
    }

    fn stuck(&self, patience: Duration) -> Failure {
        let what = format!("nothing has completed for {patience:?}");
        let oldest = (0..self.queues.len()).find_map(|meu| Some((meu, self.queues[meu].oldest()?)));
        let error = match oldest {
            Some((meu, operation)) => {
                let processor = self.schedule.processors.name(meu);
                Error::Meu { what, processor, blame: self.graph.blame(operation) }
            }
            None => Error::Engine {
                engine: self.engine.name(),
                what: format!("{what}, and nothing is outstanding"),
            },
        };
        error.into()
    }
}

#[cfg(test)]
mod tests;
