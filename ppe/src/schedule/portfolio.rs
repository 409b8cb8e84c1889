//! Several cheap orders, of which the best by predicted makespan is kept.
//!
//! The orders are run one after the other:
//!
//! 1. earliest operation first, of equally early operations the one with the highest level; near operands;
//! 2. the paper's heuristic ([`Heuristic`]);
//! 3. highest level first; near operands ([`Hlfet`](super::Hlfet)).
//!
//! The schedule is never worse than the schedule of any order that is run. Of equal makespans the first
//! counts. Two limits keep the search at 300 ns a block operation:
//!
//! * A makespan that exceeds a lower bound by a thousandth at most ends the search. Another order would cost
//!   about what it could save.
//! * A graph of more than [`LARGE`] operations gets the paper's heuristic alone. In a graph of this size one
//!   order costs as much as all orders cost in a small one, because the graph is not in the cache. The
//!   chunks of a session are small.

use std::cmp::Reverse;

use super::bounds::{levels, quick_bound};
use super::hlfet::highest_level_first;
use super::list::{Ties, list_schedule};
use super::{Heuristic, Processors, Schedule, Scheduler};
use crate::lower::LoweredGraph;
use crate::time::StageTimes;

/// The most operations of a graph for which several orders are run.
const LARGE: usize = 8192;

/// See the module's documentation.
#[derive(Debug, Clone, Copy, Default)]
pub struct Portfolio;

impl Scheduler for Portfolio {
    fn name(&self) -> &'static str {
        "portfolio"
    }

    fn schedule(&self, graph: &LoweredGraph, times: &[StageTimes], processors: Processors) -> Schedule {
        if graph.len() > LARGE {
            return Heuristic.schedule(graph, times, processors);
        }
        let levels = levels(graph, times);
        let bound = quick_bound(graph, times, processors, &levels);
        let mut best = list_schedule(graph, times, processors, Ties::Near, |index, earliest| {
            (Reverse(earliest), levels[index as usize])
        });
        let others: [&dyn Fn() -> Schedule; 2] = [&|| Heuristic.schedule(graph, times, processors), &|| {
            highest_level_first(graph, times, processors, &levels)
        }];
        for other in others {
            if best.makespan - bound <= bound / 1000 {
                break;
            }
            let other = other();
            if other.makespan < best.makespan {
                best = other;
            }
        }
        best
    }
}
