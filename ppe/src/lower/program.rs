//! Programs: element-wise operations that one block operation executes together, strip by strip. Values
//! between the steps never reach main memory.
//!
//! An element-wise operation, a conversion and the addition of two partial sums are programs of one step. A
//! chunk holds each program once ([`LoweredGraph::program`](super::LoweredGraph::program)), and block
//! operations name it by number.

use std::sync::OnceLock;

use spe_kernels::program::Place;
pub use spe_kernels::program::{INPUTS as MAX_INPUTS, RESULTS as MAX_RESULTS, STEPS as MAX_STEPS};
use spe_kernels::{Opcode, Status};

use super::Region;
use crate::operation::{Form, OpKind, Precision};

/// What a step reads or writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slot {
    /// Nothing, or the scalar.
    None,
    /// An input of the program.
    Input(u8),
    /// A strip in the local store, or in the nearest cache, which an earlier step has written.
    Strip(u8),
    /// A result of the program. Result 0 is the result of the last step.
    Result(u8),
}

/// One element-wise operation of a program.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// What it computes.
    pub kind: OpKind,
    /// Which operands are values.
    pub form: Form,
    /// What it reads.
    pub operands: [Slot; 2],
    /// What it writes: a strip or a result, which is none of its operands.
    pub result: Slot,
    /// The scalar of the scalar forms.
    pub scalar: f64,
    /// Index of the operation in the trace.
    pub operation: u32,
}

/// A matrix that a program reads, or writes in addition to the result of its last step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// Index into [`LoweredGraph::matrices`](super::LoweredGraph::matrices).
    pub matrix: u32,
    /// Whether it has one row (one column) that is repeated along the result.
    pub repeats: (bool, bool),
    /// The column of this matrix that belongs to column 0 of the result's matrix. It is not 0 when only one
    /// of the two matrices is a panel.
    pub shift: i32,
}

/// Rows and columns of the part of an input that belongs to a block with these sides: 1 where the input is
/// repeated.
pub(super) fn met_sides<T: From<u8>>(repeats: (bool, bool), (rows, columns): (T, T)) -> (T, T) {
    let side = |repeats: bool, length: T| if repeats { T::from(1) } else { length };
    (side(repeats.0, rows), side(repeats.1, columns))
}

/// The region of an input that belongs to a region of the result.
pub(super) fn met_region(repeats: (bool, bool), (row, column, rows, columns): Region) -> Region {
    let (rows, columns) = met_sides(repeats, (rows, columns));
    let first = |repeats: bool, first: u32| if repeats { 0 } else { first };
    (first(repeats.0, row), first(repeats.1, column), rows, columns)
}

/// What a program reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Input {
    /// The part of a matrix that meets the block.
    Matrix(Window),
    /// The block operation's own operand at this position.
    Operand(u8),
    /// The sum of products whose epilogue the program is: always input 0.
    Sum,
}

/// The steps that a block operation executes on the elements of a block.
#[derive(Debug, Clone)]
pub struct Program {
    /// The steps, in the order of recording.
    pub steps: Vec<Step>,
    /// What the steps read.
    pub inputs: Vec<Input>,
    /// What the steps write in addition to the result of the last step: results 1 and up.
    pub results: Vec<Window>,
    /// Number of strips.
    pub strips: u8,
    /// The precision in which the steps are computed; of a conversion, the precision of its input. Inputs and
    /// results may also be of bytes.
    pub precision: Precision,
    /// See [`encoded`](Program::encoded).
    encoded: OnceLock<Result<spe_kernels::Program, Status>>,
}

impl Program {
    /// A program without steps.
    pub(super) fn new(precision: Precision) -> Program {
        Program {
            steps: Vec::new(),
            inputs: Vec::new(),
            results: Vec::new(),
            strips: 0,
            precision,
            encoded: OnceLock::new(),
        }
    }

    /// A program of one step, whose inputs are the block operation's operands.
    #[must_use]
    pub fn alone(kind: OpKind, precision: Precision) -> Program {
        let count = kind.operand_count() as u8;
        let slot = |number| if number < count { Slot::Input(number) } else { Slot::None };
        let step = Step {
            kind,
            form: Form::Values,
            operands: [slot(0), slot(1)],
            result: Slot::Result(0),
            scalar: 0.0,
            operation: 0,
        };
        let inputs = (0..count).map(Input::Operand).collect();
        Program { steps: vec![step], inputs, ..Program::new(precision) }
    }

    /// So many steps of one kind, each of which reads what the step before has written, and the last input.
    pub(crate) fn repeated(kind: OpKind, precision: Precision, steps: u8) -> Program {
        let mut program = Program::alone(kind, precision);
        let last = program.steps[0].operands[1];
        program.steps = (0..steps)
            .map(|number| Step {
                operands: [if number == 0 { Slot::Input(0) } else { Slot::Strip((number - 1) % 2) }, last],
                result: if number + 1 == steps { Slot::Result(0) } else { Slot::Strip(number % 2) },
                ..program.steps[0]
            })
            .collect();
        program.strips = (steps - 1).min(2);
        program
    }

    /// The addition of two temporaries, which hold sums of products.
    pub(super) fn addition(operation: u32, precision: Precision) -> Program {
        let mut program = Program::alone(OpKind::Add, precision);
        program.steps[0].operation = operation;
        program
    }

    /// The program in the layout of kernels and records, which is made once.
    ///
    /// # Errors
    /// What is wrong with the steps: a mistake of ours.
    pub fn encoded(&self) -> Result<&spe_kernels::Program, Status> {
        let encode = || {
            let steps: Vec<_> = self.steps.iter().map(encoded_step).collect::<Result<_, _>>()?;
            let program = spe_kernels::Program::new(self.inputs.len(), 1 + self.results.len(), &steps)?;
            Ok(program.of_bytes_in(self.precision.into()))
        };
        self.encoded.get_or_init(encode).as_ref().map_err(|&status| status)
    }

    /// Whether two programs have equal steps, inputs and results.
    #[must_use]
    pub(super) fn is(&self, other: &Program) -> bool {
        (&self.steps, &self.inputs, &self.results) == (&other.steps, &other.inputs, &other.results)
            && (self.strips, self.precision) == (other.strips, other.precision)
    }

    /// Assigns strips to steps, so that strips are used again. Before, each step that writes no result has a
    /// strip with its own number. Afterwards a step writes to a strip that no later step reads.
    pub(super) fn assign_strips(&mut self) {
        let mut last_read = [0; MAX_STEPS];
        for (number, step) in self.steps.iter().enumerate() {
            for slot in step.operands {
                if let Slot::Strip(strip) = slot {
                    last_read[strip as usize] = number;
                }
            }
        }
        let mut strips = [0u8; MAX_STEPS];
        let mut free: Vec<u8> = (0..MAX_STEPS as u8).rev().collect();
        for (number, step) in self.steps.iter_mut().enumerate() {
            // A step's own strip is taken before the strips of its operands are free.
            if let Slot::Strip(strip) = &mut step.result {
                strips[number] = free.pop().unwrap_or_else(|| unreachable!("as many strips as steps"));
                *strip = strips[number];
                self.strips = self.strips.max(strips[number] + 1);
            }
            let mut freed = None;
            for slot in &mut step.operands {
                if let Slot::Strip(strip) = slot {
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

fn encoded_step(step: &Step) -> Result<spe_kernels::program::Step, Status> {
    let place = |slot| match slot {
        // The index of the operation does not count.
        Slot::None => Place::Input(0),
        Slot::Input(input) => Place::Input(input),
        Slot::Strip(strip) => Place::Strip(strip),
        Slot::Result(result) => Place::Result(result),
    };
    let form = step.form.into();
    let opcode = Opcode::ALL.get(step.kind as usize).copied().ok_or(Status::Opcode)?;
    let operands = step.operands.map(place);
    Ok(spe_kernels::program::Step { opcode, form, operands, result: place(step.result), scalar: step.scalar })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(operands: [Slot; 2], result: Slot) -> Step {
        Step { kind: OpKind::Add, form: Form::Values, operands, result, scalar: 0.0, operation: 0 }
    }

    #[test]
    fn strips_are_used_again_once_they_have_been_read() {
        let (input, strip, none) = (Slot::Input(0), Slot::Strip, Slot::None);
        let mut program = Program {
            steps: vec![
                step([input, none], strip(0)),
                step([input, none], strip(1)),
                step([strip(0), strip(1)], strip(2)),
                step([strip(2), strip(2)], Slot::Result(1)),
                step([Slot::Result(1), input], strip(4)),
                step([strip(4), strip(2)], Slot::Result(0)),
            ],
            ..Program::new(Precision::Double)
        };
        program.assign_strips();
        for (number, step) in program.steps.iter().enumerate() {
            assert!(!step.operands.contains(&step.result), "step {number}");
        }
        assert_eq!(program.strips, 3);
        assert_eq!(program.steps[2].operands, [strip(0), strip(1)]);
        // The last step reads the strip of step 2 too, so step 4 has another strip.
        assert_ne!(program.steps[2].result, program.steps[4].result);
        assert_eq!(program.steps[5].operands, [program.steps[4].result, program.steps[2].result]);
    }
}
