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
//! so nothing is lost.  The failed operation, and all operations that depend on it, are set aside, so that
//! the remaining operations can be executed.  Forcing an operation that was set aside tries it again.  Only
//! an operation that can never succeed (its result is complex), and all operations that depend on it, keep
//! their error.

pub mod choices;
mod immediate;
mod kernels;
mod measure;
mod options;
mod room;
mod stages;

use std::fmt;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::engine::{self, Engine, MeuReport};
use crate::error::{Error, Result};
use crate::lower::{ChunkLimits, LoweredGraph, Lowering, Target};
use crate::matrix::Matrix;
use crate::memory;
use crate::operation::{Class, Form, OpKind, Precision};
use crate::pool::Pool;
use crate::process;
use crate::reference::Arithmetic;
use crate::schedule::{Processors, Schedule, estimate, scheduler};
use crate::stats::{Counters, Headway, Statistics};
use crate::time::{StageTimes, TimeModel};
use crate::trace::{Below, Calculator, Demand, Limit, Progress, Recorder, Recording, Trace, Value};
use immediate::{AtOnce, Immediate, MOST_NS};
use options::REFERENCE;
use room::Room;
use stages::{Core, Executor, Job, Pipeline, Sealed, lock};

pub use kernels::{Kernels, kernels};
pub use measure::measure_engine;
pub use options::{ENGINES, Options, Processor, processor};

/// How long a recording call waits for room before it asks whether to give up.
const INTERRUPT_PERIOD: Duration = Duration::from_millis(50);

/// See [`Session::set_interrupt`].
struct Interrupt(Box<dyn Fn() -> bool + Send>);

impl fmt::Debug for Interrupt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Interrupt")
    }
}

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
}

impl Session {
    /// A session with these options.
    ///
    /// # Errors
    /// [`Error::Argument`] for unknown names or senseless sizes, [`Error::File`] for a bad time model,
    /// [`Error::Memory`].
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
        executor: Executor,
        target: Target,
        model: TimeModel,
        options: &Options,
    ) -> Result<Session> {
        target.validate()?;
        let make_pool = if target.huge_pages { Pool::with_huge_pages } else { Pool::new };
        let pool = make_pool(options.kept_bytes(), options.poison);
        let (computes, engine, whole_traces) = match &executor {
            Executor::Reference(_) => (true, REFERENCE, true),
            Executor::Blocks(engine) => (engine.computes(), engine.name(), false),
        };
        let immediate = Immediate::new(&executor, &target, &model, &pool).filter(|_| options.immediate);
        let immediate = immediate.map(Arc::new);
        let recorder = Recorder::new(options.limits, pool.clone());
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
        let core = Arc::new(Core {
            immediate,
            target,
            recorder,
            pool,
            scheduler: scheduler(&options.scheduler)?,
            model,
            counters: Counters::default(),
            flight: Mutex::default(),
            cancels: AtomicU64::new(0),
            landed: Condvar::new(),
            executor: Mutex::new(executor),
            computes,
            engine,
            whole_traces,
            chunk_limits: options.chunk_limits(),
            flight_bytes: options.limits.bytes,
            room: Room::new(options.chunk_bytes_in_flight()),
            patience: options.patience,
            validate: options.validate,
        });
        let pipeline = if options.overlap { Some(Pipeline::start(&core)?) } else { None };
        let generation = process::generation();
        let (pipeline, interrupt) = (Mutex::new(pipeline), Mutex::default());
        Ok(Session { core, pipeline, overlap: options.overlap, interrupt, generation })
    }

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

    /// The precision in which a constant of this class is stored best.
    #[must_use]
    pub fn storage(&self, class: Class) -> Precision {
        self.core.recorder.storage(class)
    }

    /// A value whose elements are known.
    ///
    /// # Errors
    /// [`Error::Fork`]
    pub fn constant(&self, matrix: Matrix, class: Class) -> Result<Value> {
        self.core.recorder.constant(matrix, class)
    }

    /// Records an operation on one value.  `file` and `line` say where the program stands, for messages.
    ///
    /// # Errors
    /// As [`Recorder::unary`], and [`Error::Fork`].
    pub fn unary(&self, kind: OpKind, a: &Value, file: &str, line: u32) -> Result<Value> {
        self.recorded(self.core.recorder.unary(kind, a, file, line)?)
    }

    /// Records an operation on two values.
    ///
    /// # Errors
    /// As [`Recorder::binary`], and [`Error::Fork`].
    pub fn binary(&self, kind: OpKind, a: &Value, b: &Value, file: &str, line: u32) -> Result<Value> {
        self.recorded(self.core.recorder.binary(kind, a, b, file, line)?)
    }

    /// Records an operation on a value and a scalar.
    ///
    /// # Errors
    /// As [`Recorder::binary_scalar`], and [`Error::Fork`].
    #[allow(clippy::too_many_arguments, reason = "each names one thing that the call site has at hand")]
    pub fn binary_scalar(
        &self,
        kind: OpKind,
        form: Form,
        a: &Value,
        scalar: f64,
        scalar_class: Class,
        file: &str,
        line: u32,
    ) -> Result<Value> {
        self.recorded(self.core.recorder.binary_scalar(kind, form, a, scalar, scalar_class, file, line)?)
    }

    /// Records a change of precision.
    ///
    /// # Errors
    /// As [`Recorder::convert`], and [`Error::Fork`].
    pub fn convert(&self, a: &Value, to: Precision, file: &str, line: u32) -> Result<Value> {
        self.recorded(self.core.recorder.convert(a, to, file, line)?)
    }

    /// Lets `record` record an operation at this line of the program.  This is for moves and reductions
    /// ([`Recorder::view`], [`Recorder::reduce`] and so on), which have parameters of their own.
    ///
    /// # Errors
    /// The errors of `record`, and [`Error::Fork`].
    pub fn record(&self, record: impl FnOnce(&Recorder) -> Result<Recording>) -> Result<Value> {
        self.recorded(record(&self.core.recorder)?)
    }

    fn recorded(&self, recording: Recording) -> Result<Value> {
        if let Some(limit) = recording.limit {
            log::debug!("a trace has reached its limit of {limit:?}");
            while !self.submit(Demand::Limit, Some(limit), Some(Instant::now() + INTERRUPT_PERIOD))? {
                if lock(&self.interrupt).as_ref().is_some_and(|interrupt| interrupt.0()) {
                    self.core.cancel();
                    return Err(Error::Cancelled);
                }
            }
        }
        Ok(recording.value)
    }

    /// Sets what is asked while a recording call waits because traces in flight leave no room for more.  When
    /// the answer is true, the call gives up as [`Session::cancel`] does, records nothing, and returns
    /// [`Error::Cancelled`].  The question comes about every 50 ms, in the recording thread; it must not call
    /// the session.  None sets that nothing is asked.
    pub fn set_interrupt(&self, interrupt: Option<Box<dyn Fn() -> bool + Send>>) {
        *lock(&self.interrupt) = interrupt.map(Interrupt);
    }

    /// Starts the execution of all pending operations.  With overlap it does not wait for their end.
    ///
    /// # Errors
    /// [`Error::Fork`], [`Error::Closed`], [`Error::Memory`]
    pub fn flush(&self) -> Result<()> {
        self.submit(Demand::All, None, None).map(|_| ())
    }

    /// Starts the execution of what these values need and nothing else, as one trace: operations that are
    /// executed side by side share the MEUs.  With overlap the call does not wait for their end.
    ///
    /// # Errors
    /// [`Error::Fork`], [`Error::Closed`], [`Error::Memory`]
    pub fn start(&self, values: &[&Value]) -> Result<()> {
        self.submit(Demand::Values(values), None, None).map(|_| ())
    }

    /// True in a forked child.  A child has neither the stages' threads nor the MEUs, and threads of the
    /// parent may hold its locks for ever.
    fn is_foreign(&self) -> bool {
        process::generation() != self.generation
    }

    /// Seals pending operations and sends the trace to the stages.  False if there was no room for it before
    /// `deadline`.
    fn submit(&self, demand: Demand<'_>, limit: Option<Limit>, deadline: Option<Instant>) -> Result<bool> {
        if self.is_foreign() {
            return Err(Error::Fork);
        }
        // What may give memory back to its owner is dropped after the lock has been released, because the
        // owner's code may call this session.
        let (at_once, trace);
        let mut discarded = Vec::new();
        // This lock is held until the trace is sent, so that traces are sent in the order of sealing.
        let pipeline = lock(&self.pipeline);
        if self.overlap && pipeline.is_none() {
            return Err(Error::Closed);
        }
        if let Demand::Value(value) = demand {
            let measure = || {
                // If the channel is full, the stages are busy, and nothing can be measured.
                _ = pipeline.as_ref().map(|pipeline| pipeline.jobs.try_send(Job::new(None)));
            };
            at_once = self.core.execute_at_once(value, measure)?;
            if let Some(immediate) = &self.core.immediate {
                immediate.note_force(at_once.is_some());
            }
            if let Some(AtOnce { error, .. }) = &at_once {
                return error.clone().map_or(Ok(true), Err);
            }
        }
        trace = match self.core.seal(demand, limit, deadline)? {
            Sealed::Trace(trace) => trace,
            Sealed::Nothing => return Ok(true),
            Sealed::TimedOut => return Ok(false),
        };
        match &*pipeline {
            Some(_)
                if matches!(demand, Demand::Value(_) | Demand::Values(_))
                    && self.is_worth_no_wake_up(&trace, deadline) =>
            {
                discarded = self.core.run(&trace);
            }
            Some(pipeline) if pipeline.jobs.send(Job::new(Some(Arc::clone(&trace)))).is_err() => {
                let what = "its stages have ended".to_owned();
                let failure = Error::Engine { engine: self.core.engine, what }.into();
                discarded.push(self.core.fail(&trace, &failure));
            }
            Some(_) => {}
            None => discarded = self.core.run(&trace),
        }
        drop(pipeline);
        drop(discarded);
        Ok(true)
    }

    /// Whether the thread that forces runs the stages for a trace itself: if no other trace is in flight, and
    /// the work is done long before the deadline.
    fn is_worth_no_wake_up(&self, trace: &Trace, deadline: Option<Instant>) -> bool {
        let longest = Duration::from_nanos(MOST_NS as u64);
        let Some(immediate) = &self.core.immediate else { return false };
        lock(&self.core.flight).traces.len() == 1
            && deadline.is_none_or(|deadline| deadline > Instant::now() + longest)
            && self.core.trace_ns(immediate, trace) <= MOST_NS
    }

    /// Starts what a value needs and nothing else, and waits for the value, at most until `deadline`. False
    /// if the value is not computed by then.
    ///
    /// # Errors
    /// Why the value cannot be computed.  Unless the value itself has failed for good, all operations are
    /// still pending and can be tried again.
    pub fn wait(&self, value: &Value, deadline: Option<Instant>) -> Result<bool> {
        if self.is_foreign() && !value.has_result() {
            return Err(Error::Fork);
        }
        let failures = if self.is_foreign() { 0 } else { lock(&self.core.flight).failures };
        loop {
            match value.wait(deadline) {
                Progress::Complete if self.core.computes => {
                    if let Some(immediate) = &self.core.immediate {
                        immediate.note_read();
                    }
                    return Ok(true);
                }
                Progress::Complete => {
                    return Err(Error::Engine {
                        engine: self.core.engine,
                        what: "it computes no values".into(),
                    });
                }
                Progress::Failed(error) => return Err(error),
                Progress::SetAside => self.core.recorder.reclaim(value),
                Progress::InFlight => return Ok(false),
                Progress::Pending => {
                    let flight = lock(&self.core.flight);
                    if let Some(error) = flight.last.as_ref().filter(|_| flight.failures > failures) {
                        return Err(error.clone());
                    }
                    drop(flight);
                    if !self.submit(Demand::Value(value), None, deadline)? {
                        return Ok(false);
                    }
                }
            }
        }
    }

    /// Gives up the execution of all traces in flight. Their operations are pending again, and can be forced
    /// again. They and all other pending operations no longer count towards the limits, so none of them is
    /// executed before it is needed. A thread that waits for such an operation starts it anew. The call
    /// returns at once; MEUs finish the block operations that they hold.
    ///
    /// Without overlap a trace is in flight only during a force, which cannot be given up.
    ///
    /// # Errors
    /// [`Error::Fork`]
    pub fn cancel(&self) -> Result<()> {
        if self.is_foreign() {
            return Err(Error::Fork);
        }
        self.core.cancel();
        Ok(())
    }

    /// What has to be computed before a value is there.
    #[must_use]
    pub fn below(&self, value: &Value) -> Below {
        self.core.recorder.below(value)
    }

    /// Forces a value: its matrix, computed if need be.
    ///
    /// # Errors
    /// As [`Session::wait`].
    pub fn force(&self, value: &Value) -> Result<Arc<Matrix>> {
        self.wait(value, None)?;
        value.matrix().ok_or(Error::Closed)
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
        self.lowering(trace)
            .next_chunk()
            .map_err(|failure| failure.error)?
            .ok_or_else(|| Error::Argument("there is nothing to lower".into()))
    }

    /// Schedules a lowered trace.
    #[must_use]
    pub fn schedule(&self, graph: &LoweredGraph) -> (Schedule, Vec<StageTimes>) {
        let times = estimate(graph, &self.core.model);
        (self.core.scheduler.schedule(graph, &times, Processors::of(&self.core.target)), times)
    }

    /// Counters so far.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        let (_, bytes_peak) = self.core.pool.used_bytes();
        let recorder = &self.core.recorder;
        self.core.counters.snapshot(recorder.counts(), recorder.pending(), bytes_peak as u64)
    }

    /// How far the session is.  The call never waits for execution, so another thread may ask as often as it
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

    /// What each MEU has done, if the engine counts it.  The call waits until nothing is being executed.
    #[must_use]
    pub fn reports(&self) -> Vec<MeuReport> {
        match &*lock(&self.core.executor) {
            Executor::Blocks(engine) if !self.is_foreign() => engine.reports(),
            _ => Vec::new(),
        }
    }

    /// Ends the session.  The call waits for traces in flight.  Pending operations are never executed.
    pub fn close(&self) {
        if self.is_foreign() {
            return;
        }
        let pipeline = lock(&self.pipeline).take();
        let Some(Pipeline { jobs, threads }) = pipeline else { return };
        drop(jobs);
        for thread in threads {
            if thread.join().is_err() {
                log::error!("a stage has panicked");
            }
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
