//! What programs must read, and what their steps must be.

use super::super::super::Axis;
use super::super::super::graph::{BlockOperation, Work};
use super::super::super::program::{Input, Program, Slot, Step};
use super::sums::Factors;
use super::{Checked, Elements, Found, Need, Needs, ensure, met};
use crate::operation::{Form, OpKind, Precision};
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
    /// Checks a program, alone or as the epilogue of a product. Each step must read the recorded operands: an
    /// input, or what an earlier step has left in a strip or in a result.
    pub(super) fn program(&self, block: &BlockOperation, recorded: &TraceOperation) -> Checked<Found> {
        let region = self.result(block)?;
        let program = self.graph.program(block).ok_or("there is no such program")?;
        let mut inputs: Vec<_> = self.graph.inputs(block).map(Some).collect();
        let is_sum = |&input: &Input| input == Input::Sum;
        let sum = match block.work {
            Work::Product(parts, _) => {
                // The sum takes the place of the two operands.
                ensure(inputs.len() > 1 && program.inputs.first().is_some_and(is_sum), || {
                    "the product is no input".into()
                })?;
                inputs.splice(..2, [None]);
                Some(self.sum(block, parts, program)?)
            }
            _ => None,
        };
        let sums = program.inputs.iter().filter(|input| is_sum(input)).count();
        ensure(inputs.len() == program.inputs.len() && sums == usize::from(sum.is_some()), || {
            "an input is nowhere".into()
        })?;
        let mut reads: Vec<Option<Need>> = inputs.iter().map(|_| None).collect();
        let mut slots = Slots::new(program);
        let mut executed = Vec::new();
        for (number, step) in program.steps.iter().enumerate() {
            let of = self.trace().operations.get(step.operation as usize).ok_or("a step of no operation")?;
            let computed = match of.kind {
                OpKind::Convert => self.trace().operand(of.operands[0]).1,
                _ => self.trace().computed_in(of),
            };
            let fits = computed == program.precision || computed == Precision::Byte;
            ensure(of.shape == recorded.shape && fits, || {
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
                        let &input_block = inputs
                            .get(usize::from(input))
                            .ok_or("a step reads an input that is not there")?;
                        let Some((place, (rows, columns))) = input_block else {
                            let product = sum.as_ref().map(|&(product, _)| Operand::Operation(product));
                            ensure(product == Some(operand), || {
                                format!("step {number} reads the product for {operand:?}")
                            })?;
                            continue;
                        };
                        let (shape, precision) = self.trace().operand(operand);
                        ensure(precision == program.precision || precision == Precision::Byte, || {
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
        if let Some((product, factors)) = sum {
            executed.push(product);
            executed.extend(factors.transposes);
            reads.splice(..1, factors.reads.into_iter().map(Some));
        }
        let reads = reads.into_iter().collect::<Option<_>>().ok_or("an input is not read")?;
        Ok(Found { reads, results, steps: executed })
    }

    /// Checks the product whose epilogue a program is: the product that the steps read as input 0. Returns
    /// the operation, and what it reads.
    fn sum(&self, block: &BlockOperation, parts: Axis, program: &Program) -> Checked<(u32, Factors)> {
        let operations = &self.trace().operations;
        let operands = program.steps.iter().flat_map(|step| {
            let of = operations.get(step.operation as usize);
            step.operands.into_iter().zip(of.map_or([Operand::None; 2], |of| expected(step, of).3))
        });
        let mut products = operands.filter(|&(slot, _)| slot == Slot::Input(0)).map(|(_, operand)| operand);
        let Some(Operand::Operation(product)) = products.next() else {
            return Err("no step reads the product".into());
        };
        let of = &operations[product as usize];
        let recorded = &operations[block.operation as usize];
        ensure(
            (of.kind, of.shape, of.precision) == (OpKind::Multiply, recorded.shape, recorded.precision),
            || format!("%{product} is no product of this shape"),
        )?;
        let factors = self.factors(block, parts, of)?;
        ensure(factors.region == self.result(block)?, || format!("the product is of {:?}", factors.region))?;
        let inner = u64::from(self.shape(of.operands[0]).columns);
        ensure(factors.terms == (0, inner), || format!("its terms are {:?} of {inner}", factors.terms))?;
        Ok((product, factors))
    }
}
