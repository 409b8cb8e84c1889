//! The lowered graph: block operations and the dependences between them.

use std::fmt;
use std::sync::Arc;

use petgraph::graph::{DiGraph, NodeIndex};

use super::validate::Origin;
use super::{Axis, Fusion, Source};
use crate::error::Blame;
use crate::matrix::Matrix;
use crate::operation::{Form, OpKind, Parameters, Precision, Shape};
use crate::trace::{Trace, TraceOperation};

/// Where a block lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Place {
    /// There is no such operand.
    None,
    /// In a matrix of the graph's table, from element (row, column) on.
    Matrix {
        /// Index into [`LoweredGraph::matrices`].
        matrix: u32,
        /// First row.
        row: u32,
        /// First column.
        column: u32,
    },
    /// In a temporary block, which the block operation of this index writes and exactly one other reads.
    Temporary(u32),
}

/// One operation on blocks: what a Matrix Execution Unit executes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BlockOperation {
    /// What it computes; the additions that sum the products of a matrix product are [`OpKind::Add`].
    pub kind: OpKind,
    /// Which operands are blocks.
    pub form: Form,
    /// Precision of the result.
    pub precision: Precision,
    /// Precision of the operands.
    pub operand_precision: Precision,
    /// Rows of the result that belong to the matrix.
    pub rows: u16,
    /// Columns of the result that belong to the matrix.
    pub columns: u16,
    /// Rows and columns of each operand.
    pub operand_sides: [(u16, u16); 2],
    /// Index of the operation in the trace.
    pub operation: u32,
    /// Where the result goes.
    pub result: Place,
    /// Where the operands are.
    pub operands: [Place; 2],
    /// The scalar of the scalar forms.
    pub scalar: f64,
    /// For a product that sums up several: the parts of the inner side, the first of which are the operands.  The others
    /// follow them in their matrices.
    pub chain: Option<Axis>,
    /// Index into the fusions of the graph ([`LoweredGraph::fusion`]): the block operation executes its steps.  Their inputs are its operands.
    pub fusion: Option<u32>,
}

impl BlockOperation {
    /// What computes a block of an operation's result, or of a part of it: without its places.
    pub(super) fn new(operation: &TraceOperation, index: u32, (rows, columns): (u32, u32)) -> BlockOperation {
        BlockOperation {
            kind: operation.kind,
            form: Form::Values,
            precision: operation.precision,
            operand_precision: operation.precision,
            rows: rows as u16,
            columns: columns as u16,
            operand_sides: [(0, 0); 2],
            operation: index,
            result: Place::None,
            operands: [Place::None; 2],
            scalar: 0.0,
            chain: None,
            fusion: None,
        }
    }

    /// Number of operands that are blocks.
    #[must_use]
    pub fn operand_count(&self) -> usize {
        let pair = self.operands.iter().filter(|&&place| place != Place::None).count();
        self.chain.map_or(pair, |chain| 2 * chain.parts() as usize)
    }

    /// Length of the sums of a matrix product.
    #[must_use]
    pub fn inner(&self) -> u16 {
        self.operand_sides[0].1
    }
}

/// The arguments of an operation as text; `b` is empty when there is none.
fn arguments_text(form: Form, scalar: f64, a: String, b: String) -> String {
    match form {
        Form::ScalarRight => format!("{a}, {scalar:?}"),
        Form::ScalarLeft => format!("{scalar:?}, {a}"),
        Form::Values if b.is_empty() => a,
        Form::Values => format!("{a}, {b}"),
    }
}

const NONE: u32 = u32::MAX;

/// Block operations in topological order, and who depends on whom among them.
///
/// A trace is lowered to one or several of these ("chunks"): what a chunk reads from an earlier one is there when it starts.
#[derive(Debug)]
#[cfg_attr(test, derive(Clone))]
pub struct LoweredGraph {
    /// The trace that it is part of.
    pub trace: Arc<Trace>,
    /// The operations.
    pub operations: Vec<BlockOperation>,
    /// The matrices that they read and write.
    pub matrices: Vec<Arc<Matrix>>,
    /// What each matrix holds.
    pub(super) origins: Vec<Origin>,
    /// Operands that other operations of this graph compute.
    guards: Vec<u16>,
    /// First outgoing edge of each operation.
    first_edge: Vec<u32>,
    /// Target, and next edge of the same source.
    edges: Vec<(u32, u32)>,
    /// Bytes of the results that got their memory with it.
    pub result_bytes: u64,
    /// True for the last chunk of its trace.
    pub last: bool,
    /// True when element-wise operations are executed in main memory.
    pub in_place: bool,
    fusions: Vec<Fusion>,
}

impl LoweredGraph {
    pub(super) fn new(trace: Arc<Trace>) -> LoweredGraph {
        LoweredGraph {
            trace,
            operations: Vec::new(),
            matrices: Vec::new(),
            origins: Vec::new(),
            guards: Vec::new(),
            first_edge: Vec::new(),
            edges: Vec::new(),
            result_bytes: 0,
            last: false,
            in_place: false,
            fusions: Vec::new(),
        }
    }

    pub(super) fn push(&mut self, operation: BlockOperation) -> u32 {
        let index = self.operations.len() as u32;
        self.operations.push(operation);
        self.guards.push(0);
        self.first_edge.push(NONE);
        index
    }

    /// `target` reads what `source` computes.
    pub(super) fn depend(&mut self, source: u32, target: u32) {
        debug_assert!(source < target);
        let edge = self.edges.len() as u32;
        self.edges.push((target, self.first_edge[source as usize]));
        self.first_edge[source as usize] = edge;
        self.guards[target as usize] += 1;
    }

    pub(super) fn add_fusion(&mut self, fusion: Fusion) -> u32 {
        self.fusions.push(fusion);
        self.fusions.len() as u32 - 1
    }

    /// The fusion that a block operation executes.
    #[must_use]
    pub fn fusion(&self, operation: &BlockOperation) -> Option<&Fusion> {
        operation.fusion.and_then(|number| self.fusions.get(number as usize))
    }

    /// How much a block operation computes, as [`Trace::work`] counts it.
    #[must_use]
    pub fn work(&self, operation: &BlockOperation) -> u64 {
        let (rows, columns) = match operation.kind {
            kind if kind.is_sum() => operation.operand_sides[0],
            _ => (operation.rows, operation.columns),
        };
        let each = match (operation.kind, operation.chain) {
            (OpKind::Multiply, Some(chain)) => chain.length().into(),
            (OpKind::Multiply, None) => operation.inner().into(),
            _ => self.fusion(operation).map_or(1, |fusion| fusion.steps.len() as u64),
        };
        u64::from(rows) * u64::from(columns) * each
    }

    /// The inputs of a fused block operation: where each lies, its rows and columns.
    pub fn inputs(&self, operation: &BlockOperation) -> impl Iterator<Item = (Place, (u16, u16))> {
        let (first_row, first_column) = match operation.result {
            Place::Matrix { row, column, .. } => (row, column),
            _ => (0, 0),
        };
        let (rows, columns) = (operation.rows, operation.columns);
        self.fusion(operation).into_iter().flat_map(|fusion| &fusion.inputs).map(move |input| {
            let (row, rows) = if input.repeats.0 { (0, 1) } else { (first_row, rows) };
            let column = first_column.wrapping_add_signed(input.shift);
            let (column, columns) = if input.repeats.1 { (0, 1) } else { (column, columns) };
            (Place::Matrix { matrix: input.matrix, row, column }, (rows, columns))
        })
    }

    /// Number of block operations.
    #[must_use]
    pub fn len(&self) -> usize {
        self.operations.len()
    }

    /// True when there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }

    /// Guard counts: how many operand positions of each operation wait for another operation of this graph.
    #[must_use]
    pub fn guards(&self) -> &[u16] {
        &self.guards
    }

    /// The operations that read the result of `index`, once for each operand position.
    pub fn dependants(&self, index: u32) -> impl Iterator<Item = u32> + '_ {
        let mut edge = self.first_edge[index as usize];
        std::iter::from_fn(move || {
            let (target, next) = *self.edges.get(edge as usize)?;
            edge = next;
            Some(target)
        })
    }

    /// Main-memory address and distance between columns, in bytes, of a place in a matrix; None for others.
    #[must_use]
    pub fn address(&self, place: Place) -> Option<(u64, u32)> {
        let Place::Matrix { matrix, row, column } = place else { return None };
        let matrix = &self.matrices[matrix as usize];
        Some((matrix.ea(row, column), matrix.stride_bytes() as u32))
    }

    fn recorded(&self, operation: &BlockOperation) -> &TraceOperation {
        &self.trace.operations[operation.operation as usize]
    }

    /// What a direct operation needs to know besides its operands, and where its result begins in the whole result.
    #[must_use]
    pub fn parameters(&self, index: u32) -> (Parameters, (u32, u32)) {
        let operation = &self.operations[index as usize];
        let parameters = self.recorded(operation).parameters.as_deref().copied().unwrap_or_default();
        match operation.result {
            Place::Matrix { row, column, .. } => (parameters, (row, column)),
            _ => (parameters, (0, 0)),
        }
    }

    /// The shape of the first operand of a direct operation that reads all of it.
    #[must_use]
    pub fn whole_operand(&self, index: u32) -> Option<Shape> {
        let operation = &self.operations[index as usize];
        match operation.operands[0] {
            Place::Matrix { matrix, .. } if operation.kind.reads_anywhere() => {
                Some(self.matrices[matrix as usize].shape())
            }
            _ => None,
        }
    }

    /// Bytes that a temporary block takes: columns of whole quadwords.
    #[must_use]
    pub fn temporary_bytes(&self, index: u32) -> usize {
        self.temporary_stride_bytes(index) as usize * usize::from(self.operations[index as usize].columns)
    }

    /// Distance between the columns of a temporary block, in bytes.
    #[must_use]
    pub fn temporary_stride_bytes(&self, index: u32) -> u32 {
        let operation = &self.operations[index as usize];
        let bytes = usize::from(operation.rows) * operation.precision.element_bytes();
        bytes.next_multiple_of(crate::matrix::QUADWORD_BYTES) as u32
    }

    /// The operation of the trace, for an error message.
    #[must_use]
    pub fn blame(&self, index: u32) -> Blame {
        self.trace.blame(self.operations[index as usize].operation)
    }

    /// Index in the trace of the operation that a block operation, or a step of its fusion, belongs to.
    #[must_use]
    pub fn recorded_index(&self, index: u32, step: u32) -> u32 {
        let operation = &self.operations[index as usize];
        let step = self.fusion(operation).and_then(|fusion| fusion.steps.get(step as usize));
        step.map_or(operation.operation, |step| step.operation)
    }

    fn place_name(&self, place: Place) -> String {
        match place {
            Place::None => String::new(),
            Place::Temporary(writer) => format!("t{writer}"),
            Place::Matrix { matrix, row, column } => {
                let name = match self.origins[matrix as usize].0 {
                    crate::trace::Operand::Constant(index) => format!("c{index}"),
                    crate::trace::Operand::Operation(index) => format!("%{index}"),
                    crate::trace::Operand::None => String::new(),
                };
                format!("{name}[{row},{column}]")
            }
        }
    }

    /// One operation as text, without its number.
    #[must_use]
    pub fn operation_text(&self, index: u32) -> String {
        let operation = &self.operations[index as usize];
        if let Some(fusion) = self.fusion(operation) {
            return self.fusion_text(operation, fusion);
        }
        let [a, b] = operation.operands.map(|place| self.place_name(place));
        let arguments = arguments_text(operation.form, operation.scalar, a, b);
        let (kind, result) = (operation.kind.name(), self.place_name(operation.result));
        let chain = operation.chain.map(|chain| format!(" x{}", chain.parts())).unwrap_or_default();
        let parameters = match operation.kind.is_direct() {
            true => self.recorded(operation).parameter_text(),
            false => String::new(),
        };
        format!("{result} = {kind}({arguments}{parameters}){chain} {}x{}", operation.rows, operation.columns)
    }

    fn fusion_text(&self, operation: &BlockOperation, fusion: &Fusion) -> String {
        let inputs: Vec<_> = self.inputs(operation).map(|(place, _)| self.place_name(place)).collect();
        let source = |source: Source| match source {
            Source::None => String::new(),
            Source::Input(input) => inputs[input as usize].clone(),
            Source::Strip(strip) => format!("s{strip}"),
        };
        let steps = fusion.steps.iter().enumerate().map(|(number, step)| {
            let [a, b] = step.operands.map(source);
            let arguments = arguments_text(step.form, step.scalar, a, b);
            let result = match number + 1 == fusion.steps.len() {
                true => self.place_name(operation.result),
                false => format!("s{}", step.result),
            };
            format!("{result} = {}({arguments})", step.kind.name())
        });
        let steps: Vec<_> = steps.collect();
        format!("{} {}x{}", steps.join("; "), operation.rows, operation.columns)
    }

    /// The dependences as a petgraph, for checks and for Graphviz.
    #[must_use]
    pub fn to_petgraph(&self) -> DiGraph<String, ()> {
        let mut graph = DiGraph::with_capacity(self.len(), self.edges.len());
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

/// Changes that no lowering makes.
#[cfg(test)]
impl LoweredGraph {
    /// The same operations with no dependences.
    pub(super) fn without_edges(&self) -> LoweredGraph {
        let mut graph = self.clone();
        graph.edges.clear();
        graph.first_edge.fill(NONE);
        graph.guards.fill(0);
        graph
    }

    /// As many guards and edge lists as there are operations.
    pub(super) fn change_length(&mut self) {
        self.guards.truncate(self.operations.len());
        self.first_edge.truncate(self.operations.len());
    }

    pub(super) fn change_guard(&mut self, index: usize, by: i16) {
        self.guards[index] = self.guards[index].wrapping_add_signed(by);
    }

    pub(super) fn fusions(&self) -> &[Fusion] {
        &self.fusions
    }

    pub(super) fn fusions_mut(&mut self) -> &mut [Fusion] {
        &mut self.fusions
    }
}

impl fmt::Display for LoweredGraph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for index in 0..self.len() as u32 {
            writeln!(f, "b{index}: {} guard {}", self.operation_text(index), self.guards[index as usize])?;
        }
        Ok(())
    }
}
