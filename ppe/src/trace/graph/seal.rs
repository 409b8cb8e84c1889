//! Sealing pending operations as a trace, and noting that a trace has been executed.
//!
//! A trace takes the operations that are asked for, and all pending operations that they need.  This is the
//! *cone* below them.  All other operations stay pending.  So an operand of a pending operation may be part
//! of a trace, but no operation of a trace has a pending operand.
//!
//! A cone of k operations is found and taken in the time of k operations, however many operations are
//! pending.  (Sorting the cone takes k log k comparisons.)

use std::mem;
use std::sync::Arc;

use super::{Graph, OpId, Record, State};
use crate::error::Result;
use crate::operation::{OpKind, Precision, Shape, View};
use crate::trace::{Operand, Trace, TraceConstant, TraceOperation};

/// Which pending operations a trace shall take, with all that they need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted<'i> {
    /// These operations.
    These(&'i [OpId]),
    /// All operations that count towards the limits.
    Limited,
    /// All operations.
    All,
}

/// What became of an attempt to seal.
#[derive(Debug)]
pub enum Sealing {
    /// The operations are in flight.
    Trace(Trace),
    /// Nothing that was asked for is pending.
    Nothing,
    /// The trace would pin more bytes than it may.
    NoRoom,
}

/// What somebody who decides about a trace learns of each value: an operation that the trace takes, or a
/// value that it reads.
#[derive(Debug, Clone, Copy)]
pub struct Part {
    /// The operation; None for a value that is read as it is: a known value, or a transpose that products
    /// probably read in place.
    pub kind: Option<OpKind>,
    /// Precision of the value.
    pub precision: Precision,
    /// Shape of the value.
    pub shape: Shape,
    /// Shape of the operation's first operand; that of the value, if it is known.
    pub operand: Shape,
    /// Whether it is a known value whose elements other processes have.
    pub is_elsewhere: bool,
}

/// Operations that a trace takes.
struct Cone {
    /// In the order of recording.
    operations: Vec<OpId>,
    /// Bytes of their results, and of the values that they read.
    bytes: u64,
}

impl Graph {
    /// Takes pending operations as one trace, in the order of recording, unless they pin more than
    /// `most_bytes`.  `prepare` is told how many operations the trace has, before anything changes.
    pub(crate) fn seal(
        &mut self,
        wanted: Wanted<'_>,
        most_bytes: u64,
        prepare: impl FnOnce(usize) -> Result<()>,
    ) -> Result<Sealing> {
        let (cone, _) = self.cone(wanted, |_, _| true);
        let sealing = if cone.operations.is_empty() {
            Ok(Sealing::Nothing)
        } else if cone.bytes > most_bytes {
            Ok(Sealing::NoRoom)
        } else {
            prepare(cone.operations.len()).map(|()| Sealing::Trace(self.take(&cone)))
        };
        self.put_back(cone);
        sealing
    }

    /// Takes the cone of a pending operation as a trace, if all that the cone reads is known, and `accept`
    /// agrees with each part.  All other pending operations are in the trace as well, if all that they
    /// read is known, none of them has been given up, and `ahead` agrees with each part of the whole.  Time is
    /// spent on the parts only that `accept` or `ahead` has agreed with.
    pub(crate) fn seal_accepted(
        &mut self,
        id: OpId,
        mut accept: impl FnMut(Part) -> bool,
        mut ahead: impl FnMut(Part) -> bool,
        prepare: impl FnOnce(usize) -> Result<()>,
    ) -> Result<Option<Trace>> {
        let needed = Wanted::These(&[id]);
        let (mut cone, mut accepted) = self.cone(needed, |graph, id| graph.part(id).is_some_and(&mut accept));
        let others = self.pending.operations > cone.operations.len() as u64;
        if accepted && others && self.given_up.operations == 0 {
            self.put_back(cone);
            (cone, accepted) = self.cone(Wanted::All, |graph, id| graph.part(id).is_some_and(&mut ahead));
            if !accepted {
                self.put_back(cone);
                (cone, accepted) = self.cone(needed, |_, _| true);
            }
        }
        let sealed = match accepted && !cone.operations.is_empty() {
            true => prepare(cone.operations.len()).map(|()| Some(self.take(&cone))),
            false => Ok(None),
        };
        self.put_back(cone);
        sealed
    }

    /// A pending operation or a known value; None for a value that is not known and not pending.
    fn part(&self, id: OpId) -> Option<Part> {
        let node = self.node(id);
        let (kind, operand) = match node.state {
            State::Pending => {
                let Record { kind, shape, operands, parameters, .. } = &node.what;
                let operand = self.node(operands[0]).what.shape;
                let is_transpose = *kind == OpKind::View
                    && parameters.as_deref().is_some_and(|p| View::is_transpose(p, operand, *shape));
                (Some(*kind).filter(|_| node.handles > 0 || !is_transpose), operand)
            }
            State::Constant | State::Complete => (None, node.what.shape),
            State::Free | State::InFlight | State::Failed => return None,
        };
        let matrix = node.slot.as_ref().and_then(|slot| slot.get());
        let is_elsewhere = kind.is_none() && matrix.is_some_and(|matrix| !matrix.is_here());
        Some(Part { kind, precision: node.what.precision, shape: node.what.shape, operand, is_elsewhere })
    }

    fn put_back(&mut self, mut cone: Cone) {
        cone.operations.clear();
        self.candidates = cone.operations;
    }

    /// Finds the operations that a trace takes.  It stops, and returns false as well, at the first node that
    /// `accept` does not agree with.
    fn cone(&mut self, wanted: Wanted<'_>, mut accept: impl FnMut(&Graph, OpId) -> bool) -> (Cone, bool) {
        self.walks += 1;
        let mut cone = Cone { operations: mem::take(&mut self.candidates), bytes: 0 };
        let mut accepted = true;
        let mut visit = |graph: &mut Graph, id: OpId, cone: &mut Cone| {
            if graph.visit(id, cone) {
                accepted &= accept(graph, id);
            }
            accepted
        };
        match wanted {
            Wanted::These(ids) => {
                for &id in ids {
                    if self.node(id).state == State::Pending {
                        visit(self, id, &mut cone);
                    }
                }
            }
            Wanted::Limited | Wanted::All => {
                let given_up = if wanted == Wanted::All { 0 } else { self.given_up_order };
                let mut next = self.first.unwrap_or(OpId::NONE);
                while next != OpId::NONE {
                    if self.node(next).order > given_up && !visit(self, next, &mut cone) {
                        return (cone, false);
                    }
                    next = self.node(next).next;
                }
            }
        }
        let mut visited = 0;
        while let Some(&id) = cone.operations.get(visited) {
            for operand in self.node(id).what.operands {
                if operand == OpId::NONE {
                    continue;
                }
                if !visit(self, operand, &mut cone) {
                    return (cone, false);
                }
                self.node_mut(operand).visited_readers += 1;
            }
            visited += 1;
        }
        cone.operations.sort_unstable_by_key(|&id| self.node(id).order);
        (cone, accepted)
    }

    /// Adds a node to a cone.  False if it has been added before.
    fn visit(&mut self, id: OpId, cone: &mut Cone) -> bool {
        let walk = self.walks;
        let node = self.node_mut(id);
        if node.walk == walk {
            return false;
        }
        node.walk = walk;
        node.visited_readers = 0;
        if node.state == State::Pending {
            cone.operations.push(id);
        }
        cone.bytes = cone.bytes.saturating_add(node.result_bytes());
        true
    }

    /// Makes a trace of a cone.
    fn take(&mut self, cone: &Cone) -> Trace {
        self.traces += 1;
        let stamp = self.traces as u32;
        let mut trace = Trace::new(self.traces, cone.operations.len(), cone.bytes);
        for &id in &cone.operations {
            self.unlink(id);
            let operands =
                self.node(id).what.operands.map(|operand| self.seal_operand(operand, stamp, &mut trace));
            let index = trace.operations.len() as u32;
            let site = Arc::clone(self.sites.site(self.node(id).what.site));
            let node = self.node_mut(id);
            node.state = State::InFlight;
            node.trace = stamp;
            node.index = index;
            // A reader that is not in this trace needs the result as a handle does.
            let is_needed = node.handles > 0 || node.dependants > node.visited_readers;
            let keep = is_needed.then(|| Arc::clone(node.slot.insert(Arc::default())));
            trace.operations.push(TraceOperation {
                id,
                kind: node.what.kind,
                form: node.what.form,
                precision: node.what.precision,
                class: node.what.class,
                shape: node.what.shape,
                operands,
                scalar: node.what.scalar,
                parameters: node.what.parameters.clone(),
                keep,
                site,
            });
        }
        trace
    }

    fn seal_operand(&mut self, operand: OpId, stamp: u32, trace: &mut Trace) -> Operand {
        if operand == OpId::NONE {
            return Operand::None;
        }
        let node = self.node_mut(operand);
        if node.state == State::InFlight && node.trace == stamp {
            return Operand::Operation(node.index);
        }
        // Constants, executed operations, and operations of earlier traces, whose matrix exists before this
        // trace is lowered.
        if node.read_by != stamp {
            node.read_by = stamp;
            node.constant = trace.constants.len() as u32;
            let slot = node.slot.clone().unwrap_or_default();
            trace.constants.push(TraceConstant {
                slot,
                shape: node.what.shape,
                precision: node.what.precision,
            });
        }
        Operand::Constant(node.constant)
    }

    /// Notes that the trace has been executed.
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
}
