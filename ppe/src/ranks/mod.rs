//! Several machines: traces of much work are executed by ranks, processes that hold matrices together.
//!
//! The session starts the ranks when a trace is worth it, and keeps them (`job.rs`). It sends them sealed traces, and the
//! values that these read and that ranks do not have ([`wire`](crate::wire)). Results stay where they are: their matrices are
//! elsewhere, until somebody reads them. Small results come with the report of their trace.
//!
//! **Nothing is lost with a rank.** When ranks are lost, the session starts new ones, and executes those traces again
//! whose results are needed and exist nowhere else (`lineage.rs`). Two losses without a trace in between are an error of
//! the trace, which becomes pending again.

mod choice;
mod job;
mod lineage;

use std::collections::{HashMap, HashSet};
use std::mem;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::error::{Error, Failure, Result};
use crate::lower::Target;
use crate::matrix::{Home, Layout, Matrix};
use crate::operation::{Precision, Shape};
use crate::pool::Pool;
use crate::process;
use crate::trace::{Trace, TraceOperation};
use crate::wire::configuration::{Configuration, Executor};
use crate::wire::message::{Fault, Reply, Request};
use crate::wire::{elements, trace};
pub use choice::Choice;
use job::{Job, Silence, failed};
use lineage::{Made, Source};

/// Losses without progress after which the loss is an error.
const MOST_LOSSES: u32 = 2;

/// How much the ranks have done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Traces that they have ended, with results or with the failure of an operation, also again.
    pub traces: u64,
    /// How often they were started.
    pub starts: u64,
    /// Bytes of shards that the present ranks have sent to each other.
    pub sent_bytes: u64,
    /// MEUs that the engines of the present ranks have lost.
    pub meus_lost: u32,
    /// Block operations of those traces.
    pub block_operations: u64,
    /// CPU time that the slowest rank of each trace took to lower and insert them, in nanoseconds.
    pub insert_ns: u64,
}

/// The ranks of a session.
#[derive(Debug)]
pub struct Ranks {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    choice: Choice,
    configuration: Configuration,
    pool: Pool,
    next_number: AtomicU64,
    /// The process that the ranks belong to.
    generation: u32,
    state: Mutex<State>,
    /// Values that nobody needs any more. They are released with the next request.
    dropped: Mutex<Vec<u64>>,
    /// What is to be said of lost MEUs.
    losses: Mutex<Vec<String>>,
}

#[derive(Debug, Default)]
struct State {
    job: Option<Job>,
    /// The values that the present ranks have.
    present: HashSet<u64>,
    /// For each value that is nowhere else: the trace that computes it.
    made: HashMap<u64, Arc<Made>>,
    losses: u32,
    tally: Tally,
}

impl State {
    /// Ends the present ranks at once, with all that they have.
    fn end_job(&mut self) {
        if let Some(job) = self.job.take() {
            job.kill();
        }
        self.present.clear();
    }
}

/// A value that ranks know by its number.
#[derive(Debug)]
struct Remote {
    number: u64,
    shape: Shape,
    precision: Precision,
    shared: Weak<Shared>,
}

impl Drop for Remote {
    fn drop(&mut self) {
        if let Some(shared) = self.shared.upgrade() {
            lock(&shared.dropped).push(self.number);
        }
    }
}

impl Home for Remote {
    fn fetch(&self, stop: &dyn Fn() -> bool) -> Result<Matrix> {
        let gone = || failed("the session of the value has ended");
        let shared = self.shared.upgrade().ok_or_else(gone)?;
        let bytes = shared.get(&mut lock(&shared.state), self.number, stop)?;
        elements::decode(self.shape, self.precision, &bytes, &shared.pool)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // The data are consistent between statements, also after a panic, which has been reported.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Ranks {
    /// Ranks that execute traces for a session whose own engine has this target. They are started with the first trace.
    ///
    /// # Errors
    /// As [`Choice::check`].
    pub fn new(choice: Choice, target: &Target, pool: &Pool) -> Result<Ranks> {
        let (configuration, next_number, pool) = (choice.check(target)?, AtomicU64::new(1), pool.clone());
        let shared = Shared {
            choice,
            configuration,
            pool,
            next_number,
            generation: process::generation(),
            state: Mutex::default(),
            dropped: Mutex::default(),
            losses: Mutex::default(),
        };
        Ok(Ranks { shared: Arc::new(shared) })
    }

    /// Executes a trace, whose kept results are elsewhere then. Waits for its end, until `stop` is true: then the ranks
    /// are ended.
    ///
    /// # Errors
    /// The failure of an operation; [`Error::Engine`] when ranks cannot be had; [`Error::Cancelled`].
    pub fn execute(&self, trace: &Trace, stop: &dyn Fn() -> bool) -> Result<(), Failure> {
        let mut state = lock(&self.shared.state);
        let mut sources = Vec::with_capacity(trace.constants.len());
        for constant in &trace.constants {
            let missing = || Error::Argument("a value that this trace reads has not been computed".into());
            let matrix = constant.slot.get().ok_or_else(missing)?;
            sources.push(self.shared.source(&state, matrix)?);
        }
        let constants: Vec<_> = sources.iter().map(Source::number).collect();
        let results: Vec<_> =
            trace.operations.iter().map(|operation| self.shared.result(operation)).collect();
        let bytes = trace::encode(trace, &constants, &results);
        let made = results.iter().copied().filter(|&number| number != 0).collect();
        let made = Arc::new(Made::new(bytes, sources, made));
        let small = self.shared.insist(&mut state, |state| self.shared.attempt(state, &made, stop)).map_err(
            |stopped| match stopped {
                Stopped::Error(error) => Failure::from(error),
                Stopped::Fault(Fault { operation, is_domain, what }) => {
                    let blame = trace.blame(operation);
                    let error = match is_domain {
                        true => Error::Domain { blame },
                        false => Error::Meu { what, processor: "a rank".into(), blame },
                    };
                    trace.failure(operation, error)
                }
            },
        )?;
        let mut small: HashMap<u64, Vec<u8>> = small.into_iter().collect();
        let is_long = made.is_long(self.shared.choice.most_bytes);
        for (operation, number) in trace.operations.iter().zip(results) {
            let Some(matrix) = operation.keep.as_ref().and_then(|slot| slot.get()) else { continue };
            let bytes = match small.remove(&number) {
                Some(bytes) => Some(bytes),
                None if is_long => Some(self.shared.get(&mut state, number, stop)?),
                None => None,
            };
            match bytes {
                Some(bytes) => {
                    let matrix_here =
                        elements::decode(operation.shape, operation.precision, &bytes, &self.shared.pool)?;
                    matrix.put(matrix_here);
                }
                None => _ = state.made.insert(number, Arc::clone(&made)),
            }
        }
        Ok(())
    }

    /// Whether several of them own parts of a matrix of this shape.
    #[must_use]
    pub fn share(&self, shape: Shape) -> bool {
        shape.rows.max(shape.columns) > self.shared.choice.shards.side
    }

    /// How much they have done.
    #[must_use]
    pub fn tally(&self) -> Tally {
        lock(&self.shared.state).tally
    }

    /// What is to be said of MEUs that ranks have lost since the last call.
    pub fn take_losses(&self) -> Vec<String> {
        mem::take(&mut *lock(&self.shared.losses))
    }
}

/// Why a trace was not executed.
enum Stopped {
    Error(Error),
    Fault(Fault),
}

impl From<Error> for Stopped {
    fn from(error: Error) -> Stopped {
        Stopped::Error(error)
    }
}

/// Why an attempt has failed.
enum Attempt {
    /// The ranks are lost: why, in words.
    Lost(String),
    /// For any other reason.
    Stopped(Stopped),
}

impl From<Error> for Attempt {
    fn from(error: Error) -> Attempt {
        Attempt::Stopped(error.into())
    }
}

impl Shared {
    fn remote(self: &Arc<Self>, shape: Shape, precision: Precision) -> Box<dyn Home> {
        let number = self.next_number.fetch_add(1, Ordering::Relaxed);
        Box::new(Remote { number, shape, precision, shared: Arc::downgrade(self) })
    }

    /// The number of a matrix among the values of the ranks. A matrix that has none gets one.
    fn number(self: &Arc<Self>, matrix: &Matrix) -> Result<u64> {
        let home: &dyn std::any::Any = matrix.settle(|| self.remote(matrix.shape(), matrix.precision()));
        let remote = home.downcast_ref::<Remote>();
        let own = remote.filter(|remote| remote.shared.as_ptr() == Arc::as_ptr(self));
        own.map(|remote| remote.number)
            .ok_or_else(|| failed("a value belongs to the ranks of another session"))
    }

    /// Where a value comes from that a trace reads.
    fn source(self: &Arc<Self>, state: &State, matrix: &Arc<Matrix>) -> Result<Source> {
        let number = self.number(matrix)?;
        if let Some(constructor) = matrix.constructor() {
            return Ok(Source::Constructed(number, matrix.shape(), matrix.precision(), constructor));
        }
        if matrix.is_here() {
            return Ok(Source::Memory(number, Arc::clone(matrix)));
        }
        let made = state.made.get(&number).ok_or_else(|| failed("nobody knows where a value comes from"))?;
        Ok(Source::Made(number, Arc::clone(made)))
    }

    /// The number of an operation's result, whose matrix is elsewhere; 0 for an intermediate result.
    fn result(self: &Arc<Self>, operation: &TraceOperation) -> u64 {
        let Some(slot) = &operation.keep else { return 0 };
        let TraceOperation { shape, precision, .. } = *operation;
        let matrix = slot.get_or_init(|| Arc::new(Matrix::elsewhere(shape, precision, Layout::Touching)));
        self.number(matrix).unwrap_or(0)
    }

    /// Tries until it succeeds, or ranks are lost again without progress.
    fn insist<T>(
        &self,
        state: &mut State,
        attempt: impl Fn(&mut State) -> Result<T, Attempt>,
    ) -> Result<T, Stopped> {
        loop {
            match attempt(state) {
                Err(Attempt::Lost(what)) => self.lost(state, what)?,
                Err(Attempt::Stopped(stopped)) => return Err(stopped),
                Ok(found) => {
                    state.losses = 0;
                    return Ok(found);
                }
            }
        }
    }

    /// Notes that the ranks are lost.
    ///
    /// # Errors
    /// The loss, when it happens again without progress.
    fn lost(&self, state: &mut State, what: String) -> Result<()> {
        state.end_job();
        state.losses += 1;
        if state.losses >= MOST_LOSSES {
            state.losses = 0;
            return Err(failed(what));
        }
        log::warn!("{what}; new ranks are started, and what they had is computed again");
        Ok(())
    }

    /// Executes a trace, and before it what computes the values that it reads and that the ranks do not have.
    fn attempt(
        &self,
        state: &mut State,
        made: &Made,
        stop: &dyn Fn() -> bool,
    ) -> Result<Vec<(u64, Vec<u8>)>, Attempt> {
        self.ready(state, stop)?;
        for source in &made.sources {
            if state.present.contains(&source.number()) {
                continue;
            }
            match source {
                Source::Memory(number, matrix) => {
                    let (number, shape, precision) = (*number, matrix.shape(), matrix.precision());
                    let elements = elements::encode(matrix);
                    self.send(state, &Request::Value { number, shape, precision, elements });
                    state.present.insert(number);
                }
                &Source::Constructed(number, shape, precision, constructor) => {
                    self.send(state, &Request::Construct { number, shape, precision, constructor });
                    state.present.insert(number);
                }
                // The chain has at most MOST_DEPTH links.
                Source::Made(_, earlier) => {
                    _ = self.attempt(state, earlier, stop)?;
                    // Nobody but this trace needs results whose matrices are gone.
                    let known = &state.made;
                    let unknown = earlier.results.iter().filter(|number| !known.contains_key(number));
                    lock(&self.dropped).extend(unknown);
                }
            }
        }
        self.send(state, &Request::Trace(made.bytes.clone()));
        let reply = self.reply(state, stop);
        if let Err(Attempt::Stopped(_)) = reply {
            // What ranks have begun cannot be withdrawn.
            state.end_job();
        }
        match reply? {
            Reply::Done { fault, small, sent_bytes, operations, insert_ns, meus_lost, losses, .. } => {
                let tally = &mut state.tally;
                (tally.sent_bytes, tally.meus_lost) = (sent_bytes, meus_lost);
                tally.traces += 1;
                tally.block_operations += operations;
                tally.insert_ns += insert_ns;
                losses.iter().for_each(|loss| log::warn!("{loss}"));
                lock(&self.losses).extend(losses);
                if let Some(fault) = fault {
                    return Err(Attempt::Stopped(Stopped::Fault(fault)));
                }
                state.present.extend(&made.results);
                Ok(small)
            }
            other => Err(Attempt::Lost(format!("the ranks say {other:?} instead of the end of a trace"))),
        }
    }

    /// Makes sure that there are ranks, and tells them what is no longer needed.
    fn ready(&self, state: &mut State, stop: &dyn Fn() -> bool) -> Result<(), Attempt> {
        if process::generation() != self.generation {
            return Err(Error::Fork.into());
        }
        let dropped = mem::take(&mut *lock(&self.dropped));
        let mut released: Vec<u64> = Vec::new();
        let mut forgotten = Vec::new();
        for number in dropped {
            forgotten.extend(state.made.remove(&number));
            if state.present.remove(&number) {
                released.push(number);
            }
        }
        // To forget a trace may drop matrices, and so more numbers.
        drop(forgotten);
        if state.job.is_none() {
            let has_engine = matches!(self.configuration.executor, Executor::Engine(_));
            state.job = Some(Job::start(&self.choice, has_engine, stop)?);
            state.tally.starts += 1;
            self.send(state, &Request::Configure(Box::new(self.configuration)));
        } else if !released.is_empty() {
            self.send(state, &Request::Release(released));
        }
        Ok(())
    }

    fn send(&self, state: &mut State, request: &Request) {
        if let Some(job) = &mut state.job {
            job.send(request);
        }
    }

    fn reply(&self, state: &mut State, stop: &dyn Fn() -> bool) -> Result<Reply, Attempt> {
        let Some(job) = &mut state.job else { return Err(Attempt::Lost("there are no ranks".into())) };
        match job.reply(stop) {
            Ok(reply) => Ok(reply),
            Err(Silence::Lost(what)) => Err(Attempt::Lost(what)),
            Err(Silence::Stopped) => Err(Error::Cancelled.into()),
        }
    }

    /// The elements of a value, computed again if need be.
    fn get(&self, state: &mut State, number: u64, stop: &dyn Fn() -> bool) -> Result<Vec<u8>> {
        self.insist(state, |state| self.attempt_get(state, number, stop)).map_err(|stopped| match stopped {
            Stopped::Error(error) => error,
            Stopped::Fault(fault) => failed(fault.what),
        })
    }

    fn attempt_get(
        &self,
        state: &mut State,
        number: u64,
        stop: &dyn Fn() -> bool,
    ) -> Result<Vec<u8>, Attempt> {
        self.ready(state, stop)?;
        if !state.present.contains(&number) {
            let made = state.made.get(&number).map(Arc::clone);
            _ = self.attempt(state, &*made.ok_or_else(|| failed("nobody has a value"))?, stop)?;
        }
        self.send(state, &Request::Fetch(number));
        let reply = self.reply(state, stop);
        if let (Err(Attempt::Stopped(_)), Some(job)) = (&reply, &mut state.job) {
            // The elements come some time, and the next reply after them.
            job.disown_reply();
        }
        match reply? {
            Reply::Elements { number: of, elements } if of == number => Ok(elements),
            other => Err(Attempt::Lost(format!("the ranks say {other:?} instead of a value"))),
        }
    }
}
