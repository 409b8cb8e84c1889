//! A session: the front end, and the three stages behind it.
//!
//! Recording goes on in the caller's thread.  A trace that is forced, or that has reached a limit, is sealed and sent through
//! lowering, scheduling and execution.  With overlap each of the three is a thread of its own, joined by bounded channels, and
//! the caller goes on recording; without, they run in the thread that forces.  Traces are executed in the order in which they
//! were sealed.
//!
//! When a trace fails, all that is in flight from it on becomes pending again, so nothing is lost: the next force tries anew.
//! Only an operation that can never succeed (a complex result), and what depends on it, keeps its error.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::engine::{self, Engine, Null, reference};
use crate::error::{Error, Failure, Result};
use crate::execute::execute;
use crate::lower::{BlockLimits, LoweredGraph, Lowering};
use crate::matrix::Matrix;
use crate::pool::Pool;
use crate::process;
use crate::schedule::{Schedule, Scheduler, estimate, scheduler};
use crate::stats::{Counters, Stage, Statistics};
use crate::time::TimeModel;
use crate::trace::{
    Class, Form, Limit, Limits, OpKind, Precision, Progress, Recorder, Recording, Trace, Value,
};

/// Names of the engines.
pub const ENGINES: [&str; 3] = ["host", "reference", "null"];

/// How a session works.
#[derive(Debug, Clone)]
pub struct Options {
    /// "host", "reference" or "null".
    pub engine: String,
    /// Number of MEUs.
    pub meus: usize,
    /// "heuristic" or "round-robin".
    pub scheduler: String,
    /// Run lowering, scheduling and execution in threads of their own.
    pub overlap: bool,
    /// When a trace is executed unasked.
    pub limits: Limits,
    /// Most elements of a block, instead of the engine's own choice.
    pub block_elements: Option<usize>,
    /// Divisor of rows and columns of a block, instead of the engine's own choice.
    pub divisor: Option<usize>,
    /// Most products in an accumulation chain, instead of the engine's own choice; 1 for the paper's separate additions.
    pub chain: Option<usize>,
    /// Give the long sides of thin matrices longer parts, instead of the engine's own choice; false for the paper's cut.
    pub stretch: Option<bool>,
    /// A time model file instead of the built-in model.
    pub model: Option<PathBuf>,
    /// Block operations that are lowered, scheduled and executed at a time.
    pub chunk_operations: usize,
    /// Fill memory with NaN before it is used.
    pub poison: bool,
    /// Bytes of freed matrices that are kept for new ones.
    pub keep_bytes: usize,
    /// An engine on which nothing completes for this long is stuck.
    pub patience: Duration,
    /// Host engine: execute DMA commands late and in any order that the rules allow, after this seed.
    pub chaos: Option<u64>,
    /// Check graphs and schedules at the borders of the stages.
    pub validate: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            engine: "host".into(),
            meus: std::thread::available_parallelism().map_or(1, usize::from),
            scheduler: "heuristic".into(),
            overlap: true,
            limits: Limits::default(),
            block_elements: None,
            divisor: None,
            chain: None,
            stretch: None,
            model: None,
            chunk_operations: 2048,
            poison: false,
            keep_bytes: 256 << 20,
            patience: Duration::from_secs(60),
            chaos: None,
            validate: cfg!(debug_assertions),
        }
    }
}

impl Options {
    /// The defaults, changed by the environment variables `PMATRIX_ENGINE`, `_MEUS`, `_SCHEDULER`, `_OVERLAP` (0 or 1),
    /// `_MAX_OPERATIONS`, `_MAX_DEPTH`, `_MAX_BYTES` and `_MODEL`.
    ///
    /// # Errors
    /// [`Error::Argument`] names the variable whose value is not a number.
    pub fn from_environment() -> Result<Options> {
        fn number<T: std::str::FromStr>(name: &str, value: &mut T) -> Result<()> {
            if let Ok(text) = std::env::var(name) {
                *value =
                    text.parse().map_err(|_| Error::Argument(format!("{name}: '{text}' is not a number")))?;
            }
            Ok(())
        }
        let mut options = Options::default();
        let mut overlap = u8::from(options.overlap);
        number("PMATRIX_MEUS", &mut options.meus)?;
        number("PMATRIX_OVERLAP", &mut overlap)?;
        number("PMATRIX_MAX_OPERATIONS", &mut options.limits.operations)?;
        number("PMATRIX_MAX_DEPTH", &mut options.limits.depth)?;
        number("PMATRIX_MAX_BYTES", &mut options.limits.bytes)?;
        options.overlap = overlap != 0;
        options.engine = std::env::var("PMATRIX_ENGINE").unwrap_or(options.engine);
        options.scheduler = std::env::var("PMATRIX_SCHEDULER").unwrap_or(options.scheduler);
        options.model = std::env::var_os("PMATRIX_MODEL").map(PathBuf::from);
        Ok(options)
    }

    /// Limits for blocks: `limits` unless the options say otherwise.
    fn block_limits(&self, mut limits: BlockLimits) -> Result<BlockLimits> {
        if let Some(elements) = self.block_elements {
            limits.block_elements = [elements; 2];
        }
        if let Some(divisor) = self.divisor {
            limits.divisor = [divisor; 2];
        }
        limits.chain = self.chain.unwrap_or(limits.chain);
        limits.stretch = self.stretch.unwrap_or(limits.stretch);
        limits.validate()?;
        Ok(limits)
    }
}

/// Measures the host engine on this machine and fits a time model.  `progress` is told how far it is, from 0 to 1.
///
/// # Errors
/// When the engine fails, or the measurements determine no model.
pub fn measure_host(progress: &mut dyn FnMut(f64)) -> Result<TimeModel> {
    engine::measure(engine::Host::default_limits(1), progress)?.fit()
}

/// What the MEU program needs, and what the host's kernels can use.
#[must_use]
pub fn kernels() -> engine::Kernels {
    engine::kernels()
}

/// What executes.
#[derive(Debug)]
enum Executor {
    /// The reference engine, on the unlowered trace.
    Reference,
    /// An engine with MEUs, on block operations.
    Blocks(Box<dyn Engine>),
}

/// What the stages share.
#[derive(Debug)]
struct Core {
    recorder: Recorder,
    pool: Pool,
    limits: BlockLimits,
    scheduler: Box<dyn Scheduler>,
    model: TimeModel,
    counters: Counters,
    flight: Mutex<Flight>,
    /// Notified when a trace is no longer in flight.
    landed: Condvar,
    executor: Mutex<Executor>,
    computes: bool,
    /// Name of the engine.
    engine: &'static str,
    whole_traces: bool,
    chunk_operations: usize,
    patience: Duration,
    validate: bool,
}

/// Traces between sealing and the end of their execution, oldest first, and what went wrong last.
#[derive(Debug, Default)]
struct Flight {
    traces: VecDeque<Arc<Trace>>,
    failures: u64,
    last: Option<Error>,
}

/// A part of a trace on its way from stage to stage.
enum Work {
    Trace(Arc<Trace>),
    Chunk(LoweredGraph),
    Scheduled(LoweredGraph, Schedule),
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic under one of these locks has been reported; the data are consistent between statements.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Core {
    fn is_in_flight(&self, trace: &Arc<Trace>) -> bool {
        lock(&self.flight).traces.iter().any(|other| Arc::ptr_eq(other, trace))
    }

    /// Seals what is pending; the trace is in flight then.
    fn seal(&self, limit: Option<Limit>) -> Option<Arc<Trace>> {
        let mut flight = lock(&self.flight);
        let trace = Arc::new(self.recorder.seal()?);
        flight.traces.push_back(Arc::clone(&trace));
        drop(flight);
        self.counters.trace(limit);
        Some(trace)
    }

    fn finish(&self, trace: &Arc<Trace>) {
        let mut flight = lock(&self.flight);
        let position = flight.traces.iter().position(|other| Arc::ptr_eq(other, trace));
        if position.and_then(|position| flight.traces.remove(position)).is_none() {
            return;
        }
        for slot in trace.operations.iter().filter_map(|operation| operation.keep.as_ref()) {
            if let Some(matrix) = slot.get() {
                matrix.publish();
            }
        }
        self.recorder.finish(trace);
        self.landed.notify_all();
    }

    fn fail(&self, trace: &Arc<Trace>, failure: &Failure) {
        let mut flight = lock(&self.flight);
        let Some(position) = flight.traces.iter().position(|other| Arc::ptr_eq(other, trace)) else { return };
        let failed: Vec<_> = flight.traces.drain(position..).collect();
        if failure.permanent.is_none() {
            log::warn!("{}; {} traces are pending again", failure.error, failed.len());
            flight.failures += 1;
            flight.last = Some(failure.error.clone());
        }
        self.recorder.revert(&failed, failure.permanent.map(|id| (id, &failure.error)));
        self.landed.notify_all();
    }

    /// First stage: a trace becomes chunks.
    fn lower(&self, trace: &Arc<Trace>, forward: &mut dyn FnMut(Work)) {
        if self.whole_traces {
            return forward(Work::Trace(Arc::clone(trace)));
        }
        let mut lowering = Lowering::new(Arc::clone(trace), self.limits, &self.pool, self.chunk_operations);
        loop {
            if !self.is_in_flight(trace) {
                return;
            }
            match self.counters.timed(Stage::Lower, || lowering.next_chunk()) {
                Ok(Some(chunk)) => {
                    if self.validate {
                        assert_eq!(chunk.validate(), Ok(()));
                    }
                    self.counters.chunk(chunk.len());
                    forward(Work::Chunk(chunk));
                }
                Ok(None) => break,
                Err(error) => return self.fail(trace, &error.into()),
            }
        }
        self.counters.lowered(lowering.size());
    }

    /// Second stage: a chunk gets its schedule.
    fn schedule(&self, chunk: LoweredGraph) -> Work {
        let schedule = self.counters.timed(Stage::Schedule, || {
            let times = estimate(&chunk, &self.model);
            let schedule = self.scheduler.schedule(&chunk, &times, self.limits.meus);
            if self.validate {
                assert_eq!(schedule.validate(&chunk, &times), Ok(()));
            }
            schedule
        });
        Work::Scheduled(chunk, schedule)
    }

    /// Third stage.
    fn execute(&self, work: &Work) {
        let (trace, last) = match work {
            Work::Trace(trace) => (trace, true),
            Work::Chunk(chunk) | Work::Scheduled(chunk, _) => (&chunk.trace, chunk.last),
        };
        if !self.is_in_flight(trace) {
            return;
        }
        let outcome = self.counters.timed(Stage::Execute, || match (&mut *lock(&self.executor), work) {
            (Executor::Reference, Work::Trace(trace)) => reference::execute(trace, &self.limits, &self.pool),
            (Executor::Blocks(engine), Work::Scheduled(chunk, schedule)) => {
                execute(chunk, schedule, engine.as_mut(), &self.pool, self.patience)
            }
            _ => unreachable!("a stage was left out"),
        });
        match outcome {
            Ok(()) if last => self.finish(trace),
            Ok(()) => {}
            Err(failure) => self.fail(trace, &failure),
        }
    }

    /// All stages in this thread.
    fn run(&self, trace: &Arc<Trace>) {
        self.lower(trace, &mut |work| match work {
            Work::Chunk(chunk) => self.execute(&self.schedule(chunk)),
            work => self.execute(&work),
        });
    }
}

/// Chunks that may wait between two stages: enough that no stage waits for another's hiccup, few enough to bound memory.
const CHANNEL_DEPTH: usize = 2;

/// The stages' threads.
#[derive(Debug)]
struct Pipeline {
    traces: SyncSender<Arc<Trace>>,
    threads: Vec<JoinHandle<()>>,
}

impl Pipeline {
    fn start(core: &Arc<Core>) -> Result<Pipeline> {
        let (traces, to_lower): (_, Receiver<Arc<Trace>>) = sync_channel(CHANNEL_DEPTH);
        let (lowered, to_schedule): (_, Receiver<Work>) = sync_channel(CHANNEL_DEPTH);
        let (scheduled, to_execute): (_, Receiver<Work>) = sync_channel(CHANNEL_DEPTH);
        // A send fails only when the next stage has ended, which is after a panic: there is nobody left to tell.
        let (lower, schedule, execute) = (Arc::clone(core), Arc::clone(core), Arc::clone(core));
        let threads = vec![
            spawn("pmatrix-lower", core, move || {
                for trace in to_lower {
                    lower.lower(&trace, &mut |work| _ = lowered.send(work));
                }
            })?,
            spawn("pmatrix-sched", core, move || {
                for work in to_schedule {
                    let work = match work {
                        Work::Chunk(chunk) => schedule.schedule(chunk),
                        work => work,
                    };
                    _ = scheduled.send(work);
                }
            })?,
            spawn("pmatrix-exec", core, move || {
                for work in to_execute {
                    execute.execute(&work);
                }
            })?,
        ];
        Ok(Pipeline { traces, threads })
    }
}

/// Starts a stage's thread.  Should the stage panic, whoever waits is told.
fn spawn(name: &str, core: &Arc<Core>, stage: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>> {
    struct Alarm(Arc<Core>);
    impl Drop for Alarm {
        fn drop(&mut self) {
            if std::thread::panicking() {
                let oldest = lock(&self.0.flight).traces.front().cloned();
                if let Some(trace) = oldest {
                    let what = "a stage has panicked: a mistake of pmatrix".to_owned();
                    self.0.fail(&trace, &Error::Engine { engine: self.0.engine, what }.into());
                }
            }
        }
    }
    let alarm = Alarm(Arc::clone(core));
    let run = move || {
        let _alarm = alarm;
        stage();
    };
    let error =
        |error: std::io::Error| Error::Engine { engine: core.engine, what: format!("no thread: {error}") };
    std::thread::Builder::new().name(name.into()).spawn(run).map_err(error)
}

/// Records operations, and executes them when their results are needed.
#[derive(Debug)]
pub struct Session {
    core: Arc<Core>,
    /// None without overlap, or once closed.
    pipeline: Mutex<Option<Pipeline>>,
    overlap: bool,
    /// Process that the threads belong to.
    generation: u32,
}

impl Session {
    /// A session with these options.
    ///
    /// # Errors
    /// [`Error::Argument`] for unknown names or senseless sizes, [`Error::File`] for a bad time model.
    pub fn new(options: &Options) -> Result<Session> {
        let model = match &options.model {
            Some(path) => TimeModel::load(path)?,
            None => TimeModel::built_in()?,
        };
        let limits = options.block_limits(engine::Host::default_limits(options.meus))?;
        let executor = match options.engine.as_str() {
            "reference" => Executor::Reference,
            "null" => Executor::Blocks(Box::new(Null::new(limits))),
            "host" => Executor::Blocks(Box::new(engine::Host::new(limits, options.chaos)?)),
            name => {
                let names = ENGINES.join(", ");
                return Err(Error::Argument(format!("there is no engine '{name}' (there are: {names})")));
            }
        };
        Session::with_executor(executor, limits, model, options)
    }

    /// A session on an engine of the caller's.
    ///
    /// # Errors
    /// As [`Session::new`].
    pub fn with_engine(engine: Box<dyn Engine>, options: &Options) -> Result<Session> {
        let limits = engine.limits();
        Session::with_executor(Executor::Blocks(engine), limits, TimeModel::built_in()?, options)
    }

    fn with_executor(
        executor: Executor,
        limits: BlockLimits,
        model: TimeModel,
        options: &Options,
    ) -> Result<Session> {
        limits.validate()?;
        let pool = Pool::new(options.keep_bytes, options.poison);
        let (computes, engine, whole_traces) = match &executor {
            Executor::Reference => (true, "reference", true),
            Executor::Blocks(engine) => (engine.computes(), engine.name(), false),
        };
        let core = Arc::new(Core {
            recorder: Recorder::new(options.limits, pool.clone()),
            pool,
            limits,
            scheduler: scheduler(&options.scheduler)?,
            model,
            counters: Counters::default(),
            flight: Mutex::default(),
            landed: Condvar::new(),
            executor: Mutex::new(executor),
            computes,
            engine,
            whole_traces,
            chunk_operations: options.chunk_operations.max(1),
            patience: options.patience,
            validate: options.validate,
        });
        let pipeline = if options.overlap { Some(Pipeline::start(&core)?) } else { None };
        let generation = process::generation();
        Ok(Session { core, pipeline: Mutex::new(pipeline), overlap: options.overlap, generation })
    }

    /// Memory for matrices that this session is to work with.
    #[must_use]
    pub fn pool(&self) -> &Pool {
        &self.core.pool
    }

    /// How operations are cut into blocks.
    #[must_use]
    pub fn block_limits(&self) -> BlockLimits {
        self.core.limits
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

    /// A value that is known already.
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

    fn recorded(&self, recording: Recording) -> Result<Value> {
        if let Some(limit) = recording.limit {
            log::debug!("a trace has reached its limit of {limit:?}");
            self.submit(Some(limit))?;
        }
        Ok(recording.value)
    }

    /// Starts the execution of all that is pending; with overlap without waiting for it.
    ///
    /// # Errors
    /// [`Error::Fork`], [`Error::Closed`]
    pub fn flush(&self) -> Result<()> {
        self.submit(None)
    }

    /// True in a forked child, which has neither the stages nor the MEUs, and whose locks may be held by threads that it does
    /// not have.
    fn is_foreign(&self) -> bool {
        process::generation() != self.generation
    }

    fn submit(&self, limit: Option<Limit>) -> Result<()> {
        if self.is_foreign() {
            return Err(Error::Fork);
        }
        // Held until the trace is on its way, so that traces go in the order of sealing.
        let pipeline = lock(&self.pipeline);
        match (&*pipeline, self.overlap) {
            (None, true) => return Err(Error::Closed),
            (Some(pipeline), _) => {
                if let Some(trace) = self.core.seal(limit)
                    && pipeline.traces.send(Arc::clone(&trace)).is_err()
                {
                    let what = "its stages have ended".to_owned();
                    self.core.fail(&trace, &Error::Engine { engine: self.core.engine, what }.into());
                }
            }
            (None, false) => {
                if let Some(trace) = self.core.seal(limit) {
                    self.core.run(&trace);
                }
            }
        }
        Ok(())
    }

    /// Waits for a value, at most until `deadline`, starting what it needs; false when it is not there by then.
    ///
    /// # Errors
    /// Why it cannot be had.  Unless the value itself has failed for good, everything is still pending and can be tried again.
    pub fn wait(&self, value: &Value, deadline: Option<Instant>) -> Result<bool> {
        if self.is_foreign() && !value.has_result() {
            return Err(Error::Fork);
        }
        let failures = if self.is_foreign() { 0 } else { lock(&self.core.flight).failures };
        loop {
            match value.wait(deadline) {
                Progress::Complete if self.core.computes => return Ok(true),
                Progress::Complete => {
                    return Err(Error::Engine {
                        engine: self.core.engine,
                        what: "it computes no values".into(),
                    });
                }
                Progress::Failed(error) => return Err(error),
                Progress::InFlight => return Ok(false),
                Progress::Pending => {
                    let flight = lock(&self.core.flight);
                    if let Some(error) = flight.last.as_ref().filter(|_| flight.failures > failures) {
                        return Err(error.clone());
                    }
                    drop(flight);
                    self.submit(None)?;
                }
            }
        }
    }

    /// Forces a value: its matrix, computed if need be.
    ///
    /// # Errors
    /// As [`Session::wait`].
    pub fn force(&self, value: &Value) -> Result<Arc<Matrix>> {
        self.wait(value, None)?;
        value.matrix().ok_or(Error::Closed)
    }

    /// Seals what is pending without executing it, once nothing is in flight; for dumps.  Its values stay without result.
    #[must_use]
    pub fn take_trace(&self) -> Option<Trace> {
        let mut flight = lock(&self.core.flight);
        while !flight.traces.is_empty() && !self.is_foreign() {
            flight = self.core.landed.wait(flight).unwrap_or_else(PoisonError::into_inner);
        }
        self.core.recorder.seal()
    }

    /// Lowers a taken trace as a whole.
    ///
    /// # Errors
    /// [`Error::Memory`]
    pub fn lower(&self, trace: Trace) -> Result<LoweredGraph> {
        let mut lowering = Lowering::new(Arc::new(trace), self.core.limits, &self.core.pool, usize::MAX);
        lowering.next_chunk()?.ok_or_else(|| Error::Argument("there is nothing to lower".into()))
    }

    /// Schedules a lowered trace.
    #[must_use]
    pub fn schedule(&self, graph: &LoweredGraph) -> (Schedule, Vec<crate::time::StageTimes>) {
        let times = estimate(graph, &self.core.model);
        (self.core.scheduler.schedule(graph, &times, self.core.limits.meus), times)
    }

    /// Counters so far.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        self.core.counters.snapshot(self.core.recorder.counts(), self.core.recorder.pending())
    }

    /// Ends the session: waits for what is in flight; what is pending is never executed.
    pub fn close(&self) {
        if self.is_foreign() {
            return;
        }
        let pipeline = lock(&self.pipeline).take();
        let Some(Pipeline { traces, threads }) = pipeline else { return };
        drop(traces);
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
