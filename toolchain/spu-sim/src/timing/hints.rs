//! The branch target buffer: one entry, filled by hint instructions (cell-facts A4). At a branch without a
//! matching entry the processor fetches the next instruction in memory.

use super::constants::{HINT_LATENCY, HINT_MIN_INSTRUCTIONS};

/// A hint in the buffer.
#[derive(Debug, Clone, Copy)]
struct Entry {
    branch: u32,
    target: u32,
    /// Cycle from which it is effective.
    live_at: u64,
    /// Number of the hint among the executed instructions.
    instruction: u64,
}

/// What the buffer says about a branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Prediction {
    pub(super) target: u32,
    /// The branch waits until this cycle for the hint to become effective.
    pub(super) live_at: u64,
}

/// The buffer.
#[derive(Debug, Default)]
pub(super) struct HintBuffer {
    entry: Option<Entry>,
}

impl HintBuffer {
    /// A hint issues at `cycle` as the executed instruction number `instruction`; it replaces the older one.
    pub(super) fn hint(&mut self, branch: u32, target: u32, cycle: u64, instruction: u64) {
        self.entry = Some(Entry { branch, target, live_at: cycle + HINT_LATENCY, instruction });
    }

    /// The prediction for the branch at `pc`, executed as instruction number `instruction`; `None` means that
    /// the machine goes on sequentially.
    pub(super) fn predict(&self, pc: u32, instruction: u64) -> Option<Prediction> {
        let entry = self.entry.filter(|entry| entry.branch == pc)?;
        let seen = instruction - entry.instruction >= HINT_MIN_INSTRUCTIONS;
        seen.then_some(Prediction { target: entry.target, live_at: entry.live_at })
    }
}
