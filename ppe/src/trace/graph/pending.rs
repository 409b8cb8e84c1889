//! The list of pending operations, and their sizes.
//!
//! The list is in topological order: an operation stands behind its operands. Most operations stand in the
//! order of recording; operations of a trace that was not executed stand in front.

use super::{Graph, OpId, State};

/// Sizes of the pending operations.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pending {
    /// Operations.
    pub operations: u64,
    /// Operations on the longest path, at most.
    pub depth: u64,
    /// Bytes that the pending operations pin: their results and the values that they read.
    pub bytes: u64,
}

impl Pending {
    /// These sizes, but none larger than those of `other`.
    fn at_most(self, other: Pending) -> Pending {
        Pending {
            operations: self.operations.min(other.operations),
            depth: self.depth.min(other.depth),
            bytes: self.bytes.min(other.bytes),
        }
    }
}

impl Graph {
    pub(crate) fn pending(&self) -> Pending {
        self.pending
    }

    /// What counts towards the limits once an operation has been recorded.  Operations that were given up do
    /// not count: nobody waits for them, so they stay pending until they are needed.
    pub(crate) fn towards_limits(&self, id: OpId) -> Pending {
        let node = self.node(id);
        Pending {
            operations: self.pending.operations - self.given_up.operations,
            depth: if node.state == State::Pending { node.depth.into() } else { 0 },
            bytes: self.pending.bytes - self.given_up.bytes,
        }
    }

    /// Notes that the program has given up what is pending now.
    pub(crate) fn give_up(&mut self) {
        self.given_up = self.pending;
        self.given_up_order = self.order;
    }

    /// Pending operations on the longest path to an operation.
    pub(super) fn depth_of(&self, id: OpId) -> u32 {
        let operands = self.node(id).what.operands.into_iter();
        let pending = operands.filter(|&o| o != OpId::NONE && self.node(o).state == State::Pending);
        1 + pending.map(|o| self.node(o).depth).max().unwrap_or(0)
    }

    /// Makes an operation pending, as the last one in the order of recording.
    pub(super) fn append(&mut self, id: OpId) {
        self.order += 1;
        self.node_mut(id).order = self.order;
        self.link(self.last, id, None);
    }

    /// Makes an operation pending, between two neighbours of the list or at an end of the list.
    ///
    /// A value pins its bytes once, while it is pending or pending operations read it.
    pub(super) fn link(&mut self, previous: Option<OpId>, id: OpId, next: Option<OpId>) {
        match previous {
            Some(previous) => {
                self.node_mut(previous).next = id;
                self.node_mut(id).previous = previous;
            }
            None => self.first = Some(id),
        }
        match next {
            Some(next) => {
                self.node_mut(next).previous = id;
                self.node_mut(id).next = next;
            }
            None => self.last = Some(id),
        }
        let node = self.node_mut(id);
        node.state = State::Pending;
        let (depth, operands) = (u64::from(node.depth), node.what.operands);
        let bytes = if node.pending_readers == 0 { node.result_bytes() } else { 0 };
        self.pending.operations += 1;
        self.pending.depth = self.pending.depth.max(depth);
        self.pending.bytes += bytes;
        for operand in operands {
            if operand == OpId::NONE {
                continue;
            }
            let node = self.node_mut(operand);
            node.pending_readers += 1;
            if node.pending_readers == 1 && node.state != State::Pending {
                let bytes = node.result_bytes();
                self.pending.bytes += bytes;
            }
        }
    }

    /// Takes an operation out of the list.  The caller gives it another state.
    pub(super) fn unlink(&mut self, id: OpId) {
        let node = self.node_mut(id);
        let (previous, next, operands) = (node.previous, node.next, node.what.operands);
        node.previous = OpId::NONE;
        node.next = OpId::NONE;
        let mut bytes = if node.pending_readers == 0 { node.result_bytes() } else { 0 };
        match previous {
            OpId::NONE => self.first = (next != OpId::NONE).then_some(next),
            previous => self.node_mut(previous).next = next,
        }
        match next {
            OpId::NONE => self.last = (previous != OpId::NONE).then_some(previous),
            next => self.node_mut(next).previous = previous,
        }
        for operand in operands {
            if operand == OpId::NONE {
                continue;
            }
            let node = self.node_mut(operand);
            node.pending_readers -= 1;
            if node.pending_readers == 0 && node.state != State::Pending {
                bytes += node.result_bytes();
            }
        }
        self.pending.operations -= 1;
        self.pending.bytes -= bytes;
        if self.pending.operations == 0 {
            debug_assert_eq!(self.pending.bytes, 0, "bytes are pinned without a pending operation");
            self.pending = Pending::default();
        }
        self.given_up = self.given_up.at_most(self.pending);
    }
}
