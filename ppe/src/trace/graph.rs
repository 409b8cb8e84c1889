//! The data dependence graph, built on the fly: an arena of nodes addressed by [`OpId`].
//!
//! A node is a constant or an operation.  It lives while somebody holds a handle to it or an unfinished operation reads it
//! (`dependants`).  A pending operation that neither is true of is dead: it is removed at once, so whatever is still in the
//! list of pending operations when a trace is sealed is needed.  All walks are loops over lists, never recursion: a chain
//! of a million operations is removed in linear time on a small stack.

use std::collections::{HashMap, HashSet};
use std::mem;
use std::sync::{Arc, OnceLock};

use super::{Operand, Trace, TraceOperation};
use crate::error::{Error, Result, Site};
use crate::matrix::Matrix;
use crate::memory;
use crate::operation::{Class, Form, OpId, OpKind, Parameters, Precision, Shape};

/// Where a value's matrix appears once room for it has been made (its elements may still be missing then).
pub type ResultSlot = OnceLock<Arc<Matrix>>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    Free,
    /// Handed over by the program.
    Constant,
    /// Recorded, not yet part of a sealed trace.
    Pending,
    /// In a sealed trace that is being lowered, scheduled or executed.
    InFlight,
    /// Executed.
    Complete,
    /// Could not be executed, or reads what could not.  It keeps its operands.  A permanent error lets the caller compute it
    /// otherwise; with any other it is set aside until somebody asks for it again.
    Failed,
}

#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) state: State,
    pub(crate) kind: OpKind,
    pub(crate) form: Form,
    pub(crate) class: Class,
    pub(crate) precision: Precision,
    pub(crate) shape: Shape,
    pub(crate) operands: [OpId; 2],
    pub(crate) scalar: f64,
    pub(crate) parameters: Option<Box<Parameters>>,
    /// References held by the program.
    handles: u32,
    /// Operand positions of unfinished (or failed) operations that name this node.
    dependants: u32,
    /// How many of them are positions of failed ones: their operands must keep their results.
    failed_readers: u32,
    /// Pending operations on the longest path that ends here.
    depth: u32,
    /// Neighbours in the list of pending operations, which is in the order of recording.
    previous: OpId,
    next: OpId,
    site: u32,
    /// Trace, modulo 2^32, that has counted this value as pinned.
    pinned_by: u32,
    /// The trace, modulo 2^32, that this operation is part of, and its index there.
    trace: u32,
    index: u32,
    /// The last trace, modulo 2^32, that reads this value as a constant, and its index there.
    read_by: u32,
    constant: u32,
    slot: Option<Arc<ResultSlot>>,
    /// Why it has failed.
    error: Option<Arc<Error>>,
    /// Somebody waits for it, and is to be told should it fail.
    wanted: bool,
}

/// What is known when an operation is recorded.
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

/// Sizes of what is pending.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pending {
    /// Operations.
    pub operations: u64,
    /// Operations on the longest path.
    pub depth: u64,
    /// Bytes that the pending operations pin: their results and the values that they read.
    pub bytes: u64,
}

/// What has to be computed before a value is there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Below {
    /// Operations, that of the value included.
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
    /// Nodes that [`Graph::collect`] is to look at; empty but while it runs.
    candidates: Vec<OpId>,
    first: Option<OpId>,
    last: Option<OpId>,
    pending: Pending,
    traces: u64,
    sites: Vec<Site>,
    site_numbers: HashMap<Site, u32>,
    /// Matrices nobody needs any more; dropped by the caller when the lock is released, since that may call foreign code.
    pub(crate) garbage: Vec<Arc<ResultSlot>>,
    pub(crate) recorded: u64,
    pub(crate) dropped: u64,
    pub(crate) executed: u64,
}

/// Nodes that one call may record: an operation, and conversions of both operands.
const MOST_RECORDED: usize = 3;

/// More than any machine has, and little enough that sums do not overflow.
const MOST_RESULT_BYTES: u64 = 1 << 48;

fn result_bytes(shape: Shape, precision: Precision) -> u64 {
    (shape.elements() * precision.element_bytes() as u64).min(MOST_RESULT_BYTES)
}

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
                below.bytes += result_bytes(node.shape, node.precision);
                open.extend(node.operands);
            }
        }
        if below.operations > 0 {
            below.site = self.sites.get(self.node(id).site as usize).cloned().unwrap_or_default();
        }
        below
    }

    pub(crate) fn pending(&self) -> Pending {
        self.pending
    }

    pub(crate) fn error(&self, id: OpId) -> Option<&Error> {
        self.node(id).error.as_deref()
    }

    /// True for an operation that has failed, and that may succeed when it is tried again.
    pub(crate) fn is_set_aside(&self, id: OpId) -> bool {
        self.error(id).is_some_and(|error| !error.is_permanent())
    }

    /// Notes that somebody waits for an operation; or that nobody does any more, who may have been told why it has failed.
    /// Gives what was noted before.
    pub(crate) fn set_wanted(&mut self, id: OpId, wanted: bool) -> bool {
        mem::replace(&mut self.node_mut(id).wanted, wanted)
    }

    /// Why one of the operands has failed.
    fn error_of_operands(&self, id: OpId) -> Option<Arc<Error>> {
        let operands = self.node(id).operands.into_iter().filter(|&operand| operand != OpId::NONE);
        operands.into_iter().find_map(|operand| self.node(operand).error.clone())
    }

    /// An operation that is not in the list of pending ones has failed; or, without an error, it may be tried again.
    fn set_failed(&mut self, id: OpId, error: Option<Arc<Error>>) {
        let node = self.node_mut(id);
        let before = mem::replace(&mut node.error, error).is_some();
        let now = node.error.is_some();
        node.state = if now { State::Failed } else { State::Pending };
        for operand in node.operands {
            if operand != OpId::NONE {
                let readers = &mut self.node_mut(operand).failed_readers;
                *readers = *readers + u32::from(now) - u32::from(before);
            }
        }
    }

    /// Pending operations on the longest path to an operation.
    fn depth_of(&self, id: OpId) -> u32 {
        let operands = self.node(id).operands.into_iter();
        let pending = operands.filter(|&o| o != OpId::NONE && self.node(o).state == State::Pending);
        1 + pending.map(|o| self.node(o).depth).max().unwrap_or(0)
    }

    /// Makes an operation that was set aside pending again, with whatever it needs that was set aside as well.  They go behind
    /// all that is pending: nothing that is pending reads them.
    pub(crate) fn reclaim(&mut self, id: OpId) {
        // Each with the number of its operands that have been looked at.
        let mut path = vec![(id, 0)];
        while let Some((id, looked_at)) = path.last_mut() {
            let id = *id;
            if !self.is_set_aside(id) {
                path.pop();
            } else if let Some(&operand) = self.node(id).operands.get(*looked_at) {
                *looked_at += 1;
                if operand != OpId::NONE {
                    path.push((operand, 0));
                }
            } else {
                path.pop();
                // What is left of its operands' errors is permanent.
                let error = self.error_of_operands(id);
                let pending = error.is_none();
                self.set_failed(id, error);
                if pending {
                    self.node_mut(id).depth = self.depth_of(id);
                    self.link(self.last, id, None);
                }
            }
        }
    }

    /// The matrix of a constant or an executed operation.
    pub(crate) fn matrix(&self, id: OpId) -> Option<Arc<Matrix>> {
        let node = self.node(id);
        match node.state {
            State::Constant | State::Complete => node.slot.as_ref().and_then(|slot| slot.get().cloned()),
            _ => None,
        }
    }

    /// Number of a place in the program; equal places share one.
    pub(crate) fn site(&mut self, file: &str, line: u32) -> u32 {
        if let Some(last) = self.last
            && let Some(site) = self.sites.get(self.node(last).site as usize)
            && site.line == line
            && site.file == file
        {
            return self.node(last).site;
        }
        let site = Site { file: file.to_owned(), line };
        if let Some(&number) = self.site_numbers.get(&site) {
            return number;
        }
        let number = self.sites.len() as u32;
        self.sites.push(site.clone());
        self.site_numbers.insert(site, number);
        number
    }

    /// Makes room for what one call records: an operation and the conversions of its operands.  The lists of free nodes and
    /// of candidates have room for all nodes, so that releasing a value needs no memory.
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
        self.insert(Node {
            state: State::Constant,
            kind: OpKind::Convert,
            form: Form::Values,
            class,
            precision,
            shape,
            operands: [OpId::NONE; 2],
            scalar: 0.0,
            parameters: None,
            handles: 1,
            dependants: 0,
            failed_readers: 0,
            depth: 0,
            previous: OpId::NONE,
            next: OpId::NONE,
            site: u32::MAX,
            pinned_by: 0,
            trace: 0,
            index: 0,
            read_by: 0,
            constant: 0,
            slot: Some(Arc::new(ResultSlot::from(matrix))),
            error: None,
            wanted: false,
        })
    }

    /// A pending operation with one handle.
    pub(crate) fn record(&mut self, record: Record) -> OpId {
        let mut depth = 0;
        let next_trace = (self.traces + 1) as u32;
        for operand in record.operands {
            if operand == OpId::NONE {
                continue;
            }
            let node = self.node_mut(operand);
            node.dependants += 1;
            if node.state == State::Pending {
                depth = depth.max(node.depth);
            } else if node.pinned_by != next_trace {
                node.pinned_by = next_trace;
                let bytes = result_bytes(node.shape, node.precision);
                self.pending.bytes += bytes;
            }
        }
        let id = self.insert(Node {
            state: State::Pending,
            kind: record.kind,
            form: record.form,
            class: record.class,
            precision: record.precision,
            shape: record.shape,
            operands: record.operands,
            scalar: record.scalar,
            parameters: record.parameters,
            handles: 1,
            dependants: 0,
            failed_readers: 0,
            depth: depth + 1,
            previous: OpId::NONE,
            next: OpId::NONE,
            site: record.site,
            pinned_by: 0,
            trace: 0,
            index: 0,
            read_by: 0,
            constant: 0,
            slot: None,
            error: None,
            wanted: false,
        });
        // What reads an operation that has failed has failed with it.
        self.recorded += 1;
        match self.error_of_operands(id) {
            None => self.link(self.last, id, None),
            error => self.set_failed(id, error),
        }
        id
    }

    /// Makes an operation pending, between two that are neighbours or at an end of the list.
    fn link(&mut self, previous: Option<OpId>, id: OpId, next: Option<OpId>) {
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
        self.count(id);
    }

    fn count(&mut self, id: OpId) {
        let node = self.node(id);
        let (depth, bytes) = (u64::from(node.depth), result_bytes(node.shape, node.precision));
        self.pending.operations += 1;
        self.pending.depth = self.pending.depth.max(depth);
        self.pending.bytes += bytes;
    }

    fn unlink(&mut self, id: OpId) {
        let node = self.node_mut(id);
        let (previous, next) = (node.previous, node.next);
        node.previous = OpId::NONE;
        node.next = OpId::NONE;
        let bytes = result_bytes(node.shape, node.precision);
        match previous {
            OpId::NONE => self.first = (next != OpId::NONE).then_some(next),
            previous => self.node_mut(previous).next = next,
        }
        match next {
            OpId::NONE => self.last = (previous != OpId::NONE).then_some(previous),
            next => self.node_mut(next).previous = previous,
        }
        self.pending.operations -= 1;
        self.pending.bytes -= bytes;
        if self.pending.operations == 0 {
            self.pending = Pending::default();
        }
    }

    pub(crate) fn retain(&mut self, id: OpId) {
        self.node_mut(id).handles += 1;
    }

    /// Gives one handle back.
    pub(crate) fn release(&mut self, id: OpId) {
        let node = self.node_mut(id);
        node.handles -= 1;
        if node.handles == 0 {
            self.collect(id);
        }
    }

    /// Frees a node if nobody needs it, and whatever it alone needed.
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

    /// An operation no longer reads its operands; those that nobody needs now become candidates.
    fn drop_operands(&mut self, id: OpId, candidates: &mut Vec<OpId>) {
        let operands = mem::replace(&mut self.node_mut(id).operands, [OpId::NONE; 2]);
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

    /// Takes all pending operations as one trace, in the order of recording; None when there are none.
    pub(crate) fn seal(&mut self) -> Option<Trace> {
        let mut next = self.first?;
        self.traces += 1;
        let stamp = self.traces as u32;
        let mut trace = Trace::new(self.traces, self.pending);
        while next != OpId::NONE {
            let id = next;
            let operands =
                self.node(id).operands.map(|operand| self.seal_operand(operand, stamp, &mut trace));
            let index = trace.operations.len() as u32;
            let site = self.sites.get(self.node(id).site as usize).cloned().unwrap_or_default();
            let node = self.node_mut(id);
            next = node.next;
            node.previous = OpId::NONE;
            node.next = OpId::NONE;
            node.state = State::InFlight;
            node.trace = stamp;
            node.index = index;
            let keep = (node.handles > 0 || node.failed_readers > 0)
                .then(|| Arc::clone(node.slot.insert(Arc::default())));
            trace.operations.push(TraceOperation {
                id,
                kind: node.kind,
                form: node.form,
                precision: node.precision,
                class: node.class,
                shape: node.shape,
                operands,
                scalar: node.scalar,
                parameters: node.parameters.clone(),
                keep,
                site,
            });
        }
        self.first = None;
        self.last = None;
        self.pending = Pending::default();
        Some(trace)
    }

    fn seal_operand(&mut self, operand: OpId, stamp: u32, trace: &mut Trace) -> Operand {
        if operand == OpId::NONE {
            return Operand::None;
        }
        let node = self.node_mut(operand);
        if node.state == State::InFlight && node.trace == stamp {
            return Operand::Operation(node.index);
        }
        // Constants, executed operations, and operations of earlier traces, whose matrix exists by the time this is lowered.
        if node.read_by != stamp {
            node.read_by = stamp;
            node.constant = trace.constants.len() as u32;
            let slot = node.slot.clone().unwrap_or_default();
            trace.constants.push(super::TraceConstant { slot, shape: node.shape, precision: node.precision });
        }
        Operand::Constant(node.constant)
    }

    /// The trace has been executed: its results are there.
    pub(crate) fn finish(&mut self, trace: &Trace) {
        for operation in &trace.operations {
            self.node_mut(operation.id).state = State::Complete;
            let mut operands = mem::take(&mut self.candidates);
            self.drop_operands(operation.id, &mut operands);
            self.candidates = operands;
            self.collect(operation.id);
        }
        self.executed += trace.operations.len() as u64;
    }

    /// The trace was not executed.  Its operations become pending again, before all that was recorded since; but `failed` and
    /// whatever depends on it keep the error instead.
    pub(crate) fn revert(&mut self, trace: &Trace, failed: Option<(OpId, &Error)>) {
        let failed = failed.map(|(id, error)| (id, Arc::new(error.clone())));
        for operation in &trace.operations {
            let id = operation.id;
            let own = failed.as_ref().filter(|(failed, _)| *failed == id).map(|(_, error)| Arc::clone(error));
            let error = own.or_else(|| self.error_of_operands(id));
            let depth = self.depth_of(id);
            let node = self.node_mut(id);
            node.slot = None;
            node.depth = depth;
            node.wanted &= error.is_some();
            self.set_failed(id, error);
        }
        for operation in trace.operations.iter().rev() {
            if self.node(operation.id).state == State::Pending {
                self.link(None, operation.id, self.first);
            }
        }
        self.fail_dependants_of_failed();
        for operation in &trace.operations {
            self.collect(operation.id);
        }
    }

    /// Pending operations that read a failed one fail with it.
    fn fail_dependants_of_failed(&mut self) {
        let mut next = self.first.unwrap_or(OpId::NONE);
        while next != OpId::NONE {
            let id = next;
            next = self.node(id).next;
            let error = self.error_of_operands(id);
            if error.is_some() {
                self.unlink(id);
                self.set_failed(id, error);
            }
        }
    }
}
