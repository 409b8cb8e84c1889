//! Reductions on blocks.
//!
//! A block operation reduces some columns (or rows), each of them in order. Long columns are reduced by a
//! chain of block operations, each of which continues from the temporary of its predecessor.

use std::sync::Arc;

use super::cut::partition::{Axis, Grid};
use super::extent::Extent;
use super::graph::{BlockOperation, Place, Work};
use super::target::Venue;
use super::{Cursor, Lowering, Order, Region};
use crate::error::Result;
use crate::operation::{OpKind, Side};
use crate::trace::{Operand, TraceOperation};

impl Lowering<'_> {
    /// Emits a reduction, a cumulative sum or a norm: one block operation for each block of the result, or a
    /// chain of block operations.
    pub(super) fn emit_reduction(
        &mut self,
        index: u32,
        extent: &Extent,
        along: Axis,
        cursor: Cursor,
    ) -> Result<Option<Cursor>> {
        let trace = Arc::clone(&self.trace);
        let operation = &trace.operations[index as usize];
        match operation.kind {
            OpKind::Norm => self.emit_norm(index, operation, extent),
            OpKind::CumulativeSum => self.emit_cumulative(index, operation, extent, cursor),
            _ => self.emit_sums(index, operation, extent, along, cursor),
        }
    }

    /// A block operation of a reduction, before its places are known.
    fn reduction(&self, index: u32, operation: &TraceOperation, sides: (u32, u32)) -> BlockOperation {
        let venue = self.plan.target().venue(operation.kind);
        BlockOperation::new(Work::Reduce(operation.kind), venue, operation.precision, index, sides)
    }

    /// Index of the matrix that is reduced. DMA needs columns that begin at whole quadwords.
    fn place_reduced(&mut self, operation: &TraceOperation) -> Result<u32> {
        match self.plan.target().venue(operation.kind) {
            Venue::LocalStore => self.place_operand(operation.operands[0]),
            Venue::Memory | Venue::Ppe => self.place_in_memory(operation.operands[0]),
        }
    }

    fn emit_sums(
        &mut self,
        index: u32,
        operation: &TraceOperation,
        extent: &Extent,
        along: Axis,
        cursor: Cursor,
    ) -> Result<Option<Cursor>> {
        let source = operation.operands[0];
        let side = Side::of(&operation.parameters());
        let across = match side {
            Side::Column => extent.grid.columns,
            Side::Row => extent.grid.rows,
        };
        let a = self.place_reduced(operation)?;
        let result = self.place_result(index, extent)?;
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
                let mut block = self.reduction(index, operation, sides);
                block.result = match last {
                    true => Place::Matrix { matrix: result, row: place.0, column: place.1 },
                    false => Place::Temporary(self.next_local()),
                };
                before = Some(self.push_reduction(block, (source, a), region, before));
            }
            before.into_iter().for_each(|last| self.produced(index, part as usize, last));
        }
        Ok(None)
    }

    /// Adds a block operation that reads a region of an operand, and continues from the temporary of
    /// `before`.
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

    /// Cumulative sums: a block continues from the last row or column of the preceding block of the result.
    fn emit_cumulative(
        &mut self,
        index: u32,
        operation: &TraceOperation,
        extent: &Extent,
        cursor: Cursor,
    ) -> Result<Option<Cursor>> {
        let source = operation.operands[0];
        let side = Side::of(&operation.parameters());
        let (result, a) = (self.place_result(index, extent)?, self.place_reduced(operation)?);
        Ok(self.each_block(
            &[index],
            extent,
            Order::Columns,
            cursor,
            |lowering, (row, column, rows, columns)| {
                let mut block = lowering.reduction(index, operation, (rows, columns));
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
            },
        ))
    }

    /// The norm of all elements, column after column: a chain of block operations, whose temporaries hold
    /// scale and sum of squares.
    fn emit_norm(
        &mut self,
        index: u32,
        operation: &TraceOperation,
        extent: &Extent,
    ) -> Result<Option<Cursor>> {
        let source = operation.operands[0];
        let (shape, precision) = self.trace.operand(source);
        let Grid { rows, columns } = self.plan.target().norm_cut(shape, precision);
        let whole = rows.parts() == 1;
        let sections: Vec<Region> = if whole {
            (0..columns.parts()).map(|j| (0, columns.offset(j), shape.rows, columns.logical(j))).collect()
        } else {
            let parts = |j| (0..rows.parts()).map(move |i| (rows.offset(i), j, rows.logical(i), 1));
            (0..shape.columns).flat_map(parts).collect()
        };
        let (result, a) = (self.place_result(index, extent)?, self.place_reduced(operation)?);
        let mut before = None;
        for (number, &region) in sections.iter().enumerate() {
            let last = number + 1 == sections.len();
            let mut block = self.reduction(index, operation, if last { (1, 1) } else { (2, 1) });
            block.result = match last {
                true => Place::Matrix { matrix: result, row: 0, column: 0 },
                false => Place::Temporary(self.next_local()),
            };
            before = Some(self.push_reduction(block, (source, a), region, before));
        }
        before.into_iter().for_each(|last| self.produced(index, 0, last));
        Ok(None)
    }
}
