//! The processors that execute the streams of a schedule.

use std::ops::Range;

use crate::lower::{Target, Venue};

/// MEUs, which are all alike, and the PPE, if there are operations that MEUs do not execute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Processors {
    /// Number of MEUs.
    pub meus: usize,
    /// Whether the PPE executes operations as well.
    pub ppe: bool,
}

impl Processors {
    /// The processors of an engine.
    #[must_use]
    pub fn of(target: &Target) -> Processors {
        Processors { meus: target.meus, ppe: target.has_ppe() }
    }

    /// MEUs that execute every kind of operation.
    #[must_use]
    pub fn meus(meus: usize) -> Processors {
        Processors { meus, ppe: false }
    }

    /// Number of streams: one for each MEU, and one for the PPE if it executes operations.
    #[must_use]
    pub fn streams(self) -> usize {
        self.meus + usize::from(self.ppe)
    }

    /// The streams that may have operations of this venue.
    #[must_use]
    pub fn streams_for(self, venue: Venue) -> Range<usize> {
        match venue {
            Venue::LocalStore | Venue::Memory => 0..self.meus,
            Venue::Ppe => self.meus..self.streams(),
        }
    }

    /// The name of the processor of a stream.
    #[must_use]
    pub fn name(self, stream: usize) -> Box<str> {
        if stream < self.meus { format!("MEU {stream}").into() } else { "PPE".into() }
    }
}
