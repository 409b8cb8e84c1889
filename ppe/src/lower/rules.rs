//! What each class of operation becomes on blocks (paper, "Block Matrix Operations").

use std::sync::Arc;

use crate::error::Result;
use crate::trace::{Form, OpKind, Operand};

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
        let mut block = BlockOperation {
            kind: operation.kind,
            form: operation.form,
            precision: operation.precision,
            operand_precision,
            rows: 0,
            columns: 0,
            operand_sides: [(0, 0); 2],
            operation: index,
            result: Place::None,
            operands: [Place::None; 2],
            scalar: operation.scalar,
            chain: None,
        };
        let (mut i, mut j) = (cursor.row, cursor.column);
        while j < grid.columns.parts() {
            let (column, columns) = (grid.columns.offset(j), grid.columns.logical(j));
            while i < grid.rows.parts() {
                if self.is_full() {
                    return Ok(Some(Cursor { row: i, column: j }));
                }
                let (row, rows) = (grid.rows.offset(i), grid.rows.logical(i));
                (block.rows, block.columns) = (rows as u16, columns as u16);
                block.result = Place::Matrix { matrix: result, row, column };
                let mut regions = [(0, 0, 0, 0); 2];
                for position in 0..2 {
                    let Some(matrix) = tables[position] else { continue };
                    let (first_row, rows) = if repeats[position].0 { (0, 1) } else { (row, rows) };
                    let (first_column, columns) =
                        if repeats[position].1 { (0, 1) } else { (column, columns) };
                    block.operands[position] = Place::Matrix { matrix, row: first_row, column: first_column };
                    block.operand_sides[position] = (rows as u16, columns as u16);
                    regions[position] = (first_row, first_column, rows, columns);
                }
                let target = self.push(block);
                for position in 0..2 {
                    if tables[position].is_some() {
                        self.depend_on_region(operands[position], regions[position], target);
                    }
                }
                self.produced(index, target);
                i += 1;
            }
            i = 0;
            j += 1;
        }
        Ok(None)
    }

    /// The matrix product: for each block of the result the products of a row of blocks with a column of blocks.  As many as the
    /// limits allow are summed up by one operation, in order; these sums are added in pairs, first in, first out (paper,
    /// Algorithm "pairwise sum").
    pub(super) fn lower_multiply(&mut self, index: u32, cursor: Cursor) -> Result<Option<Cursor>> {
        let operation = &self.trace.operations[index as usize];
        let precision = operation.precision;
        let [left, right] = operation.operands;
        let (grid, inner) = self.product_grid(index);
        let (result, a, b) = (self.place(Operand::Operation(index))?, self.place(left)?, self.place(right)?);
        let (mut i, mut j) = (cursor.row, cursor.column);
        while j < grid.columns.parts() {
            let (column, columns) = (grid.columns.offset(j), grid.columns.logical(j));
            while i < grid.rows.parts() {
                if self.is_full() {
                    return Ok(Some(Cursor { row: i, column: j }));
                }
                let (row, rows) = (grid.rows.offset(i), grid.rows.logical(i));
                let destination = Place::Matrix { matrix: result, row, column };
                let mut block = BlockOperation {
                    kind: OpKind::Multiply,
                    form: Form::Values,
                    precision,
                    operand_precision: precision,
                    rows: rows as u16,
                    columns: columns as u16,
                    operand_sides: [(0, 0); 2],
                    operation: index,
                    result: destination,
                    operands: [Place::None; 2],
                    scalar: 0.0,
                    chain: None,
                };
                self.queue.clear();
                for first in (0..inner.parts()).step_by(self.limits.chain) {
                    let section = inner.section(first, (self.limits.chain as u32).min(inner.parts() - first));
                    let (offset, depth) = (inner.offset(first), section.logical(0) as u16);
                    block.operands = [
                        Place::Matrix { matrix: a, row, column: offset },
                        Place::Matrix { matrix: b, row: offset, column },
                    ];
                    block.operand_sides = [(rows as u16, depth), (depth, columns as u16)];
                    block.chain = (section.parts() > 1).then_some(section);
                    if section.parts() < inner.parts() {
                        block.result = Place::Temporary(self.next_local());
                    }
                    let target = self.push(block);
                    self.depend_on_region(left, (row, offset, rows, section.length()), target);
                    self.depend_on_region(right, (offset, column, section.length(), columns), target);
                    self.queue.push(target);
                }
                block.chain = None;
                block.kind = OpKind::Add;
                block.operand_sides = [(rows as u16, columns as u16); 2];
                let mut head = 0;
                while self.queue.len() - head > 1 {
                    let sources = [self.queue[head], self.queue[head + 1]];
                    head += 2;
                    block.operands = sources.map(Place::Temporary);
                    block.result = match self.queue.len() == head {
                        true => destination,
                        false => Place::Temporary(self.next_local()),
                    };
                    let target = self.push(block);
                    for source in sources {
                        self.depend(source, target);
                    }
                    self.queue.push(target);
                }
                let last = self.queue[head];
                self.produced(index, last);
                i += 1;
            }
            i = 0;
            j += 1;
        }
        Ok(None)
    }
}
