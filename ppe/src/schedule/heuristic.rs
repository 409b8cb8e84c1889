//! The paper's heuristic: the earliest operation goes to the stream that can start it first (Algorithm
//! "Heuristic Scheduler").
//!
//! It is a list schedule. A min-heap orders operations by the time when their operands are computed, and the
//! schedule is one pass through the heap. Ties go to the operation that was lowered first, and to the stream
//! with the smallest number.

use std::cmp::Reverse;

use super::list::{Ties, list_schedule};
use super::{Processors, Schedule, Scheduler};
use crate::lower::LoweredGraph;
use crate::time::StageTimes;

/// See the module's documentation.
#[derive(Debug, Clone, Copy, Default)]
pub struct Heuristic;

impl Scheduler for Heuristic {
    fn name(&self) -> &'static str {
        "heuristic"
    }

    fn schedule(&self, graph: &LoweredGraph, times: &[StageTimes], processors: Processors) -> Schedule {
        list_schedule(graph, times, processors, Ties::First, |_, earliest| Reverse(earliest))
    }
}
