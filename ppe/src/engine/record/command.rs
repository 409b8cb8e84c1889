//! Commands in the layout of records and kernels.

use std::ops::Deref;

use spe_kernels::sys;

use crate::engine::{BlockAddress, Command};
use crate::lower::Axis;
use crate::matrix::QUADWORD_BYTES;
use crate::operation::{OpKind, Parameters, Shape, Side, View};

/// Most blocks of a command.
const MOST_BLOCKS: usize = spe_kernels::program::INPUTS + spe_kernels::program::RESULTS;

/// Blocks in the layout of records and kernels.
#[derive(Debug)]
pub(in crate::engine) struct Blocks {
    blocks: [sys::meu_block; MOST_BLOCKS],
    count: usize,
}

impl Deref for Blocks {
    type Target = [sys::meu_block];

    fn deref(&self) -> &[sys::meu_block] {
        &self.blocks[..self.count]
    }
}

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

/// The blocks of a command: first its operands, then its results.
pub(in crate::engine) fn blocks(command: &Command<'_>) -> Blocks {
    let mut all = Blocks { blocks: [sys::meu_block::default(); MOST_BLOCKS], count: 0 };
    for &address in command.operands.iter().chain(command.results) {
        all.blocks[all.count] = block(address);
        all.count += 1;
    }
    all
}

/// The first line of a record, without blocks. Flags and sequence number are 0.
pub(in crate::engine) fn empty() -> sys::meu_record {
    sys::meu_record {
        version: sys::MEU_PROTOCOL_VERSION as u8,
        result_count: 1,
        step_count: 1,
        ..sys::meu_record::default()
    }
}

/// The record of a product.
pub(in crate::engine) fn product(command: &Command<'_>, parts: Axis) -> sys::meu_record {
    let mut record = sys::meu_record { step_count: 0, ..empty() };
    record.blocks.iter_mut().zip(blocks(command).iter()).for_each(|(to, block)| *to = *block);
    record.input_count = command.operands.len() as u8;
    let opcode = OpKind::Multiply as u8;
    let flags = [sys::MEU_TRANSPOSED_A, sys::MEU_TRANSPOSED_B].into_iter().zip(command.operands);
    let transposed = flags.map(|(flag, operand)| flag * u32::from(operand.transposed)).sum::<u32>() as u8;
    let product = sys::meu_product { opcode, transposed, parts: 1, ..sys::meu_product::default() };
    record.work.product = product;
    if parts.parts() > 1 {
        record.inner = parts.length();
        record.work.product = sys::meu_product {
            parts: parts.parts() as u16,
            longer: parts.longer() as u16,
            divisor: parts.divisor() as u16,
            base: parts.base() as u16,
            ..product
        };
    }
    record
}

/// The first line of the record of a move or reduction.
pub(in crate::engine) fn direct(kind: OpKind) -> sys::meu_record {
    let step = sys::program_step { opcode: kind as u8, ..sys::program_step::default() };
    sys::meu_record { work: sys::meu_work { step }, ..empty() }
}

/// The record of a reduction in a local store.
pub(in crate::engine) fn reduction(
    command: &Command<'_>,
    kind: OpKind,
    parameters: Parameters,
) -> sys::meu_record {
    let mut record = direct(kind);
    let form = Side::of(&parameters) as u8;
    let mut step = sys::program_step { opcode: kind as u8, form, ..sys::program_step::default() };
    for (number, &operand) in command.operands.iter().enumerate() {
        (record.blocks[number], step.operands[number]) = whole_quadwords(operand);
    }
    record.input_count = command.operands.len() as u8;
    record.blocks[command.operands.len()] = block(command.results[0]);
    record.work = sys::meu_work { step };
    record
}

/// A block from the beginning of the quadword on in which it begins, since DMA fetches whole quadwords, and how
/// many elements of each column come before it.
fn whole_quadwords(mut from: BlockAddress) -> (sys::meu_block, u8) {
    let before = from.ea % QUADWORD_BYTES as u64;
    let skipped = before as usize / from.precision.element_bytes();
    from.ea -= before;
    from.rows += skipped as u32;
    (block(from), skipped as u8)
}

/// The record of a move in a local store. None for a view that is no rectangle of its operand.
pub(in crate::engine) fn local_move(
    command: &Command<'_>,
    kind: OpKind,
    parameters: Parameters,
    origin: (u32, u32),
) -> Option<sys::meu_record> {
    let result = command.results[0];
    let mut record = direct(kind);
    let mut step = sys::program_step { opcode: kind as u8, ..sys::program_step::default() };
    step.form = match Side::of(&parameters) {
        _ if kind == OpKind::View => sys::MEU_MOVE_BELOW,
        Side::Column => sys::MEU_MOVE_BELOW,
        Side::Row => sys::MEU_MOVE_BESIDE,
    } as u8;
    for (number, &operand) in command.operands.iter().enumerate() {
        let mut from = operand;
        if kind == OpKind::View {
            let [offset, down, right, part] = parameters;
            let first = offset + down * i64::from(origin.0) + right * i64::from(origin.1);
            let [of, to] = [operand, result].map(|block| Shape { rows: block.rows, columns: block.columns });
            let is_transposed = View::of_rectangle(&[first, down, right, part], of, to)?;
            if is_transposed {
                step.form = sys::MEU_MOVE_TRANSPOSED as u8;
            }
            let shape = if is_transposed { to.transposed() } else { to };
            (from.rows, from.columns) = (shape.rows, shape.columns);
            let (row, column) = (first as u64 % u64::from(of.rows), first as u64 / u64::from(of.rows));
            from.ea +=
                column * u64::from(operand.stride_bytes) + row * operand.precision.element_bytes() as u64;
        }
        (record.blocks[number], step.operands[number]) = whole_quadwords(from);
    }
    record.input_count = command.operands.len() as u8;
    record.blocks[command.operands.len()] = block(result);
    record.work = sys::meu_work { step };
    Some(record)
}

/// A move or reduction.
pub(in crate::engine) fn direct_operation(
    command: &Command<'_>,
    kind: OpKind,
    parameters: Parameters,
    origin: (u32, u32),
) -> sys::direct_operation {
    let result = command.results[0];
    let mut operands = [sys::direct_matrix::default(); 2];
    operands.iter_mut().zip(command.operands).for_each(|(to, &operand)| *to = matrix(operand));
    sys::direct_operation {
        opcode: kind as u32,
        precision: result.precision as u32,
        operand_count: command.operands.len() as u32,
        origin_row: origin.0,
        origin_column: origin.1,
        counts_bytes: (command.operands[0].precision != result.precision).into(),
        // The fourth parameter concerns complex elements.
        parameters: [parameters[0], parameters[1], parameters[2]],
        result: matrix(result),
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
