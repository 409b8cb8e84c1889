//! Direct operations on blocks: what moves elements, and what reduces columns and rows.
//!
//! A direct operation reads main memory, so its operands need not be fit for DMA, and its blocks need not fit a local store.  Moves
//! are cut as their result is.  Reductions are cut across, and each column or row is taken in order: a long one by a chain of block
//! operations, each of which goes on from what the one before has left.

use std::sync::Arc;

use crate::error::Result;
use crate::operation::{OpKind, Parameters, Shape, Side};
use crate::trace::{Operand, Trace, TraceOperation};

use super::graph::{BlockOperation, Place};
use super::{Cursor, Grid, Lowering, Region};

impl Lowering<'_> {
    /// Direct operations: one block operation a block of the result, or a chain of them.
    pub(super) fn lower_direct(&mut self, index: u32, cursor: Cursor) -> Result<Option<Cursor>> {
        let trace = Arc::clone(&self.trace);
        let operation = &trace.operations[index as usize];
        match operation.kind {
            OpKind::Norm => self.lower_norm(index, operation),
            OpKind::CumulativeSum => self.lower_cumulative(index, operation, cursor),
            kind if kind.is_reduction() => self.lower_reduction(index, operation, cursor),
            _ => self.lower_move(index, operation, cursor),
        }
    }

    fn lower_move(
        &mut self,
        index: u32,
        operation: &TraceOperation,
        cursor: Cursor,
    ) -> Result<Option<Cursor>> {
        let grid = self.grid(index);
        let result = self.place(Operand::Operation(index))?;
        let mut tables = [u32::MAX; 2];
        for (table, operand) in tables.iter_mut().zip(operation.operands) {
            *table = self.place_in_memory(operand)?;
        }
        Ok(self.each_block(index, grid, cursor, |lowering, (row, column, rows, columns)| {
            let regions = lowering.regions(operation, (row, column, rows, columns));
            let mut block = BlockOperation::new(operation, index, (rows, columns));
            block.result = Place::Matrix { matrix: result, row, column };
            // What reads anywhere needs the whole operand; what does not reads these regions, those that there are.
            let anywhere = operation.kind.reads_anywhere();
            let mut next = 0;
            for (position, region) in regions.into_iter().enumerate() {
                match region {
                    _ if anywhere && position == 0 => {
                        block.operands[0] = Place::Matrix { matrix: tables[0], row: 0, column: 0 };
                    }
                    Some((row, column, rows, columns)) => {
                        block.operands[next] = Place::Matrix { matrix: tables[position], row, column };
                        block.operand_sides[next] = (rows as u16, columns as u16);
                        next += 1;
                    }
                    None => {}
                }
            }
            let target = lowering.push(block);
            for (operand, region) in operation.operands.into_iter().zip(regions) {
                if let Some(region) = region {
                    lowering.depend_on_region(operand, region, target);
                }
            }
            target
        }))
    }

    /// What a block of the result of a move reads of each operand.
    fn regions(&self, operation: &TraceOperation, block: Region) -> [Option<Region>; 2] {
        let (row, column, rows, columns) = block;
        let shape = self.trace.operand(operation.operands[0]).0;
        let parameters = parameters(operation);
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

    fn lower_reduction(
        &mut self,
        index: u32,
        operation: &TraceOperation,
        cursor: Cursor,
    ) -> Result<Option<Cursor>> {
        let source = operation.operands[0];
        let (shape, precision) = self.trace.operand(source);
        let side = Side::of(&parameters(operation));
        let cut = match self.in_place {
            Some(in_place) => in_place.reduction_grid(&self.limits, shape, side, precision),
            None => self.limits.reduction_grid(shape, side, precision),
        };
        let whole = self.limits.grid(operation.shape, precision);
        let (across, along) = match side {
            Side::Column => (cut.columns, cut.rows),
            Side::Row => (cut.rows, cut.columns),
        };
        self.set_grid(
            index,
            match side {
                Side::Column => Grid { columns: across, ..whole },
                Side::Row => Grid { rows: across, ..whole },
            },
        );
        let (result, a) = (self.place(Operand::Operation(index))?, self.place_in_memory(source)?);
        for part in cursor.row..across.parts() {
            if self.is_full() {
                return Ok(Some(Cursor { row: part, column: 0 }));
            }
            let (offset, length) = (across.offset(part), across.logical(part));
            let mut before = None;
            for section in 0..along.parts() {
                let (first, count) = (along.offset(section), along.logical(section));
                let (region, sides, place) = match side {
                    Side::Column => ((first, offset, count, length), (1, length), (0, offset)),
                    Side::Row => ((offset, first, length, count), (length, 1), (offset, 0)),
                };
                let last = section + 1 == along.parts();
                let mut block = BlockOperation::new(operation, index, sides);
                block.result = match last {
                    true => Place::Matrix { matrix: result, row: place.0, column: place.1 },
                    false => Place::Temporary(self.next_local()),
                };
                before = Some(self.push_reduction(block, (source, a), region, before));
            }
            before.into_iter().for_each(|last| self.produced(index, last));
        }
        Ok(None)
    }

    /// Adds a block operation that reads a region of an operand, and goes on from what `before` has left in a temporary.
    fn push_reduction(
        &mut self,
        mut block: BlockOperation,
        (source, matrix): (Operand, u32),
        region: Region,
        before: Option<u32>,
    ) -> u32 {
        let (row, column, rows, columns) = region;
        block.operands[0] = Place::Matrix { matrix, row, column };
        block.operand_sides[0] = (rows as u16, columns as u16);
        if let Some(before) = before {
            let left = &self.chunk.operations[before as usize];
            block.operand_sides[1] = (left.rows, left.columns);
            block.operands[1] = Place::Temporary(before);
        }
        let target = self.push(block);
        self.depend_on_region(source, region, target);
        if let Some(before) = before {
            self.depend(before, target);
        }
        target
    }

    /// Cumulative sums: a block goes on from the last row or column of the one before it in the result.
    fn lower_cumulative(
        &mut self,
        index: u32,
        operation: &TraceOperation,
        cursor: Cursor,
    ) -> Result<Option<Cursor>> {
        let source = operation.operands[0];
        let (shape, precision) = self.trace.operand(source);
        let side = Side::of(&parameters(operation));
        let grid = self.limits.reduction_grid(shape, side, precision);
        self.set_grid(index, grid);
        let (result, a) = (self.place(Operand::Operation(index))?, self.place_in_memory(source)?);
        Ok(self.each_block(index, grid, cursor, |lowering, (row, column, rows, columns)| {
            let mut block = BlockOperation::new(operation, index, (rows, columns));
            block.result = Place::Matrix { matrix: result, row, column };
            block.operands[0] = Place::Matrix { matrix: a, row, column };
            block.operand_sides[0] = (rows as u16, columns as u16);
            let before = match side {
                Side::Column => row.checked_sub(1).map(|row| (row, column, 1, columns)),
                Side::Row => column.checked_sub(1).map(|column| (row, column, rows, 1)),
            };
            if let Some((row, column, rows, columns)) = before {
                block.operands[1] = Place::Matrix { matrix: result, row, column };
                block.operand_sides[1] = (rows as u16, columns as u16);
            }
            let target = lowering.push(block);
            lowering.depend_on_region(source, (row, column, rows, columns), target);
            if let Some(region) = before {
                lowering.depend_on_region(Operand::Operation(index), region, target);
            }
            target
        }))
    }

    /// The norm of all elements, column after column: a chain of block operations that hand on scale and squares.
    fn lower_norm(&mut self, index: u32, operation: &TraceOperation) -> Result<Option<Cursor>> {
        let source = operation.operands[0];
        let (shape, precision) = self.trace.operand(source);
        let rows = self.limits.reduction_grid(shape, Side::Column, precision).rows;
        // Whole columns where they are short enough, otherwise the parts of one after the other.
        let columns = self.limits.reduction_grid(shape, Side::Row, precision).columns;
        let whole = rows.parts() == 1;
        let sections: Vec<Region> = if whole {
            (0..columns.parts()).map(|j| (0, columns.offset(j), shape.rows, columns.logical(j))).collect()
        } else {
            let parts = |j| (0..rows.parts()).map(move |i| (rows.offset(i), j, rows.logical(i), 1));
            (0..shape.columns).flat_map(parts).collect()
        };
        self.set_grid(index, self.limits.grid(operation.shape, precision));
        let (result, a) = (self.place(Operand::Operation(index))?, self.place_in_memory(source)?);
        let mut before = None;
        for (number, &region) in sections.iter().enumerate() {
            let last = number + 1 == sections.len();
            let mut block = BlockOperation::new(operation, index, if last { (1, 1) } else { (2, 1) });
            block.result = match last {
                true => Place::Matrix { matrix: result, row: 0, column: 0 },
                false => Place::Temporary(self.next_local()),
            };
            before = Some(self.push_reduction(block, (source, a), region, before));
        }
        before.into_iter().for_each(|last| self.produced(index, last));
        Ok(None)
    }
}

/// Whether an operation takes the elements of a column of its result from a row of its operand.
pub(super) fn walks_rows(trace: &Trace, operation: &TraceOperation) -> bool {
    operation.kind == OpKind::View
        && parameters(operation)[1].unsigned_abs() >= u64::from(trace.operand(operation.operands[0]).0.rows)
}

fn parameters(operation: &TraceOperation) -> Parameters {
    operation.parameters.as_deref().copied().unwrap_or_default()
}

/// The rectangle of the operand in which the elements of a block of a view lie.  Their numbers are extreme at its corners.
fn view_region(&[offset, row_step, column_step, _]: &Parameters, block: Region, shape: Shape) -> Region {
    let (row, column, rows, columns) = block;
    let first = offset + row_step * i64::from(row) + column_step * i64::from(column);
    let (down, right) = (row_step * i64::from(rows - 1), column_step * i64::from(columns - 1));
    let least = first + down.min(0) + right.min(0);
    let most = first + down.max(0) + right.max(0);
    let height = i64::from(shape.rows);
    let (left, end) = (least / height, most / height);
    // With steps within a column and from column to column, in either order, rows are a range of their own.
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

/// The elements of the vector that lie in a block of a matrix with that diagonal.
fn diagonal_region(diagonal: i64, (row, column, rows, columns): Region, shape: Shape) -> Option<Region> {
    let (down, right) = ((-diagonal).max(0), diagonal.max(0));
    let (row, column) = (i64::from(row) - down, i64::from(column) - right);
    let first = row.max(column).max(0);
    let end = (row + i64::from(rows)).min(column + i64::from(columns)).min(shape.elements() as i64);
    let (first, count) = (first as u32, u32::try_from(end - first).ok().filter(|&count| count > 0)?);
    Some(if shape.columns == 1 { (first, 0, count, 1) } else { (0, first, 1, count) })
}

/// A part of a side: its first element and its length.
type Part = (u32, u32);

/// What of `first .. first + count` lies before `border`, what from there on, and the border.
fn split(first: u32, count: u32, border: u32) -> ([Option<Part>; 2], u32) {
    let end = first + count;
    let before = (first < border).then(|| (first, end.min(border) - first));
    let behind = (end > border).then(|| (first.max(border), end - first.max(border)));
    ([before, behind], border)
}
