//! How large the chunks of a trace may be, and how much memory their results may take before they are computed.
//!
//! Lowering runs ahead of the MEUs, and a result gets its memory when it is lowered. What an intermediate result gives
//! back is the memory of a result of a later chunk. So the results of the chunks in flight go round in as much memory
//! as they may take. A ring that is larger than the caches is read from main memory and written to it at each step.

use spe_kernels::last_cache_bytes;

use super::Options;
use crate::lower::ChunkLimits;
use crate::trace::Trace;

/// How many of the largest chunks share the memory for chunks in flight: one in each stage, and one that
/// waits.
const CHUNKS_IN_FLIGHT: u64 = 4;

/// Where the PPE is slow, the first chunk of a trace has this part of a chunk's block operations.
const FIRST_PART: usize = 16;

/// More memory than this in flight does not make the stages overlap better.
const MOST_BYTES_IN_FLIGHT: u64 = 64 << 20;

/// Results in flight that take this part of the last cache stay in it: their operands, and other processes, need the
/// rest. Delta rule on a matrix of 2 MB, last cache of 32 MB: 385 us a step with 64 MB in flight, 350 us with 16, 260
/// with 8.
const CACHED_PART: u64 = 4;

/// Handing a chunk over takes some ten microseconds, and executing a chunk of a quarter of this takes little more: smaller
/// caches decide nothing.
const LEAST_CACHED_BYTES: u64 = 4 << 20;

/// The chunks of a session's traces.
#[derive(Debug, Clone, Copy)]
pub(super) struct Chunks {
    /// Of any trace.
    most: ChunkLimits,
    /// Bytes in flight of a trace whose results are small beside the last cache. None where this cache is small, and for
    /// SPEs, which read main memory in any case.
    cached_bytes: Option<u64>,
}

impl Chunks {
    /// The chunks that the options allow, for SPEs or for threads of a host. A host lowers and schedules a whole chunk in
    /// the time of a few block operations, so there a short first chunk would only be one more.
    pub(super) fn new(options: &Options, spes: bool) -> Chunks {
        let bytes = (options.limits.bytes / 2).min(MOST_BYTES_IN_FLIGHT) / CHUNKS_IN_FLIGHT;
        let (operations, part) = (options.chunk_operations, if spes { FIRST_PART } else { 1 });
        let most = ChunkLimits { operations, first: operations.div_ceil(part), bytes };
        let cached = last_cache_bytes().filter(|_| !spes).map(|bytes| bytes / CACHED_PART);
        Chunks { most, cached_bytes: cached.filter(|&bytes| bytes >= LEAST_CACHED_BYTES) }
    }

    /// The chunks of a trace. A result of more than half of what stays in the cache would have the MEUs wait for its
    /// chunk, and leave the cache all the same: then memory for more results is better.
    pub(super) fn of(self, trace: &Trace) -> ChunkLimits {
        match self.cached_bytes {
            Some(cached) if largest_result_bytes(trace) <= cached / 2 => {
                ChunkLimits { bytes: self.most.bytes.min(cached / CHUNKS_IN_FLIGHT), ..self.most }
            }
            _ => self.most,
        }
    }

    /// How many bytes the results of the chunks in flight may take, when each chunk may have so many.
    pub(super) fn bytes_in_flight(limits: ChunkLimits) -> u64 {
        limits.bytes.saturating_mul(CHUNKS_IN_FLIGHT)
    }
}

fn largest_result_bytes(trace: &Trace) -> u64 {
    let bytes = trace.operations.iter().map(|operation| {
        operation.shape.elements().saturating_mul(operation.precision.element_bytes() as u64)
    });
    bytes.max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;
    use crate::matrix::Matrix;
    use crate::operation::{Class, OpKind, Precision, Shape};
    use crate::pool::Pool;
    use crate::trace::{Limits, Recorder};

    fn trace_of(side: u32) -> Trace {
        let pool = Pool::new(0, false);
        let recorder = Recorder::new(Limits::default(), pool.clone());
        let matrix = Matrix::zeros(Shape { rows: side, columns: side }, Precision::Double, &pool).unwrap();
        let held = recorder.constant(matrix, Class::Double).unwrap();
        let _sum = recorder.binary(OpKind::Add, &held, &held, "t", 1).unwrap().value;
        recorder.seal_all().unwrap()
    }

    #[test]
    fn only_results_that_are_small_beside_the_cache_go_round_in_it() {
        let options = Options { chunk_operations: 100, ..Options::default() };
        let most = Chunks::new(&options, true).most;
        assert_eq!((most.operations, most.first, most.bytes), (100, 7, MOST_BYTES_IN_FLIGHT / 4));
        let chunks = Chunks { most, cached_bytes: Some(8 << 20) };
        let small = chunks.of(&trace_of(512));
        assert_eq!(small, ChunkLimits { bytes: 2 << 20, ..most });
        assert_eq!(Chunks::bytes_in_flight(small), 8 << 20);
        assert_eq!(chunks.of(&trace_of(1024)), most);
        assert_eq!(Chunks { cached_bytes: None, ..chunks }.of(&trace_of(512)), most);
    }
}
