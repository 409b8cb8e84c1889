//! Clusters: operations that are lowered together, in the position of the last of them, the root.

use crate::trace::{Operand, TraceOperation};

const NONE: u32 = u32::MAX;

/// What a choice of clusters knows about an operation.
#[derive(Debug, Clone, Copy)]
struct Member {
    /// The root of the operation's cluster; the operation itself, if it is a root or alone.
    root: u32,
    /// The first root among the clusters that read it; `NONE` without readers.
    reader: u32,
    /// Whether all readers in that cluster can be in one cluster with the operation.
    together: bool,
    /// Whether another cluster reads the operation as well.
    elsewhere: bool,
    /// Why the operation is not in a cluster of a later operation.
    apart: Apart,
    /// For a root: the first operation of its cluster.
    first: u32,
    /// The next operation of the cluster.
    next: u32,
}

/// Why an operation is not lowered in the position of a later operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::lower) enum Apart {
    /// No operation reads the result, or the first reader cannot be in one cluster with the operation.
    Readers,
    /// Operations of its kind are never in a cluster.
    Kind,
    /// Its shape or precision differs from the root's.
    Shape,
    /// Its venue differs from the root's.
    Venue,
    /// The cluster would have too many steps.
    Steps,
    /// The cluster would have too many inputs or results.
    Blocks,
    /// A handle holds its result, or another cluster reads it.
    Needed,
    /// The cluster has a product already.
    Product,
    /// The blocks of the product would not fit a local store with all that its epilogue needs.
    Room,
    /// Its result is too small, or the operand that it reads as a whole is too large.
    Size,
}

impl Apart {
    /// In words.
    pub(in crate::lower) fn text(self) -> &'static str {
        match self {
            Apart::Readers => "no operation that could be together with it reads it first",
            Apart::Kind => "its kind is executed alone",
            Apart::Shape => "what reads it has another shape or precision",
            Apart::Venue => "what reads it is executed elsewhere",
            Apart::Steps => "together there would be too many steps",
            Apart::Blocks => "together there would be too many inputs or results",
            Apart::Needed => "its whole result is needed",
            Apart::Product => "together there would be two products",
            Apart::Room => "together the blocks would not fit a local store",
            Apart::Size => "panels are not worth it at its size",
        }
    }
}

/// The clusters of a trace. Clusters are chosen from the last operation to the first. Readers of an operation
/// come later in the trace, so their clusters are known when the operation is considered.
#[derive(Debug, Default)]
pub(in crate::lower) struct Clusters {
    members: Vec<Member>,
}

/// The cluster that an operation may join.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::lower) struct Reader {
    /// The root of the cluster. It comes before the roots of all other clusters that read the operation.
    pub(in crate::lower) root: u32,
    /// Whether other clusters read the operation as well, so that this cluster must write out its value.
    pub(in crate::lower) elsewhere: bool,
}

/// Bytes of memory that clusters take for each operation of a trace.
pub(in crate::lower) const MEMBER_BYTES: usize = size_of::<Member>();

impl Clusters {
    /// Every operation is alone.
    pub(in crate::lower) fn new(operations: usize) -> Clusters {
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

    /// The first cluster that reads this operation, if the operation can join it.
    pub(in crate::lower) fn reader(&self, index: u32) -> Option<Reader> {
        let member = &self.members[index as usize];
        let reader = Reader { root: member.reader, elsewhere: member.elsewhere };
        (member.reader != NONE && member.together).then_some(reader)
    }

    /// Puts an operation into the cluster of a root.
    pub(in crate::lower) fn join(&mut self, index: u32, root: u32) {
        self.members[index as usize].root = root;
        self.members[index as usize].next = std::mem::replace(&mut self.members[root as usize].first, index);
    }

    /// Notes why an operation joins no cluster.
    pub(in crate::lower) fn stay(&mut self, index: u32, apart: Apart) {
        self.members[index as usize].apart = apart;
    }

    /// Why an operation joined no cluster.
    pub(in crate::lower) fn apart(&self, index: u32) -> Option<Apart> {
        self.members.get(index as usize).map(|member| member.apart)
    }

    /// Gives an operation the root of another operation, without making it a member of the cluster.
    pub(in crate::lower) fn follow(&mut self, index: u32, other: u32) {
        self.members[index as usize].root = self.root(other);
    }

    /// Notes that an operation, whose cluster is known, reads its operands. An operand at a position that is
    /// not `together` cannot join this cluster.
    pub(in crate::lower) fn read(
        &mut self,
        index: u32,
        operation: &TraceOperation,
        together: impl Fn(usize) -> bool,
    ) {
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

    /// Whether an operation is lowered in the position of a later operation.
    pub(in crate::lower) fn is_part(&self, index: u32) -> bool {
        self.root(index) != index
    }

    /// Whether a cluster reads the operation's value without containing the operation.
    pub(in crate::lower) fn is_read_elsewhere(&self, index: u32) -> bool {
        self.members[index as usize].elsewhere
    }

    /// The root of an operation's cluster; the operation itself if it is alone.
    pub(in crate::lower) fn root(&self, index: u32) -> u32 {
        self.members.get(index as usize).map_or(index, |member| member.root)
    }

    /// Whether an operation is the root of other operations.
    pub(in crate::lower) fn has_parts(&self, index: u32) -> bool {
        self.members.get(index as usize).is_some_and(|member| member.first != NONE)
    }

    /// The operations of the cluster with this root, in order, the root last.
    pub(in crate::lower) fn operations(&self, root: u32) -> Vec<u32> {
        let first = self.members.get(root as usize).map_or(NONE, |member| member.first);
        let next = |&index: &u32| Some(self.members[index as usize].next).filter(|&next| next != NONE);
        let parts = std::iter::successors(Some(first).filter(|&first| first != NONE), next);
        parts.chain([root]).collect()
    }
}
