//! How far execution control departs from a schedule when MEUs fall behind.
//!
//! An MEU that is a thread falls behind when another process has its core. A static schedule then waits for
//! the slowest MEU: with two MEUs and one competing process, work takes twice as long as without the process,
//! although three quarters of the machine are left. So an MEU of such an engine that has nothing to execute
//! takes over the next operation of the stream of which most is left. Which MEU executes an operation changes
//! no bit of its result.
//!
//! An operation in a mailbox cannot be taken over any more. So long operations are offered late: one that the
//! MEU executes, and one that it finds when it has finished. Very long operations are offered one by one.

use std::ops::Range;
use std::time::Duration;

use super::{ExecutionQueue, QUEUE_DEPTH};
use crate::schedule::Schedule;

/// Operations of this length are long: handing the next operation over takes a small part of it.
const LONG: Duration = Duration::from_micros(50);

/// Outstanding operations of an MEU when operations are long.
const DEPTH_OF_LONG: usize = 2;

/// Operations of this length are very long. An MEU that finds no next one loses up to a tenth of a millisecond, in
/// which execution control is woken, and wakes the MEU.
const VERY_LONG: Duration = Duration::from_millis(5);

/// What an engine's MEUs and a schedule allow.
#[derive(Debug, Clone, Copy)]
pub(super) struct Distribution {
    /// Most outstanding operations of an MEU.
    pub(super) depth: usize,
    /// MEUs that take operations over from each other, counted from MEU 0.
    meus: usize,
}

impl Distribution {
    pub(super) fn new(may_fall_behind: bool, schedule: &Schedule) -> Distribution {
        if !may_fall_behind {
            return Distribution { depth: QUEUE_DEPTH, meus: 0 };
        }
        let operations: usize = schedule.streams.iter().map(Vec::len).sum();
        let length = schedule.makespan * schedule.streams.len() as u64 / operations.max(1) as u64;
        let length = Duration::from_nanos(length);
        let depth = if length >= VERY_LONG {
            1
        } else if length >= LONG {
            DEPTH_OF_LONG
        } else {
            QUEUE_DEPTH
        };
        Distribution { depth, meus: schedule.processors.meus }
    }

    /// The streams from which an MEU may take over operations now.
    pub(super) fn streams(self, meu: usize, queues: &[ExecutionQueue]) -> Option<Range<usize>> {
        (meu < self.meus && queues[meu].is_empty()).then_some(0..self.meus)
    }
}
