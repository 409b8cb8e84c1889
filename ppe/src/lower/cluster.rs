//! Clusters: operations that are lowered in the place of a later one, their root, because all that reads them is in the cluster.

use crate::trace::{Operand, TraceOperation};

const NONE: u32 = u32::MAX;
const SEVERAL: u32 = u32::MAX - 1;

/// What is known about an operation.
#[derive(Debug, Clone, Copy)]
struct Member {
    /// The root of its cluster; itself, when it is one or alone.
    root: u32,
    /// The root of the cluster that all its readers are in; `NONE` without readers, `SEVERAL` when there is none.
    readers: u32,
    /// Of a root: the first of its other operations.
    first: u32,
    /// The next one of the same cluster.
    next: u32,
}

/// A trace's operations in clusters.  They are chosen from the last operation to the first: readers come later, so they are known when
/// an operation's turn comes.
#[derive(Debug, Default)]
pub(super) struct Clusters {
    members: Vec<Member>,
}

impl Clusters {
    /// Every operation is alone.
    pub(super) fn new(operations: usize) -> Clusters {
        let alone = |index| Member { root: index, readers: NONE, first: NONE, next: NONE };
        Clusters { members: (0..operations as u32).map(alone).collect() }
    }

    /// The root of the cluster that everything that reads this operation is in.
    pub(super) fn readers(&self, index: u32) -> Option<u32> {
        Some(self.members[index as usize].readers).filter(|&readers| readers < SEVERAL)
    }

    /// Puts an operation into the cluster of a root.
    pub(super) fn join(&mut self, index: u32, root: u32) {
        self.members[index as usize].root = root;
        self.members[index as usize].next = std::mem::replace(&mut self.members[root as usize].first, index);
    }

    /// Lets an operation share the root of another without being one of its operations.
    pub(super) fn follow(&mut self, index: u32, other: u32) {
        self.members[index as usize].root = self.root(other);
    }

    /// Says that an operation, which has its cluster, reads its operands: those at positions that are not `together` cannot be in it.
    pub(super) fn read(&mut self, index: u32, operation: &TraceOperation, together: impl Fn(usize) -> bool) {
        let root = self.root(index);
        for (position, operand) in operation.operands.into_iter().enumerate() {
            let Operand::Operation(operand) = operand else { continue };
            let root = if together(position) { root } else { SEVERAL };
            let readers = &mut self.members[operand as usize].readers;
            *readers = if *readers == NONE || *readers == root { root } else { SEVERAL };
        }
    }

    /// Whether an operation is lowered in the place of a later one.
    pub(super) fn is_part(&self, index: u32) -> bool {
        self.root(index) != index
    }

    /// The root of the cluster that an operation is in; itself when it is alone.
    pub(super) fn root(&self, index: u32) -> u32 {
        self.members.get(index as usize).map_or(index, |member| member.root)
    }

    /// Whether an operation is the root of others.
    pub(super) fn has_parts(&self, index: u32) -> bool {
        self.members.get(index as usize).is_some_and(|member| member.first != NONE)
    }

    /// The operations of the cluster with this root, in order, the root last.
    pub(super) fn operations(&self, root: u32) -> Vec<u32> {
        let first = self.members.get(root as usize).map_or(NONE, |member| member.first);
        let next = |&index: &u32| Some(self.members[index as usize].next).filter(|&next| next != NONE);
        let parts = std::iter::successors(Some(first).filter(|&first| first != NONE), next);
        parts.chain([root]).collect()
    }
}
