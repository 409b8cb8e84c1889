//! The best schedule there is, by branch and bound over list schedules.
//!
//! A list schedule puts one operation after the other on the time line, each at the earliest start that the
//! slot function gives. One of the list schedules whose starts never decrease is optimal: sort the operations
//! of any schedule by their starts and put them on the time line in this order, and no operation starts later
//! than before. So the search tries which ready operation comes next, and on which stream, with these rules:
//!
//! * An operation never starts before the operation that was placed before it.
//! * Of streams whose stages end at equal times one is tried.
//! * Of ready operations that are alike, the first is tried. Operations are alike when their stage times,
//!   their venues, their dependants and the ends of their operands are equal.
//! * A state that was reached before is left, as far as states are remembered.
//! * A state is left when no schedule from it on can be better than the best one known: by the path from each
//!   operation to the end, and by the work that is left for each stage.
//!
//! The search keeps its states in a list, not on the stack, so the depth of the graph does not matter. It can
//! be stopped at any time, and has a best schedule and a lower bound then.

mod state;

use std::collections::HashSet;

use super::bounds::{Bounds, levels};
use super::{Processors, Schedule};
use crate::lower::LoweredGraph;
use crate::time::StageTimes;
use state::{Key, Move, Problem, State};

/// How far a search is, or how far it came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    /// The makespan of the best schedule so far.
    pub best: u64,
    /// No schedule has a makespan below this one. It equals `best` once the best schedule is proven optimal.
    pub bound: u64,
    /// States that were examined.
    pub states: u64,
}

impl Found {
    /// How far the best makespan may be from the optimum, as a share of the best makespan.
    #[must_use]
    pub fn gap(&self) -> f64 {
        (self.best - self.bound) as f64 / self.best.max(1) as f64
    }
}

/// Bytes that remembered states may take.
const REMEMBERED_BYTES: usize = 256 << 20;

/// The most operations of a graph that is searched. A larger graph has no chance, and the moves of its states
/// would fill the memory.
pub const MOST_OPERATIONS: usize = 1000;

/// States between two calls of the function that may stop a search.
const STATES_BETWEEN: u64 = 256;

/// A state of the search, and the moves from it that were not tried yet, the most promising one last.
struct Choice {
    moves: Vec<Move>,
    undo: Option<state::Undo>,
}

/// Searches the best schedule, beginning with a schedule that is known, as long as `go_on` says so. A graph
/// of more than [`MOST_OPERATIONS`] is not searched: it keeps its schedule, and gets a lower bound.
pub fn optimal(
    graph: &LoweredGraph,
    times: &[StageTimes],
    processors: Processors,
    known: Schedule,
    go_on: &mut dyn FnMut(Found) -> bool,
) -> (Schedule, Found) {
    let problem = Problem::new(graph, times, processors, levels(graph, times));
    let root = Bounds::of(graph, times, processors, None).makespan();
    let mut best = known;
    let mut found = Found { best: best.makespan, bound: root.min(best.makespan), states: 0 };
    if graph.len() > MOST_OPERATIONS {
        return (best, found);
    }
    let mut state = State::new(&problem);
    let mut remembered: HashSet<Key> = HashSet::new();
    let mut remembered_bytes = 0;
    let mut stack = vec![Choice { moves: state.moves(&problem, root, best.makespan), undo: None }];
    while let Some(choice) = stack.last_mut() {
        if found.best == found.bound {
            return (best, found);
        }
        // The best schedule may have become better since the moves were listed.
        let next = choice.moves.pop().filter(|next| next.bound < best.makespan);
        let Some(next) = next else {
            if let Some(undo) = stack.pop().and_then(|choice| choice.undo) {
                state.undo(undo);
            }
            continue;
        };
        let undo = state.apply(&problem, next);
        found.states += 1;
        if state.is_complete() {
            best = state.schedule(&problem);
            found.best = best.makespan;
            state.undo(undo);
            found.bound = found.bound.max(open_bound(&stack, found.best));
            continue;
        }
        if found.states.is_multiple_of(STATES_BETWEEN) {
            found.bound = found.bound.max(open_bound(&stack, found.best).min(next.bound));
            if !go_on(found) {
                return (best, found);
            }
        }
        let bound = next.bound.max(state.bound(&problem));
        let mut is_new = bound < best.makespan;
        if is_new {
            let key = state.key(&problem);
            if remembered.contains(&key) {
                is_new = false;
            } else if remembered_bytes < REMEMBERED_BYTES {
                remembered_bytes += key.bytes();
                remembered.insert(key);
            }
        }
        let moves = if is_new { state.moves(&problem, bound, best.makespan) } else { Vec::new() };
        stack.push(Choice { moves, undo: Some(undo) });
    }
    found.bound = found.best;
    (best, found)
}

/// The least bound of the moves that were not tried yet: a schedule that is not examined is not better.
fn open_bound(stack: &[Choice], best: u64) -> u64 {
    stack.iter().filter_map(|choice| choice.moves.last()).map(|next| next.bound).fold(best, u64::min)
}

#[cfg(test)]
mod tests {
    use super::super::tests::random::{least_makespan, random_graph};
    use super::super::{Heuristic, Portfolio, RoundRobin, Scheduler};
    use super::*;

    #[test]
    fn the_search_finds_the_least_makespan_of_tiny_graphs() {
        let mut better = 0;
        for seed in 1000..1120 {
            let mut random = fastrand::Rng::with_seed(seed);
            let operations = random.usize(1..=5);
            let ppe = random.u8(0..3) == 0;
            let (graph, times) = random_graph(&mut random, operations, ppe);
            let processors = Processors { meus: random.usize(1..=3), ppe };
            // A bad schedule to begin with, so that the search has to find a better one.
            let known = RoundRobin.schedule(&graph, &times, processors);
            let makespan = known.makespan;
            let (schedule, found) = optimal(&graph, &times, processors, known, &mut |_| true);
            schedule.validate(&graph, &times).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
            let least = least_makespan(&graph, &times, processors);
            assert_eq!((schedule.makespan, found.best, found.bound), (least, least, least), "seed {seed}");
            better += u32::from(least < makespan);
        }
        assert!(better > 10, "{better}");
    }

    #[test]
    fn the_bound_of_a_stopped_search_holds() {
        let mut stopped = 0;
        for seed in 2000..2040 {
            let mut random = fastrand::Rng::with_seed(seed);
            let operations = random.usize(8..=12);
            let (graph, times) = random_graph(&mut random, operations, false);
            let processors = Processors::meus(2);
            let search = |most: u64| {
                let known = Heuristic.schedule(&graph, &times, processors);
                let mut last = Found { best: u64::MAX, bound: 0, states: 0 };
                let (_, found) = optimal(&graph, &times, processors, known, &mut |now| {
                    assert!(now.best <= last.best && now.bound >= last.bound, "seed {seed}: {now:?}");
                    last = now;
                    now.states < most
                });
                found
            };
            let (short, long) = (search(1), search(200_000));
            assert!(short.bound <= long.best && long.best <= short.best, "seed {seed}: {short:?}, {long:?}");
            stopped += u32::from(short.bound < short.best);
            assert!((short.gap() > 0.0) == (short.bound < short.best), "seed {seed}");
        }
        assert!(stopped > 0);
    }

    #[test]
    fn a_large_graph_keeps_its_schedule() {
        let mut random = fastrand::Rng::with_seed(7);
        let (graph, times) = random_graph(&mut random, MOST_OPERATIONS + 1, false);
        let processors = Processors::meus(4);
        let known = Portfolio.schedule(&graph, &times, processors);
        let (schedule, found) = optimal(&graph, &times, processors, known.clone(), &mut |_| true);
        assert_eq!((schedule, found.states), (known, 0));
        assert!(found.bound > 0);
    }
}
