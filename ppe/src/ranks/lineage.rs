//! Where the values on ranks come from, so that they can be had again when the ranks are lost.

use std::sync::Arc;

use crate::matrix::{Constructor, Matrix};
use crate::operation::{Precision, Shape};

/// The longest chain of traces that is executed again. Results of the next trace are fetched, so that nothing before
/// it is needed.
pub(super) const MOST_DEPTH: u32 = 256;

/// Where a value comes from.
#[derive(Debug, Clone)]
pub(super) enum Source {
    /// It is in the session's memory.
    Memory(u64, Arc<Matrix>),
    /// A constructor makes it, of this shape and precision.
    Constructed(u64, Shape, Precision, Constructor),
    /// A trace computes it.
    Made(u64, Arc<Made>),
}

/// A trace that has been executed.
#[derive(Debug)]
pub(super) struct Made {
    /// The trace as it was sent.
    pub(super) bytes: Vec<u8>,
    /// What it reads.
    pub(super) sources: Vec<Source>,
    /// The values that it computes.
    pub(super) results: Vec<u64>,
    /// Traces in the longest chain that ends here.
    depth: u32,
    /// Bytes of memory that the chain keeps, at most.
    held_bytes: u64,
}

impl Source {
    /// The number of the value.
    pub(super) fn number(&self) -> u64 {
        match self {
            Source::Memory(number, _) | Source::Constructed(number, ..) | Source::Made(number, _) => *number,
        }
    }
}

impl Made {
    pub(super) fn new(bytes: Vec<u8>, sources: Vec<Source>, results: Vec<u64>) -> Made {
        let (mut depth, mut held_bytes) = (1, bytes.len() as u64);
        for source in &sources {
            match source {
                Source::Memory(_, matrix) => held_bytes = held_bytes.saturating_add(matrix.bytes() as u64),
                Source::Constructed(..) => {}
                Source::Made(_, made) => {
                    depth = depth.max(made.depth + 1);
                    held_bytes = held_bytes.saturating_add(made.held_bytes);
                }
            }
        }
        Made { bytes, sources, results, depth, held_bytes }
    }

    /// Whether its results are better fetched than computed again.
    pub(super) fn is_long(&self, most_bytes: u64) -> bool {
        self.depth >= MOST_DEPTH || self.held_bytes > most_bytes
    }
}
