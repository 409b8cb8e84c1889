//! Lowering of a block operation on shards to block operations on blocks, for the engine of one rank.
//!
//! Block operations on shards are those of one machine with the same engine, but for the cut of rows and columns. A rank
//! with MEUs of its own cuts the result of each of them once more, as it would cut a matrix of that shape. This
//! changes no bit: the parts of the inner side of a product come with the operation, and a reduction goes on from what
//! the block operation before it has left.

use std::sync::Arc;

use super::cut::partition::{Axis, Grid};
use super::cut::{Outline, largest_sides};
use super::graph::{BlockOperation, LoweredGraph, Place, Work};
use super::moves::{self, Moving};
use super::program::{Input, Program};
use super::target::Target;
use super::{Placement, Region};
use crate::matrix::Matrix;
use crate::operation::{OpKind, Shape, Side};
use crate::time::TimeModel;
use crate::trace::{Operand, Trace};

/// What a norm goes on from: scale and sum of squares.
const NORM_SIDES: (u16, u16) = (2, 1);

/// A block operation on shards, apart from its chunk.
#[derive(Debug, Clone)]
pub struct OnShards {
    trace: Arc<Trace>,
    operation: BlockOperation,
    program: Option<Arc<Program>>,
}

/// A block operation on shards that is being lowered.
struct Finer<'a> {
    of: &'a OnShards,
    target: &'a Target,
    model: &'a TimeModel,
    graph: LoweredGraph,
    /// Number of the first result among the matrices of the graph, behind all that is read.
    result: u32,
}

/// Row and column at which a block begins in its matrix, or in its temporary.
fn origin(place: Place) -> (u32, u32) {
    match place {
        Place::Matrix { row, column, .. } => (row, column),
        Place::Temporary(_) | Place::None => (0, 0),
    }
}

fn sides((rows, columns): (u16, u16)) -> Shape {
    Shape { rows: rows.into(), columns: columns.into() }
}

/// The blocks of a grid, one column of blocks after the other.
fn blocks(grid: Grid) -> impl Iterator<Item = Region> {
    let Grid { rows, columns } = grid;
    let of_column = move |j| {
        (0..rows.parts())
            .map(move |i| (rows.offset(i), columns.offset(j), rows.logical(i), columns.logical(j)))
    };
    (0..columns.parts()).flat_map(of_column)
}

impl OnShards {
    /// A block operation of a chunk.
    #[must_use]
    pub fn of(graph: &LoweredGraph, index: u32) -> OnShards {
        let operation = graph.operations[index as usize];
        let program = graph.program(&operation).map(Arc::clone);
        OnShards { trace: Arc::clone(&graph.trace), operation, program }
    }

    /// The trace that it belongs to.
    #[must_use]
    pub fn trace(&self) -> &Arc<Trace> {
        &self.trace
    }

    /// Index of the operation in the trace.
    #[must_use]
    pub fn index(&self) -> u32 {
        self.operation.operation
    }

    /// Lowers it for an engine. What it reads, in the order of [`LoweredGraph::inputs`], and what it writes are windows
    /// ([`Matrix::window`]) of whole matrices, or of temporaries.
    #[must_use]
    pub fn lower(
        &self,
        read: Vec<Arc<Matrix>>,
        written: Vec<Arc<Matrix>>,
        target: &Target,
        model: &TimeModel,
    ) -> LoweredGraph {
        let mut graph = LoweredGraph::new(Arc::clone(&self.trace), target.layout(), Placement::of(target));
        let result = read.len() as u32;
        graph.matrices = read.into_iter().chain(written).collect();
        graph.origins = vec![(Operand::None, 0); graph.matrices.len()];
        graph.last = true;
        let mut finer = Finer { of: self, target, model, graph, result };
        match (self.operation.work, &self.program) {
            (Work::Product(inner, _), program) => finer.product(inner, program.as_deref()),
            (Work::Program(_), Some(program)) => finer.program(program),
            (Work::Program(_), None) => unreachable!("a program is taken along"),
            (Work::Move(_), _) => finer.moved(),
            (Work::Reduce(OpKind::Norm), _) => finer.norm(),
            (Work::Reduce(OpKind::CumulativeSum), _) => finer.cumulative(),
            (Work::Reduce(kind), _) => finer.sums(kind),
        }
        finer.graph
    }
}

impl Finer<'_> {
    /// The result's sides.
    fn shape(&self) -> Shape {
        let operation = &self.of.operation;
        sides((operation.rows, operation.columns))
    }

    /// Along which side a reduction goes.
    fn side(&self) -> Side {
        Side::of(&self.of.trace.operations[self.of.operation.operation as usize].parameters())
    }

    /// A block of the operand of this position, so far from where the operand begins.
    fn operand(&self, position: u32, (down, right): (u32, u32)) -> Place {
        let (row, column) = origin(self.of.operation.operands[position as usize]);
        Place::Matrix { matrix: position, row: row + down, column: column + right }
    }

    /// A block of the result, without operands.
    fn block(&self, work: Work, (down, right, rows, columns): Region) -> BlockOperation {
        let operation = &self.of.operation;
        let (row, column) = origin(operation.result);
        BlockOperation {
            result: Place::Matrix { matrix: self.result, row: row + down, column: column + right },
            ..BlockOperation::new(
                work,
                operation.venue,
                operation.precision,
                operation.operation,
                (rows, columns),
            )
        }
    }

    /// Adds a program, whose inputs are the windows of this graph from this number on.
    fn add_program(&mut self, program: &Program, first: u32) -> u32 {
        let mut program = program.clone();
        let mut numbers = first..;
        for input in program.inputs.iter_mut().filter(|input| **input != Input::Sum) {
            if let (Input::Matrix(window), Some(number)) = (input, numbers.next()) {
                window.matrix = number;
            }
        }
        for (window, number) in program.results.iter_mut().zip(self.result + 1..) {
            window.matrix = number;
        }
        self.graph.add_program(program)
    }

    fn product(&mut self, inner: Axis, epilogue: Option<&Program>) {
        let grid = self.product_grid(inner, epilogue);
        let program = epilogue.map(|program| self.add_program(program, 2));
        let depth = inner.logical(0) as u16;
        for region in blocks(grid) {
            let (row, column, ..) = region;
            let mut block = self.block(Work::Product(inner, program), region);
            block.operands = [self.operand(0, (row, 0)), self.operand(1, (0, column))];
            block.operand_sides = [(block.rows, depth), (depth, block.columns)];
            self.graph.push(block);
        }
    }

    /// The blocks of a product. They leave room for its epilogue.
    fn product_grid(&self, inner: Axis, epilogue: Option<&Program>) -> Grid {
        let precision = self.of.operation.precision;
        let outline = epilogue.map(Outline::of);
        let mut target = *self.target;
        loop {
            let grid = target.product_cut(self.shape(), inner, precision, outline.as_ref(), self.model);
            let fits = outline.as_ref().is_none_or(|outline| {
                let Outline { repeats, results, strips, .. } = outline;
                let further = repeats.iter().copied();
                target.room.fits_epilogue(largest_sides(&grid), precision, further, *results, *strips)
            });
            match target.blocks.smaller(precision) {
                Some(blocks) if !fits => target.blocks = blocks,
                _ => return grid,
            }
        }
    }

    fn program(&mut self, program: &Program) {
        let operation = self.of.operation;
        let is_conversion = program.steps.iter().any(|step| step.kind == OpKind::Convert);
        let precision = if is_conversion { operation.precision } else { program.precision };
        let precisions = (program.precision, precision);
        let grid = self.target.program_cut(self.shape(), precisions, &Outline::of(program), None, self.model);
        let work = Work::Program(self.add_program(program, 0));
        for region in blocks(grid) {
            let (row, column, ..) = region;
            let mut block = self.block(work, region);
            for (position, &operand) in operation.operands.iter().enumerate() {
                if operand != Place::None {
                    block.operands[position] = self.operand(position as u32, (row, column));
                    block.operand_sides[position] = (block.rows, block.columns);
                }
            }
            self.graph.push(block);
        }
    }

    fn moved(&mut self) {
        let trace = Arc::clone(&self.of.trace);
        let index = self.of.operation.operation;
        let operation = &trace.operations[index as usize];
        let moving = Moving::new(&trace, index, self.target);
        let (first_row, first_column) = origin(self.of.operation.result);
        let Shape { rows, columns } = self.shape();
        // A join of which one operand alone has elements here reads one.
        let is_read = moving.regions((first_row, first_column, rows, columns)).map(|region| region.is_some());
        let tables = if is_read[0] { [0, 1] } else { [u32::MAX, 0] };
        let tables = if operation.kind.reads_anywhere() { [0, u32::MAX] } else { tables };
        for (row, column, rows, columns) in blocks(moves::cut(self.target, &trace, operation, self.shape())) {
            let region = (first_row + row, first_column + column, rows, columns);
            self.graph.push(moving.block(self.result, tables, region).0);
        }
    }

    fn sums(&mut self, kind: OpKind) {
        let operation = self.of.operation;
        let (of, side) = (sides(operation.operand_sides[0]), self.side());
        let Grid { rows, columns } = self.target.reduction_cut(kind, of, side, operation.precision);
        let (across, along) = match side {
            Side::Column => (columns, rows),
            Side::Row => (rows, columns),
        };
        for part in 0..across.parts() {
            let (offset, length) = (across.offset(part), across.logical(part));
            let result = match side {
                Side::Column => (0, offset, 1, length),
                Side::Row => (offset, 0, length, 1),
            };
            let sections = (0..along.parts()).map(|section| {
                let (first, count) = (along.offset(section), along.logical(section));
                match side {
                    Side::Column => (first, offset, count, length),
                    Side::Row => (offset, first, length, count),
                }
            });
            let block = self.block(operation.work, result);
            let sides = (block.rows, block.columns);
            self.chain(&sections.collect::<Vec<_>>(), sides, (result.0, result.1), block);
        }
    }

    fn norm(&mut self) {
        let operation = self.of.operation;
        let Shape { rows, columns } = self.shape();
        let Grid { rows: down, columns: right } =
            self.target.norm_cut(sides(operation.operand_sides[0]), operation.precision);
        let sections: Vec<Region> = match down.parts() {
            1 => blocks(Grid { rows: down, columns: right }).collect(),
            _ => blocks(Grid { rows: down, columns: Axis::equal(right.length(), 1) }).collect(),
        };
        let block = self.block(operation.work, (0, 0, rows, columns));
        self.chain(&sections, NORM_SIDES, (0, 0), block);
    }

    /// Block operations that reduce these sections of the operand, one after the other. Each goes on from what the one
    /// before it has left, which has the sides `left`; the first from the second operand, if there is one, at this
    /// offset. The last of them is `last`.
    fn chain(&mut self, sections: &[Region], left: (u16, u16), offset: (u32, u32), last: BlockOperation) {
        let has_before = self.of.operation.operands[1] != Place::None;
        let mut before = has_before.then(|| (self.operand(1, offset), left));
        for (number, &(row, column, height, width)) in sections.iter().enumerate() {
            let mut block = last;
            if number + 1 < sections.len() {
                block.result = Place::Temporary(self.graph.len() as u32);
                (block.rows, block.columns) = left;
            }
            block.operands[0] = self.operand(0, (row, column));
            block.operand_sides[0] = (height as u16, width as u16);
            if let Some((place, sides)) = before {
                (block.operands[1], block.operand_sides[1]) = (place, sides);
            }
            before = Some((block.result, (block.rows, block.columns)));
            let target = self.graph.push(block);
            if let Place::Temporary(writer) = block.operands[1] {
                self.graph.depend(writer, target);
            }
        }
    }

    fn cumulative(&mut self) {
        let operation = self.of.operation;
        let side = self.side();
        let grid = self.target.cumulative_cut(self.shape(), side, operation.precision);
        let has_before = operation.operands[1] != Place::None;
        for (number, region) in (0..).zip(blocks(grid)) {
            let (row, column, ..) = region;
            let mut block = self.block(operation.work, region);
            block.operands[0] = self.operand(0, (row, column));
            block.operand_sides[0] = (block.rows, block.columns);
            // The last row above the block, or the last column on its left; and the block that has it.
            let (first_row, first_column) = origin(operation.result);
            let (reached, across, sides, neighbour) = match side {
                Side::Column => (row, (0, column), (1, block.columns), 1),
                Side::Row => (column, (row, 0), (block.rows, 1), grid.rows.parts()),
            };
            let in_result = |row, column| {
                Some(Place::Matrix {
                    matrix: self.result,
                    row: first_row + row,
                    column: first_column + column,
                })
            };
            let before = match (reached, side) {
                (0, _) => has_before.then(|| self.operand(1, across)),
                (_, Side::Column) => in_result(row - 1, column),
                (_, Side::Row) => in_result(row, column - 1),
            };
            if let Some(place) = before {
                (block.operands[1], block.operand_sides[1]) = (place, sides);
            }
            let target = self.graph.push(block);
            if reached > 0 {
                self.graph.depend(number - neighbour, target);
            }
        }
    }
}
