//! What each class of operation becomes on blocks (paper, "Block Matrix Operations").

use std::sync::Arc;

use crate::error::Result;
use crate::operation::OpKind;
use crate::trace::Operand;

use super::graph::{BlockOperation, Place};
use super::{Cursor, Lowering};

impl Lowering<'_> {
    /// Element-wise operations and conversions: one block operation a block of the result, column of blocks by column.
    pub(super) fn lower_elementwise(&mut self, index: u32, cursor: Cursor) -> Result<Option<Cursor>> {
        let trace = Arc::clone(&self.trace);
        let operation = &trace.operations[index as usize];
        let (shape, operands) = (operation.shape, operation.operands);
        let grid = self.grid(index);
        let (result, operand_precision) =
            (self.place(Operand::Operation(index))?, self.trace.operand(operands[0]).1);
        let first_column = self.first_column(Operand::Operation(index));
        // A side of length 1 is repeated along a longer side of the result.
        let mut repeats = [(false, false); 2];
        let mut tables = [None; 2];
        for position in 0..2 {
            if operands[position] != Operand::None {
                let operand_shape = self.trace.operand(operands[position]).0;
                repeats[position] =
                    (operand_shape.rows != shape.rows, operand_shape.columns != shape.columns);
                tables[position] = Some(self.place(operands[position])?);
            }
        }
        let (form, scalar) = (operation.form, operation.scalar);
        Ok(self.each_block(index, grid, cursor, |lowering, (row, column, rows, columns)| {
            let block = BlockOperation::new(operation, index, (rows, columns));
            let mut block = BlockOperation { form, scalar, operand_precision, ..block };
            block.result = Place::Matrix { matrix: result, row, column: column - first_column };
            let mut regions = [(0, 0, 0, 0); 2];
            for position in 0..2 {
                let Some(matrix) = tables[position] else { continue };
                let (first_row, rows) = if repeats[position].0 { (0, 1) } else { (row, rows) };
                let (first_column, columns) = if repeats[position].1 { (0, 1) } else { (column, columns) };
                let at = first_column - lowering.first_column(operands[position]);
                block.operands[position] = Place::Matrix { matrix, row: first_row, column: at };
                block.operand_sides[position] = (rows as u16, columns as u16);
                regions[position] = (first_row, first_column, rows, columns);
            }
            let target = lowering.push(block);
            for position in 0..2 {
                if tables[position].is_some() {
                    lowering.depend_on_region(operands[position], regions[position], target);
                }
            }
            target
        }))
    }

    /// The matrix product: for each block of the result the products of a row of blocks with a column of blocks.  As many as the
    /// limits allow are summed up by one operation, in order; these sums are added in pairs, first in, first out (paper,
    /// Algorithm "pairwise sum").
    pub(super) fn lower_multiply(&mut self, index: u32, cursor: Cursor) -> Result<Option<Cursor>> {
        let trace = Arc::clone(&self.trace);
        let operation = &trace.operations[index as usize];
        let [left, right] = operation.operands;
        let (grid, inner) = self.product_grid(index);
        let (result, a, b) = (self.place(Operand::Operation(index))?, self.place(left)?, self.place(right)?);
        let first_column = self.first_column(Operand::Operation(index));
        Ok(self.each_block(index, grid, cursor, |lowering, (row, column, rows, columns)| {
            let destination = Place::Matrix { matrix: result, row, column: column - first_column };
            let mut block = BlockOperation::new(operation, index, (rows, columns));
            block.result = destination;
            lowering.queue.clear();
            for first in (0..inner.parts()).step_by(lowering.limits.chain) {
                let section = inner.section(first, (lowering.limits.chain as u32).min(inner.parts() - first));
                let (offset, depth) = (inner.offset(first), section.logical(0) as u16);
                block.operands = [
                    Place::Matrix { matrix: a, row, column: offset },
                    Place::Matrix { matrix: b, row: offset, column: column - lowering.first_column(right) },
                ];
                block.operand_sides = [(rows as u16, depth), (depth, columns as u16)];
                block.chain = (section.parts() > 1).then_some(section);
                if section.parts() < inner.parts() {
                    block.result = Place::Temporary(lowering.next_local());
                }
                let target = lowering.push(block);
                lowering.depend_on_region(left, (row, offset, rows, section.length()), target);
                lowering.depend_on_region(right, (offset, column, section.length(), columns), target);
                lowering.queue.push(target);
            }
            block.chain = None;
            block.kind = OpKind::Add;
            block.operand_sides = [(rows as u16, columns as u16); 2];
            let mut head = 0;
            while lowering.queue.len() - head > 1 {
                let sources = [lowering.queue[head], lowering.queue[head + 1]];
                head += 2;
                block.operands = sources.map(Place::Temporary);
                block.result = match lowering.queue.len() == head {
                    true => destination,
                    false => Place::Temporary(lowering.next_local()),
                };
                let target = lowering.push(block);
                for source in sources {
                    lowering.depend(source, target);
                }
                lowering.queue.push(target);
            }
            lowering.queue[head]
        }))
    }
}
