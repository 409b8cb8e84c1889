//! Moves on blocks: operations that take elements to other positions.
//!
//! A move in memory needs no alignment for DMA, and its blocks need not fit a local store. SPEs execute
//! joins, triangles, and views that take rows and columns of a rectangle of their operand, as they are or
//! transposed, in their local stores. They gather the elements of all other moves ([`super::gathered`]), unless these
//! elements are few.

use std::sync::Arc;

use super::cut::partition::Grid;
use super::extent::Extent;
use super::gathered::{gathered_sides, is_gathered, on_diagonal};
use super::graph::{BlockOperation, Place, Work};
use super::target::{Target, Venue};
use super::{Cursor, Lowering, Order, Region};
use crate::error::Result;
use crate::operation::{OpKind, Parameters, Shape, Side, Taken, View};
use crate::trace::{Trace, TraceOperation};

impl Lowering<'_> {
    /// Emits a move: one block operation for each block of the result.
    pub(super) fn emit_move(
        &mut self,
        index: u32,
        extent: &Extent,
        cursor: Cursor,
    ) -> Result<Option<Cursor>> {
        let trace = Arc::clone(&self.trace);
        let operation = &trace.operations[index as usize];
        let moving = Moving::new(&trace, index, self.plan.target());
        let result = self.place_result(index, extent)?;
        let mut tables = [u32::MAX; 2];
        for (table, operand) in tables.iter_mut().zip(operation.operands) {
            *table = match moving.venue {
                Venue::LocalStore => self.place_operand(operand)?,
                Venue::Memory | Venue::Ppe => self.place_in_memory(operand)?,
            };
        }
        Ok(self.each_block(&[index], extent, Order::Columns, cursor, |lowering, block| {
            let (block, regions) = moving.block(result, tables, block);
            let target = lowering.push(block);
            for (operand, region) in operation.operands.into_iter().zip(regions) {
                if let Some(region) = region {
                    lowering.depend_on_region(operand, region, target);
                }
            }
            target
        }))
    }
}

/// A move, as far as its blocks are alike.
#[derive(Debug)]
pub(super) struct Moving<'t> {
    operation: &'t TraceOperation,
    index: u32,
    /// The shape of the first operand.
    from: Shape,
    taken: Option<Taken>,
    venue: Venue,
}

impl<'t> Moving<'t> {
    /// The move of this index.
    pub(super) fn new(trace: &'t Trace, index: u32, target: &Target) -> Moving<'t> {
        let operation = &trace.operations[index as usize];
        let (taken, from) = (taken(trace, operation), trace.operand(operation.operands[0]).0);
        Moving { operation, index, from, taken, venue: venue(target, trace, operation) }
    }

    /// The region of each operand that a block of the result needs.
    pub(super) fn regions(&self, block: Region) -> [Option<Region>; 2] {
        moved_regions(self.operation, self.from, block)
    }

    /// The block operation for a block of the result, where these are the numbers of the matrices of the result and of the
    /// operands; and the region of each operand that it reads.
    pub(super) fn block(
        &self,
        result: u32,
        tables: [u32; 2],
        region: Region,
    ) -> (BlockOperation, [Option<Region>; 2]) {
        let &Moving { operation, index, from, taken, venue } = self;
        let (row, column, rows, columns) = region;
        let work = Work::Move(operation.kind);
        let mut block = BlockOperation::new(work, venue, operation.precision, index, (rows, columns));
        block.result = Place::Matrix { matrix: result, row, column };
        let regions = self.regions(region);
        // A move that may read any element reads the whole operand. Any other move reads these regions, as far as they
        // are not empty.
        let anywhere = operation.kind.reads_anywhere();
        let mut next = 0;
        for (position, region) in regions.into_iter().enumerate() {
            match region {
                _ if anywhere && position == 0 => {
                    block.operands[0] = Place::Matrix { matrix: tables[0], row: 0, column: 0 };
                    // What DMA transfers counts for the time of the operation.
                    let (rows, columns) = match (venue, taken) {
                        (Venue::LocalStore, Some(taken)) => taken.fetched((rows, columns)),
                        (Venue::LocalStore, None) => {
                            let of = (operation.kind, &operation.parameters(), operation.precision);
                            gathered_sides(of, from, (row, column, rows, columns))
                        }
                        _ => (0, 0),
                    };
                    block.operand_sides[0] = (rows as u16, columns as u16);
                }
                Some((row, column, rows, columns)) => {
                    block.operands[next] = Place::Matrix { matrix: tables[position], row, column };
                    block.operand_sides[next] = (rows as u16, columns as u16);
                    next += 1;
                }
                None => {}
            }
        }
        (block, regions)
    }
}

/// The cut of the result of a move, or of a part of it that has this shape.
pub(super) fn cut(target: &Target, trace: &Trace, operation: &TraceOperation, shape: Shape) -> Grid {
    let venue = venue(target, trace, operation);
    let is_gathered = venue == Venue::LocalStore && gathers(trace, operation);
    let walks_rows = !is_gathered && walks_rows(trace, operation);
    target.move_cut(venue, shape, operation.precision, walks_rows, rows_apart(trace, operation))
}

/// The region of each operand that a block of the result of a move needs. `shape` is the shape of the first operand.
pub(super) fn moved_regions(operation: &TraceOperation, shape: Shape, block: Region) -> [Option<Region>; 2] {
    let (row, column, rows, columns) = block;
    let parameters = operation.parameters();
    match operation.kind {
        OpKind::View => [Some(view_region(&parameters, block, shape)), None],
        OpKind::Repeat => {
            let (row, rows) = repeated(row, rows, shape.rows);
            let (column, columns) = repeated(column, columns, shape.columns);
            [Some((row, column, rows, columns)), None]
        }
        OpKind::Diagonal => [diagonal_region(parameters[0], block, shape), None],
        OpKind::Join if Side::of(&parameters) == Side::Column => {
            let ([a, b], skipped) = split(row, rows, shape.rows);
            [
                a.map(|(row, rows)| (row, column, rows, columns)),
                b.map(|(row, rows)| (row - skipped, column, rows, columns)),
            ]
        }
        OpKind::Join => {
            let ([a, b], skipped) = split(column, columns, shape.columns);
            [
                a.map(|(column, columns)| (row, column, rows, columns)),
                b.map(|(column, columns)| (row, column - skipped, rows, columns)),
            ]
        }
        _ => [Some(block), None],
    }
}

/// Most elements that the PPE moves rather than an SPE, which would wait longer for their quadwords.
const FEW_ELEMENTS: u64 = 64;

/// The venue of a move. The PPE moves few elements that an SPE would have to gather.
pub(super) fn venue(target: &Target, trace: &Trace, operation: &TraceOperation) -> Venue {
    match target.venue(operation.kind) {
        Venue::LocalStore if operation.shape.elements() <= FEW_ELEMENTS && gathers(trace, operation) => {
            Venue::Ppe
        }
        venue => venue,
    }
}

/// Whether an SPE gathers the elements of a move.
fn gathers(trace: &Trace, operation: &TraceOperation) -> bool {
    let from = trace.operand(operation.operands[0]).0;
    is_gathered(operation.kind, &operation.parameters(), from, operation.shape)
}

/// How a view takes a rectangle of its operand; None for any other view and any other move.
fn taken(trace: &Trace, operation: &TraceOperation) -> Option<Taken> {
    let from = trace.operand(operation.operands[0]).0;
    let is_view = operation.kind == OpKind::View;
    is_view.then(|| View::of_rectangle(&operation.parameters(), from, operation.shape))?
}

/// How many rows of the operand of a move lie from one row of its result to the next.
fn rows_apart(trace: &Trace, operation: &TraceOperation) -> usize {
    match taken(trace, operation) {
        Some(Taken::Picked { rows_apart, .. }) => rows_apart.unsigned_abs() as usize,
        _ => 1,
    }
}

/// Whether an operation takes the elements of a column of its result from a row of its operand.
fn walks_rows(trace: &Trace, operation: &TraceOperation) -> bool {
    operation.kind == OpKind::View
        && operation.parameters()[1].unsigned_abs() >= u64::from(trace.operand(operation.operands[0]).0.rows)
}

/// The rectangle of the operand that contains all elements of a block of a view. The block's corners have the
/// least and the greatest element numbers.
fn view_region(&[offset, row_step, column_step, _]: &Parameters, block: Region, shape: Shape) -> Region {
    let (row, column, rows, columns) = block;
    let first = offset + row_step * i64::from(row) + column_step * i64::from(column);
    let (down, right) = (row_step * i64::from(rows - 1), column_step * i64::from(columns - 1));
    let least = first + down.min(0) + right.min(0);
    let most = first + down.max(0) + right.max(0);
    let height = i64::from(shape.rows);
    let (left, end) = (least / height, most / height);
    // When one step of the view stays within a column and the other leads from column to column, rows form a
    // range of their own.
    let within = |step: i64, other: i64, range: i64| {
        other % height == 0 && {
            let top = first % height + (step * range).min(0);
            top >= 0 && first % height + (step * range).max(0) < height
        }
    };
    let (top, rows) = if within(row_step, column_step, i64::from(rows - 1)) {
        (first % height + down.min(0), down.abs() + 1)
    } else if within(column_step, row_step, i64::from(columns - 1)) {
        (first % height + right.min(0), right.abs() + 1)
    } else if left == end {
        (least % height, most - least + 1)
    } else {
        (0, height)
    };
    (top as u32, left as u32, rows as u32, (end - left + 1) as u32)
}

/// The range of a side that `first .. first + count` of its repetitions reads.
fn repeated(first: u32, count: u32, length: u32) -> (u32, u32) {
    let start = first % length;
    if start + count <= length { (start, count) } else { (0, length) }
}

/// The elements of the vector that lie in a block of the diagonal matrix.
fn diagonal_region(diagonal: i64, block: Region, shape: Shape) -> Option<Region> {
    let (first, count) = on_diagonal(diagonal, block, shape)?;
    Some(if shape.columns == 1 { (first, 0, count, 1) } else { (0, first, 1, count) })
}

/// A range of a side: its first element and its length.
type Part = (u32, u32);

/// Cuts `first .. first + count` at `border`: the range before it, the range from it on, and the border.
fn split(first: u32, count: u32, border: u32) -> ([Option<Part>; 2], u32) {
    let end = first + count;
    let before = (first < border).then(|| (first, end.min(border) - first));
    let behind = (end > border).then(|| (first.max(border), end - first.max(border)));
    ([before, behind], border)
}
