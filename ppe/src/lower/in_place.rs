//! Operations in main memory: pieces instead of blocks, and fusions of element-wise operations.

use std::sync::Arc;

use super::fusion::{Fusion, Input, MAX_STEPS, Source, Step, is_outer_product};
use super::graph::{BlockOperation, Place};
use super::partition::{Axis, MAX_PART};
use super::{BlockLimits, Cursor, Grid, Lowering};
use crate::error::Result;
use crate::operation::{Form, OpKind, Precision, Shape, Side};
use crate::trace::{Operand, TraceOperation};

/// How an engine executes element-wise operations in main memory: it needs no blocks that fit a local store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InPlace {
    /// Bytes of the result that a block operation computes, at most.
    pub piece_bytes: usize,
    /// Bytes of the panels of a group of operations on wide matrices.
    pub panel_bytes: usize,
    /// Most element-wise operations that one block operation executes; 1 for no fusions.
    pub steps: usize,
}

impl Default for InPlace {
    /// Pieces that fit a second-level cache together with their operands, and panels that do.
    fn default() -> InPlace {
        InPlace { piece_bytes: 256 << 10, panel_bytes: 1 << 20, steps: MAX_STEPS }
    }
}

/// A piece is not cut further only to have one for each MEU: below this, waking an MEU costs more than the piece.
const LEAST_PIECE_BYTES: usize = 16 << 10;

/// Columns whose sums go on side by side.
const COLUMNS_ABREAST: usize = 8;

/// Bytes of the sums of rows that a block operation holds.
const MOST_ROW_BYTES: usize = 16 << 10;

impl InPlace {
    /// The pieces of a matrix: whole columns where they are short enough.
    pub(super) fn grid(&self, limits: &BlockLimits, shape: Shape, precision: Precision) -> Grid {
        let divisor = limits.divisor[precision as usize];
        let (rows, columns) = (shape.rows as usize, shape.columns as usize);
        let padded = rows.next_multiple_of(divisor);
        let share = padded * columns * precision.element_bytes() / (2 * limits.meus);
        let bytes = share.clamp(LEAST_PIECE_BYTES.min(self.piece_bytes), self.piece_bytes);
        let elements = bytes / precision.element_bytes();
        let longest = elements.min(MAX_PART) / divisor * divisor;
        let rows_limit = padded.min(longest).max(divisor);
        let columns_limit = (elements / rows_limit).clamp(1, MAX_PART);
        Grid { rows: Axis::new(rows, rows_limit, divisor), columns: Axis::new(columns, columns_limit, 1) }
    }

    /// The pieces of a matrix whose columns (or rows) are taken as a whole.  Sums go on in several columns side by side, or in as
    /// many rows as fit the nearest cache.
    pub(super) fn reduction_grid(
        &self,
        limits: &BlockLimits,
        shape: Shape,
        side: Side,
        precision: Precision,
    ) -> Grid {
        let whole = limits.reduction_grid(shape, side, precision);
        let part = |length: u32, least: usize, most: usize, divisor: usize| {
            let share = (length as usize).div_ceil(2 * limits.meus);
            Axis::new(length as usize, share.clamp(least, most).next_multiple_of(divisor), divisor)
        };
        match side {
            Side::Column => {
                let column_bytes = shape.rows.max(1) as usize * precision.element_bytes();
                let most = (self.piece_bytes / column_bytes).clamp(COLUMNS_ABREAST, MAX_PART);
                Grid { columns: part(shape.columns, COLUMNS_ABREAST, most, COLUMNS_ABREAST), ..whole }
            }
            Side::Row => {
                let divisor = limits.divisor[precision as usize];
                let most = MOST_ROW_BYTES / precision.element_bytes();
                Grid { rows: part(shape.rows, most / 16, most, divisor), ..whole }
            }
        }
    }
}

impl Lowering<'_> {
    /// Whether the operation is to be lowered as a fusion, alone or with others.
    pub(super) fn is_fusion(&self, index: u32) -> bool {
        let operation = &self.trace.operations[index as usize];
        self.in_place.is_some() && (self.fusions.has_parts(index) || is_outer_product(&self.trace, operation))
    }

    /// A fusion: one block operation a piece of the result of its root, `index`.
    pub(super) fn lower_fusion(&mut self, index: u32, cursor: Cursor) -> Result<Option<Cursor>> {
        let trace = Arc::clone(&self.trace);
        let operation = &trace.operations[index as usize];
        let grid = self.grid(index);
        let result = self.place(Operand::Operation(index))?;
        let first_column = self.first_column(Operand::Operation(index));
        let (fusion, operands) = self.fusion(index)?;
        let inputs = fusion.inputs.clone();
        let number = self.chunk.add_fusion(fusion);
        Ok(self.each_block(index, grid, cursor, |lowering, (row, column, rows, columns)| {
            let at = column - first_column;
            let target = lowering.push(BlockOperation {
                result: Place::Matrix { matrix: result, row, column: at },
                fusion: Some(number),
                ..BlockOperation::new(operation, index, (rows, columns))
            });
            for (&operand, input) in operands.iter().zip(&inputs) {
                let (row, rows) = if input.repeats.0 { (0, 1) } else { (row, rows) };
                let (column, columns) = if input.repeats.1 { (0, 1) } else { (column, columns) };
                lowering.depend_on_region(operand, (row, column, rows, columns), target);
            }
            target
        }))
    }

    /// The steps of the fusion with this root, and its inputs' operands.
    fn fusion(&mut self, root: u32) -> Result<(Fusion, Vec<Operand>)> {
        let trace = Arc::clone(&self.trace);
        let shape = trace.operations[root as usize].shape;
        let first_column = self.first_column(Operand::Operation(root));
        let mut fusion = Fusion { steps: Vec::new(), inputs: Vec::new() };
        let mut operands: Vec<Operand> = Vec::new();
        // The step that gives an operation's result.
        let mut steps: Vec<(u32, u8)> = Vec::new();
        for index in self.fusions.operations(root) {
            let operation = &trace.operations[index as usize];
            let mut sources = [Source::None; 2];
            for (source, &operand) in sources.iter_mut().zip(&operation.operands) {
                let step = steps.iter().find(|&&(index, _)| operand == Operand::Operation(index));
                *source = match (operand, step) {
                    (Operand::None, _) => Source::None,
                    (_, Some(&(_, step))) => Source::Strip(step),
                    (operand, None) => match operands.iter().position(|&other| other == operand) {
                        Some(input) => Source::Input(input as u8),
                        None => {
                            let matrix = self.place(operand)?;
                            let of = trace.operand(operand).0;
                            let repeats = (of.rows != shape.rows, of.columns != shape.columns);
                            let shift = first_column as i32 - self.first_column(operand) as i32;
                            fusion.inputs.push(Input { matrix, repeats, shift });
                            operands.push(operand);
                            Source::Input(operands.len() as u8 - 1)
                        }
                    },
                };
            }
            push_steps(&mut fusion.steps, operation, index, sources);
            steps.push((index, fusion.steps.len() as u8 - 1));
        }
        fusion.assign_strips();
        Ok((fusion, operands))
    }
}

/// Adds the steps that an operation is, each with a strip of its own.
fn push_steps(steps: &mut Vec<Step>, operation: &TraceOperation, index: u32, operands: [Source; 2]) {
    let result = steps.len() as u8;
    let mut step = Step {
        kind: operation.kind,
        form: operation.form,
        operands,
        result,
        scalar: operation.scalar,
        operation: index,
    };
    if operation.kind == OpKind::Multiply {
        step.kind = OpKind::Times;
        steps.push(step);
        let operands = [Source::Strip(result), Source::None];
        step = Step {
            kind: OpKind::Add,
            form: Form::ScalarRight,
            operands,
            result: result + 1,
            scalar: 0.0,
            ..step
        };
    }
    steps.push(step);
}
