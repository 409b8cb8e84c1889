//! A session: the front end, and the three stages behind it.
//!
//! The caller's thread records. When a value is forced, the session seals the operations that the value
//! needs, and sends this trace through lowering, scheduling and execution. When a limit is reached, it seals
//! all operations, so that it runs ahead of the program. With overlap each of these three stages has a
//! thread, bounded channels join the threads, and the caller continues to record. Without overlap the stages
//! run in the thread that forces. Little work is never handed over (`immediate.rs`). Traces in flight are
//! executed in the order in which they were sealed.
//!
//! When a trace fails, its operations and the operations of all later traces in flight become pending again,
//! so nothing is lost. The failed operation, and all operations that depend on it, are set aside, so that
//! the remaining operations can be executed. Forcing an operation that was set aside tries it again. Only
//! an operation that can never succeed (its result is complex), and all operations that depend on it, keep
//! their error.

pub mod choices;
mod chunks;
mod force;
mod immediate;
mod inspect;
mod kernels;
mod measure;
mod options;
mod ranks;
mod record;
mod recordings;
mod room;
mod stages;
mod timeline;

use std::sync::Arc;

use crate::engine::{self, Engine};
use crate::error::Result;
use crate::lower::Target;
use crate::memory::{self, GivesBack};
use crate::pool::Pool;
use crate::process;
use crate::ranks::Ranks;
use crate::reference::Arithmetic;
use crate::schedule::scheduler;
use crate::stats::Counters;
use crate::sync::atomic::AtomicU64;
use crate::sync::{Condvar, Mutex};
use crate::time::TimeModel;
use crate::trace::{Calculator, Recorder};
use chunks::Chunks;
use immediate::Immediate;
use options::REFERENCE;
use record::Interrupt;
use recordings::Recordings;
use room::Room;
use stages::{Core, Executor, Pipeline, lock};

pub use immediate::SHARE_NS;
pub use kernels::{Kernels, kernels};
pub use measure::{Measured, measure_engine};
pub use options::{ENGINES, Options, Processor, processor};

/// Records operations, and executes them when their results are needed.
#[derive(Debug)]
pub struct Session {
    core: Arc<Core>,
    /// None without overlap, or when the session is closed.
    pipeline: Mutex<Option<Pipeline>>,
    overlap: bool,
    interrupt: Mutex<Option<Interrupt>>,
    /// Process that the threads belong to.
    generation: u32,
    /// The last field, so that what the others held is free when it is dropped.
    _gives_back: GivesBack,
}

impl Session {
    /// A session with these options.
    ///
    /// # Errors
    /// [`Error::Argument`] for unknown names or senseless sizes, [`Error::File`] for a bad time model,
    /// [`Error::Memory`].
    ///
    /// [`Error::Argument`]: crate::error::Error::Argument
    /// [`Error::File`]: crate::error::Error::File
    /// [`Error::Memory`]: crate::error::Error::Memory
    pub fn new(options: &Options) -> Result<Session> {
        options.check_choices()?;
        memory::check()?;
        let model = match &options.model {
            Some(path) => TimeModel::load(path)?,
            None => engine::model(options.lowered_for(), &options.choice())?,
        };
        let target = options.target()?;
        let executor = match options.engine == REFERENCE {
            true => Executor::Reference(options.reference_arithmetic()?),
            false => Executor::Blocks(engine::make(&options.engine, &options.choice(), target)?),
        };
        Session::with_executor(executor, target, model, options)
    }

    /// A session on an engine that the caller has made.
    ///
    /// # Errors
    /// As [`Session::new`].
    pub fn with_engine(engine: Box<dyn Engine>, options: &Options) -> Result<Session> {
        let target = *engine.target();
        Session::with_executor(Executor::Blocks(engine), target, TimeModel::of_host()?, options)
    }

    fn with_executor(
        mut executor: Executor,
        target: Target,
        model: TimeModel,
        options: &Options,
    ) -> Result<Session> {
        target.validate()?;
        // What is never computed must not be what memory held before.
        let poison = options.poison || !options.compute;
        let pool = Pool::make(options.kept_bytes(), poison, target.huge_pages, options.most_bytes);
        let (computes, engine, whole_traces) = match &executor {
            Executor::Reference(_) => (true, REFERENCE, true),
            Executor::Blocks(engine) => (engine.computes(), engine.name(), false),
        };
        let recordings = match &mut executor {
            Executor::Blocks(engine) => engine.ppe_clock().map(|_| Recordings::default()),
            Executor::Reference(_) => None,
        };
        let timeline = Arc::new(options.new_timeline(engine, &target)?);
        let immediate = match options.immediate {
            true => Immediate::new(&executor, &target, &model, &pool)?.map(Arc::new),
            false => None,
        };
        let recorder = Recorder::new(options.limits, pool.clone()).with_timeline(Arc::clone(&timeline));
        let recorder = if options.common { recorder.with_common_subexpressions() } else { recorder };
        let recorder = match &immediate {
            Some(immediate) => recorder.with_calculator(Arc::clone(immediate) as Arc<dyn Calculator>),
            None => recorder,
        };
        // An SPE has no kernels on bytes, and compares singles in its own way.
        let is_spe = matches!(executor, Executor::Reference(Arithmetic::Spu(_)));
        let recorder = match target.has_bytes() && !is_spe {
            true => recorder.with_logical_bytes(),
            false => recorder,
        };
        let ranks = match options.ranks_choice()? {
            Some(choice) => Some(Ranks::new(choice, &target, &pool)?),
            None => None,
        };
        let core = Arc::new(Core {
            immediate,
            recordings,
            target,
            recorder,
            pool,
            scheduler: scheduler(&options.scheduler)?,
            model,
            counters: Counters::default(),
            timeline,
            flight: Mutex::default(),
            cancels: AtomicU64::new(0),
            landed: Condvar::new(),
            executor: Mutex::new(executor),
            ranks,
            ranks_work_ns: options.ranks_work_ms * 1e6,
            computes,
            engine,
            whole_traces,
            chunks: Chunks::new(options, target.spes),
            flight_bytes: options.limits.bytes,
            room: Room::new(),
            patience: options.patience,
            validate: options.validate,
        });
        let pipeline = if options.overlap { Some(Pipeline::start(&core)?) } else { None };
        let generation = process::generation();
        let (pipeline, interrupt) = (Mutex::new(pipeline), Mutex::default());
        let overlap = options.overlap;
        Ok(Session { core, pipeline, overlap, interrupt, generation, _gives_back: GivesBack })
    }

    /// True in a forked child. A child has neither the stages' threads nor the MEUs, and threads of the
    /// parent may hold its locks for ever.
    fn is_foreign(&self) -> bool {
        process::generation() != self.generation
    }

    /// Ends the session. The call waits for traces in flight. Pending operations are never executed.
    pub fn close(&self) {
        if self.is_foreign() {
            return;
        }
        let pipeline = lock(&self.pipeline).take();
        let threads = pipeline.map(|Pipeline { jobs, threads }| {
            drop(jobs);
            threads
        });
        for thread in threads.into_iter().flatten() {
            if thread.join().is_err() {
                log::error!("a stage has panicked");
            }
        }
        if let Err(error) = self.save_timeline() {
            log::error!("{error}");
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.close();
        if self.is_foreign() {
            // The engine's threads exist in the parent only; its destructor would wait for them for ever.
            std::mem::forget(Arc::clone(&self.core));
        }
    }
}

#[cfg(test)]
mod tests;
