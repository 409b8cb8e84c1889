//! Execution of a lowered graph by a team.
//!
//! There is no schedule. A thread that is free takes an operation whose operands are in memory: the operation
//! that became ready last, because its operands are in the thread's caches.

use std::sync::PoisonError;

use crossbeam_utils::CachePadded;

use super::Witness;
use super::blocks::{Addresses, Blocks, concerning, failure_of};
use super::guard::GuardCounts;
use super::here::execute_here;
use crate::engine::{Caller, Command, Fault, Shared, Team, wait_while};
use crate::error::{Error, Failure, Result};
use crate::lower::LoweredGraph;
use crate::pool::Pool;
use crate::sync::atomic::{AtomicUsize, Ordering};
use crate::sync::{Mutex, MutexGuard};

/// Executes all operations of `graph`, which MEUs execute in main memory, with at most so many members of the
/// team. `wakes`: whether the work is worth a wake-up. The calling thread executes a chain alone: helpers that
/// watch it would only take cache lines from it.
///
/// # Errors
/// The first failure.
pub fn execute_together(
    graph: &LoweredGraph,
    (team, members, wakes): (&mut Team, usize, bool),
    pool: &Pool,
    witness: Witness<'_>,
) -> Result<(), Failure> {
    if graph.is_chain() {
        return execute_here(graph, pool, witness);
    }
    execute_with(graph, (team, members, wakes), pool, witness, Caller::execute)
}

/// As [`execute_together`]; `execute` executes one operation.
fn execute_with(
    graph: &LoweredGraph,
    (team, members, wakes): (&mut Team, usize, bool),
    pool: &Pool,
    witness: Witness<'_>,
    execute: impl Execute,
) -> Result<(), Failure> {
    let shared = SharedGraph::new(graph, pool, witness, execute);
    team.share(&shared, members, wakes);
    shared.into_failure().map_or(Ok(()), Err)
}

/// What executes one operation.
trait Execute: Fn(&mut Caller, &Command<'_>) -> Result<Result<(), Fault>, Error> + Sync {}

impl<F: Fn(&mut Caller, &Command<'_>) -> Result<Result<(), Fault>, Error> + Sync> Execute for F {}

/// A graph while a team executes it.
struct SharedGraph<'a, E> {
    graph: &'a LoweredGraph,
    witness: Witness<'a>,
    execute: E,
    state: Mutex<State<'a>>,
    /// Number of ready operations, or [`OVER`]. It is changed with the lock of the state.
    ready: CachePadded<AtomicUsize>,
}

/// Nothing is left, or an operation has failed.
const OVER: usize = usize::MAX;

struct State<'a> {
    blocks: Blocks<'a>,
    guards: GuardCounts,
    /// Operations whose operands are in memory. The last is taken first.
    ready: Vec<u32>,
    left: usize,
    failure: Option<Failure>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing panics under this lock: see `take_part`.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An operation that a member executes. If the member panics, another member executes it: its operands are in
/// memory still.
struct Begun<'s, 'a, E: Execute> {
    shared: &'s SharedGraph<'a, E>,
    index: u32,
}

impl<E: Execute> Drop for Begun<'_, '_, E> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.shared.put_back(self.index);
        }
    }
}

impl<'a, E: Execute> SharedGraph<'a, E> {
    /// Temporaries come from `pool`.
    fn new(graph: &'a LoweredGraph, pool: &'a Pool, witness: Witness<'a>, execute: E) -> SharedGraph<'a, E> {
        // In reverse order, so that the first operation is taken first.
        let ready: Vec<u32> =
            (0..graph.len() as u32).rev().filter(|&index| graph.guards()[index as usize] == 0).collect();
        let count = if graph.is_empty() { OVER } else { ready.len() };
        let (blocks, guards, left) = (Blocks::new(graph, pool), GuardCounts::new(graph), graph.len());
        SharedGraph {
            graph,
            witness,
            execute,
            state: Mutex::new(State { blocks, guards, ready, left, failure: None }),
            ready: CachePadded::new(AtomicUsize::new(count)),
        }
    }

    /// The first failure, after the end.
    fn into_failure(self) -> Option<Failure> {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner).failure
    }

    /// Notes that an operation has been executed.
    fn finish(&self, state: &mut State<'_>, index: u32) {
        self.witness.count(self.graph, index);
        state.blocks.executed(index);
        let State { guards, ready, .. } = state;
        guards.acknowledge(self.graph, index, |reader| ready.push(reader));
        state.left -= 1;
        if self.ready.load(Ordering::Relaxed) != OVER {
            let count = if state.left == 0 { OVER } else { state.ready.len() };
            self.ready.store(count, Ordering::Release);
        }
    }

    /// Notes that a member has panicked while it executed an operation.
    fn put_back(&self, index: u32) {
        let blame = self.graph.blame(index);
        self.witness
            .executed
            .lose(0, format!("a thread has panicked in {blame}; another one executes the operation"));
        let mut state = lock(&self.state);
        if self.ready.load(Ordering::Relaxed) != OVER {
            state.ready.push(index);
            self.ready.store(state.ready.len(), Ordering::Release);
        }
    }

    fn fail(&self, state: &mut State<'_>, failure: Failure) {
        self.ready.store(OVER, Ordering::Release);
        // The first failure counts.
        state.failure.get_or_insert(failure);
    }
}

impl<E: Execute> Shared for SharedGraph<'_, E> {
    fn take_part(&self, name: &str, caller: &mut Caller) -> u64 {
        let (mut done, mut count, mut addresses) = (None, 0, Addresses::default());
        loop {
            let mut state = lock(&self.state);
            if let Some(index) = done.take() {
                self.finish(&mut state, index);
                count += 1;
            }
            if self.ready.load(Ordering::Relaxed) == OVER {
                return count;
            }
            let Some(index) = state.ready.pop() else {
                drop(state);
                wait_while(|| self.ready.load(Ordering::Acquire) == 0);
                continue;
            };
            self.ready.store(state.ready.len(), Ordering::Release);
            let command = match state.blocks.command(index, &mut addresses) {
                Ok(command) => command,
                Err(failure) => {
                    self.fail(&mut state, failure);
                    return count;
                }
            };
            drop(state);
            let started = self.witness.begin();
            let begun = Begun { shared: self, index };
            let outcome = (self.execute)(caller, &command);
            drop(begun);
            let failure = match outcome {
                Ok(Ok(())) => {
                    self.witness.note(self.graph, index, started);
                    done = Some(index);
                    continue;
                }
                Ok(Err(fault)) => failure_of(self.graph, index, name.into(), &fault),
                Err(error) => concerning(self.graph, index, 0, error),
            };
            self.fail(&mut lock(&self.state), failure);
            return count;
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests;
