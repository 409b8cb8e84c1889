//! Operations that have failed, and what becomes of a trace that was not executed.
//!
//! A failed operation, and every operation that reads one, has the state [`State::Failed`] and is not in the
//! list of pending operations. A failed operation keeps its operands, and its operands keep their results
//! (`failed_readers`).

use std::mem;
use std::sync::Arc;

use super::{Graph, State};
use crate::error::Error;
use crate::operation::OpId;
use crate::trace::Trace;

impl Graph {
    pub(crate) fn error(&self, id: OpId) -> Option<&Error> {
        self.node(id).error.as_deref()
    }

    /// True for an operation that has failed, and that may succeed when it is tried again.
    pub(crate) fn is_set_aside(&self, id: OpId) -> bool {
        self.error(id).is_some_and(|error| !error.is_permanent())
    }

    /// Notes whether a thread waits for an operation, and must be told if it fails. Returns what was noted
    /// before.
    pub(crate) fn set_wanted(&mut self, id: OpId, wanted: bool) -> bool {
        mem::replace(&mut self.node_mut(id).wanted, wanted)
    }

    /// Why one of the operands has failed.
    pub(super) fn error_of_operands(&self, id: OpId) -> Option<Arc<Error>> {
        let operands = self.node(id).what.operands.into_iter().filter(|&operand| operand != OpId::NONE);
        operands.into_iter().find_map(|operand| self.node(operand).error.clone())
    }

    /// Notes that an operation outside of the list of pending operations has failed. Without an error, the
    /// operation may be tried again.
    pub(super) fn set_failed(&mut self, id: OpId, error: Option<Arc<Error>>) {
        let node = self.node_mut(id);
        let before = mem::replace(&mut node.error, error).is_some();
        let now = node.error.is_some();
        node.state = if now { State::Failed } else { State::Pending };
        for operand in node.what.operands {
            if operand != OpId::NONE {
                let readers = &mut self.node_mut(operand).failed_readers;
                *readers = *readers + u32::from(now) - u32::from(before);
            }
        }
    }

    /// Makes an operation that was set aside pending again, and all operations that it needs and that were
    /// set aside as well. They go to the end of the list, because no pending operation reads them.
    pub(crate) fn reclaim(&mut self, id: OpId) {
        // Operations, each with the number of its operands that have been examined.
        let mut path = vec![(id, 0)];
        while let Some((id, looked_at)) = path.last_mut() {
            let id = *id;
            if !self.is_set_aside(id) {
                path.pop();
            } else if let Some(&operand) = self.node(id).what.operands.get(*looked_at) {
                *looked_at += 1;
                if operand != OpId::NONE {
                    path.push((operand, 0));
                }
            } else {
                path.pop();
                // If an operand still has an error, the error is permanent.
                let error = self.error_of_operands(id);
                let pending = error.is_none();
                self.set_failed(id, error);
                if pending {
                    self.node_mut(id).depth = self.depth_of(id);
                    self.append(id);
                }
            }
        }
    }

    /// Notes that the trace was not executed. Its operations become pending again, in front of all pending
    /// operations: the trace took everything that its operations need, so they read none of these. `failed`
    /// and all operations that depend on it keep the error instead.
    pub(crate) fn revert(&mut self, trace: &Trace, failed: Option<(OpId, &Error)>) {
        let failed = failed.map(|(id, error)| (id, Arc::new(error.clone())));
        let (mut previous, next) = (None, self.first);
        for operation in &trace.operations {
            let id = operation.id;
            let own = failed.as_ref().filter(|(failed, _)| *failed == id).map(|(_, error)| Arc::clone(error));
            let error = own.or_else(|| self.error_of_operands(id));
            let depth = self.depth_of(id);
            let node = self.node_mut(id);
            node.slot = None;
            node.depth = depth;
            node.wanted &= error.is_some();
            let pending = error.is_none();
            self.set_failed(id, error);
            if pending {
                self.link(previous, id, next);
                previous = Some(id);
            }
        }
        if failed.is_some() {
            self.fail_dependants_of_failed();
        }
        for operation in &trace.operations {
            self.collect(operation.id);
        }
    }

    /// Makes pending operations that read a failed operation fail with it.
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
