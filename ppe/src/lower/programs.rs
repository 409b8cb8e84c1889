//! Programs: which element-wise operations are executed together, and the block operations that execute them.
//!
//! An operation joins the first program that reads its result, if both have one venue and one shape, and are
//! computed in one precision. Operations on 0 and 1 alone are computed in the precision of the program's
//! remaining operations, or in bytes. A program is lowered in the position of its last operation, the root.
//! All operands of the program have been lowered by then.
//!
//! When a handle holds a value, or a later program reads it, the program writes the value out as a further
//! result.  Any other value within a program never leaves the local store, or the nearest cache.  Each step
//! has the bits of the operation executed alone.
//!
//! A product over an inner side of length 1 is element-wise as well: a multiplication, then the addition of
//! +0.
//!
//! Any other product joins the program that reads its result, when both are executed in a local store and
//! nothing else reads the result.  The program is then the epilogue of the product: the product never leaves
//! the local store.  A program has one such product at most.

use std::sync::Arc;

use super::cut::partition::Axis;
use super::cut::{Outline, largest_sides};
use super::extent::Extent;
use super::graph::{BlockOperation, Place, Work};
use super::plan::cluster::{Apart, Clusters};
use super::program::{Input, MAX_INPUTS, MAX_RESULTS, Program, Slot, Step, Window, met_region};
use super::target::{Target, Venue};
use super::{Cursor, Lowering, Order};
use crate::error::Result;
use crate::operation::{Form, OpKind, Precision, Shape};
use crate::trace::{Operand, Trace, TraceOperation};

/// Whether an operation is a product over an inner side of length 1.
fn is_outer_product(trace: &Trace, operation: &TraceOperation) -> bool {
    operation.kind == OpKind::Multiply && trace.operand(operation.operands[0]).0.columns == 1
}

/// Whether an operation is a program, alone or with others.
pub(super) fn is_program(trace: &Trace, operation: &TraceOperation, target: &Target) -> bool {
    match operation.kind {
        // The paper executes this product like any other product.
        OpKind::Multiply => target.steps > 1 && is_outer_product(trace, operation),
        kind => !kind.is_direct(),
    }
}

/// The venue of a program with this operation.  A product in a program is a multiplication of elements.
pub(super) fn venue(operation: &TraceOperation, target: &Target) -> Venue {
    match operation.kind {
        OpKind::Multiply => target.venue(OpKind::Times),
        kind => target.venue(kind),
    }
}

/// The number of steps of an operation in a program with other operations; 0 when it can be in no such
/// program.
fn steps_of(trace: &Trace, operation: &TraceOperation, target: &Target) -> u8 {
    match operation.kind {
        OpKind::Convert => 0,
        OpKind::Multiply => 2 * u8::from(is_program(trace, operation, target)),
        kind => u8::from(!kind.is_direct()),
    }
}

/// Sizes of a program that is being chosen.
#[derive(Debug, Clone, Copy, Default)]
struct Size {
    steps: u8,
    /// Operand positions that are inputs.
    inputs: u8,
    /// Inputs of the shape of the results.
    full: u8,
    results: u8,
    /// Whether a product is among the operations.
    has_product: bool,
}

impl Size {
    /// The sizes after an operation of this size has joined.  The operands of the operation replace its
    /// result among the inputs, unless other operations need the result.
    fn with(self, part: Size, is_result: bool) -> Size {
        Size {
            steps: self.steps + part.steps,
            inputs: self.inputs + part.inputs - 1,
            // An operation of another shape never joins.
            full: (self.full + part.full).saturating_sub(1),
            results: self.results + u8::from(is_result),
            has_product: self.has_product || part.has_product,
        }
    }

    /// Whether the largest blocks of a product fit the local store with its epilogue. The two operands of the
    /// product are among the inputs, and not among the full ones.
    fn fits_epilogue(&self, target: &Target, shape: Shape, inner: u32, precision: Precision) -> bool {
        let grid = target.blocks.product_grid(shape, inner, precision).0;
        let repeated = self.inputs.saturating_sub(2 + self.full);
        let inputs = |count: u8, repeats| std::iter::repeat_n(repeats, count.into());
        // A repeated input may have one row or one column; there is room for both.
        let further = inputs(self.full, (false, false))
            .chain(inputs(repeated, (true, false)))
            .chain(inputs(repeated, (false, true)));
        let strips = usize::from(self.steps.saturating_sub(1));
        target.room.fits_epilogue(largest_sides(&grid), precision, further, self.results.into(), strips)
    }
}

/// Whether an operation is a product that may have an epilogue: one block operation sums up all its parts, in
/// a local store.
fn may_have_epilogue(trace: &Trace, operation: &TraceOperation, target: &Target) -> bool {
    operation.kind == OpKind::Multiply
        && !is_outer_product(trace, operation)
        && target.venue(OpKind::Multiply) == Venue::LocalStore
        && {
            let inner = trace.operand(operation.operands[0]).0.columns;
            target.inner_axis(operation.shape, inner, operation.precision).parts()
                <= target.blocks.chain as u32
        }
}

/// The precision in which operations are computed together that are computed in these precisions alone; None
/// if there is none. What is computed in bytes gives equal truth values, 0 or 1, in every precision.
fn computed_together(a: Precision, b: Precision) -> Option<Precision> {
    match (a, b) {
        (Precision::Byte, other) | (other, Precision::Byte) => Some(other),
        _ => (a == b).then_some(a),
    }
}

/// Chooses the programs of a trace.
pub(super) fn choose(trace: &Trace, target: &Target) -> Clusters {
    if target.steps <= 1 {
        return Clusters::default();
    }
    let mut programs = Clusters::new(trace.operations.len());
    // Sizes of the program of each root, and the inner side of its product.
    let mut sizes = vec![Size::default(); trace.operations.len()];
    let mut inner_sides = vec![0; trace.operations.len()];
    let mut precisions = vec![Precision::Byte; trace.operations.len()];
    for (index, operation) in trace.operations.iter().enumerate().rev() {
        let steps = steps_of(trace, operation, target);
        let operands = || operation.operands.into_iter().filter(|&operand| operand != Operand::None);
        let is_full = |&operand: &Operand| trace.operand(operand).0 == operation.shape;
        let has_product = steps == 0 && may_have_epilogue(trace, operation, target);
        let inputs = operands().count() as u8;
        let full = if has_product { 0 } else { operands().filter(is_full).count() as u8 };
        let alone = Size { steps, inputs, full, results: 1, has_product };
        sizes[index] = alone;
        precisions[index] = trace.computed_in(operation);
        let chosen = programs.reader(index as u32).ok_or(Apart::Readers).and_then(|reader| {
            let root = &trace.operations[reader.root as usize];
            let is_result = reader.elsewhere || operation.keep.is_some();
            let size = sizes[reader.root as usize].with(alone, is_result);
            let precision = computed_together(precisions[index], precisions[reader.root as usize]);
            let own_venue = if has_product { Venue::LocalStore } else { venue(operation, target) };
            let inner = match has_product {
                true => trace.operand(operation.operands[0]).0.columns,
                false => inner_sides[reader.root as usize],
            };
            let apart = if steps == 0 && !has_product || sizes[reader.root as usize].steps == 0 {
                Some(Apart::Kind)
            } else if has_product && is_result {
                Some(Apart::Needed)
            } else if has_product && sizes[reader.root as usize].has_product {
                Some(Apart::Product)
            } else if operation.shape != root.shape || precision.is_none() {
                Some(Apart::Shape)
            } else if own_venue != venue(root, target) {
                Some(Apart::Venue)
            } else if size.steps > target.most_steps() {
                Some(Apart::Steps)
            } else if size.inputs > MAX_INPUTS as u8 || size.results > MAX_RESULTS as u8 {
                Some(Apart::Blocks)
            } else if size.has_product && !size.fits_epilogue(target, root.shape, inner, root.precision) {
                Some(Apart::Room)
            } else {
                None
            };
            apart.map_or(Ok((reader.root, size, inner, precision)), Err)
        });
        match chosen {
            Ok((root, size, inner, precision)) => {
                sizes[root as usize] = size;
                precisions[root as usize] = precision.unwrap_or(precisions[root as usize]);
                inner_sides[root as usize] = inner;
                programs.join(index as u32, root);
            }
            Err(apart) => programs.stay(index as u32, apart),
        }
        programs.read(index as u32, operation, |_| steps > 0);
    }
    programs
}

/// The operations of the program with this root that write a result, the root last.
pub(super) fn results(trace: &Trace, programs: &Clusters, root: u32) -> impl Iterator<Item = u32> {
    programs.operations(root).into_iter().filter(move |&index| {
        let is_needed =
            |index: u32| trace.operations[index as usize].keep.is_some() || programs.is_read_elsewhere(index);
        index == root || is_needed(index)
    })
}

/// A program before its matrices are known.
#[derive(Debug)]
pub(super) struct Composed {
    /// The program with its steps; inputs and further results are missing.
    program: Program,
    /// The operand that each input is.
    operands: Vec<Operand>,
    /// Of each input, whether it has one row (one column) that is repeated along the result.
    repeats: Vec<(bool, bool)>,
    /// The operation whose value each further result is.
    others: Vec<u32>,
    /// The product whose epilogue the program is.
    product: Option<u32>,
}

impl Composed {
    /// The program with this root.
    pub(super) fn new(trace: &Trace, programs: &Clusters, root: u32, target: &Target) -> Composed {
        let members = programs.operations(root);
        let precision = match trace.operations[root as usize] {
            TraceOperation { kind: OpKind::Convert, ref operands, .. } => trace.operand(operands[0]).1,
            _ => {
                let precisions = members.iter().map(|&index| {
                    let operation = &trace.operations[index as usize];
                    trace.computed_in(operation)
                });
                precisions.reduce(|a, b| computed_together(a, b).unwrap_or(a)).unwrap_or(Precision::Byte)
            }
        };
        let mut program = Program::new(precision);
        let mut operands: Vec<Operand> = Vec::new();
        let mut others: Vec<u32> = results(trace, programs, root).collect();
        others.pop();
        // An operation alone has two inputs, even when its two operands are one value, as in the paper.
        let shared = programs.has_parts(root);
        // The slot that holds an operation's value.
        let mut values: Vec<(u32, Slot)> = Vec::new();
        let is_step = |&index: &u32| is_program(trace, &trace.operations[index as usize], target);
        let product = members.iter().copied().find(|index| shared && !is_step(index));
        // The sum is input 0.
        let first_input = u8::from(product.is_some());
        values.extend(product.map(|index| (index, Slot::Input(0))));
        for index in members.into_iter().filter(|&index| Some(index) != product) {
            let operation = &trace.operations[index as usize];
            let mut slots = [Slot::None; 2];
            for (slot, &operand) in slots.iter_mut().zip(&operation.operands) {
                let value = values.iter().find(|&&(index, _)| operand == Operand::Operation(index));
                let input = operands.iter().position(|&other| shared && other == operand);
                *slot = match (operand, value, input) {
                    (Operand::None, ..) => Slot::None,
                    (_, Some(&(_, slot)), _) => slot,
                    (.., Some(input)) => Slot::Input(first_input + input as u8),
                    _ => {
                        operands.push(operand);
                        Slot::Input(first_input + operands.len() as u8 - 1)
                    }
                };
            }
            push_steps(&mut program.steps, operation, index, slots);
            let number = program.steps.len() as u8 - 1;
            let value = match others.iter().position(|&other| other == index) {
                Some(position) => Slot::Result(position as u8 + 1),
                None if index == root => Slot::Result(0),
                None => Slot::Strip(number),
            };
            program.steps[usize::from(number)].result = value;
            values.push((index, value));
        }
        program.assign_strips();
        let shape = trace.operations[root as usize].shape;
        let repeats = |&operand: &Operand| {
            let of = trace.operand(operand).0;
            (of.rows != shape.rows, of.columns != shape.columns)
        };
        Composed { program, repeats: operands.iter().map(repeats).collect(), operands, others, product }
    }

    /// The product whose epilogue it is.
    pub(super) fn product(&self) -> Option<u32> {
        self.product
    }

    /// The precision of its inputs, in which its steps are computed.
    pub(super) fn precision(&self) -> Precision {
        self.program.precision
    }

    /// The operand that each input is, except for the sum.
    pub(super) fn operands(&self) -> &[Operand] {
        &self.operands
    }

    /// The operations whose values are its further results.
    pub(super) fn others(&self) -> &[u32] {
        &self.others
    }

    /// How it looks to whoever cuts its result.
    pub(super) fn outline(&self) -> Outline {
        Outline {
            kinds: self.program.steps.iter().map(|step| step.kind).collect(),
            repeats: self.repeats.clone(),
            results: 1 + self.others.len(),
            strips: self.program.strips.into(),
        }
    }
}

impl Lowering<'_> {
    /// Emits a program: one block operation for each block of its result. `inner` is the cut of the inner
    /// side of the product whose epilogue the program is.
    pub(super) fn emit_program(
        &mut self,
        index: u32,
        composed: Composed,
        extent: &Extent,
        inner: Axis,
        cursor: Cursor,
    ) -> Result<Option<Cursor>> {
        let trace = Arc::clone(&self.trace);
        let operation = &trace.operations[index as usize];
        let venue = venue(operation, self.plan.target());
        let result = self.place_result(index, extent)?;
        let Composed { mut program, operands, repeats, others, product } = composed;
        let factors = match product {
            Some(product) => {
                program.inputs.push(Input::Sum);
                Some(self.place_factors(product)?)
            }
            None => None,
        };
        for (&operand, &repeats) in operands.iter().zip(&repeats) {
            let is_widened =
                trace.operand(operand).1 == Precision::Byte && program.precision != Precision::Byte;
            // What is widened needs no alignment.
            let matrix = match is_widened {
                true => self.place_in_memory(operand)?,
                false => self.place_operand(operand)?,
            };
            let shift = extent.first_column as i32 - self.first_column(operand) as i32;
            program.inputs.push(Input::Matrix(Window { matrix, repeats, shift }));
        }
        for &other in &others {
            let matrix = self.place_result(other, extent)?;
            program.results.push(Window { matrix, repeats: (false, false), shift: 0 });
        }
        let number = self.chunk.add_program(program);
        let work = match factors {
            Some(_) => Work::Product(inner, Some(number)),
            None => Work::Program(number),
        };
        let order = product.map_or(Order::Columns, |product| self.product_order(product));
        let results: Vec<u32> = others.into_iter().chain([index]).collect();
        Ok(self.each_block(&results, extent, order, cursor, |lowering, region| {
            let (row, column, rows, columns) = region;
            let at = column - extent.first_column;
            let block = BlockOperation {
                result: Place::Matrix { matrix: result, row, column: at },
                ..BlockOperation::new(work, venue, operation.precision, index, (rows, columns))
            };
            let target = match factors {
                Some(factors) => lowering.push_product(factors, (inner, 0), region, block),
                None => lowering.push(block),
            };
            for (&operand, &repeats) in operands.iter().zip(&repeats) {
                lowering.depend_on_region(operand, met_region(repeats, region), target);
            }
            target
        }))
    }
}

/// Adds the steps of an operation, each with a strip of its own.
fn push_steps(steps: &mut Vec<Step>, operation: &TraceOperation, index: u32, operands: [Slot; 2]) {
    let result = Slot::Strip(steps.len() as u8);
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
        let operands = [result, Slot::None];
        step = Step { kind: OpKind::Add, form: Form::ScalarRight, operands, scalar: 0.0, ..step };
    }
    steps.push(step);
}
