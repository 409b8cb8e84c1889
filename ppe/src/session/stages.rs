//! The stages behind the front end, and their threads with overlap.

use std::collections::VecDeque;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use super::chunks::Chunks;
use super::immediate::Immediate;
use super::recordings::Recordings;
use super::room::{Room, Stay};
use crate::engine::Engine;
use crate::error::{Error, Failure, Result};
use crate::execute::{Outcome, Witness, execute_until};
use crate::lower::{LoweredGraph, Lowering, Target, Written};
use crate::memory;
use crate::pool::Pool;
use crate::ranks::Ranks;
use crate::reference::{self, Arithmetic};
use crate::schedule::{Processors, Schedule, Scheduler, estimate};
use crate::stats::{Counters, Makespan, Stage};
use crate::sync::atomic::{AtomicU64, Ordering};
use crate::sync::mpsc::{Receiver, SyncSender, sync_channel};
use crate::sync::thread::JoinHandle;
use crate::sync::{Condvar, Mutex, MutexGuard};
use crate::time::TimeModel;
use crate::timeline::{self, Timeline};
use crate::trace::{Demand, Discarded, Limit, Recorder, Sealing, Trace};

/// The engine or the reference.
#[derive(Debug)]
pub(super) enum Executor {
    /// The reference, on the unlowered trace.
    Reference(Arithmetic),
    /// An engine with MEUs, on block operations.
    Blocks(Box<dyn Engine>),
}

/// What the stages share.
#[derive(Debug)]
pub(super) struct Core {
    pub(super) recorder: Recorder,
    pub(super) pool: Pool,
    /// What lowering and scheduling know about the engine.
    pub(super) target: Target,
    pub(super) scheduler: Box<dyn Scheduler>,
    pub(super) model: TimeModel,
    pub(super) counters: Counters,
    pub(super) timeline: Arc<Timeline>,
    pub(super) flight: Mutex<Flight>,
    /// How often execution has been cancelled. A trace that began before the last time is given up.
    pub(super) cancels: AtomicU64,
    /// Notified when a trace is no longer in flight.
    pub(super) landed: Condvar,
    pub(super) executor: Mutex<Executor>,
    /// None on one machine.
    pub(super) ranks: Option<Ranks>,
    /// Work of so many nanoseconds by the time model is worth sending to ranks.
    pub(super) ranks_work_ns: f64,
    pub(super) computes: bool,
    /// Name of the engine.
    pub(super) engine: &'static str,
    pub(super) whole_traces: bool,
    pub(super) chunks: Chunks,
    /// Bytes that the traces in flight may pin, unless there is only one.
    pub(super) flight_bytes: u64,
    /// Room for the results of chunks in flight.
    pub(super) room: Arc<Room>,
    pub(super) patience: Duration,
    pub(super) validate: bool,
    /// None when every trace is handed over.
    pub(super) immediate: Option<Arc<Immediate>>,
    /// None when the PPE's own work takes no virtual time.
    pub(super) recordings: Option<Recordings>,
}

/// Traces between sealing and the end of their execution, oldest first, and the last failure.
#[derive(Debug, Default)]
pub(super) struct Flight {
    pub(super) traces: VecDeque<Arc<Trace>>,
    pub(super) failures: u64,
    pub(super) last: Option<Error>,
}

/// What became of an attempt to seal.
pub(super) enum Sealed {
    Trace(Arc<Trace>),
    /// Nothing that was asked for is pending.
    Nothing,
    /// There was no room for the trace before the deadline.
    TimedOut,
}

/// A chunk on its way from stage to stage.
enum Work {
    Trace(Arc<Trace>),
    ForRanks(Arc<Trace>),
    Chunk(LoweredGraph, Stay),
    Scheduled { chunk: LoweredGraph, schedule: Schedule, _stay: Stay },
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic under one of these locks has been reported; the data are consistent between statements.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Core {
    fn is_in_flight(&self, trace: &Arc<Trace>) -> bool {
        lock(&self.flight).traces.iter().any(|other| Arc::ptr_eq(other, trace))
    }

    /// Seals pending operations. The trace is in flight from then on. It waits, at most until `deadline`,
    /// until the traces in flight leave room for it. A trace that is in flight alone may be of any size.
    pub(super) fn seal(
        &self,
        demand: Demand<'_>,
        limit: Option<Limit>,
        deadline: Option<Instant>,
    ) -> Result<Sealed> {
        let mut flight = lock(&self.flight);
        loop {
            let in_flight = flight.traces.iter().fold(0, |sum: u64, trace| sum.saturating_add(trace.bytes));
            let room = match flight.traces.is_empty() {
                true => u64::MAX,
                false => self.flight_bytes.saturating_sub(in_flight),
            };
            match self.recorder.seal(demand, room)? {
                Sealing::Trace(trace) => {
                    let trace = Arc::new(trace);
                    flight.traces.push_back(Arc::clone(&trace));
                    drop(flight);
                    if let Some(recordings) = &self.recordings {
                        recordings.sealed(trace.id, self.recorder.counts().recorded);
                    }
                    self.counters.trace(limit);
                    return Ok(Sealed::Trace(trace));
                }
                Sealing::Nothing => return Ok(Sealed::Nothing),
                Sealing::NoRoom => {}
            }
            flight = match deadline.map(|deadline| deadline.saturating_duration_since(Instant::now())) {
                None => self.landed.wait(flight).unwrap_or_else(PoisonError::into_inner),
                Some(Duration::ZERO) => return Ok(Sealed::TimedOut),
                Some(left) => {
                    self.landed.wait_timeout(flight, left).unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }

    /// Notes that a trace has been executed.
    fn finish(&self, trace: &Arc<Trace>) -> Discarded {
        let mut flight = lock(&self.flight);
        let position = flight.traces.iter().position(|other| Arc::ptr_eq(other, trace));
        if position.and_then(|position| flight.traces.remove(position)).is_none() {
            return Discarded::default();
        }
        drop(flight);
        publish(trace);
        let discarded = self.recorder.finish(trace);
        self.landed.notify_all();
        discarded
    }

    /// Notes that a trace has failed.
    pub(super) fn fail(&self, trace: &Arc<Trace>, failure: &Failure) -> Discarded {
        let mut flight = lock(&self.flight);
        let Some(position) = flight.traces.iter().position(|other| Arc::ptr_eq(other, trace)) else {
            return Discarded::default();
        };
        let failed: Vec<_> = flight.traces.drain(position..).collect();
        if !failure.error.is_permanent() {
            log::warn!("{}; {} traces are pending again", failure.error, failed.len());
        }
        // A failure of one operation is reported to threads that wait for it, or for an operation that
        // depends on it.
        if failure.operation.is_none() {
            flight.failures += 1;
            flight.last = Some(failure.error.clone());
        }
        // Under the lock, so that no thread seals a trace that reads operations which are being reverted.
        let discarded = self.recorder.revert(&failed, failure.operation.map(|id| (id, &failure.error)));
        drop(flight);
        self.landed.notify_all();
        discarded
    }

    /// Takes a trace, and all later ones, out of flight without a failure. Their operations are pending again,
    /// and a thread that waits for one of them starts it anew.
    fn begin_anew(&self, trace: &Arc<Trace>) -> Discarded {
        let mut flight = lock(&self.flight);
        let Some(position) = flight.traces.iter().position(|other| Arc::ptr_eq(other, trace)) else {
            return Discarded::default();
        };
        let traces: Vec<_> = flight.traces.drain(position..).collect();
        let discarded = self.recorder.revert(&traces, None);
        drop(flight);
        self.landed.notify_all();
        discarded
    }

    /// Gives up all traces in flight. Their operations are pending again.
    ///
    /// The stages notice the cancellation by themselves. Until then an MEU may still write blocks of results
    /// that have been given up. No thread reads these matrices, and a new execution has new matrices.
    pub(super) fn cancel(&self) {
        let mut flight = lock(&self.flight);
        // A stage that still finds its trace in flight has read an earlier count, and stops.
        self.cancels.fetch_add(1, Ordering::Release);
        let given_up: Vec<_> = flight.traces.drain(..).collect();
        let discarded = self.recorder.revert(&given_up, None);
        self.recorder.give_up();
        drop(flight);
        drop(discarded);
        self.landed.notify_all();
    }

    /// First stage: a trace becomes chunks.
    fn lower(&self, trace: &Arc<Trace>, forward: &mut dyn FnMut(Work)) -> Discarded {
        if self.is_for_ranks(trace) {
            forward(Work::ForRanks(Arc::clone(trace)));
            return Discarded::default();
        }
        if let Err(failure) = Lowering::check_results(trace, &self.pool) {
            return self.fail(trace, &failure);
        }
        if self.whole_traces {
            forward(Work::Trace(Arc::clone(trace)));
            return Discarded::default();
        }
        if let Err(error) = Lowering::check_memory(trace, &self.pool) {
            return self.fail(trace, &error.into());
        }
        let limits = self.chunks.of(trace);
        let mut lowering = Lowering::new(Arc::clone(trace), &self.target, &self.model, &self.pool, limits);
        let mut written = Written::default();
        loop {
            if !self.is_in_flight(trace) {
                return Discarded::default();
            }
            self.room.wait_for(limits.bytes, Chunks::bytes_in_flight(limits));
            let begun = self.timeline.begin();
            match self.counters.timed(Stage::Lower, || lowering.next_chunk()) {
                Ok(Some(chunk)) => {
                    self.timeline.stage(begun, timeline::Stage::Lower, trace.id, chunk.len());
                    self.note_memory();
                    if self.validate {
                        assert_eq!(chunk.validate(&mut written), Ok(()));
                    }
                    self.counters.chunk(chunk.len());
                    if chunk.last {
                        self.counters.lowered(lowering.size());
                    }
                    let stay = Room::enter(&self.room, chunk.result_bytes);
                    forward(Work::Chunk(chunk, stay));
                }
                Ok(None) => break,
                Err(failure) => return self.fail(trace, &failure),
            }
        }
        Discarded::default()
    }

    /// Second stage: a chunk gets its schedule.
    fn schedule(&self, chunk: LoweredGraph, stay: Stay) -> Work {
        let begun = self.timeline.begin();
        let schedule = self.counters.timed(Stage::Schedule, || {
            let times = estimate(&chunk, &self.model);
            // Processors that have been lost get no stream, but there is a stream.
            let meus = self.target.meus.saturating_sub(self.counters.executed.meus_lost()).max(1);
            let processors = Processors { meus, ..Processors::of(&self.target) };
            let schedule = self.scheduler.schedule(&chunk, &times, processors);
            if self.validate {
                assert_eq!(schedule.validate(&chunk, &times), Ok(()));
            }
            schedule
        });
        self.timeline.stage(begun, timeline::Stage::Schedule, chunk.trace.id, chunk.len());
        Work::Scheduled { chunk, schedule, _stay: stay }
    }

    /// Third stage.
    fn execute(&self, work: &Work) -> Discarded {
        let (trace, last) = match work {
            Work::Trace(trace) | Work::ForRanks(trace) => (trace, true),
            Work::Chunk(chunk, _) | Work::Scheduled { chunk, .. } => (&chunk.trace, chunk.last),
        };
        let cancels = self.cancels.load(Ordering::Acquire);
        if !self.is_in_flight(trace) {
            return Discarded::default();
        }
        if matches!(work, Work::Scheduled { .. }) {
            self.counters.begin_chunk(trace.id);
        }
        if let Err(error) = self.pool.insist(memory::check) {
            return self.fail(trace, &error.into());
        }
        let begun = self.timeline.begin();
        let stop = || self.cancels.load(Ordering::Relaxed) != cancels;
        let by_ranks = |trace: &Arc<Trace>| {
            if let Some(ranks) = &self.ranks {
                ranks.execute(trace, &stop)?;
                self.counters.executed.add_trace(trace.work());
            }
            Ok(Outcome::Complete)
        };
        let outcome = self.counters.timed(Stage::Execute, || match (&mut *lock(&self.executor), work) {
            (_, Work::ForRanks(trace)) => by_ranks(trace),
            (Executor::Reference(arithmetic), Work::Trace(trace)) => {
                let outcome = reference::execute(trace, &self.target, *arithmetic, &self.pool);
                outcome
                    .inspect(|()| self.counters.executed.add_trace(trace.work()))
                    .map(|()| Outcome::Complete)
            }
            (Executor::Blocks(engine), Work::Scheduled { chunk, schedule, .. }) => {
                if let Some(recordings) = &self.recordings {
                    recordings.begin(engine.as_mut(), chunk);
                }
                engine.begin(chunk);
                let (begin, since) = (engine.now(), Instant::now());
                let witness = Witness::new(&self.counters.executed, &self.timeline);
                let outcome = execute_until(
                    chunk,
                    schedule,
                    engine.as_mut(),
                    &self.pool,
                    self.patience,
                    witness,
                    &stop,
                );
                let executed_ns = match engine.now().saturating_sub(begin) {
                    0 => since.elapsed().as_nanos() as u64,
                    passed => passed,
                };
                let predicted_ns = schedule.makespan;
                self.counters.makespan(Makespan { trace: trace.id, predicted_ns, executed_ns });
                if let Some(recordings) = self.recordings.as_ref().filter(|_| last) {
                    recordings.end(engine.as_mut(), trace.id);
                }
                outcome
            }
            _ => unreachable!("a stage was left out"),
        });
        let size = match work {
            Work::Trace(trace) | Work::ForRanks(trace) => trace.operations.len(),
            Work::Chunk(chunk, _) | Work::Scheduled { chunk, .. } => chunk.len(),
        };
        self.timeline.stage(begun, timeline::Stage::Execute, trace.id, size);
        match outcome {
            Ok(Outcome::Complete) if last => self.finish(trace),
            Ok(Outcome::Complete) => Discarded::default(),
            Ok(Outcome::Anew) => self.begin_anew(trace),
            Err(failure) => self.fail(trace, &failure),
        }
    }

    /// All stages in this thread.
    pub(super) fn run(&self, trace: &Arc<Trace>) -> Vec<Discarded> {
        let mut discarded = Vec::new();
        let failed = self.lower(trace, &mut |work| {
            let work = match work {
                Work::Chunk(chunk, stay) => self.schedule(chunk, stay),
                work => work,
            };
            discarded.push(self.execute(&work));
        });
        discarded.push(failed);
        discarded
    }
}

/// Declares the results of a trace complete.
pub(super) fn publish(trace: &Trace) {
    for slot in trace.operations.iter().filter_map(|operation| operation.keep.as_ref()) {
        if let Some(matrix) = slot.get() {
            matrix.publish();
        }
    }
}

/// Chunks that may wait between two stages. The number is large enough that a short delay of one stage stops
/// no other stage, and small enough to bound memory.
const CHANNEL_DEPTH: usize = 2;

/// The stages' threads.
#[derive(Debug)]
pub(super) struct Pipeline {
    pub(super) jobs: SyncSender<Arc<Trace>>,
    pub(super) threads: Vec<JoinHandle<()>>,
}

impl Pipeline {
    pub(super) fn start(core: &Arc<Core>) -> Result<Pipeline> {
        let (jobs, to_lower): (_, Receiver<Arc<Trace>>) = sync_channel(CHANNEL_DEPTH);
        let (lowered, to_schedule): (_, Receiver<Work>) = sync_channel(CHANNEL_DEPTH);
        let (scheduled, to_execute): (_, Receiver<Work>) = sync_channel(CHANNEL_DEPTH);
        // A send fails only when the next stage has ended after a panic. Nobody is left to be told.
        let (lower, schedule, execute) = (Arc::clone(core), Arc::clone(core), Arc::clone(core));
        let threads = vec![
            spawn("pmatrix-lower", core, move || {
                for trace in to_lower {
                    drop(lower.lower(&trace, &mut |work| _ = lowered.send(work)));
                }
            })?,
            spawn("pmatrix-sched", core, move || {
                for work in to_schedule {
                    let work = match work {
                        Work::Chunk(chunk, stay) => schedule.schedule(chunk, stay),
                        work => work,
                    };
                    _ = scheduled.send(work);
                }
            })?,
            spawn("pmatrix-exec", core, move || {
                for work in to_execute {
                    drop(execute.execute(&work));
                }
            })?,
        ];
        Ok(Pipeline { jobs, threads })
    }
}

/// Starts a stage's thread. If the stage panics, waiting threads are told.
fn spawn(name: &str, core: &Arc<Core>, stage: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>> {
    struct Alarm(Arc<Core>);
    impl Drop for Alarm {
        fn drop(&mut self) {
            if std::thread::panicking() {
                let oldest = lock(&self.0.flight).traces.front().cloned();
                if let Some(trace) = oldest {
                    let what = "a stage has panicked: a mistake of pmatrix".to_owned();
                    drop(self.0.fail(&trace, &Error::Engine { engine: self.0.engine, what }.into()));
                }
            }
        }
    }
    let alarm = Alarm(Arc::clone(core));
    let run = move || {
        let _alarm = alarm;
        stage();
    };
    memory::spawn(core.engine, name.into(), run)
}
