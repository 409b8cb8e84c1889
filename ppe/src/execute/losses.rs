//! What lost processors leave behind: operations that were offered to them, and streams that nobody executes.

use crate::lower::{LoweredGraph, Venue};
use crate::schedule::Schedule;

/// An operation at which so many processors have been lost is offered to no further one.
const MOST_LOST: usize = 2;

/// Where an operation comes from that is offered next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// It is the first of a stream that has not been offered.
    Stream(usize),
    /// A lost processor has left it.
    Left,
}

/// See the module's documentation.
#[derive(Debug, Default)]
pub(super) struct Losses {
    /// Streams whose processor is out.
    streams: Vec<usize>,
    /// Operations that were offered to a lost processor and have not been acknowledged.
    left: Vec<u32>,
    /// The operation at which each processor was lost.
    suspects: Vec<u32>,
}

impl Losses {
    /// Whether there is nothing left behind.
    pub(super) fn is_empty(&self) -> bool {
        self.streams.is_empty()
    }

    /// Notes that nobody executes a stream.
    pub(super) fn abandon(&mut self, stream: usize) {
        self.streams.push(stream);
    }

    /// Notes what a processor leaves that was lost while it executed `suspect`.
    pub(super) fn leave(&mut self, operations: impl Iterator<Item = u32>, suspect: Option<u32>) {
        self.left.extend(operations);
        self.suspects.extend(suspect);
    }

    /// Notes that an operation that was left has been offered again.
    pub(super) fn taken(&mut self, operation: u32) {
        self.left.retain(|&other| other != operation);
    }

    /// Whether too many processors have been lost at an operation.
    pub(super) fn is_dangerous(&self, operation: u32) -> bool {
        self.suspects.iter().filter(|&&suspect| suspect == operation).count() >= MOST_LOST
    }

    /// What was left: operations, and the first operation of each abandoned stream, which `front` knows.
    pub(super) fn offers(
        &self,
        front: impl Fn(usize) -> Option<(Source, u32)>,
    ) -> impl Iterator<Item = (Source, u32)> {
        let left = self.left.iter().map(|&operation| (Source::Left, operation));
        self.streams.iter().filter_map(move |&stream| front(stream)).chain(left)
    }
}

/// Whether the processor of a stream executes operations of this kind of place.
pub(super) fn executes(schedule: &Schedule, stream: usize, graph: &LoweredGraph, operation: u32) -> bool {
    let venue: Venue = graph.operations[operation as usize].venue;
    schedule.processors.streams_for(venue).contains(&stream)
}
