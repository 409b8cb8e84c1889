//! The plan of a trace: which operations are executed together, where, and how their results are cut.
//!
//! The plan follows from the trace, the [`Target`] and the time model. It is complete before a block
//! operation is emitted.

pub(super) mod cluster;
pub(super) mod in_place;

use std::fmt::Write as _;

use super::cut::partition::{Axis, Grid};
use super::cut::share;
use super::moves;
use super::panels::{self, Group};
use super::programs::{self, Composed};
use super::target::{Target, Venue};
use crate::operation::{OpKind, Precision, Shape, Side};
use crate::time::TimeModel;
use crate::trace::{Operand, Trace};
use cluster::{Clusters, MEMBER_BYTES};

/// Bytes that a plan takes for each operation.
pub(super) const PLAN_BYTES: usize =
    2 * MEMBER_BYTES + size_of::<Option<Grid>>() + SHARE_BYTES + size_of::<bool>();

/// While the cuts are searched for: the level of an operation, and the MEUs that it has.
const SHARE_BYTES: usize = 2 * size_of::<u32>() + size_of::<u64>();

/// How an operation's result is cut.
#[derive(Debug)]
pub(super) struct Cut {
    /// The blocks of the result.
    pub(super) grid: Grid,
    /// The cut of the side along which parts are added up: the inner side of a product, the columns or rows
    /// of a reduction.
    pub(super) along: Option<Axis>,
    /// The program that computes the result.
    pub(super) program: Option<Composed>,
}

/// What a plan says of an operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Planned {
    /// The operation, the last of its program: the one that its block operations name.
    pub operation: u32,
    /// How it is executed, a line, and why, a line each.
    pub text: String,
}

impl Planned {
    /// The text without the number of the operation.
    #[must_use]
    pub fn rest(&self) -> &str {
        self.text.split_once(' ').map_or(&self.text, |(_, rest)| rest)
    }
}

/// See the module's documentation.
#[derive(Debug)]
pub(super) struct Plan<'m> {
    target: Target,
    model: &'m TimeModel,
    programs: Clusters,
    groups: Clusters,
    /// Whether an operation is a transpose that its readers read in place; empty if none is.
    in_place: Vec<bool>,
    /// How the results of operations are cut, as far as that has been found out; of local stores alone.
    grids: Vec<Option<Grid>>,
    /// The pieces that MEUs want of each result, in memory alone; empty if each operation has all MEUs to itself.
    pieces: Vec<u32>,
}

impl<'m> Plan<'m> {
    /// Plans a trace.
    pub(super) fn new(trace: &Trace, target: Target, model: &'m TimeModel) -> Plan<'m> {
        let programs = programs::choose(trace, &target);
        let groups = match &target.memory {
            // The panels of a group would be no shards.
            Some(memory) if target.shards.is_none() => panels::choose(trace, &programs, memory),
            _ => Clusters::default(),
        };
        let in_place = in_place::choose(trace, &target);
        let pieces = match (target.memory, target.shards) {
            (Some(_), None) if target.meus > 1 => share::pieces(trace, target.meus),
            _ => Vec::new(),
        };
        let mut plan = Plan { target, model, programs, groups, in_place, grids: Vec::new(), pieces };
        if target.even && target.memory.is_none() {
            plan.grids = vec![None; trace.operations.len()];
            let shares = share::meus(trace, target.meus);
            for (index, &meus) in shares.iter().enumerate() {
                let index = index as u32;
                if !plan.programs.is_part(index) {
                    plan.target = target.with_share(meus);
                    plan.note_cut(trace, index);
                }
            }
            plan.target = target;
        }
        plan
    }

    /// Finds out how the results of an operation, or of a program, are cut, once what it reads is known.
    fn note_cut(&mut self, trace: &Trace, index: u32) {
        let Cut { grid, program, .. } = self.cut(trace, index);
        let others = program.as_ref().map_or(&[][..], Composed::others);
        for &index in others.iter().chain([&index]) {
            self.grids[index as usize] = Some(grid);
        }
    }

    /// The cut of a value of this shape and precision among the operands of a program.
    fn near(&self, trace: &Trace, composed: &Composed, of: (Shape, Precision)) -> Option<Grid> {
        composed.operands().iter().find_map(|&operand| match operand {
            Operand::Operation(index) if trace.operand(operand) == of => *self.grids.get(index as usize)?,
            _ => None,
        })
    }

    /// The engine that the plan is for.
    pub(super) fn target(&self) -> &Target {
        &self.target
    }

    /// Which element-wise operations are programs together.
    pub(super) fn programs(&self) -> &Clusters {
        &self.programs
    }

    /// Which operations are groups, and so are lowered panel by panel.
    pub(super) fn groups(&self) -> &Clusters {
        &self.groups
    }

    /// Whether an operation is lowered in the position of a later operation.
    pub(super) fn is_part(&self, index: u32) -> bool {
        self.programs.is_part(index) || self.groups.is_part(index) || self.is_read_in_place(index)
    }

    /// Whether an operation is a transpose that products read in place.
    pub(super) fn is_read_in_place(&self, index: u32) -> bool {
        self.in_place.get(index as usize).is_some_and(|&chosen| chosen)
    }

    /// What a product reads in place of an operand, and whether it is stored transposed.
    pub(super) fn stored(&self, trace: &Trace, operand: Operand) -> (Operand, bool) {
        match operand {
            Operand::Operation(index) if self.is_read_in_place(index) => {
                (trace.operations[index as usize].operands[0], true)
            }
            _ => (operand, false),
        }
    }

    /// Whether an operation is a program, alone or with others.
    pub(super) fn is_program(&self, trace: &Trace, index: u32) -> bool {
        programs::is_program(trace, &trace.operations[index as usize], &self.target)
    }

    /// How the result of an operation is cut. The operation is alone, or the root of a program.
    pub(super) fn cut(&self, trace: &Trace, index: u32) -> Cut {
        let operation = &trace.operations[index as usize];
        let target = match self.pieces.get(index as usize) {
            Some(&pieces) => self.target.with_pieces(pieces),
            None => self.target,
        };
        let (shape, precision) = (operation.shape, operation.precision);
        let from = trace.operand(operation.operands[0]).0;
        let blocks = |grid| Cut { grid, along: None, program: None };
        // The search for an even cut is made once an operation.
        let noted = self.grids.get(index as usize).copied().flatten();
        match operation.kind {
            _ if self.is_program(trace, index) => {
                let composed = Composed::new(trace, &self.programs, index, &target);
                let outline = composed.outline();
                let along = composed.product().map(|product| {
                    let left = trace.operations[product as usize].operands[0];
                    target.inner_axis(shape, trace.operand(left).0.columns, precision)
                });
                let grid = noted.unwrap_or_else(|| match along {
                    Some(inner) => target.product_cut(shape, inner, precision, Some(&outline), self.model),
                    None => {
                        let near = self.near(trace, &composed, (shape, precision));
                        let computed = composed.precision();
                        let precisions =
                            (computed, if operation.kind == OpKind::Convert { precision } else { computed });
                        target.program_cut(shape, precisions, &outline, near, self.model)
                    }
                });
                Cut { grid, along, program: Some(composed) }
            }
            OpKind::Multiply => {
                let inner = target.inner_axis(shape, from.columns, precision);
                let grid =
                    noted.unwrap_or_else(|| target.product_cut(shape, inner, precision, None, self.model));
                Cut { grid, along: Some(inner), program: None }
            }
            OpKind::Norm => blocks(target.blocks.grid(shape, precision)),
            OpKind::CumulativeSum => {
                let side = Side::of(&operation.parameters());
                blocks(target.cumulative_cut(shape, side, precision))
            }
            kind if kind.is_reduction() => {
                let side = Side::of(&operation.parameters());
                let cut = target.reduction_cut(kind, from, side, precision);
                let whole = target.blocks.grid(shape, precision);
                let (grid, along) = match side {
                    Side::Column => (Grid { columns: cut.columns, ..whole }, cut.rows),
                    Side::Row => (Grid { rows: cut.rows, ..whole }, cut.columns),
                };
                Cut { grid, along: Some(along), program: None }
            }
            _ => blocks(moves::cut(&target, trace, operation, shape)),
        }
    }

    /// The plan as text, one line an operation: which operations it is lowered with, its venue, its cut, and
    /// why it is not in one program with its reader.
    pub(super) fn to_text(&self, trace: &Trace) -> String {
        self.planned(trace).into_iter().map(|planned| planned.text).collect()
    }

    /// The plan of each operation that has block operations of its own, or would be expected to have some.
    pub(super) fn planned(&self, trace: &Trace) -> Vec<Planned> {
        let mut all = Vec::new();
        let mut is_read = vec![false; trace.operations.len()];
        for operand in trace.operations.iter().flat_map(|operation| operation.operands) {
            if let Operand::Operation(read) = operand {
                is_read[read as usize] = true;
            }
        }
        for index in 0..trace.operations.len() as u32 {
            let mut text = String::new();
            if self.is_read_in_place(index) {
                let kind = trace.operations[index as usize].kind.name();
                _ = writeln!(text, "%{index} {kind}: not moved, since only products read it, in place");
            } else if !self.programs.is_part(index) {
                self.write_operation(trace, index, &mut text);
                let apart = self.programs.apart(index).filter(|_| is_read[index as usize]);
                if let (true, Some(apart)) = (self.is_program(trace, index), apart) {
                    _ = writeln!(text, "  ends here: {}", apart.text());
                }
            }
            if self.groups.has_parts(index)
                && let Some(memory) = &self.target.memory
            {
                let group = Group::new(self, trace, index, memory);
                let (panels, members) = (group.panels(), names(group.operations()));
                let (count, width) = (panels.parts(), panels.padded(0));
                _ = writeln!(text, "  panels: {members} together, {count} times up to {width} columns");
            }
            if !text.is_empty() {
                all.push(Planned { operation: index, text });
            }
        }
        all
    }

    fn write_operation(&self, trace: &Trace, index: u32, text: &mut String) {
        let operation = &trace.operations[index as usize];
        let kind = operation.kind.name();
        let cut = self.cut(trace, index);
        let what = if let Some(composed) = &cut.program {
            let outline = composed.outline();
            let (steps, inputs) = (outline.kinds.len(), outline.repeats.len());
            let [steps, inputs, results] =
                [(steps, "step"), (inputs, "input"), (outline.results, "result")].map(counted);
            let product = if composed.product().is_some() { "product, then " } else { "" };
            format!("{product}program of {steps}, {inputs}, {results}")
        } else {
            kind.to_owned()
        };
        let venue = match &cut.program {
            Some(_) => programs::venue(operation, &self.target),
            None => moves::venue(&self.target, trace, operation),
        };
        let Grid { rows, columns } = cut.grid;
        let sides = |axis: Axis| if axis.parts() == 0 { 0 } else { axis.padded(0) };
        let (height, width) = (sides(rows), sides(columns));
        let (down, right) = (rows.parts(), columns.parts());
        let where_to = match venue {
            Venue::LocalStore => "in local stores",
            Venue::Memory => "in main memory",
            Venue::Ppe => "on the PPE",
        };
        _ = write!(
            text,
            "%{index} {kind}: {what}, {where_to}, {down}x{right} blocks of up to {height}x{width}"
        );
        if let Some(along) = cut.along {
            _ = write!(text, ", {} parts of up to {} along", along.parts(), sides(along));
        }
        for (operand, side) in operation.operands.into_iter().zip(["left", "right"]) {
            if self.stored(trace, operand).1 {
                _ = write!(text, ", {side} operand stored transposed");
            }
        }
        _ = writeln!(text);
        for part in self.programs.operations(index).into_iter().filter(|&part| part != index) {
            let of = &trace.operations[part as usize];
            let fate = match (of.keep.is_some(), self.programs.is_read_elsewhere(part)) {
                (true, _) => "is written out, since it is held",
                (false, true) => "is written out, since a later operation reads it",
                (false, false) => "stays within",
            };
            _ = writeln!(text, "  with %{part} {}, which {fate}", of.kind.name());
        }
    }
}

fn counted((count, what): (usize, &str)) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

fn names(operations: &[u32]) -> String {
    let names: Vec<_> = operations.iter().map(|index| format!("%{index}")).collect();
    names.join(" ")
}
