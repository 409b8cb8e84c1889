//! The memory of panels, which go round in it.
//!
//! The panels of a large intermediate result (`panels.rs`) are written, read and never needed again. So a panel takes the
//! memory of an earlier one: what the MEUs have in their caches then are a few panels, however many there are. A
//! block operation that writes to such memory waits for the block operations that read there what was there before. An
//! earlier chunk has been executed, so nothing waits for its block operations.

use std::collections::VecDeque;
use std::sync::Arc;

use super::Region;
use super::graph::regions::meet;
use crate::matrix::Matrix;
use crate::operation::Shape;

/// How many panels of a result exist at a time, for each MEU. While the last operations of one panel are executed, an
/// MEU that has nothing left to do there goes on with the next one.
const PANELS: usize = 2;

/// Block operations, by their numbers counted over all chunks, and what they read of a matrix.
type Reads = Vec<(Region, u32)>;

/// The memory of one result's panels.
#[derive(Debug, Default)]
pub(super) struct Ring {
    /// Panels that have been lowered, oldest first.
    old: VecDeque<(Arc<Matrix>, Reads)>,
    /// What reads the panel that is being lowered.
    reads: Reads,
    /// What reads the panel whose memory that panel takes.
    reads_before: Reads,
}

impl Ring {
    /// The memory of the oldest panel for the next one, which has this shape. None as long as there are few panels for so
    /// many MEUs, and if that memory is too small: then the new panel takes its place in the ring.
    pub(super) fn take(&mut self, shape: Shape, meus: usize) -> Option<Arc<Matrix>> {
        if self.old.len() < PANELS * meus {
            return None;
        }
        let (matrix, reads) = self.old.pop_front()?;
        // A narrower panel takes the first columns.
        let Shape { rows, columns } = matrix.shape();
        if rows != shape.rows || columns < shape.columns {
            return None;
        }
        self.reads_before = reads;
        Some(matrix)
    }

    /// Notes that block operation `number` reads a region of the panel that is being lowered.
    pub(super) fn note_read(&mut self, region: Region, number: u32) {
        self.reads.push((region, number));
    }

    /// The block operations, from number `first` on, that must have been executed before a region of the panel that is
    /// being lowered is written.
    pub(super) fn earlier_readers(&self, region: Region, first: u32) -> Vec<u32> {
        let reads_before = self.reads_before.iter().filter(|(read, _)| meet(*read, region));
        let mut readers: Vec<u32> =
            reads_before.map(|&(_, number)| number).filter(|&number| number >= first).collect();
        readers.sort_unstable();
        readers.dedup();
        readers
    }

    /// Notes that the panel has been lowered, whose memory is `matrix`.
    pub(super) fn end_panel(&mut self, matrix: Arc<Matrix>) {
        self.old.push_back((matrix, std::mem::take(&mut self.reads)));
        self.reads_before.clear();
    }
}
