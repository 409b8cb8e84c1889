//! Panels: operations on wide matrices that are lowered a few columns at a time.
//!
//! Column j of an element-wise result depends on column j of each operand.  Column j of a product depends on
//! column j of the right operand.  So operations can be executed on a few columns at a time if only they read
//! each other's results.  These columns are a panel, and the operations are a group.
//!
//! A group is lowered panel by panel: first the block operations that compute the first panel of every
//! result, then the block operations of the next panel.  The last operation of a group is its root.  Only the
//! root's result is a whole matrix.  All other results take the memory of a few panels (`ring.rs`), which stays in
//! a cache.
//!
//! The cut into panels changes no bit of any result.

use super::Lowering;
use super::cut::partition::{Axis, Grid};
use super::extent::Extent;
use super::plan::Plan;
use super::plan::cluster::{Apart, Clusters};
use super::programs;
use super::target::MemoryLimits;
use crate::error::Failure;
use crate::operation::OpKind;
use crate::trace::{Trace, TraceOperation};

/// Most operations of a group.  A panel goes through all of these operations before the next panel begins.
const MOST_OPERATIONS: u8 = 8;

/// A result is worth panels when it is this many times as large as a panel.
const LEAST_PANELS: u64 = 4;

fn bytes(operation: &TraceOperation) -> u64 {
    operation.shape.elements() * operation.precision.element_bytes() as u64
}

/// Whether column j of the result depends on column j of an operand only.
fn is_aligned(trace: &Trace, operation: &TraceOperation, position: usize) -> bool {
    match operation.kind {
        OpKind::Multiply => position == 1 && operation.operands[0] != operation.operands[1],
        kind if kind.is_direct() => false,
        _ => trace.operand(operation.operands[position]).0.columns == operation.shape.columns,
    }
}

/// Whether the operand that an operation reads as a whole is small enough for panels.  Each panel copies and
/// reads the left operand of a product once more.  So a large left operand is worth blocks of many columns
/// instead.
fn stays_in_cache(trace: &Trace, operation: &TraceOperation, memory: &MemoryLimits) -> bool {
    let (shape, precision) = trace.operand(operation.operands[0]);
    let bytes = shape.elements() * precision.element_bytes() as u64;
    operation.kind != OpKind::Multiply || bytes <= memory.panel_bytes as u64
}

/// Chooses the groups of a trace whose programs have been chosen.
pub(super) fn choose(trace: &Trace, programs: &Clusters, memory: &MemoryLimits) -> Clusters {
    let least = LEAST_PANELS * memory.panel_bytes as u64;
    if !trace.operations.iter().any(|operation| bytes(operation) >= least) {
        return Clusters::default();
    }
    let mut groups = Clusters::new(trace.operations.len());
    // Sizes of the group of each root.
    let mut operations = vec![1; trace.operations.len()];
    for (index, operation) in trace.operations.iter().enumerate().rev() {
        // The operations of a program go together.
        let whole = programs.root(index as u32);
        if whole != index as u32 {
            groups.follow(index as u32, whole);
        } else {
            let chosen = groups.reader(index as u32).ok_or(Apart::Readers).and_then(|reader| {
                let last = &trace.operations[reader.root as usize];
                let has_more_results = || programs::results(trace, programs, index as u32).count() > 1;
                if reader.elsewhere || operation.keep.is_some() {
                    Err(Apart::Needed)
                } else if operation.kind.is_direct() {
                    Err(Apart::Kind)
                } else if operation.shape.columns != last.shape.columns {
                    Err(Apart::Shape)
                } else if bytes(operation) < least
                    || !stays_in_cache(trace, operation, memory)
                    || !stays_in_cache(trace, last, memory)
                {
                    Err(Apart::Size)
                } else if operations[reader.root as usize] >= MOST_OPERATIONS {
                    Err(Apart::Steps)
                } else if programs.has_parts(index as u32) && has_more_results() {
                    Err(Apart::Blocks)
                } else {
                    Ok(reader.root)
                }
            });
            match chosen {
                Ok(root) => {
                    operations[root as usize] += 1;
                    groups.join(index as u32, root);
                }
                Err(apart) => groups.stay(index as u32, apart),
            }
        }
        // A value within a program is no result of its own.
        groups.read(index as u32, operation, |position| is_aligned(trace, operation, position));
    }
    groups
}

/// A group of operations that are lowered panel by panel.
#[derive(Debug, Clone)]
pub(super) struct Group {
    /// The operations in order, the root last.
    operations: Vec<u32>,
    /// The cut of the columns into panels.
    panels: Axis,
}

impl Group {
    /// The group with this root.
    pub(super) fn new(plan: &Plan<'_>, trace: &Trace, root: u32, memory: &MemoryLimits) -> Group {
        let operations = plan.groups().operations(root);
        let of = |index: u32| &trace.operations[index as usize];
        let column_bytes = |&index: &u32| of(index).shape.rows as usize * of(index).precision.element_bytes();
        let bytes: usize = operations.iter().map(column_bytes).sum();
        let divisor = memory.product.map_or(1, |product| product.tile_columns);
        let width = (memory.panel_bytes / bytes.max(1)).next_multiple_of(divisor).clamp(divisor, 1 << 15);
        let panels = Axis::new(of(root).shape.columns as usize, width, divisor);
        Group { operations, panels }
    }

    /// Number and columns of the panels.
    pub(super) fn panels(&self) -> Axis {
        self.panels
    }

    /// Its operations in order, the root last.
    pub(super) fn operations(&self) -> &[u32] {
        &self.operations
    }

    /// The part of an operation's result that is emitted for a panel.  `whole` is the cut of the whole
    /// result.  The root's matrix is whole, and a panel is a range of its columns.  The matrix of any other
    /// operation holds the panel's columns only.
    fn extent(&self, index: u32, panel: u32, whole: Grid) -> Extent {
        if self.operations.last() == Some(&index) {
            let grid = Grid { columns: self.panels, ..whole };
            return Extent { grid, parts: panel..panel + 1, first_column: 0 };
        }
        let (divisor, longest) = (whole.columns.divisor() as usize, whole.columns.padded(0) as usize);
        let columns = Axis::new(self.panels.logical(panel) as usize, longest, divisor);
        let grid = Grid { columns, ..whole };
        Extent { first_column: self.panels.offset(panel), ..Extent::whole(grid) }
    }
}

/// How far the lowering of a group is.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Progress {
    /// The panel.
    panel: u32,
    /// How many operations have been lowered on the panel.
    done: usize,
}

impl Lowering<'_> {
    /// Lowers the group with this root, panel by panel.  False if the chunk is full before the end.
    pub(super) fn emit_group(&mut self, root: u32, memory: &MemoryLimits) -> Result<bool, Failure> {
        let trace = std::sync::Arc::clone(&self.trace);
        let group = Group::new(&self.plan, &trace, root, memory);
        let intermediate = || group.operations.iter().filter(|&&index| index != root);
        intermediate().for_each(|&index| _ = self.known_result(index).ring.get_or_insert_default());
        while self.progress.panel < group.panels.parts() {
            if self.progress.done == 0 && !self.has_room_for(memory.panel_bytes as u64 * LEAST_PANELS) {
                return Ok(false);
            }
            while let Some(&index) = group.operations.get(self.progress.done) {
                let cut = self.plan.cut(&trace, index);
                let extent = group.extent(index, self.progress.panel, cut.grid);
                if let Some(cursor) = self.emit(index, cut, &extent, self.cursor)? {
                    self.cursor = cursor;
                    return Ok(false);
                }
                self.cursor = Default::default();
                self.progress.done += 1;
            }
            for &index in intermediate() {
                let known = self.known_result(index);
                if let Some((matrix, ring)) = known.matrix.take().zip(known.ring.as_mut()) {
                    ring.end_panel(matrix);
                }
                (known.grid, known.chunk) = (None, 0);
                known.producers.clear();
            }
            self.progress = Progress { panel: self.progress.panel + 1, done: 0 };
        }
        intermediate().for_each(|&index| self.known_result(index).ring = None);
        self.progress = Progress::default();
        Ok(true)
    }
}
