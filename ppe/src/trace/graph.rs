//! The data dependence graph, built on the fly: an arena of nodes addressed by [`OpId`].
//!
//! A node is a constant or an operation.  A node lives while a handle holds it or an unfinished operation
//! reads it (`dependants`).  A pending operation without handles and readers is dead, and is removed at once.
//! So every pending operation is needed, and a trace takes the ones that are needed now (`seal.rs`).
//!
//! All walks are loops over lists, never recursion: a chain of a million operations is removed in linear time
//! on a small stack.

#[cfg(test)]
mod check;
mod common;
mod failed;
mod pending;
mod seal;

pub use pending::Pending;
pub(crate) use seal::Wanted;
pub use seal::{Part, Sealing};

use std::collections::HashSet;
use std::mem;
use std::sync::{Arc, OnceLock};

pub(crate) use common::Common;

use super::sites::Sites;
use crate::error::{Error, Result, Site};
use crate::matrix::Matrix;
use crate::memory;
use crate::operation::{Class, Form, OpId, OpKind, Parameters, Precision, Shape};

/// The slot of a value's matrix.  It is filled when the matrix gets its memory, before the elements are
/// computed.
pub type ResultSlot = OnceLock<Arc<Matrix>>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    Free,
    /// Handed over by the program.
    Constant,
    /// Recorded, and not in a sealed trace.
    Pending,
    /// In a sealed trace that is being lowered, scheduled or executed.
    InFlight,
    /// Executed.
    Complete,
    /// Could not be executed, or reads a failed operation.  It keeps its operands.  After a permanent error
    /// the caller may compute it in another way.  After any other error it is set aside until a thread asks
    /// for it again.
    Failed,
}

#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) state: State,
    pub(crate) what: Record,
    /// References held by the program.
    handles: u32,
    /// Operand positions of unfinished (or failed) operations that name this node.
    dependants: u32,
    /// How many of these positions belong to failed operations, whose operands must keep their results.
    failed_readers: u32,
    /// Pending operations on the longest path that ends here.
    depth: u32,
    /// Neighbours in the list of pending operations.
    previous: OpId,
    next: OpId,
    /// Position in the order of recording.  An operation comes after its operands.
    order: u64,
    /// Operand positions of pending operations that name this node.
    pending_readers: u32,
    /// The last walk that has visited this node, and how many operand positions of visited operations name
    /// it.
    walk: u64,
    visited_readers: u32,
    /// The trace, modulo 2^32, that this operation is part of, and its index there.
    trace: u32,
    index: u32,
    /// The last trace, modulo 2^32, that reads this value as a constant, and its index there.
    read_by: u32,
    constant: u32,
    slot: Option<Arc<ResultSlot>>,
    /// Why it has failed.
    error: Option<Arc<Error>>,
    /// Whether a thread waits for it, and must be told if it fails.
    wanted: bool,
}

/// What recording knows about an operation.
#[derive(Debug)]
pub(crate) struct Record {
    pub(crate) kind: OpKind,
    pub(crate) form: Form,
    pub(crate) class: Class,
    pub(crate) precision: Precision,
    pub(crate) shape: Shape,
    pub(crate) operands: [OpId; 2],
    pub(crate) scalar: f64,
    pub(crate) parameters: Option<Box<Parameters>>,
    pub(crate) site: u32,
}

impl Node {
    /// A node with one handle and no readers.
    fn new(state: State, what: Record) -> Node {
        Node {
            state,
            what,
            handles: 1,
            dependants: 0,
            failed_readers: 0,
            depth: 0,
            previous: OpId::NONE,
            next: OpId::NONE,
            order: 0,
            pending_readers: 0,
            walk: 0,
            visited_readers: 0,
            trace: 0,
            index: 0,
            read_by: 0,
            constant: 0,
            slot: None,
            error: None,
            wanted: false,
        }
    }

    /// Bytes of the result.
    fn result_bytes(&self) -> u64 {
        (self.what.shape.elements() * self.what.precision.element_bytes() as u64).min(MOST_RESULT_BYTES)
    }
}

/// What has to be computed before a value is there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Below {
    /// Number of operations, including the operation of the value.
    pub operations: u64,
    /// Bytes of their results.
    pub bytes: u64,
    /// Where the value was recorded.
    pub site: Site,
}

#[derive(Debug, Default)]
pub(crate) struct Graph {
    nodes: Vec<Node>,
    free: Vec<OpId>,
    /// Nodes that [`Graph::collect`] has to examine, or operations that a trace takes.  Empty except while
    /// one of the two is at work.
    candidates: Vec<OpId>,
    first: Option<OpId>,
    last: Option<OpId>,
    pending: Pending,
    /// What was pending when execution was last given up, as far as it is still pending, at most.
    given_up: Pending,
    /// The last operation in the order of recording that was there then.
    given_up_order: u64,
    /// Position of the last operation in the order of recording.
    order: u64,
    traces: u64,
    walks: u64,
    /// None records equal operations as often as the program states them.
    pub(crate) common: Option<Common>,
    /// Where operations were recorded.
    pub(crate) sites: Sites,
    /// Matrices that are no longer needed.  The caller drops them after releasing the lock, because dropping
    /// may call foreign code.
    pub(crate) garbage: Vec<Arc<ResultSlot>>,
    pub(crate) recorded: u64,
    pub(crate) dropped: u64,
    pub(crate) executed: u64,
}

/// Nodes that one call may record: an operation, and of both operands a known matrix and its conversion.
const MOST_RECORDED: usize = 5;

/// More bytes than any machine has, and few enough that sums do not overflow.
const MOST_RESULT_BYTES: u64 = 1 << 48;

impl Graph {
    pub(crate) fn node(&self, id: OpId) -> &Node {
        &self.nodes[id.index()]
    }

    fn node_mut(&mut self, id: OpId) -> &mut Node {
        &mut self.nodes[id.index()]
    }

    /// The unfinished operations that a node depends on.
    pub(crate) fn below(&self, id: OpId) -> Below {
        let mut below = Below::default();
        let unfinished = |id: OpId| {
            id != OpId::NONE
                && (matches!(self.node(id).state, State::Pending | State::InFlight) || self.is_set_aside(id))
        };
        let mut seen = HashSet::new();
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            if unfinished(id) && seen.insert(id) {
                let node = self.node(id);
                below.operations += 1;
                below.bytes += node.result_bytes();
                open.extend(node.what.operands);
            }
        }
        if below.operations > 0 {
            below.site = Site::clone(self.sites.site(self.node(id).what.site));
        }
        below
    }

    /// The trace that an operation is or was last part of; 0 if it was part of none.
    pub(crate) fn trace_of(&self, id: OpId) -> u32 {
        self.node(id).trace
    }

    /// The matrix of a constant or an executed operation.
    pub(crate) fn matrix(&self, id: OpId) -> Option<Arc<Matrix>> {
        let node = self.node(id);
        match node.state {
            State::Constant | State::Complete => node.slot.as_ref().and_then(|slot| slot.get().cloned()),
            _ => None,
        }
    }

    /// Makes room for the nodes that one call records: an operation and the conversions of its operands.  The
    /// lists of free nodes and of candidates have room for all nodes, so that releasing a value needs no
    /// memory.
    pub(crate) fn make_room(&mut self) -> Result<()> {
        memory::reserve(&mut self.nodes, MOST_RECORDED)?;
        let nodes = self.nodes.len() + MOST_RECORDED;
        let more = nodes - self.free.len();
        memory::reserve(&mut self.free, more)?;
        memory::reserve(&mut self.candidates, nodes)
    }

    fn insert(&mut self, node: Node) -> OpId {
        if let Some(id) = self.free.pop() {
            *self.node_mut(id) = node;
            return id;
        }
        assert!(self.nodes.len() < OpId::NONE.index(), "the arena is full");
        self.nodes.push(node);
        OpId(self.nodes.len() as u32 - 1)
    }

    /// A constant with one handle.
    pub(crate) fn constant(&mut self, matrix: Arc<Matrix>, class: Class) -> OpId {
        let (shape, precision) = (matrix.shape(), matrix.precision());
        let record = Record {
            kind: OpKind::Convert,
            form: Form::Values,
            class,
            precision,
            shape,
            operands: [OpId::NONE; 2],
            scalar: 0.0,
            parameters: None,
            site: u32::MAX,
        };
        let slot = Some(Arc::new(ResultSlot::from(matrix)));
        self.insert(Node { slot, ..Node::new(State::Constant, record) })
    }

    /// Adds a pending operation with one handle.
    fn add(&mut self, record: Record) -> OpId {
        let mut depth = 0;
        for operand in record.operands {
            if operand == OpId::NONE {
                continue;
            }
            let node = self.node_mut(operand);
            node.dependants += 1;
            if node.state == State::Pending {
                depth = depth.max(node.depth);
            }
        }
        let id = self.insert(Node { depth: depth + 1, ..Node::new(State::Pending, record) });
        // An operation that reads a failed operation fails with it.
        self.recorded += 1;
        match self.error_of_operands(id) {
            None => self.append(id),
            error => self.set_failed(id, error),
        }
        id
    }

    pub(crate) fn retain(&mut self, id: OpId) {
        self.node_mut(id).handles += 1;
    }

    /// Releases one handle.
    pub(crate) fn release(&mut self, id: OpId) {
        let node = self.node_mut(id);
        node.handles -= 1;
        if node.handles == 0 {
            self.collect(id);
        }
    }

    /// Frees a node if it is no longer needed, and all nodes that only it needed.
    fn collect(&mut self, id: OpId) {
        let mut candidates = mem::take(&mut self.candidates);
        candidates.push(id);
        while let Some(id) = candidates.pop() {
            let node = self.node(id);
            if node.handles > 0 || node.dependants > 0 {
                continue;
            }
            match node.state {
                State::Free | State::InFlight => continue,
                State::Pending => {
                    self.unlink(id);
                    self.dropped += 1;
                }
                State::Failed => {
                    self.dropped += u64::from(self.is_set_aside(id));
                    self.set_failed(id, None);
                }
                State::Constant | State::Complete => {}
            }
            self.drop_operands(id, &mut candidates);
            let node = self.node_mut(id);
            node.state = State::Free;
            let slot = node.slot.take();
            self.garbage.extend(slot);
            self.free.push(id);
        }
        self.candidates = candidates;
    }

    /// Notes that an operation no longer reads its operands.  Operands that are no longer needed become
    /// candidates.
    fn drop_operands(&mut self, id: OpId, candidates: &mut Vec<OpId>) {
        let operands = mem::replace(&mut self.node_mut(id).what.operands, [OpId::NONE; 2]);
        for operand in operands {
            if operand == OpId::NONE {
                continue;
            }
            let node = self.node_mut(operand);
            node.dependants -= 1;
            if node.dependants == 0 && node.handles == 0 {
                candidates.push(operand);
            }
        }
    }
}
