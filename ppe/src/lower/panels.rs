//! Panels: operations on wide matrices whose intermediate results are computed, and used, a few columns at a time.
//!
//! A column of an element-wise operation depends on the same column of its operands, and one of a product on the same column of
//! its right operand.  So operations that hand on large results, which nobody holds, form a group that is lowered panel by panel: some
//! columns of the first, of the next, and so on to the last, the group's root, whose result alone is whole.  What is between
//! them takes the memory of some panels, which stays in a cache, instead of that of whole matrices.
//!
//! The cut along columns changes no bit of any result.

use super::cluster::Clusters;
use super::partition::Axis;
use super::{Cursor, Grid, InPlace, Lowering};
use crate::error::Failure;
use crate::operation::{OpKind, Shape};
use crate::trace::{Trace, TraceOperation};

/// Most operations of a group: a panel goes through all of them before the next begins.
const MOST_OPERATIONS: u8 = 8;

/// A result is worth panels when it is so many times as large as one.
const LEAST_PANELS: u64 = 4;

fn bytes(operation: &TraceOperation) -> u64 {
    operation.shape.elements() * operation.precision.element_bytes() as u64
}

/// Whether a column of the result needs that column of an operand only.
fn is_aligned(trace: &Trace, operation: &TraceOperation, position: usize) -> bool {
    match operation.kind {
        OpKind::Multiply => position == 1 && operation.operands[0] != operation.operands[1],
        kind if kind.is_direct() => false,
        _ => trace.operand(operation.operands[position]).0.columns == operation.shape.columns,
    }
}

/// Whether panel after panel can go by what an operation reads as a whole.  The left operand of a product is copied and read
/// once a panel, so that a large one is worth blocks of many columns.
fn stays_in_cache(trace: &Trace, operation: &TraceOperation, in_place: InPlace) -> bool {
    let (shape, precision) = trace.operand(operation.operands[0]);
    let bytes = shape.elements() * precision.element_bytes() as u64;
    operation.kind != OpKind::Multiply || bytes <= in_place.panel_bytes as u64
}

/// Chooses the groups of a trace whose fusions have been chosen.
pub(super) fn choose(trace: &Trace, fusions: &Clusters, in_place: InPlace) -> Clusters {
    let least = LEAST_PANELS * in_place.panel_bytes as u64;
    if !trace.operations.iter().any(|operation| bytes(operation) >= least) {
        return Clusters::default();
    }
    let mut groups = Clusters::new(trace.operations.len());
    // Of each root.
    let mut operations = vec![1; trace.operations.len()];
    for (index, operation) in trace.operations.iter().enumerate().rev() {
        // The operations of a fusion go together.
        let whole = fusions.root(index as u32);
        if whole != index as u32 {
            groups.follow(index as u32, whole);
        } else if let Some(root) = groups.readers(index as u32)
            && let last = &trace.operations[root as usize]
            && operation.keep.is_none()
            && !operation.kind.is_direct()
            && stays_in_cache(trace, operation, in_place)
            && stays_in_cache(trace, last, in_place)
            && operations[root as usize] < MOST_OPERATIONS
            && bytes(operation) >= least
            && operation.shape.columns == last.shape.columns
        {
            operations[root as usize] += 1;
            groups.join(index as u32, root);
        }
        // What is within a fusion has no result of its own.
        groups.read(index as u32, operation, |position| is_aligned(trace, operation, position));
    }
    groups
}

/// Where the lowering of a group stands.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Panel {
    /// The group's root, and the columns of its panels, while it is being lowered.
    group: Option<(u32, Axis)>,
    /// The panel.
    number: u32,
    /// How many operations have been lowered on it.
    done: usize,
}

impl Lowering<'_> {
    /// The columns of panels of the group with this root.
    fn panels(&self, root: u32, in_place: InPlace) -> Axis {
        let operations = self.groups.operations(root);
        let of = |index: u32| &self.trace.operations[index as usize];
        let column_bytes = |&index: &u32| of(index).shape.rows as usize * of(index).precision.element_bytes();
        let bytes: usize = operations.iter().map(column_bytes).sum();
        let divisor = self.limits.product.map_or(1, |product| product.tile_columns);
        let width = (in_place.panel_bytes / bytes.max(1)).next_multiple_of(divisor).clamp(divisor, 1 << 15);
        Axis::new(of(root).shape.columns as usize, width, divisor)
    }

    /// Lowers the group with this root, panel by panel; false when the chunk is full before.
    pub(super) fn lower_group(&mut self, root: u32) -> Result<bool, Failure> {
        let Some(in_place) = self.in_place else { return Ok(true) };
        let panels = self.panels(root, in_place);
        let operations = self.groups.operations(root);
        while self.panel.number < panels.parts() {
            if self.panel.done == 0 && !self.has_room_for(in_place.panel_bytes as u64 * LEAST_PANELS) {
                return Ok(false);
            }
            self.panel.group = Some((root, panels));
            while let Some(&index) = operations.get(self.panel.done) {
                if let Some(cursor) = self.lower_operation(index, self.cursor)? {
                    self.cursor = cursor;
                    self.panel.group = None;
                    return Ok(false);
                }
                self.cursor = Cursor::default();
                self.panel.done += 1;
            }
            for &index in operations.iter().filter(|&&index| index != root) {
                let known = &mut self.known[self.trace.constants.len() + index as usize];
                (known.matrix, known.grid, known.chunk) = (None, None, 0);
                known.producers.clear();
            }
            (self.panel.done, self.panel.group) = (0, None);
            self.panel.number += 1;
        }
        self.panel = Panel::default();
        Ok(true)
    }

    /// While a group is being lowered: the first column and the number of columns that an operation of it is now lowered for.
    pub(super) fn panel_of(&self, index: u32) -> Option<(u32, u32)> {
        let (root, panels) = self.panel.group?;
        (index != root).then(|| (panels.offset(self.panel.number), panels.logical(self.panel.number)))
    }

    /// The shape of what an operation is now lowered for.
    pub(super) fn shape_now(&self, index: u32) -> Shape {
        let shape = self.trace.operations[index as usize].shape;
        self.panel_of(index).map_or(shape, |(_, columns)| Shape { columns, ..shape })
    }

    /// The cut that `whole` is, for what an operation is now lowered for.
    pub(super) fn grid_now(&self, index: u32, whole: Grid) -> Grid {
        match (self.panel.group, self.panel_of(index)) {
            // Each panel is a part of the root's columns.
            (Some((_, panels)), None) => Grid { columns: panels, ..whole },
            (Some(_), Some((_, columns))) => {
                let divisor = whole.columns.divisor() as usize;
                let longest = whole.columns.padded(0) as usize;
                Grid { columns: Axis::new(columns as usize, longest, divisor), ..whole }
            }
            _ => whole,
        }
    }

    /// The parts of the columns of a grid that are lowered now, and the column that the grid begins at.
    pub(super) fn columns_now(&self, index: u32, grid: &Grid) -> (std::ops::Range<u32>, u32) {
        match (self.panel.group, self.panel_of(index)) {
            (Some(_), None) => (self.panel.number..self.panel.number + 1, 0),
            (_, panel) => (0..grid.columns.parts(), panel.map_or(0, |(first, _)| first)),
        }
    }
}
