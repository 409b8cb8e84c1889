//! What a block operation must read, and which region of a result it computes. Both follow from the
//! definition of the recorded operation, not from what lowering says.

mod moves;
mod programs;
mod sums;

use std::sync::Arc;

use super::super::Region;
use super::super::graph::{BlockOperation, LoweredGraph, Place, Work};
use super::super::program::Input;
use super::Origin;
use crate::operation::{OpKind, Shape};
use crate::trace::{Operand, Trace};
use sums::Sum;

/// Elements of a value.
#[derive(Debug)]
pub(super) enum Elements {
    Region(Region),
    /// Row and column of each element.
    List(Vec<(u32, u32)>),
}

/// An operand of a block operation.
#[derive(Debug)]
pub(super) enum Need {
    /// The temporary of this block operation.
    Temporary(u32),
    /// Elements of a value of the trace.
    Elements(Operand, Elements),
}

/// What a block operation must read and write.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) reads: Vec<Need>,
    /// The operations whose results it writes, with the regions. Empty for a temporary.
    pub(super) results: Vec<(u32, Region)>,
    /// The operations that it executes as steps without writing their results.
    pub(super) steps: Vec<u32>,
}

/// Walks through the block operations of a chunk, one after the other.
#[derive(Debug)]
pub(super) struct Needs<'g> {
    graph: &'g LoweredGraph,
    sums: Vec<Option<Sum>>,
}

type Checked<T> = Result<T, String>;

fn ensure(holds: bool, what: impl FnOnce() -> String) -> Checked<()> {
    if holds { Ok(()) } else { Err(what()) }
}

/// The region of a value that belongs to `block` of a result. A side of length 1 is repeated along a longer
/// side of the result.
fn met(value: Shape, result: Shape, (row, column, rows, columns): Region) -> Region {
    let (row, rows) = if value.rows == result.rows { (row, rows) } else { (0, 1) };
    let (column, columns) = if value.columns == result.columns { (column, columns) } else { (0, 1) };
    (row, column, rows, columns)
}

impl<'g> Needs<'g> {
    pub(super) fn new(graph: &'g LoweredGraph) -> Needs<'g> {
        Needs { graph, sums: Vec::with_capacity(graph.len()) }
    }

    /// What the next block operation, with this index, must read and write.
    ///
    /// # Errors
    /// The graph differs from the definition.
    pub(super) fn of(&mut self, index: u32) -> Checked<Found> {
        let graph = self.graph;
        let block = &graph.operations[index as usize];
        let recorded = graph.trace.operations.get(block.operation as usize);
        let recorded = recorded.ok_or("the trace has no such operation")?;
        ensure(block.precision == recorded.precision, || format!("the result is {:?}", recorded.precision))?;
        ensure(block.rows > 0 && block.columns > 0, || "the block is empty".into())?;
        let mut sum = None;
        let is_sum = |work| match work {
            Work::Product(_, epilogue) => epilogue.is_none(),
            // An addition of sums of a product.
            Work::Program(_) => graph
                .program(block)
                .is_some_and(|program| program.inputs.iter().any(|input| matches!(input, Input::Operand(_)))),
            _ => false,
        };
        let found = match block.work {
            work if is_sum(work) => self.product(index, block, recorded, &mut sum)?,
            Work::Program(_) | Work::Product(_, Some(_)) => self.program(block, recorded)?,
            Work::Reduce(kind) | Work::Move(kind) => {
                ensure(recorded.kind == kind, || format!("{} was recorded", recorded.kind.name()))?;
                match (block.work, kind) {
                    (Work::Reduce(_), OpKind::CumulativeSum) => self.cumulative(block, recorded)?,
                    (Work::Reduce(_), kind) if kind.is_reduction() || kind == OpKind::Norm => {
                        self.reduction(index, block, recorded, &mut sum)?
                    }
                    (Work::Move(_), kind) if kind.is_move() => self.moved(block, recorded)?,
                    (_, kind) => return Err(format!("{} is other work", kind.name())),
                }
            }
            Work::Product(_, None) => unreachable!("it is a sum"),
        };
        self.sums.push(sum);
        Ok(found)
    }

    fn trace(&self) -> &'g Trace {
        &self.graph.trace
    }

    fn shape(&self, operand: Operand) -> Shape {
        self.trace().operand(operand).0
    }

    /// The region of the whole result that a block operation writes.
    fn result(&self, block: &BlockOperation) -> Checked<Region> {
        let (rows, columns) = (block.rows.into(), block.columns.into());
        let (origin, row, column) = self.located(block.result, (rows, columns))?;
        ensure(origin.0 == Operand::Operation(block.operation), || {
            "it writes the matrix of another value".into()
        })?;
        Ok((row, column, rows, columns))
    }

    /// The value in whose matrix a block lies, and where the block begins in that value.
    fn located(&self, place: Place, (rows, columns): (u32, u32)) -> Checked<(Origin, u32, u32)> {
        let Place::Matrix { matrix, row, column } = place else {
            return Err(format!("{place:?} is in no matrix"));
        };
        let table = (self.graph.matrices.get(matrix as usize), self.graph.origins.get(matrix as usize));
        let (Some(holder), Some(&origin)) = table else { return Err("there is no such matrix".into()) };
        let shape = holder.shape();
        let end = |first: u32, count: u32| first.saturating_add(count);
        ensure(end(row, rows) <= shape.rows && end(column, columns) <= shape.columns, || {
            format!("a block leaves its {shape} matrix")
        })?;
        Ok((origin, row, column + origin.1))
    }

    /// Checks that a place names this region of an operand.
    fn is_at(&self, place: Place, counted: (u32, u32), operand: Operand, region: Region) -> Checked<()> {
        let (row, column, rows, columns) = region;
        let (origin, at_row, at_column) = self.located(place, (rows, columns))?;
        ensure(self.is_value(place, origin.0, operand), || {
            format!("an operand is {operand:?}, not {:?}", origin.0)
        })?;
        ensure((at_row, at_column) == (row, column) && counted == (rows, columns), || {
            let (counted_rows, counted_columns) = counted;
            format!(
                "an operand is {counted_rows}x{counted_columns} at ({at_row}, {at_column}), not {rows}x{columns} at ({row}, {column})"
            )
        })
    }

    /// Whether the matrix at a place is entered for one value, and holds another value as well: constants may
    /// share a matrix.
    fn is_value(&self, place: Place, entered: Operand, operand: Operand) -> bool {
        let Place::Matrix { matrix, .. } = place else { return false };
        let held = |constant: u32| self.trace().constants[constant as usize].slot.get();
        entered == operand
            || match operand {
                Operand::Constant(constant) => held(constant)
                    .is_some_and(|held| Arc::ptr_eq(held, &self.graph.matrices[matrix as usize])),
                _ => false,
            }
    }

    /// The region of the operand at `position` of a block operation.
    fn read(
        &self,
        block: &BlockOperation,
        position: usize,
        operand: Operand,
        region: Region,
    ) -> Checked<Need> {
        let (rows, columns) = block.operand_sides[position];
        self.is_at(block.operands[position], (rows.into(), columns.into()), operand, region)?;
        Ok(Need::Elements(operand, Elements::Region(region)))
    }

    fn has_no_operand(&self, block: &BlockOperation, position: usize) -> Checked<()> {
        ensure(block.operands[position] == Place::None, || format!("there is no operand {position}"))
    }
}
