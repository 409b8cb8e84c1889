//! Highest level first: of the operations whose operands are scheduled, the one with the longest way to the
//! end of the graph comes next, and goes to the stream that can start it first.
//!
//! The level of an operation is the time of the longest path that begins with it ([`levels`]). Ties go to
//! the operation that was lowered first, and to the stream that wrote an operand.

use super::bounds::levels;
use super::list::{Ties, list_schedule};
use super::{Processors, Schedule, Scheduler};
use crate::lower::LoweredGraph;
use crate::time::StageTimes;

/// See the module's documentation. The name is that of the literature, "highest level first with estimated
/// times".
#[derive(Debug, Clone, Copy, Default)]
pub struct Hlfet;

impl Scheduler for Hlfet {
    fn name(&self) -> &'static str {
        "hlfet"
    }

    fn schedule(&self, graph: &LoweredGraph, times: &[StageTimes], processors: Processors) -> Schedule {
        highest_level_first(graph, times, processors, &levels(graph, times))
    }
}

/// The schedule, for operations whose levels are known.
pub(super) fn highest_level_first(
    graph: &LoweredGraph,
    times: &[StageTimes],
    processors: Processors,
    levels: &[u64],
) -> Schedule {
    list_schedule(graph, times, processors, Ties::Near, |index, _| levels[index as usize])
}
