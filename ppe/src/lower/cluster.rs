//! Clusters: operations that are lowered in the place of a later one, their root.

use crate::trace::{Operand, TraceOperation};

const NONE: u32 = u32::MAX;

/// What is known about an operation.
#[derive(Debug, Clone, Copy)]
struct Member {
    /// The root of its cluster; itself, when it is one or alone.
    root: u32,
    /// The first root among the clusters that read it; `NONE` without readers.
    reader: u32,
    /// Whether everything in that cluster that reads it can be in one cluster with it.
    together: bool,
    /// Whether another cluster reads it as well.
    elsewhere: bool,
    /// Why it is in no cluster of a later operation.
    apart: Apart,
    /// Of a root: the first of its other operations.
    first: u32,
    /// The next one of the same cluster.
    next: u32,
}

/// Why an operation is not lowered in the place of a later one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Apart {
    /// No operation reads it, or the first that does cannot be together with it.
    Readers,
    /// Its kind can be in no cluster.
    Kind,
    /// Its shape or precision is another.
    Shape,
    /// It is executed elsewhere.
    Venue,
    /// The cluster would have too many steps.
    Steps,
    /// The cluster would have too many inputs or results.
    Blocks,
    /// Its result is held, or read by another cluster.
    Needed,
    /// It is too small, or what it reads as a whole is too large.
    Size,
}

impl Apart {
    /// In words.
    pub(super) fn text(self) -> &'static str {
        match self {
            Apart::Readers => "no operation that could be together with it reads it first",
            Apart::Kind => "its kind is executed alone",
            Apart::Shape => "what reads it has another shape or precision",
            Apart::Venue => "what reads it is executed elsewhere",
            Apart::Steps => "together there would be too many steps",
            Apart::Blocks => "together there would be too many inputs or results",
            Apart::Needed => "its whole result is needed",
            Apart::Size => "panels are not worth it at its size",
        }
    }
}

/// A trace's operations in clusters.  They are chosen from the last operation to the first: readers come later, so they are known when
/// an operation's turn comes.
#[derive(Debug, Default)]
pub(super) struct Clusters {
    members: Vec<Member>,
}

/// The cluster that an operation may join.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reader {
    /// Its root, which comes before the roots of all other clusters that read the operation.
    pub(super) root: u32,
    /// Whether there are such other clusters, so that the operation's value is needed outside of this one.
    pub(super) elsewhere: bool,
}

/// What a cluster of a trace's operations takes in memory, an operation.
pub(super) const MEMBER_BYTES: usize = size_of::<Member>();

impl Clusters {
    /// Every operation is alone.
    pub(super) fn new(operations: usize) -> Clusters {
        let alone = |root| Member {
            root,
            reader: NONE,
            together: false,
            elsewhere: false,
            apart: Apart::Readers,
            first: NONE,
            next: NONE,
        };
        Clusters { members: (0..operations as u32).map(alone).collect() }
    }

    /// The first cluster that reads this operation, when they can be together.
    pub(super) fn reader(&self, index: u32) -> Option<Reader> {
        let member = &self.members[index as usize];
        let reader = Reader { root: member.reader, elsewhere: member.elsewhere };
        (member.reader != NONE && member.together).then_some(reader)
    }

    /// Puts an operation into the cluster of a root.
    pub(super) fn join(&mut self, index: u32, root: u32) {
        self.members[index as usize].root = root;
        self.members[index as usize].next = std::mem::replace(&mut self.members[root as usize].first, index);
    }

    /// Says why an operation joins no cluster.
    pub(super) fn stay(&mut self, index: u32, apart: Apart) {
        self.members[index as usize].apart = apart;
    }

    /// Why an operation, which is no part, joined no cluster.
    pub(super) fn apart(&self, index: u32) -> Option<Apart> {
        self.members.get(index as usize).map(|member| member.apart)
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
            let member = &mut self.members[operand as usize];
            if member.reader == root {
                member.together &= together(position);
            } else {
                member.elsewhere |= member.reader != NONE;
                if root < member.reader {
                    (member.reader, member.together) = (root, together(position));
                }
            }
        }
    }

    /// Whether an operation is lowered in the place of a later one.
    pub(super) fn is_part(&self, index: u32) -> bool {
        self.root(index) != index
    }

    /// Whether a cluster that the operation is not in reads its value.
    pub(super) fn is_read_elsewhere(&self, index: u32) -> bool {
        self.members[index as usize].elsewhere
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
