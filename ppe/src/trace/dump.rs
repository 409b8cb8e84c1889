//! A trace as text, and as a graph for checks and for Graphviz.

use std::fmt;

use petgraph::graph::{DiGraph, NodeIndex};

use super::{Operand, Trace, TraceOperation};
use crate::operation::{Form, OpKind, Parameters};

impl TraceOperation {
    /// The parameters of a move or reduction; zeros for any other operation.
    #[must_use]
    pub(crate) fn parameters(&self) -> Parameters {
        self.parameters.as_deref().copied().unwrap_or_default()
    }

    /// The parameters of a move or reduction, as further arguments.
    #[must_use]
    pub(crate) fn parameter_text(&self) -> String {
        let Some(parameters) = self.parameters.as_deref() else { return String::new() };
        let used = match self.kind {
            OpKind::View => 3,
            OpKind::Band => 2,
            OpKind::Repeat | OpKind::Norm => 0,
            _ => 1,
        };
        parameters[..used].iter().map(|number| format!(", {number}")).collect()
    }
}

impl Trace {
    fn operand_name(&self, operand: Operand) -> String {
        match operand {
            Operand::None => String::new(),
            Operand::Operation(index) => format!("%{index}"),
            Operand::Constant(index) => format!("c{index}"),
        }
    }

    fn operation_text(&self, index: usize) -> String {
        let operation = &self.operations[index];
        let [a, b] = operation.operands.map(|operand| self.operand_name(operand));
        let arguments = match (operation.form, operation.operands[1]) {
            (Form::ScalarRight, _) => format!("{a}, {:?}", operation.scalar),
            (Form::ScalarLeft, _) => format!("{:?}, {a}", operation.scalar),
            (Form::Values, Operand::None) => a,
            (Form::Values, _) => format!("{a}, {b}"),
        };
        format!("{}({arguments}{})", operation.kind.name(), operation.parameter_text())
    }

    /// The data dependence graph: constants first, then operations.
    #[must_use]
    pub fn to_petgraph(&self) -> DiGraph<String, ()> {
        let mut graph = DiGraph::new();
        for (index, constant) in self.constants.iter().enumerate() {
            graph.add_node(format!("c{index}: constant {}", constant.shape));
        }
        let first = self.constants.len();
        for (index, operation) in self.operations.iter().enumerate() {
            let node = graph.add_node(format!("%{index}: {} {}", operation.kind.name(), operation.shape));
            for operand in operation.operands {
                match operand {
                    Operand::None => {}
                    Operand::Operation(o) => _ = graph.add_edge(NodeIndex::new(first + o as usize), node, ()),
                    Operand::Constant(c) => _ = graph.add_edge(NodeIndex::new(c as usize), node, ()),
                }
            }
        }
        graph
    }
}

impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, constant) in self.constants.iter().enumerate() {
            writeln!(f, "c{index} = constant {} {}", constant.shape, constant.precision.name())?;
        }
        for (index, operation) in self.operations.iter().enumerate() {
            let kept = if operation.keep.is_some() { " kept" } else { "" };
            let (text, shape, class) = (self.operation_text(index), operation.shape, operation.class.name());
            writeln!(f, "%{index} = {text} {shape} {class}{kept}")?;
        }
        Ok(())
    }
}
