#![doc = include_str!("README.md")]

mod alone;
mod blocks;
mod distribution;
mod glance;
mod guard;
mod here;
mod losses;
mod lost;
mod pieces;
mod queue;
mod quiet;
mod together;
mod witness;

pub use alone::{execute_alone, execute_product};
pub use glance::glance;
pub use guard::GuardCounts;
pub use here::execute_here;
pub use queue::{ExecutionQueue, QUEUE_DEPTH};
pub use together::execute_together;
pub use witness::Witness;

use std::time::Duration;

use blocks::{Addresses, Blocks, failure_of};
use distribution::Distribution;
use losses::{Losses, Source};
use quiet::{LONGEST_WAIT, Quiet};
use witness::Streams;

use crate::engine::{Cause, Engine, Fault};
use crate::error::{Error, Failure, Result};
use crate::lower::LoweredGraph;
use crate::pool::Pool;
use crate::schedule::Schedule;
use crate::stats::Executed;

/// How the execution of a graph has ended without a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// All results are in memory.
    Complete,
    /// A processor that was taken out has not stopped, and may still write to the results. The trace has to be
    /// executed anew, with results in other memory. No processor uses memory of this graph but this one, whose
    /// memory is never given back.
    Anew,
}

/// What execution control has seen of a processor.
enum Seen {
    /// It works; whether it has completed anything.
    Completed(bool),
    /// It is lost.
    Lost(Fault),
}

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
    /// The engine's number of the processor of each stream. None if nobody executes the stream.
    numbers: Vec<Option<usize>>,
    queues: Vec<ExecutionQueue>,
    /// Operations of each stream that have been offered.
    offered: Vec<usize>,
    /// How operations are handed to the MEUs.
    distribution: Distribution,
    losses: Losses,
    remaining: usize,
    witness: Witness<'a>,
    /// None while the timeline is off.
    streams: Option<Streams<'a>>,
    patience: Duration,
}

/// Executes all operations of `graph` on `engine`, in the order of `schedule`. Temporary blocks come from
/// `pool`. When nothing completes for as long as `patience`, processors that hold operations count as lost.
///
/// # Errors
/// The first failure. The engine has been reset, and no operation of the graph is being executed any more.
pub fn execute(
    graph: &LoweredGraph,
    schedule: &Schedule,
    engine: &mut dyn Engine,
    pool: &Pool,
    patience: Duration,
) -> Result<Outcome, Failure> {
    let witness = Witness { executed: &Executed::default(), timeline: None };
    execute_until(graph, schedule, engine, pool, patience, witness, &|| false)
}

/// Executes like [`execute`], tells `witness` of each operation, and gives up as soon as `stop` is true: then it offers
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
    witness: Witness<'_>,
    stop: &dyn Fn() -> bool,
) -> Result<Outcome, Failure> {
    if engine.is_incomplete() {
        engine.reset()?;
    }
    let mut control = ExecutionControl::new(graph, schedule, engine, pool, witness, patience)?;
    let outcome = control.run(stop);
    if matches!(outcome, Ok(Outcome::Complete)) {
        return outcome;
    }
    // No MEU may use the temporaries any more when they go back to the pool.
    let have_stopped = control.engine.stop();
    let started = control.engine.start();
    control.note_losses();
    if outcome.is_ok() || !have_stopped {
        control.blocks.forget();
    }
    started?;
    outcome
}

impl<'a> ExecutionControl<'a> {
    fn new(
        graph: &'a LoweredGraph,
        schedule: &'a Schedule,
        engine: &'a mut dyn Engine,
        pool: &'a Pool,
        witness: Witness<'a>,
        patience: Duration,
    ) -> Result<ExecutionControl<'a>> {
        let (streams, meus) = (schedule.streams.len(), engine.target().meus);
        let mut queues = Vec::with_capacity(streams);
        let mut completed_before = Vec::with_capacity(streams);
        let (mut numbers, mut losses) = (Vec::with_capacity(streams), Losses::default());
        // A schedule may have been made before a processor was lost, or after.
        let mut left = (0..meus).filter(|&number| !engine.is_out(number)).collect::<Vec<_>>().into_iter();
        let ppe = Some(meus).filter(|&number| !engine.is_out(number));
        for stream in 0..streams {
            let number = if stream < schedule.processors.meus { left.next() } else { ppe };
            // Nothing is outstanding between two graphs, so all completed operations have been acknowledged.
            let completed = match number.map(|number| engine.completed(number)) {
                Some(Ok(completed)) => completed,
                // As soon as it holds an operation, it is seen to be lost.
                Some(Err(Fault { cause: Cause::Lost, operation, .. })) => operation.unwrap_or(0),
                Some(Err(fault)) => return Err(Error::Engine { engine: engine.name(), what: fault.what }),
                None => 0,
            };
            queues.push(ExecutionQueue::after(completed));
            completed_before.push(completed);
            if number.is_none() {
                losses.abandon(stream);
            }
            numbers.push(number);
        }
        let streams = Streams::new(witness, graph, &numbers, engine, completed_before);
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
            numbers,
            queues,
            losses,
            witness,
            streams,
            patience,
        })
    }

    fn run(&mut self, stop: &dyn Fn() -> bool) -> Result<Outcome, Failure> {
        let mut quiet = Quiet::default();
        while self.remaining > 0 {
            if stop() {
                return Err(Error::Cancelled.into());
            }
            let mut changed = false;
            for stream in 0..self.queues.len() {
                let Some(number) = self.numbers[stream] else { continue };
                match self.acknowledge(stream, number)? {
                    Seen::Completed(any) => changed |= any | self.offer(stream, number)?,
                    Seen::Lost(fault) => {
                        if !self.lose(stream, &fault) {
                            return Ok(Outcome::Anew);
                        }
                        changed = true;
                    }
                }
            }
            if !changed && !self.losses.is_empty() {
                changed = self.stand_in()?;
            }
            if changed {
                quiet = Quiet::default();
                if let Some(streams) = &mut self.streams {
                    streams.note(self.engine, self.remaining == 0);
                }
                continue;
            }
            if self.look_at_idle() {
                continue;
            }
            if quiet.lasts() >= self.patience {
                if !self.is_outstanding() {
                    return Err(self.stuck());
                }
                if !self.lose_all() {
                    return Ok(Outcome::Anew);
                }
            }
            self.engine.wait(self.patience.min(LONGEST_WAIT));
        }
        Ok(Outcome::Complete)
    }

    /// Acknowledges the operations that the processor of a stream has executed.
    fn acknowledge(&mut self, stream: usize, number: usize) -> Result<Seen, Failure> {
        if self.queues[stream].is_empty() {
            return Ok(Seen::Completed(false));
        }
        let (completed, fault) = match self.engine.completed(number) {
            Ok(completed) => (completed, None),
            // What it has completed before is in memory.
            Err(fault) if fault.cause == Cause::Lost => (fault.operation.unwrap_or(0), Some(fault)),
            Err(fault) => return Err(self.failure(stream, &fault)),
        };
        let mut changed = false;
        while let Some(operation) = self.queues[stream].acknowledge(completed) {
            if let Some(streams) = &mut self.streams {
                streams.acknowledged(stream, operation);
            }
            self.executed(operation);
            changed = true;
        }
        Ok(fault.map_or(Seen::Completed(changed), Seen::Lost))
    }

    /// Notes that the result of an operation is in memory.
    fn executed(&mut self, operation: u32) {
        self.guards.acknowledge(self.graph, operation, |_| ());
        self.witness.count(self.graph, operation);
        self.blocks.executed(operation);
        self.remaining -= 1;
    }

    /// Offers the processor of a stream as many operations as it can take.
    fn offer(&mut self, stream: usize, number: usize) -> Result<bool, Failure> {
        let mut changed = false;
        while self.queues[stream].len() < self.distribution.depth
            && let Some((source, operation)) = self.next(stream)
            && self.engine.room(number) > 0
        {
            self.engine.offer(number, &self.blocks.command(operation, &mut self.addresses)?);
            if let Some(streams) = &mut self.streams {
                streams.offered(stream, operation);
            }
            self.queues[stream].offered(operation);
            self.taken(source, operation);
            changed = true;
        }
        Ok(changed)
    }

    fn taken(&mut self, source: Source, operation: u32) {
        match source {
            Source::Stream(stream) => self.offered[stream] += 1,
            Source::Left => self.losses.taken(operation),
        }
    }

    /// The first operation of a stream that has not been offered, if its operands are in memory.
    fn front(&self, stream: usize) -> Option<(Source, u32)> {
        let &operation = self.schedule.streams[stream].get(self.offered[stream])?;
        self.guards.is_open(operation).then_some((Source::Stream(stream), operation))
    }

    /// The operation that the processor of a stream shall be offered next, and where it comes from.
    fn next(&self, stream: usize) -> Option<(Source, u32)> {
        if !self.losses.is_empty() {
            return self.next_with_losses(stream);
        }
        let takes_over = || {
            let streams = self.distribution.streams(stream, &self.queues)?;
            let left = |stream: usize| self.schedule.streams[stream].len() - self.offered[stream];
            let fronts = streams.filter_map(|stream| Some((left(stream), self.front(stream)?)));
            fronts.max_by_key(|&(left, _)| left).map(|(_, front)| front)
        };
        self.front(stream).or_else(takes_over)
    }

    fn failure(&self, stream: usize, fault: &Fault) -> Failure {
        let queue = &self.queues[stream];
        let operation = fault.operation.and_then(|number| queue.numbered(number)).or_else(|| queue.oldest());
        let Some(operation) = operation else {
            return Error::Engine { engine: self.engine.name(), what: fault.what.clone() }.into();
        };
        failure_of(self.graph, operation, self.name(stream), fault)
    }

    /// The name of the processor of a stream.
    fn name(&self, stream: usize) -> Box<str> {
        let number = self.numbers[stream].filter(|_| stream < self.schedule.processors.meus);
        number.map_or_else(|| "PPE".into(), |number| format!("MEU {number}").into())
    }

    /// A mistake of ours: nothing is outstanding, and nothing can be offered.
    fn stuck(&self) -> Failure {
        let what = format!("nothing has completed for {:?}, and nothing is outstanding", self.patience);
        Error::Engine { engine: self.engine.name(), what }.into()
    }
}

#[cfg(test)]
mod tests;
