//! Operations in main memory as the kernels want them.

use spe_kernels::{Status, sys};
use static_assertions::const_assert_eq;

use super::{BlockAddress, Command, Fused};
use crate::lower::{MAX_INPUTS, MAX_STEPS, Source};
use crate::operation::{Form, OpKind};

const_assert_eq!(MAX_INPUTS, sys::DIRECT_INPUTS as usize);
const_assert_eq!(MAX_STEPS, sys::DIRECT_STEPS as usize);

/// Whether an operation is executed in main memory: those that have no other way are, and with `in_place` element-wise ones too.
pub(super) fn is_direct(command: &Command, in_place: bool) -> bool {
    command.kind.is_direct() || command.fusion.is_some() || (in_place && command.kind != OpKind::Multiply)
}

/// The description of an operation in main memory.
#[derive(Debug)]
pub(super) enum Description {
    /// An element-wise operation or a conversion.
    Block(sys::kernel_operation),
    /// Several element-wise operations.
    Fusion(Box<sys::direct_fusion>),
    /// What moves or reduces elements.
    Direct(sys::direct_operation),
}

impl Description {
    /// The description of a command.
    #[must_use]
    pub(super) fn of(command: &Command) -> Description {
        match &command.fusion {
            Some(fused) => Description::Fusion(Box::new(fusion(command, fused))),
            None if command.kind.is_direct() => Description::Direct(direct_operation(command)),
            None => Description::Block(kernel_operation(command)),
        }
    }
}

fn kernel_operation(command: &Command) -> sys::kernel_operation {
    let mut operands = [sys::kernel_block::default(); 2];
    let mut operand_count = 0;
    for operand in command.operands.into_iter().flatten() {
        operands[operand_count] = kernel_block(operand);
        operand_count += 1;
    }
    sys::kernel_operation {
        opcode: command.kind as u32,
        form: command.form as u32,
        operand_count: operand_count as u32,
        scalar: command.scalar,
        accumulate: 0,
        result: kernel_block(command.result),
        operands,
    }
}

fn kernel_block(block: BlockAddress) -> sys::kernel_block {
    sys::kernel_block {
        data: std::ptr::with_exposed_provenance_mut(block.ea as usize),
        stride_bytes: block.stride_bytes,
        rows: block.rows,
        columns: block.columns,
        precision: block.precision as u32,
    }
}

fn fusion(command: &Command, fused: &Fused) -> sys::direct_fusion {
    let mut fusion = sys::direct_fusion {
        opcode: sys::DIRECT_FUSION,
        precision: command.result.precision as u32,
        input_count: fused.inputs.len() as u32,
        step_count: fused.steps.len() as u32,
        result: matrix(command.result),
        ..sys::direct_fusion::default()
    };
    for (to, &input) in fusion.inputs.iter_mut().zip(&fused.inputs) {
        *to = matrix(input);
    }
    let number = |source| match source {
        Source::None => 0,
        Source::Input(input) => input,
        Source::Strip(strip) => MAX_INPUTS as u8 + strip,
    };
    for (to, step) in fusion.steps.iter_mut().zip(&fused.steps) {
        *to = sys::direct_step {
            opcode: step.kind as u8,
            form: step.form as u8,
            // What there is alone stands first.
            operands: step.operands.map(number),
            result: number(Source::Strip(step.result)),
            reserved: [0; 3],
            scalar: if step.form == Form::Values { 0.0 } else { step.scalar },
        };
    }
    fusion
}

fn direct_operation(command: &Command) -> sys::direct_operation {
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

/// Executes an operation in main memory.
///
/// # Errors
/// What the kernels say, with the step of a fusion.
///
/// # Safety
/// The operands lie in memory that can be read, and the result where it can be written, in whole groups of 16 bytes a column
/// unless the kind is a direct one; nobody else writes them meanwhile, and nobody else reads the result.
pub(super) unsafe fn execute(command: &Command) -> Result<(), (Status, u32)> {
    if command.chain.is_some() {
        // A product is a MEU's.
        return Err((Status::Opcode, 0));
    }
    let description = match Description::of(command) {
        Description::Block(block) => sys::direct_description { block },
        Description::Fusion(fusion) => sys::direct_description { fusion: *fusion },
        Description::Direct(direct) => sys::direct_description { direct },
    };
    // SAFETY: the contract of this function.
    unsafe { spe_kernels::execute_direct(&description) }
}

fn matrix(block: BlockAddress) -> sys::direct_matrix {
    sys::direct_matrix {
        ea: block.ea,
        stride_bytes: block.stride_bytes.into(),
        rows: block.rows,
        columns: block.columns,
    }
}
