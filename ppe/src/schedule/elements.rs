//! What the streams of a schedule are for.

use std::ops::Range;

use crate::operation::{KindSet, OpKind};

/// The elements that execute: MEUs that are all alike, and, for the kinds of operations that MEUs do not execute, the PPE.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Elements {
    /// Number of MEUs.
    pub meus: usize,
    /// The kinds that MEUs execute.
    pub kinds: KindSet,
}

impl Elements {
    /// MEUs that execute every kind of operation.
    #[must_use]
    pub fn meus(meus: usize) -> Elements {
        Elements { meus, kinds: KindSet::ALL }
    }

    /// Number of streams: one each MEU, and one for the PPE unless MEUs execute everything.
    #[must_use]
    pub fn streams(self) -> usize {
        self.meus + usize::from(self.kinds != KindSet::ALL)
    }

    /// Whether MEUs execute operations of this kind.
    #[must_use]
    pub fn meus_execute(self, kind: OpKind) -> bool {
        self.kinds.contains(kind)
    }

    /// The streams that may have operations of this kind.
    #[must_use]
    pub fn streams_for(self, kind: OpKind) -> Range<usize> {
        if self.meus_execute(kind) { 0..self.meus } else { self.meus..self.meus + 1 }
    }

    /// What executes a stream, in words.
    #[must_use]
    pub fn name(self, stream: usize) -> Box<str> {
        if stream < self.meus { format!("MEU {stream}").into() } else { "PPE".into() }
    }
}
