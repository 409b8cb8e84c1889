//! Fusions: which element-wise operations are executed together, strip by strip, so that what is between them never reaches
//! main memory.
//!
//! An operation joins the operations that read its result when nobody holds that result, all its readers are in one fusion, and
//! its shape and precision are theirs.  So a fusion has one result, that of its last operation, its root; it is lowered in the
//! place of the root, when all that it reads has been lowered.  Each step computes what the operation alone would, to the bit.
//!
//! A product over an inner side of length 1 is element-wise as well: the products, to which +0 is added.

use super::cluster::Clusters;
use crate::operation::{Form, OpKind};
use crate::trace::{Operand, Trace, TraceOperation};

/// Most matrices that a fusion reads.
pub const MAX_INPUTS: usize = 8;

/// Most steps of a fusion.
pub const MAX_STEPS: usize = 16;

/// What a step reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// Nothing, or the scalar.
    None,
    /// An input of the fusion.
    Input(u8),
    /// What an earlier step has left in this strip.
    Strip(u8),
}

/// One element-wise operation of a fusion.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// What it computes.
    pub kind: OpKind,
    /// Which operands are values.
    pub form: Form,
    /// What it reads.
    pub operands: [Source; 2],
    /// The strip that it writes, which is none of its operands.  The last step writes the result.
    pub result: u8,
    /// The scalar of the scalar forms.
    pub scalar: f64,
    /// Index of the operation in the trace.
    pub operation: u32,
}

/// A matrix that a fusion reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Input {
    /// Index into [`LoweredGraph::matrices`](super::LoweredGraph::matrices).
    pub matrix: u32,
    /// Whether it has one row (one column) that is repeated along the result.
    pub repeats: (bool, bool),
    /// Its column that belongs to column 0 of the result's matrix: one of the two may be a panel.
    pub shift: i32,
}

/// A list of steps that a block operation executes.
#[derive(Debug, Clone, PartialEq)]
pub struct Fusion {
    /// In the order of recording.
    pub steps: Vec<Step>,
    /// What they read.
    pub inputs: Vec<Input>,
}

impl Fusion {
    /// Gives each step a strip that nobody reads later.
    pub(super) fn assign_strips(&mut self) {
        // Until now every step has a strip of its own, with its number.
        let mut last_read = [0; MAX_STEPS];
        for (number, step) in self.steps.iter().enumerate() {
            for source in step.operands {
                if let Source::Strip(strip) = source {
                    last_read[strip as usize] = number;
                }
            }
        }
        let mut strips = [0u8; MAX_STEPS];
        let mut free: Vec<u8> = (0..MAX_STEPS as u8).rev().collect();
        for (number, step) in self.steps.iter_mut().enumerate() {
            // Before those of the operands are free.
            strips[number] = free.pop().unwrap_or_else(|| unreachable!("as many strips as steps"));
            step.result = strips[number];
            let mut freed = None;
            for source in &mut step.operands {
                if let Source::Strip(strip) = source {
                    let written_by = *strip as usize;
                    *strip = strips[written_by];
                    if last_read[written_by] == number && freed != Some(written_by) {
                        free.push(strips[written_by]);
                        freed = Some(written_by);
                    }
                }
            }
        }
    }
}

/// Whether an operation is a product over an inner side of length 1.
pub(super) fn is_outer_product(trace: &Trace, operation: &TraceOperation) -> bool {
    operation.kind == OpKind::Multiply && trace.operand(operation.operands[0]).0.columns == 1
}

/// The number of steps that an operation is; 0 when it can be none.
fn steps_of(trace: &Trace, operation: &TraceOperation) -> u8 {
    match operation.kind {
        OpKind::Multiply => 2 * u8::from(is_outer_product(trace, operation)),
        kind => u8::from(kind != OpKind::Convert && !kind.is_direct()),
    }
}

/// Chooses the fusions of a trace, of at most `most_steps` steps each.
pub(super) fn choose(trace: &Trace, most_steps: usize) -> Clusters {
    let most_steps = most_steps.min(MAX_STEPS) as u8;
    let mut fusions = Clusters::new(trace.operations.len());
    // Of each root: steps, and positions of operands that are inputs.
    let mut sizes = vec![(0, 0); trace.operations.len()];
    for (index, operation) in trace.operations.iter().enumerate().rev() {
        let steps = steps_of(trace, operation);
        let inputs = operation.operands.iter().filter(|&&operand| operand != Operand::None).count() as u8;
        if let Some(root) = fusions.readers(index as u32)
            && let (root_steps, root_inputs) = &mut sizes[root as usize]
            && operation.keep.is_none()
            && steps > 0
            && *root_steps + steps <= most_steps
            && *root_inputs + inputs - 1 <= MAX_INPUTS as u8
            && alike(operation, &trace.operations[root as usize])
        {
            *root_steps += steps;
            // What it reads takes the place of its result.
            *root_inputs += inputs - 1;
            fusions.join(index as u32, root);
        } else {
            sizes[index] = (steps, inputs);
        }
        fusions.read(index as u32, operation, |_| steps > 0);
    }
    fusions
}

fn alike(a: &TraceOperation, b: &TraceOperation) -> bool {
    a.shape == b.shape && a.precision == b.precision
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(operands: [Source; 2], result: u8) -> Step {
        Step { kind: OpKind::Add, form: Form::Values, operands, result, scalar: 0.0, operation: 0 }
    }

    #[test]
    fn strips_are_used_again_once_they_have_been_read() {
        let (input, strip, none) = (Source::Input(0), Source::Strip, Source::None);
        let mut fusion = Fusion {
            steps: vec![
                step([input, none], 0),
                step([input, none], 1),
                step([strip(0), strip(1)], 2),
                step([strip(2), strip(2)], 3),
                step([strip(3), input], 4),
            ],
            inputs: Vec::new(),
        };
        fusion.assign_strips();
        for (number, step) in fusion.steps.iter().enumerate() {
            assert!(!step.operands.contains(&strip(step.result)), "step {number}");
        }
        let most = fusion.steps.iter().map(|step| step.result).max();
        assert_eq!(most, Some(2));
        assert_eq!(fusion.steps[2].operands, [strip(0), strip(1)]);
    }
}
