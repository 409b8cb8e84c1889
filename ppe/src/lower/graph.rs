//! The lowered graph: block operations and the dependences between them.

pub(super) mod regions;
mod text;

use std::sync::Arc;

use super::program::{Input, Program, Step, Window, met_region};
use super::validate::Origin;
use super::{Axis, Grid, Placement, Venue};
use crate::error::Blame;
use crate::matrix::{Layout, Matrix, QUADWORD_BYTES};
use crate::operation::{OpKind, Parameters, Precision, Shape};
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
    /// In a temporary block, which the block operation of this index writes. Exactly one other block
    /// operation reads it.
    Temporary(u32),
}

/// What a block operation computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// The sum of the products of these parts of the inner side. The block operation names the operands of
    /// the first part. The operands of the next parts follow in their matrices: along the columns of the
    /// first matrix, along the rows of the second.
    ///
    /// With the number of a program of the graph, its epilogue, the block operation executes the steps on the
    /// sum while it is in the local store, and writes the program's results.
    Product(Axis, Option<u32>),
    /// The steps of this program of the graph ([`LoweredGraph::program`]).
    Program(u32),
    /// The elements of the operands, moved; the recorded operation's parameters say where
    /// ([`LoweredGraph::parameters`]).
    Move(OpKind),
    /// Columns or rows, reduced; the recorded operation's parameters say which.
    Reduce(OpKind),
}

/// One operation on blocks: what a Matrix Execution Unit, or the PPE, executes at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockOperation {
    /// What it computes.
    pub work: Work,
    /// Where it is executed.
    pub venue: Venue,
    /// Precision of the result.
    pub precision: Precision,
    /// Rows of the result that belong to the matrix.
    pub rows: u16,
    /// Columns of the result that belong to the matrix.
    pub columns: u16,
    /// Rows and columns of each operand.
    pub operand_sides: [(u16, u16); 2],
    /// Whether each operand of a product is stored transposed.  Then its place is the place of the stored
    /// block, which has as many rows as the operand has columns.
    pub transposed: [bool; 2],
    /// Index of the operation in the trace.
    pub operation: u32,
    /// Where the result goes.
    pub result: Place,
    /// Where the operands are. The operands of a program are its inputs ([`LoweredGraph::inputs`]), and the
    /// further operands of a product are the inputs of its epilogue.
    pub operands: [Place; 2],
}

impl Work {
    /// The kind of operation, beside the steps of its program. None for a program, which consists of steps.
    #[must_use]
    pub fn kind(self) -> Option<OpKind> {
        match self {
            Work::Product(..) => Some(OpKind::Multiply),
            Work::Move(kind) | Work::Reduce(kind) => Some(kind),
            Work::Program(_) => None,
        }
    }

    /// Whether the block operation is a move that may read any element of its operand.
    #[must_use]
    pub fn reads_anywhere(self) -> bool {
        matches!(self, Work::Move(kind) if kind.reads_anywhere())
    }
}

impl BlockOperation {
    /// The block operation that computes a block of an operation's result, before its places are known.
    pub(super) fn new(
        work: Work,
        venue: Venue,
        precision: Precision,
        operation: u32,
        (rows, columns): (u32, u32),
    ) -> BlockOperation {
        BlockOperation {
            work,
            venue,
            precision,
            rows: rows as u16,
            columns: columns as u16,
            operand_sides: [(0, 0); 2],
            transposed: [false; 2],
            operation,
            result: Place::None,
            operands: [Place::None; 2],
        }
    }
}

/// The region of an input that belongs to a block of the result.
fn met(operation: &BlockOperation, window: Window) -> (Place, (u16, u16)) {
    let (first_row, first_column) = match operation.result {
        Place::Matrix { row, column, .. } => (row, column),
        _ => (0, 0),
    };
    let column = first_column.wrapping_add_signed(window.shift);
    let block = (first_row, column, u32::from(operation.rows), u32::from(operation.columns));
    let (row, column, rows, columns) = met_region(window.repeats, block);
    (Place::Matrix { matrix: window.matrix, row, column }, (rows as u16, columns as u16))
}

const NONE: u32 = u32::MAX;

/// Block operations in topological order, and the dependences between them.
///
/// A trace is lowered to one or several graphs, its chunks. When a chunk starts, all results of earlier
/// chunks are in memory.
#[derive(Debug)]
#[cfg_attr(test, derive(Clone))]
pub struct LoweredGraph {
    /// The trace that the chunk belongs to.
    pub trace: Arc<Trace>,
    /// The operations.
    pub operations: Vec<BlockOperation>,
    /// The matrices that the block operations read and write.
    pub matrices: Vec<Arc<Matrix>>,
    /// The shards of each matrix, where several ranks hold them; empty on one machine.
    pub shards: Vec<Grid>,
    /// What each matrix holds.
    pub(super) origins: Vec<Origin>,
    /// For each block operation: the number of edges that lead to it.
    guards: Vec<u16>,
    /// First outgoing edge of each operation.
    first_edge: Vec<u32>,
    /// For each edge: its target, and the next edge of its source.
    edges: Vec<(u32, u32)>,
    /// Bytes of the results that got their memory with this chunk.
    pub result_bytes: u64,
    /// Bytes of the results, of this chunk and of earlier ones, that nothing keeps and that no later chunk reads:
    /// their memory is free when the chunk has been executed.
    pub released_bytes: u64,
    /// True for the last chunk of its trace.
    pub last: bool,
    programs: Vec<Arc<Program>>,
    /// The layout of results and temporary blocks.
    pub(super) layout: Layout,
    /// In which Cell's memory matrices lie.
    pub placement: Placement,
}

impl LoweredGraph {
    pub(super) fn new(trace: Arc<Trace>, layout: Layout, placement: Placement) -> LoweredGraph {
        LoweredGraph {
            trace,
            operations: Vec::new(),
            matrices: Vec::new(),
            shards: Vec::new(),
            origins: Vec::new(),
            guards: Vec::new(),
            first_edge: Vec::new(),
            edges: Vec::new(),
            result_bytes: 0,
            released_bytes: 0,
            last: false,
            programs: Vec::new(),
            layout,
            placement,
        }
    }

    pub(super) fn push(&mut self, operation: BlockOperation) -> u32 {
        let index = self.operations.len() as u32;
        self.operations.push(operation);
        self.guards.push(0);
        self.first_edge.push(NONE);
        index
    }

    /// Notes that `target` must wait for `source`: it reads what `source` computes, or it writes where `source` reads
    /// something else.
    pub(super) fn depend(&mut self, source: u32, target: u32) {
        debug_assert!(source < target);
        let edge = self.edges.len() as u32;
        self.edges.push((target, self.first_edge[source as usize]));
        self.first_edge[source as usize] = edge;
        self.guards[target as usize] += 1;
    }

    /// Adds a program. Returns its number.
    pub(super) fn add_program(&mut self, program: Program) -> u32 {
        self.programs.push(Arc::new(program));
        self.programs.len() as u32 - 1
    }

    /// The program that a block operation executes, alone or as the epilogue of a product.
    #[must_use]
    pub fn program(&self, operation: &BlockOperation) -> Option<&Arc<Program>> {
        let (Work::Program(number) | Work::Product(_, Some(number))) = operation.work else { return None };
        self.programs.get(number as usize)
    }

    /// The steps of the program that a block operation executes; empty for other work.
    pub fn steps(&self, operation: &BlockOperation) -> &[Step] {
        self.program(operation).map_or(&[], |program| &program.steps)
    }

    /// How much a block operation computes, as [`Trace::work`] counts it.
    #[must_use]
    pub fn work(&self, operation: &BlockOperation) -> u64 {
        let (rows, columns) = match operation.work {
            Work::Reduce(kind) if kind.is_sum() => operation.operand_sides[0],
            _ => (operation.rows, operation.columns),
        };
        let each = match operation.work {
            Work::Product(parts, _) => u64::from(parts.length()) + self.steps(operation).len() as u64,
            Work::Program(_) => self.steps(operation).len() as u64,
            Work::Move(_) | Work::Reduce(_) => 1,
        };
        u64::from(rows) * u64::from(columns) * each
    }

    /// What a block operation reads: where each block lies, its rows and its columns. For a product these are
    /// the operands of the first part, and then what the epilogue reads.
    pub fn inputs(&self, operation: &BlockOperation) -> impl Iterator<Item = (Place, (u16, u16))> + Clone {
        let operation = *operation;
        let program = self.program(&operation);
        let own = if matches!(operation.work, Work::Program(_)) { 0 } else { operation.operands.len() };
        let operands = (0..own).map(|position| Input::Operand(position as u8));
        let inputs = operands.chain(program.into_iter().flat_map(|program| program.inputs.iter().copied()));
        inputs.filter_map(move |input| {
            let (place, sides) = match input {
                Input::Matrix(window) => met(&operation, window),
                Input::Operand(position) => {
                    let position = usize::from(position);
                    (*operation.operands.get(position)?, operation.operand_sides[position])
                }
                Input::Sum => return None,
            };
            (place != Place::None).then_some((place, sides))
        })
    }

    /// Number of operand blocks. For a product these are the operands of all parts.
    #[must_use]
    pub fn operand_count(&self, operation: &BlockOperation) -> usize {
        match operation.work {
            Work::Product(parts, _) => {
                let further = self.inputs(operation).count() - operation.operands.len();
                2 * parts.parts() as usize + further
            }
            _ => self.inputs(operation).count(),
        }
    }

    /// What a block operation writes in addition to its first result.
    pub fn more_results(&self, operation: &BlockOperation) -> impl Iterator<Item = Place> {
        let operation = *operation;
        let windows = self.program(&operation).map_or(&[][..], |program| &program.results);
        windows.iter().map(move |&window| met(&operation, window).0)
    }

    /// Bytes of results that the block operations write to matrices.
    #[must_use]
    pub fn written_bytes(&self) -> u64 {
        let bytes = |operation: &BlockOperation| {
            let area = u64::from(operation.rows) * u64::from(operation.columns);
            let places = std::iter::once(operation.result).chain(self.more_results(operation));
            let in_matrix = places.filter(|place| matches!(place, Place::Matrix { .. }));
            let element_bytes =
                |place| self.precision(place).map_or(0, |precision| precision.element_bytes());
            in_matrix.map(|place| area * element_bytes(place) as u64).sum::<u64>()
        };
        self.operations.iter().map(bytes).sum()
    }

    /// Number of dependences.
    #[must_use]
    pub fn edge_count(&self) -> usize {
        self.edges.len()
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

    /// Guard counts: how often each operation waits for another operation of this graph, once for each operand position,
    /// and once for each operation that reads what was in memory before its result.
    #[must_use]
    pub fn guards(&self) -> &[u16] {
        &self.guards
    }

    /// The operations that wait for `index`: the ones that read its result, once for each operand position, and the
    /// ones that write where it reads what was there before.
    pub fn dependants(&self, index: u32) -> impl Iterator<Item = u32> + '_ {
        let mut edge = self.first_edge[index as usize];
        std::iter::from_fn(move || {
            let (target, next) = *self.edges.get(edge as usize)?;
            edge = next;
            Some(target)
        })
    }

    /// True when each operation waits for the one before it, so that no two can be executed at once.
    #[must_use]
    pub fn is_chain(&self) -> bool {
        (1..self.len() as u32).all(|index| self.dependants(index - 1).any(|reader| reader == index))
    }

    /// Main-memory address of a place in a matrix, and the distance between columns in bytes. None for any
    /// other place.
    #[must_use]
    pub fn address(&self, place: Place) -> Option<(u64, u32)> {
        let Place::Matrix { matrix, row, column } = place else { return None };
        let matrix = &self.matrices[matrix as usize];
        Some((matrix.ea(row, column), matrix.stride_bytes() as u32))
    }

    pub(super) fn recorded(&self, operation: &BlockOperation) -> &TraceOperation {
        &self.trace.operations[operation.operation as usize]
    }

    /// The parameters of a move or a reduction, and row and column at which its block begins in the whole
    /// result.
    #[must_use]
    pub fn parameters(&self, index: u32) -> (Parameters, (u32, u32)) {
        let operation = &self.operations[index as usize];
        let parameters = self.recorded(operation).parameters.as_deref().copied().unwrap_or_default();
        match operation.result {
            Place::Matrix { row, column, .. } => (parameters, (row, column)),
            _ => (parameters, (0, 0)),
        }
    }

    /// The shape of the first operand of a move that may read any element of it.
    #[must_use]
    pub fn whole_operand(&self, index: u32) -> Option<Shape> {
        let operation = &self.operations[index as usize];
        match operation.operands[0] {
            Place::Matrix { matrix, .. } if operation.work.reads_anywhere() => {
                Some(self.matrices[matrix as usize].shape())
            }
            _ => None,
        }
    }

    /// Precision of the elements at a place.
    #[must_use]
    pub fn precision(&self, place: Place) -> Option<Precision> {
        match place {
            Place::None => None,
            Place::Matrix { matrix, .. } => Some(self.matrices[matrix as usize].precision()),
            Place::Temporary(writer) => Some(self.operations[writer as usize].precision),
        }
    }

    /// Bytes that a temporary block takes: whole quadwords.
    #[must_use]
    pub fn temporary_bytes(&self, index: u32) -> usize {
        let columns = usize::from(self.operations[index as usize].columns);
        (self.temporary_stride_bytes(index) as usize * columns).next_multiple_of(QUADWORD_BYTES)
    }

    /// Distance between the columns of a temporary block, in bytes. Elements of one row touch where those of the
    /// result do, since a program that adds temporaries up takes all its rows in the same way: the last row of a
    /// larger matrix is none that touches.
    #[must_use]
    pub fn temporary_stride_bytes(&self, index: u32) -> u32 {
        let operation = &self.operations[index as usize];
        let shape = Shape { rows: operation.rows.into(), columns: operation.columns.into() };
        let is_row = self.recorded(operation).shape.rows == 1;
        let layout = if is_row { self.layout } else { Layout::Apart };
        (layout.leading_elements(shape, operation.precision) * operation.precision.element_bytes()) as u32
    }

    /// The operation of the trace, for an error message.
    #[must_use]
    pub fn blame(&self, index: u32) -> Blame {
        self.trace.blame(self.operations[index as usize].operation)
    }

    /// Index in the trace of the operation to which a block operation, or a step of its program, belongs.
    #[must_use]
    pub fn recorded_index(&self, index: u32, step: u32) -> u32 {
        let operation = &self.operations[index as usize];
        self.steps(operation).get(step as usize).map_or(operation.operation, |step| step.operation)
    }
}

/// Changes that lowering never makes, for tests.
#[cfg(test)]
impl LoweredGraph {
    /// This graph without its dependences.
    pub(super) fn without_edges(&self) -> LoweredGraph {
        let mut graph = self.clone();
        graph.edges.clear();
        graph.first_edge.fill(NONE);
        graph.guards.fill(0);
        graph
    }

    /// Makes the number of guard counts and edge lists equal to the number of operations.
    pub(super) fn change_length(&mut self) {
        self.guards.truncate(self.operations.len());
        self.first_edge.truncate(self.operations.len());
    }

    pub(super) fn change_guard(&mut self, index: usize, by: i16) {
        self.guards[index] = self.guards[index].wrapping_add_signed(by);
    }

    pub(super) fn programs(&self) -> &[Arc<Program>] {
        &self.programs
    }

    pub(super) fn program_mut(&mut self, number: usize) -> &mut Program {
        Arc::make_mut(&mut self.programs[number])
    }
}
