//! Commands as records and kernels have them.

use spe_kernels::program::{Place, Step};
use spe_kernels::{Opcode, Program, Status, sys};
use static_assertions::const_assert_eq;

use crate::engine::{BlockAddress, Command, Fused};
use crate::lower::{MAX_INPUTS, MAX_STEPS, Source};
use crate::operation::{Form, OpKind};

const_assert_eq!(MAX_INPUTS, spe_kernels::program::INPUTS);
const_assert_eq!(MAX_STEPS, spe_kernels::program::STEPS);

fn block(block: BlockAddress) -> sys::meu_block {
    sys::meu_block {
        ea: block.ea,
        stride_bytes: block.stride_bytes,
        rows: block.rows,
        columns: block.columns,
        precision: block.precision as u8,
        ..sys::meu_block::default()
    }
}

/// The record of an operation that is no fusion: its first line, with flags and a sequence number of 0.
pub(in crate::engine) fn record(command: &Command) -> sys::meu_record {
    let mut record = sys::meu_record {
        version: sys::MEU_PROTOCOL_VERSION as u8,
        result_count: 1,
        step_count: 1,
        ..sys::meu_record::default()
    };
    let opcode = command.kind as u8;
    if command.kind.is_direct() {
        record.work.step = sys::program_step { opcode, ..sys::program_step::default() };
        return record;
    }
    let blocks = command.operands.iter().flatten().chain([&command.result]);
    for (to, from) in record.blocks.iter_mut().zip(blocks) {
        *to = block(*from);
    }
    record.input_count = command.operands.iter().flatten().count() as u8;
    if command.kind == OpKind::Multiply {
        let product = sys::meu_product { opcode, parts: 1, ..sys::meu_product::default() };
        record.work.product = product;
        if let Some(chain) = &command.chain {
            record.inner = chain.length();
            record.work.product = sys::meu_product {
                parts: chain.parts() as u16,
                longer: chain.longer() as u16,
                divisor: chain.divisor() as u16,
                base: chain.base() as u16,
                ..product
            };
        }
    } else {
        record.work.step = sys::program_step {
            opcode,
            form: command.form as u8,
            operands: [0, record.input_count.saturating_sub(1)],
            result: sys::PROGRAM_INPUTS as u8,
            reserved: [0; 3],
            scalar: if command.form == Form::Values { 0.0 } else { command.scalar },
        };
    }
    record
}

/// The program of an element-wise command, and its blocks.
///
/// # Errors
/// What is wrong with the steps.
pub(in crate::engine) fn program(command: &Command) -> Result<(Program, Vec<sys::meu_block>), Status> {
    let (steps, inputs): (Vec<Step>, Vec<BlockAddress>) = match &command.fusion {
        Some(fused) => (steps(fused), fused.inputs.clone()),
        None => {
            let step = Step {
                opcode: opcode(command.kind)?,
                form: form(command.form),
                operands: [Place::Input(0), Place::Input(1)],
                result: Place::Result(0),
                scalar: command.scalar,
            };
            (vec![step], command.operands.into_iter().flatten().collect())
        }
    };
    let program = Program::new(inputs.len(), 1, &steps)?;
    Ok((program, inputs.into_iter().chain([command.result]).map(block).collect()))
}

fn opcode(kind: OpKind) -> Result<Opcode, Status> {
    Opcode::ALL.get(kind as usize).copied().ok_or(Status::Opcode)
}

fn form(form: Form) -> spe_kernels::Form {
    match form {
        Form::Values => spe_kernels::Form::Blocks,
        Form::ScalarRight => spe_kernels::Form::ScalarRight,
        Form::ScalarLeft => spe_kernels::Form::ScalarLeft,
    }
}

/// The last step of a fusion writes the result.
fn steps(fused: &Fused) -> Vec<Step> {
    let place = |source| match source {
        Source::None => Place::Input(0),
        Source::Input(input) => Place::Input(input),
        Source::Strip(strip) => Place::Strip(strip),
    };
    let last = fused.steps.len().saturating_sub(1);
    let steps = fused.steps.iter().enumerate().map(|(number, step)| Step {
        opcode: Opcode::ALL[step.kind as usize],
        form: form(step.form),
        // What there is alone stands first.
        operands: step.operands.map(place),
        result: if number == last { Place::Result(0) } else { Place::Strip(step.result) },
        scalar: step.scalar,
    });
    steps.collect()
}

/// A direct operation.
pub(in crate::engine) fn direct_operation(command: &Command) -> sys::direct_operation {
    let mut operands = [sys::direct_matrix::default(); 2];
    let mut operand_count = 0;
    for operand in command.operands.into_iter().flatten() {
        operands[operand_count] = matrix(operand);
        operand_count += 1;
    }
    sys::direct_operation {
        opcode: command.kind as u32,
        precision: command.result.precision as u32,
        operand_count: operand_count as u32,
        origin_row: command.origin.0,
        origin_column: command.origin.1,
        reserved: 0,
        // What follows concerns complex elements.
        parameters: [command.parameters[0], command.parameters[1], command.parameters[2]],
        result: matrix(command.result),
        operands,
    }
}

fn matrix(block: BlockAddress) -> sys::direct_matrix {
    sys::direct_matrix {
        ea: block.ea,
        stride_bytes: block.stride_bytes.into(),
        rows: block.rows,
        columns: block.columns,
    }
}
