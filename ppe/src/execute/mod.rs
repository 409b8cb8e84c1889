#![doc = include_str!("README.md")]

mod alone;
mod blocks;
mod distribution;
mod guard;
mod here;
mod pieces;
mod queue;
mod together;

pub use alone::execute_alone;
pub use guard::GuardCounts;
pub use here::execute_here;
pub use queue::{ExecutionQueue, QUEUE_DEPTH};
pub use together::execute_together;

use std::time::{Duration, Instant};

use blocks::{Addresses, Blocks, failure_of};
use distribution::Distribution;

use crate::engine::{Engine, Fault};
use crate::error::{Error, Failure, Result};
use crate::lower::LoweredGraph;
use crate::pool::Pool;
use crate::schedule::Schedule;
use crate::stats::Executed;

/// Executes one lowered graph after its schedule.
#[derive(Debug)]
pub struct ExecutionControl<'a> {
    graph: &'a LoweredGraph,
    schedule: &'a Schedule,
    engine: &'a mut dyn Engine,
    blocks: Blocks<'a>,
    /// Where the blocks of the operation lie that is being offered.
    addresses: Addresses,
    guards: GuardCounts,
    queues: Vec<ExecutionQueue>,
    /// Operations of each stream that have been offered.
    offered: Vec<usize>,
    /// How operations are handed to the MEUs.
    distribution: Distribution,
    remaining: usize,
    executed: &'a Executed,
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
            control.blocks.forget();
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
            remaining: graph.len(),
            blocks: Blocks::new(graph, pool),
            addresses: Addresses::default(),
            graph,
            schedule,
            engine,
            queues,
            executed,
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
            self.guards.acknowledge(self.graph, operation, |_| ());
            self.executed.add(self.graph.work(&self.graph.operations[operation as usize]));
            self.blocks.executed(operation);
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
            self.engine.offer(meu, &self.blocks.command(operation, &mut self.addresses)?);
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

    fn failure(&self, meu: usize, fault: &Fault) -> Failure {
        let queue = &self.queues[meu];
        let operation = fault.operation.and_then(|number| queue.numbered(number)).or_else(|| queue.oldest());
        let Some(operation) = operation else {
            return Error::Engine { engine: self.engine.name(), what: fault.what.clone() }.into();
        };
        failure_of(self.graph, operation, self.schedule.processors.name(meu), fault)
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
