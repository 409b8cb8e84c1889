//! Execution of a lowered graph by a team.
//!
//! There is no schedule. A thread that is free takes an operation whose operands are in memory: the operation
//! that became ready last, because its operands are in the thread's caches.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crossbeam_utils::CachePadded;

use super::blocks::{Addresses, Blocks, concerning, failure_of};
use super::guard::GuardCounts;
use crate::engine::{Caller, Shared, Team, wait_while};
use crate::error::Failure;
use crate::lower::LoweredGraph;
use crate::pool::Pool;
use crate::stats::Executed;

/// Executes all operations of `graph`, which MEUs execute in main memory, with at most so many members of the
/// team. `wakes`: whether the work is worth a wake-up.
///
/// # Errors
/// The first failure.
pub fn execute_together(
    graph: &LoweredGraph,
    (team, members, wakes): (&mut Team, usize, bool),
    pool: &Pool,
    executed: &Executed,
) -> Result<(), Failure> {
    let shared = SharedGraph::new(graph, pool, executed);
    team.share(&shared, members, wakes);
    shared.into_failure().map_or(Ok(()), Err)
}

/// A graph while a team executes it.
struct SharedGraph<'a> {
    graph: &'a LoweredGraph,
    executed: &'a Executed,
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

impl<'a> SharedGraph<'a> {
    /// Temporaries come from `pool`.
    fn new(graph: &'a LoweredGraph, pool: &'a Pool, executed: &'a Executed) -> SharedGraph<'a> {
        // In reverse order, so that the first operation is taken first.
        let ready: Vec<u32> =
            (0..graph.len() as u32).rev().filter(|&index| graph.guards()[index as usize] == 0).collect();
        let count = if graph.is_empty() { OVER } else { ready.len() };
        let (blocks, guards, left) = (Blocks::new(graph, pool), GuardCounts::new(graph), graph.len());
        SharedGraph {
            graph,
            executed,
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
        self.executed.add(self.graph.work(&self.graph.operations[index as usize]));
        state.blocks.executed(index);
        let State { guards, ready, .. } = state;
        guards.acknowledge(self.graph, index, |reader| ready.push(reader));
        state.left -= 1;
        if self.ready.load(Ordering::Relaxed) != OVER {
            let count = if state.left == 0 { OVER } else { state.ready.len() };
            self.ready.store(count, Ordering::Release);
        }
    }

    fn fail(&self, state: &mut State<'_>, failure: Failure) {
        self.ready.store(OVER, Ordering::Release);
        // The first failure counts.
        state.failure.get_or_insert(failure);
    }
}

impl Shared for SharedGraph<'_> {
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
            let failure = match caller.execute(&command) {
                Ok(Ok(())) => {
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
