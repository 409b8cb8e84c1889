//! What programs must read, and what their steps must be.

use super::super::super::graph::BlockOperation;
use super::super::super::program::{Program, Slot, Step};
use super::{Checked, Elements, Found, Need, Needs, ensure, met};
use crate::operation::{Form, OpKind};
use crate::trace::{Operand, TraceOperation};

/// What a strip or result holds: the value of an operation, or the value of the first of the two steps of a
/// product over an inner side of length 1.
type Held = Option<(u32, bool)>;

/// What each slot holds, step after step.
#[derive(Debug)]
struct Slots {
    strips: Vec<Held>,
    results: Vec<Held>,
}

impl Slots {
    fn new(program: &Program) -> Slots {
        Slots { strips: vec![None; program.strips.into()], results: vec![None; 1 + program.results.len()] }
    }

    /// The slot, if steps may write to it.
    fn written(&mut self, slot: Slot) -> Checked<&mut Held> {
        let held = match slot {
            Slot::Strip(strip) => self.strips.get_mut(usize::from(strip)),
            Slot::Result(result) => self.results.get_mut(usize::from(result)),
            Slot::None | Slot::Input(_) => None,
        };
        held.ok_or_else(|| format!("a step writes {slot:?}"))
    }
}

/// What a step must compute: kind, form, scalar, operands, and whether it ends its operation.
fn expected(step: &Step, of: &TraceOperation) -> (OpKind, Form, f64, [Operand; 2], bool) {
    match (of.kind, step.kind) {
        (OpKind::Multiply, OpKind::Add) => {
            let product = Operand::Operation(step.operation);
            (OpKind::Add, Form::ScalarRight, 0.0, [product, Operand::None], true)
        }
        (OpKind::Multiply, _) => (OpKind::Times, Form::Values, 0.0, of.operands, false),
        (kind, _) => (kind, of.form, of.scalar, of.operands, true),
    }
}

impl Needs<'_> {
    /// Checks a program. Each step must read the recorded operands: an input, or what an earlier step has
    /// left in a strip or in a result.
    pub(super) fn program(&self, block: &BlockOperation, recorded: &TraceOperation) -> Checked<Found> {
        let region = self.result(block)?;
        let program = self.graph.program(block).ok_or("there is no such program")?;
        let inputs: Vec<_> = self.graph.inputs(block).collect();
        ensure(inputs.len() == program.inputs.len(), || "an input is nowhere".into())?;
        let mut reads: Vec<Option<Need>> = inputs.iter().map(|_| None).collect();
        let mut slots = Slots::new(program);
        let mut executed = Vec::new();
        for (number, step) in program.steps.iter().enumerate() {
            let of = self.trace().operations.get(step.operation as usize).ok_or("a step of no operation")?;
            ensure(of.shape == recorded.shape && of.precision == recorded.precision, || {
                format!("step {number} has another shape or precision")
            })?;
            ensure(of.kind != OpKind::Convert || program.steps.len() == 1, || {
                "a conversion is not alone".into()
            })?;
            let (kind, form, scalar, operands, is_end) = expected(step, of);
            ensure(
                step.kind == kind && step.form == form && step.scalar.to_bits() == scalar.to_bits(),
                || format!("step {number} is not what was recorded"),
            )?;
            for (slot, operand) in step.operands.into_iter().zip(operands) {
                match (slot, operand) {
                    (Slot::None, Operand::None) => {}
                    (Slot::Strip(_) | Slot::Result(_), Operand::Operation(operation)) => {
                        ensure(slot != step.result, || format!("step {number} writes what it reads"))?;
                        // The first step of a product, or a whole operation.
                        let is_whole = operation != step.operation;
                        ensure(*slots.written(slot)? == Some((operation, is_whole)), || {
                            format!("step {number} reads {slot:?}, which does not hold %{operation}")
                        })?;
                    }
                    (Slot::Input(input), operand) if operand != Operand::None => {
                        let &(place, (rows, columns)) = inputs
                            .get(usize::from(input))
                            .ok_or("a step reads an input that is not there")?;
                        let (shape, precision) = self.trace().operand(operand);
                        ensure(precision == program.operand_precision, || {
                            format!("an input is {precision:?}")
                        })?;
                        let met = met(shape, recorded.shape, region);
                        self.is_at(place, (rows.into(), columns.into()), operand, met)?;
                        reads[usize::from(input)] = Some(Need::Elements(operand, Elements::Region(met)));
                    }
                    _ => return Err(format!("step {number} reads {slot:?} for {operand:?}")),
                }
            }
            *slots.written(step.result)? = Some((step.operation, is_end));
            if is_end {
                executed.push(step.operation);
            }
        }
        ensure(executed.last() == Some(&block.operation), || "the last step is another operation".into())?;
        let mut results = vec![(block.operation, region)];
        ensure(slots.results[0] == Some((block.operation, true)), || "it does not write its result".into())?;
        for (held, place) in slots.results[1..].iter().zip(self.graph.more_results(block)) {
            let &(operation, _) = held.as_ref().filter(|held| held.1).ok_or("a result is not written")?;
            let (row, column, rows, columns) = region;
            let (origin, at_row, at_column) = self.located(place, (rows, columns))?;
            ensure(
                origin.0 == Operand::Operation(operation) && (at_row, at_column) == (row, column),
                || format!("%{operation} is written elsewhere"),
            )?;
            results.push((operation, region));
        }
        executed.retain(|operation| results.iter().all(|(result, _)| result != operation));
        let reads = reads.into_iter().collect::<Option<_>>().ok_or("an input is not read")?;
        Ok(Found { reads, results, steps: executed })
    }
}
