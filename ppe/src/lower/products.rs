//! Matrix products on blocks (paper, "Block Matrix Operations").
//!
//! In a local store a product may be the beginning of a program (`programs.rs`).  Then the program is the
//! epilogue of the product: one block operation executes both.

use std::sync::Arc;

use super::cut::partition::Axis;
use super::extent::Extent;
use super::graph::{BlockOperation, Place, Work};
use super::plan::in_place::turned;
use super::program::Program;
use super::{Cursor, Lowering, Order, Region};
use crate::error::Result;
use crate::operation::OpKind;
use crate::trace::Operand;

/// The two operands of a product that is being emitted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Factors {
    /// What the product reads: an operand, or what an operand transposes.
    operands: [Operand; 2],
    /// Their matrices in the table of the chunk.
    matrices: [u32; 2],
    /// Whether they are stored transposed.
    transposed: [bool; 2],
}

impl Lowering<'_> {
    /// The operands of a product, placed.
    pub(super) fn place_factors(&mut self, operation: u32) -> Result<Factors> {
        let operands = self.trace.operations[operation as usize].operands;
        let [(a, a_turned), (b, b_turned)] = operands.map(|operand| self.plan.stored(&self.trace, operand));
        Ok(Factors {
            operands: [a, b],
            matrices: [self.place_operand(a)?, self.place_operand(b)?],
            transposed: [a_turned, b_turned],
        })
    }

    /// Pushes the block operation that sums up the products of a section of the inner side, from element
    /// `offset` on, for a block of the result.
    pub(super) fn push_product(
        &mut self,
        factors: Factors,
        (section, offset): (Axis, u32),
        (row, column, rows, columns): Region,
        block: BlockOperation,
    ) -> u32 {
        let depth = section.logical(0) as u16;
        let regions = [(row, offset, rows, section.length()), (offset, column, section.length(), columns)];
        let regions = [0, 1].map(|position| match factors.transposed[position] {
            true => turned(regions[position]),
            false => regions[position],
        });
        let ([left, right], [a, b], [in_a, in_b]) = (factors.operands, factors.matrices, regions);
        let target = self.push(BlockOperation {
            operands: [
                Place::Matrix { matrix: a, row: in_a.0, column: in_a.1 },
                Place::Matrix { matrix: b, row: in_b.0, column: in_b.1 - self.first_column(right) },
            ],
            operand_sides: [(rows as u16, depth), (depth, columns as u16)],
            transposed: factors.transposed,
            ..block
        });
        self.depend_on_region(left, in_a, target);
        self.depend_on_region(right, in_b, target);
        target
    }

    /// The order in which the blocks of a product are emitted. A row of blocks needs a row of blocks of the
    /// left operand, and all of the right operand. When the left operand alone is computed by this trace, as
    /// in a power, rows of blocks follow each other: a product of products can then begin with the first rows
    /// while the last rows of its left operand are computed.
    pub(super) fn product_order(&self, operation: u32) -> Order {
        let is_computed = |operand: Operand| matches!(operand, Operand::Operation(_));
        let [left, right] = self.trace.operations[operation as usize].operands;
        match self.plan.target().even && is_computed(left) && !is_computed(right) {
            true => Order::Rows,
            false => Order::Columns,
        }
    }

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
        let target = self.plan.target();
        let (chain, precision) = (target.blocks.chain as u32, operation.precision);
        let venues = [OpKind::Multiply, OpKind::Add].map(|kind| target.venue(kind));
        let result = self.place_result(index, extent)?;
        let factors = self.place_factors(index)?;
        let addition = match inner.parts() > chain {
            true => Some(Work::Program(self.chunk.add_program(Program::addition(index, precision)))),
            false => None,
        };
        Ok(self.each_block(
            &[index],
            extent,
            self.product_order(index),
            cursor,
            |lowering, (row, column, rows, columns)| {
                let destination = Place::Matrix { matrix: result, row, column: column - extent.first_column };
                lowering.queue.clear();
                for first in (0..inner.parts()).step_by(chain as usize) {
                    let section = inner.section(first, chain.min(inner.parts() - first));
                    let work = Work::Product(section, None);
                    let mut block = BlockOperation::new(work, venues[0], precision, index, (rows, columns));
                    block.result = match section.parts() < inner.parts() {
                        true => Place::Temporary(lowering.next_local()),
                        false => destination,
                    };
                    let (section, region) = ((section, inner.offset(first)), (row, column, rows, columns));
                    let target = lowering.push_product(factors, section, region, block);
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
            },
        ))
    }
}
