//! Lowered graphs as text, for people and for Graphviz.

use std::fmt;

use petgraph::graph::{DiGraph, NodeIndex};

use super::super::program::Slot;
use super::{BlockOperation, LoweredGraph, Place, Work};
use crate::operation::{Form, OpKind};
use crate::trace::Operand;

/// The arguments of an operation as text; `b` is empty when there is none.
fn arguments_text(form: Form, scalar: f64, a: String, b: String) -> String {
    match form {
        Form::ScalarRight => format!("{a}, {scalar:?}"),
        Form::ScalarLeft => format!("{scalar:?}, {a}"),
        Form::Values if b.is_empty() => a,
        Form::Values => format!("{a}, {b}"),
    }
}

impl LoweredGraph {
    fn place_name(&self, place: Place) -> String {
        match place {
            Place::None => String::new(),
            Place::Temporary(writer) => format!("t{writer}"),
            Place::Matrix { matrix, row, column } => {
                let name = match self.origins[matrix as usize].0 {
                    Operand::Constant(index) => format!("c{index}"),
                    Operand::Operation(index) => format!("%{index}"),
                    Operand::None => String::new(),
                };
                format!("{name}[{row},{column}]")
            }
        }
    }

    /// One operation as text, without its number.
    #[must_use]
    pub fn operation_text(&self, index: u32) -> String {
        let operation = &self.operations[index as usize];
        let result = self.place_name(operation.result);
        let mut names = operation.operands.map(|place| self.place_name(place));
        for (name, _) in names.iter_mut().zip(operation.transposed).filter(|(_, transposed)| *transposed) {
            name.push('\'');
        }
        let [a, b] = names;
        let sides = format!("{}x{}", operation.rows, operation.columns);
        match operation.work {
            Work::Product(parts, epilogue) => {
                let chain = if parts.parts() > 1 { format!(" x{}", parts.parts()) } else { String::new() };
                let product = format!("{}({a}, {b}){chain}", OpKind::Multiply.name());
                match epilogue {
                    None => format!("{result} = {product} {sides}"),
                    Some(_) => format!("sum = {product}; {} {sides}", self.program_text(operation)),
                }
            }
            Work::Program(_) => format!("{} {sides}", self.program_text(operation)),
            Work::Move(kind) | Work::Reduce(kind) => {
                let arguments = arguments_text(Form::Values, 0.0, a, b);
                let parameters = self.recorded(operation).parameter_text();
                format!("{result} = {}({arguments}{parameters}) {sides}", kind.name())
            }
        }
    }

    fn program_text(&self, operation: &BlockOperation) -> String {
        let mut inputs: Vec<_> = self.inputs(operation).map(|(place, _)| self.place_name(place)).collect();
        if matches!(operation.work, Work::Product(..)) {
            // The sum stands for the two operands.
            inputs.splice(..2, ["sum".to_owned()]);
        }
        let results: Vec<_> = std::iter::once(operation.result)
            .chain(self.more_results(operation))
            .map(|place| self.place_name(place))
            .collect();
        let name = |slot: Slot| match slot {
            Slot::None => String::new(),
            Slot::Input(input) => inputs.get(usize::from(input)).cloned().unwrap_or_default(),
            Slot::Result(result) => results.get(usize::from(result)).cloned().unwrap_or_default(),
            Slot::Strip(strip) => format!("s{strip}"),
        };
        let steps: Vec<_> = self
            .steps(operation)
            .iter()
            .map(|step| {
                let [a, b] = step.operands.map(name);
                let arguments = arguments_text(step.form, step.scalar, a, b);
                format!("{} = {}({arguments})", name(step.result), step.kind.name())
            })
            .collect();
        steps.join("; ")
    }

    /// The dependences as a petgraph, for checks and for Graphviz.
    #[must_use]
    pub fn to_petgraph(&self) -> DiGraph<String, ()> {
        let mut graph = DiGraph::with_capacity(self.len(), self.edge_count());
        for index in 0..self.len() as u32 {
            graph.add_node(format!("b{index}: {}", self.operation_text(index)));
        }
        for index in 0..self.len() as u32 {
            for dependant in self.dependants(index) {
                graph.add_edge(NodeIndex::new(index as usize), NodeIndex::new(dependant as usize), ());
            }
        }
        graph
    }
}

impl fmt::Display for LoweredGraph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for index in 0..self.len() as u32 {
            writeln!(f, "b{index}: {} guard {}", self.operation_text(index), self.guards()[index as usize])?;
        }
        Ok(())
    }
}
