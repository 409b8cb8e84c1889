//! Sealing the pending operations as a trace, and noting that a trace has been executed.

use std::mem;
use std::sync::Arc;

use super::{Graph, Pending, State};
use crate::operation::OpId;
use crate::trace::{Operand, Trace, TraceConstant, TraceOperation};

impl Graph {
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
            let site = self.sites.site(self.node(id).site);
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
        // Constants, executed operations, and operations of earlier traces, whose matrix exists before this
        // trace is lowered.
        if node.read_by != stamp {
            node.read_by = stamp;
            node.constant = trace.constants.len() as u32;
            let slot = node.slot.clone().unwrap_or_default();
            trace.constants.push(TraceConstant { slot, shape: node.shape, precision: node.precision });
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
