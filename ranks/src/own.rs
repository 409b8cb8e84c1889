//! The engine of this rank, which executes block operations on shards in its MEUs' local stores: it lowers each of them
//! once more, to blocks, and gives them to its MEUs.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pmatrix::engine::Engine;
use pmatrix::error::Error;
use pmatrix::execute::{Outcome, Witness, execute_until};
use pmatrix::lower::{OnShards, Target};
use pmatrix::matrix::Matrix;
use pmatrix::pool::Pool;
use pmatrix::schedule::{Processors, Scheduler, estimate};
use pmatrix::stats::Executed;
use pmatrix::time::TimeModel;
use pmatrix::wire::message::Fault;

/// Bytes of freed temporaries that are kept.
#[cfg(not(feature = "simulation"))]
const KEPT_BYTES: usize = 16 << 20;

/// When nothing completes for so long, MEUs that hold operations count as lost.
const PATIENCE: Duration = Duration::from_secs(60);

/// See the module's documentation.
#[derive(Debug)]
pub(super) struct OwnEngine(Mutex<State>);

#[derive(Debug)]
struct State {
    engine: Box<dyn Engine>,
    target: Target,
    model: TimeModel,
    scheduler: Box<dyn Scheduler>,
    pool: Pool,
    /// Counts what MEUs do, and what is lost.
    executed: Executed,
}

impl OwnEngine {
    /// The engine that a configuration asks for. None where workers of StarPU execute everything.
    #[cfg(not(feature = "simulation"))]
    pub(super) fn new(
        configuration: &pmatrix::wire::configuration::Configuration,
    ) -> pmatrix::error::Result<Option<OwnEngine>> {
        let pmatrix::wire::configuration::Executor::Engine(chosen) = configuration.executor else {
            return Ok(None);
        };
        let (name, choice) = (chosen.name, &chosen.choice);
        let target = configuration.engine_target(&chosen)?;
        Ok(Some(OwnEngine(Mutex::new(State {
            engine: pmatrix::engine::make(name, choice, target)?,
            target,
            model: pmatrix::engine::model(name, choice)?,
            scheduler: pmatrix::schedule::scheduler("heuristic")?,
            pool: Pool::new(KEPT_BYTES, false),
            executed: Executed::default(),
        }))))
    }

    /// How many MEUs have been lost, and what is to be said of those that were lost since the last call.
    #[cfg(not(feature = "simulation"))]
    pub(super) fn take_losses(&self) -> (u32, Vec<String>) {
        let state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        (state.executed.meus_lost() as u32, state.executed.take_losses())
    }

    /// Executes a block operation on what it reads and writes, windows of matrices in memory. Operations follow each other.
    pub(super) fn execute(
        &self,
        operation: &OnShards,
        read: Vec<Arc<Matrix>>,
        written: Vec<Arc<Matrix>>,
    ) -> Result<(), Fault> {
        // After a panic, which has been reported, the engine is as good as before.
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let State { engine, target, model, scheduler, pool, executed } = &mut *state;
        let graph = operation.lower(read, written, target, model);
        let times = estimate(&graph, model);
        // MEUs that have been lost get no stream, but there is a stream.
        let meus = (0..target.meus).filter(|&meu| !engine.is_out(meu)).count().max(1);
        let schedule = scheduler.schedule(&graph, &times, Processors { meus, ..Processors::of(target) });
        engine.begin(&graph);
        let witness = Witness { executed, timeline: None };
        match execute_until(&graph, &schedule, engine.as_mut(), pool, PATIENCE, witness, &|| false) {
            Ok(Outcome::Complete) => Ok(()),
            Ok(Outcome::Anew) => {
                // It may still write to shards. The session starts new ranks, which compute everything again.
                let losses = executed.take_losses().join("; ");
                eprintln!("pmatrix-rank: an MEU of this rank is lost and does not stop: {losses}");
                std::process::exit(1)
            }
            Err(failure) => {
                let of = |id| operation.trace().operations.iter().position(|other| other.id == id);
                let index = failure.operation.and_then(of).map(|index| index as u32);
                let is_domain = matches!(failure.error, Error::Domain { .. });
                let what = match failure.error {
                    Error::Meu { what, processor, .. } => format!("{processor}: {what}"),
                    error => error.to_string(),
                };
                Err(Fault { operation: index.unwrap_or(operation.index()), is_domain, what })
            }
        }
    }
}
