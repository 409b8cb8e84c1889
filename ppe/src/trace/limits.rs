//! The limits at which a trace is executed although no value of it is forced.

use super::graph::Pending;
use crate::pool::within_memory;

/// A trace is executed when it reaches one of these limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Operations recorded.
    pub operations: u64,
    /// Operations on the longest path.
    pub depth: u64,
    /// Bytes pinned. Pending operations may pin this many bytes, and traces in flight may pin as many again.
    /// Operations that the program has given up do not count.
    /// The default is 1 GiB, or a quarter of a small machine's memory.
    pub bytes: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { operations: 10_000, depth: 5_000, bytes: within_memory(1 << 30, 4) }
    }
}

/// Which limit was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// Number of operations.
    Operations,
    /// Length of the longest path.
    Depth,
    /// Bytes pinned.
    Bytes,
}

impl Limits {
    pub(super) fn reached(&self, pending: Pending) -> Option<Limit> {
        if pending.operations >= self.operations {
            Some(Limit::Operations)
        } else if pending.depth >= self.depth {
            Some(Limit::Depth)
        } else if pending.bytes >= self.bytes {
            Some(Limit::Bytes)
        } else {
            None
        }
    }
}
