//! What a session tells about itself: its parts, its counters, and the outcome of each stage for dumps.

use std::sync::{Arc, PoisonError};

use super::Session;
use super::stages::{Core, Executor, lock};
use crate::engine::MeuReport;
use crate::error::{Error, Result};
use crate::lower::{ChunkLimits, LoweredGraph, Lowering, Planned, Target};
use crate::pool::Pool;
use crate::ranks::{Ranks, Tally};
use crate::schedule::{Processors, Schedule, estimate};
use crate::stats::{Counters, Executed, Headway, Makespan, Statistics};
use crate::time::{StageTimes, TimeModel};
use crate::trace::{Below, Trace, Value};

impl Session {
    /// The pool for matrices that this session shall work with.
    #[must_use]
    pub fn pool(&self) -> &Pool {
        &self.core.pool
    }

    /// What lowering and scheduling know about the engine.
    #[must_use]
    pub fn target(&self) -> &Target {
        &self.core.target
    }

    /// The time model in use.
    #[must_use]
    pub fn model(&self) -> &TimeModel {
        &self.core.model
    }

    /// Name of the engine.
    #[must_use]
    pub fn engine_name(&self) -> &'static str {
        self.core.engine
    }

    /// What has to be computed before a value is there.
    #[must_use]
    pub fn below(&self, value: &Value) -> Below {
        self.core.recorder.below(value)
    }

    /// Counters so far.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        let (_, bytes_peak) = self.core.pool.used_bytes();
        let recorder = &self.core.recorder;
        self.core.counters.snapshot(recorder.counts(), recorder.pending(), bytes_peak as u64)
    }

    /// Notes from now on how long each trace takes, and how long its schedule says that it takes. A later call
    /// returns what was noted since.
    #[must_use]
    pub fn take_makespans(&self) -> Vec<Makespan> {
        self.core.counters.take_makespans()
    }

    /// How far the session is. The call never waits for execution, so another thread may ask as often as it
    /// likes.
    #[must_use]
    pub fn headway(&self) -> Headway {
        if self.is_foreign() {
            return Headway::default();
        }
        // The work of the traces is added up after the lock has been released.
        let traces: Vec<_> = lock(&self.core.flight).traces.iter().cloned().collect();
        self.core.counters.headway(self.core.recorder.pending(), &traces, self.core.target.meus)
    }

    /// What is to be said of processors that have been lost since the last call: one text each. The session has
    /// logged it, and goes on with what is left.
    #[must_use]
    pub fn take_losses(&self) -> Vec<String> {
        let Counters { executed, at_once, .. } = &self.core.counters;
        if self.is_foreign() {
            return Vec::new();
        }
        let here = [executed, at_once].into_iter().flat_map(Executed::take_losses);
        here.chain(self.core.ranks.iter().flat_map(Ranks::take_losses)).collect()
    }

    /// What each MEU has done, if the engine counts it. The call waits until nothing is being executed.
    #[must_use]
    pub fn reports(&self) -> Vec<MeuReport> {
        match &*lock(&self.core.executor) {
            Executor::Blocks(engine) if !self.is_foreign() => engine.reports(),
            _ => Vec::new(),
        }
    }

    /// How much ranks have done; None on one machine.
    #[must_use]
    pub fn ranks(&self) -> Option<Tally> {
        self.core.ranks.as_ref().filter(|_| !self.is_foreign()).map(Ranks::tally)
    }

    /// Waits until no trace is in flight, and seals the pending operations without executing them, for dumps.
    /// Their values stay without result.
    #[must_use]
    pub fn take_trace(&self) -> Option<Trace> {
        let mut flight = lock(&self.core.flight);
        while !flight.traces.is_empty() && !self.is_foreign() {
            flight = self.core.landed.wait(flight).unwrap_or_else(PoisonError::into_inner);
        }
        self.core.recorder.seal_all()
    }

    fn lowering(&self, trace: Trace) -> Lowering<'_> {
        let Core { target, model, pool, .. } = &*self.core;
        Lowering::new(Arc::new(trace), target, model, pool, ChunkLimits::WHOLE)
    }

    /// The plan of a taken trace as text: which operations are executed together, in which venue, how their
    /// results are cut, and why.
    #[must_use]
    pub fn plan(&self, trace: Trace) -> String {
        self.lowering(trace).plan_text()
    }

    /// Lowers a taken trace as a whole.
    ///
    /// # Errors
    /// [`Error::Memory`]
    pub fn lower(&self, trace: Trace) -> Result<LoweredGraph> {
        self.explain(trace).map(|(_, graph)| graph)
    }

    /// What the plan of a taken trace says of each operation, and the trace lowered as a whole.
    ///
    /// # Errors
    /// [`Error::Memory`]
    pub fn explain(&self, trace: Trace) -> Result<(Vec<Planned>, LoweredGraph)> {
        let mut lowering = self.lowering(trace);
        let planned = lowering.planned();
        let graph = lowering.next_chunk().map_err(|failure| failure.error)?;
        Ok((planned, graph.ok_or_else(|| Error::Argument("there is nothing to lower".into()))?))
    }

    /// Schedules a lowered trace.
    #[must_use]
    pub fn schedule(&self, graph: &LoweredGraph) -> (Schedule, Vec<StageTimes>) {
        let times = estimate(graph, &self.core.model);
        (self.core.scheduler.schedule(graph, &times, Processors::of(&self.core.target)), times)
    }
}
