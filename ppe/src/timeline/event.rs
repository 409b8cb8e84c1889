//! Events of a timeline.

use std::sync::Arc;

use crate::error::Site;
use crate::operation::{OpKind, Shape};

/// What a thread of the session does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Lowering of a chunk.
    Lower,
    /// Scheduling of a chunk.
    Schedule,
    /// Execution of a chunk.
    Execute,
    /// The program waits for a value.
    Force,
}

impl Stage {
    pub(super) fn name(self) -> &'static str {
        match self {
            Stage::Lower => "lower",
            Stage::Schedule => "schedule",
            Stage::Execute => "execute",
            Stage::Force => "force",
        }
    }
}

/// A quantity that changes with time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counter {
    /// Block operations that are in the execution queues.
    Queued,
    /// Bytes that pending operations pin.
    PinnedBytes,
    /// Bytes of matrices and temporary blocks.
    PoolBytes,
}

impl Counter {
    /// The name of the counter's track, and the unit.
    pub(super) fn name(self) -> (&'static str, &'static str) {
        match self {
            Counter::Queued => ("queue depth", "block operations"),
            Counter::PinnedBytes => ("pinned", "bytes"),
            Counter::PoolBytes => ("pool", "bytes"),
        }
    }
}

/// When a processor has executed an operation, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Span {
    /// Operations that the processor had completed before.
    pub number: u64,
    /// The beginning, on the clock of [`now_ns`](super::now_ns), or in virtual time.
    pub start_ns: u64,
    /// The end.
    pub end_ns: u64,
    /// Time for fetching, executing and writing back, where the processor tells them apart.
    pub stages_ns: Option<[u32; 3]>,
    /// Whether the times are those of simulated SPEs.
    pub is_virtual: bool,
}

/// A block operation, as a timeline shows it.
#[derive(Debug, Clone)]
pub struct Noted {
    /// The number of the MEU, or of the PPE behind the MEUs; None for a thread of the program or a helper.
    pub processor: Option<u32>,
    /// Whether this is the PPE.
    pub is_ppe: bool,
    /// The trace.
    pub trace: u64,
    /// The number of the block operation in its chunk.
    pub index: u32,
    /// Shape of the recorded operation's result.
    pub shape: Shape,
    /// Rows and columns of the block.
    pub block: (u16, u16),
    /// Where the operation was recorded.
    pub site: Arc<Site>,
}

/// The most operations of a program that an event names.
const MOST_KINDS: usize = 6;

/// The kinds of the operations that a block operation executes: the first few of them, and how many.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kinds {
    kinds: [OpKind; MOST_KINDS],
    count: u16,
}

impl Kinds {
    pub(super) fn new() -> Kinds {
        Kinds { kinds: [OpKind::ALL[0]; MOST_KINDS], count: 0 }
    }

    pub(super) fn push(&mut self, kind: OpKind) {
        if let Some(free) = self.kinds.get_mut(usize::from(self.count)) {
            *free = kind;
        }
        self.count = self.count.saturating_add(1);
    }

    /// How many operations there are.
    pub(super) fn count(&self) -> u16 {
        self.count
    }

    /// The names of the operations, with commas between.
    pub(super) fn name(&self) -> String {
        let known = &self.kinds[..MOST_KINDS.min(self.count.into())];
        let mut names: Vec<_> = known.iter().map(|kind| kind.name()).collect();
        if usize::from(self.count) > MOST_KINDS {
            names.push("...");
        }
        names.join(", ")
    }
}

#[derive(Debug)]
pub(super) enum What {
    Stage { stage: Stage, trace: u64, size: u32 },
    Stated { kind: OpKind, shape: Shape, computed: bool, site: Arc<Site> },
    Operation { noted: Noted, kinds: Kinds, stages_ns: Option<[u32; 3]>, is_virtual: bool },
    Count { counter: Counter, value: u64 },
}

#[derive(Debug)]
pub(super) struct Event {
    pub(super) start_ns: u64,
    pub(super) end_ns: u64,
    pub(super) session: u32,
    pub(super) what: What,
}
