//! Matrix products on blocks (paper, "Block Matrix Operations").

use std::sync::Arc;

use super::extent::Extent;
use super::graph::{BlockOperation, Place, Work};
use super::partition::Axis;
use super::program::Program;
use super::{Cursor, Lowering};
use crate::error::Result;
use crate::operation::OpKind;

impl Lowering<'_> {
    /// Emits a matrix product. A block of the result is the sum of the products of a row of blocks with a
    /// column of blocks. One block operation sums up as many products as the limits allow, in order. Further
    /// block operations add these sums in pairs, first in, first out (paper, Algorithm "pairwise sum").
    pub(super) fn emit_product(
        &mut self,
        index: u32,
        extent: &Extent,
        inner: Axis,
        cursor: Cursor,
    ) -> Result<Option<Cursor>> {
        let trace = Arc::clone(&self.trace);
        let operation = &trace.operations[index as usize];
        let [left, right] = operation.operands;
        let target = self.plan.target();
        let (chain, precision) = (target.blocks.chain as u32, operation.precision);
        let venues = [OpKind::Multiply, OpKind::Add].map(|kind| target.venue(kind));
        let result = self.place_result(index, extent)?;
        let (a, b) = (self.place_operand(left)?, self.place_operand(right)?);
        let addition = match inner.parts() > chain {
            true => Some(self.chunk.add_program(Program::addition(index, precision))),
            false => None,
        };
        Ok(self.each_block(index, extent, cursor, |lowering, (row, column, rows, columns)| {
            let destination = Place::Matrix { matrix: result, row, column: column - extent.first_column };
            lowering.queue.clear();
            for first in (0..inner.parts()).step_by(chain as usize) {
                let section = inner.section(first, chain.min(inner.parts() - first));
                let (offset, depth) = (inner.offset(first), section.logical(0) as u16);
                let work = Work::Product(section);
                let mut block = BlockOperation::new(work, venues[0], precision, index, (rows, columns));
                block.operands = [
                    Place::Matrix { matrix: a, row, column: offset },
                    Place::Matrix { matrix: b, row: offset, column: column - lowering.first_column(right) },
                ];
                block.operand_sides = [(rows as u16, depth), (depth, columns as u16)];
                block.result = match section.parts() < inner.parts() {
                    true => Place::Temporary(lowering.next_local()),
                    false => destination,
                };
                let target = lowering.push(block);
                lowering.depend_on_region(left, (row, offset, rows, section.length()), target);
                lowering.depend_on_region(right, (offset, column, section.length(), columns), target);
                lowering.queue.push(target);
            }
            let mut head = 0;
            while let (Some(work), true) = (addition, lowering.queue.len() - head > 1) {
                let sources = [lowering.queue[head], lowering.queue[head + 1]];
                head += 2;
                let mut block = BlockOperation::new(work, venues[1], precision, index, (rows, columns));
                block.operand_sides = [(rows as u16, columns as u16); 2];
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
