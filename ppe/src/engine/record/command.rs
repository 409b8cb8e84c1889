//! Commands in the layout of records and kernels.

use std::ops::Deref;

use spe_kernels::sys;
use static_assertions::const_assert_eq;

use crate::engine::{BlockAddress, Command};
use crate::lower::Axis;
use crate::matrix::QUADWORD_BYTES;
use crate::operation::{MOST_ROWS_APART, OpKind, Parameters, Shape, Side, Taken, View};

const_assert_eq!(MOST_ROWS_APART, sys::MOVE_MOST_APART as u64);

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

pub(super) fn block(block: BlockAddress) -> sys::meu_block {
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
    let transposed = [0, 1].map(|factor| command.operands.get(factor).is_some_and(|block| block.transposed));
    record.work.product = chain(parts, transposed);
    if parts.parts() > 1 {
        record.inner = parts.length();
    }
    record
}

/// The description of a product whose inner side has these parts. `transposed`: which operands are stored transposed.
#[must_use]
pub fn chain(parts: Axis, transposed: [bool; 2]) -> sys::meu_product {
    let flags = [sys::MEU_TRANSPOSED_A, sys::MEU_TRANSPOSED_B].into_iter().zip(transposed);
    let transposed = flags.map(|(flag, is_transposed)| flag * u32::from(is_transposed)).sum::<u32>() as u8;
    let opcode = OpKind::Multiply as u8;
    let product = sys::meu_product { opcode, transposed, parts: 1, ..sys::meu_product::default() };
    if parts.parts() <= 1 {
        return product;
    }
    sys::meu_product {
        parts: parts.parts() as u16,
        longer: parts.longer() as u16,
        divisor: parts.divisor() as u16,
        base: parts.base() as u16,
        ..product
    }
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

/// The record of a move in a local store. None for a move whose elements have to be gathered: a repetition, a
/// diagonal, and a view that takes no rectangle of its operand, or one that has no room in the local store.
pub(in crate::engine) fn local_move(
    command: &Command<'_>,
    kind: OpKind,
    parameters: Parameters,
    origin: (u32, u32),
) -> Option<sys::meu_record> {
    let result = command.results[0];
    if matches!(kind, OpKind::Repeat | OpKind::Diagonal) {
        return None;
    }
    let mut record = direct(kind);
    let mut step = sys::program_step { opcode: kind as u8, ..sys::program_step::default() };
    step.form = match (kind, Side::of(&parameters)) {
        (OpKind::Band, _) => sys::MEU_MOVE_BAND,
        (OpKind::Join, Side::Row) => sys::MEU_MOVE_BESIDE,
        _ => sys::MEU_MOVE_BELOW,
    } as u8;
    if kind == OpKind::Band {
        let first = i64::from(origin.1) - i64::from(origin.0);
        // No block has so many diagonals.
        let bound = |diagonal: i64| diagonal.saturating_sub(first).clamp(-1 << 20, 1 << 20) as i32;
        step.scalar = numbers(bound(parameters[0]), bound(parameters[1]));
    }
    for (number, &operand) in command.operands.iter().enumerate() {
        let from = match kind {
            OpKind::View => viewed(operand, result, parameters, origin, &mut step)?,
            _ => operand,
        };
        (record.blocks[number], step.operands[number]) = whole_quadwords(from);
    }
    record.input_count = command.operands.len() as u8;
    record.blocks[command.operands.len()] = block(result);
    record.work = sys::meu_work { step };
    Some(record)
}

/// The rectangle of an operand that a block of a view takes. Form and numbers of the step say how.
fn viewed(
    operand: BlockAddress,
    result: BlockAddress,
    [offset, down, right, part]: Parameters,
    origin: (u32, u32),
    step: &mut sys::program_step,
) -> Option<BlockAddress> {
    let first = offset + down * i64::from(origin.0) + right * i64::from(origin.1);
    let [of, to] = [operand, result].map(|block| Shape { rows: block.rows, columns: block.columns });
    let taken = View::of_rectangle(&[first, down, right, part], of, to)?;
    let (rows, columns) = taken.fetched((to.rows, to.columns));
    let column_bytes = u64::from(rows) * operand.precision.element_bytes() as u64 + 2 * QUADWORD_BYTES as u64;
    if column_bytes * u64::from(columns) > sys::MEU_BUFFER_BYTES.into() {
        return None;
    }
    let height = i64::from(of.rows);
    let (mut row, mut column, mut stride_bytes) = (first % height, first / height, operand.stride_bytes);
    match taken {
        Taken::AsItIs => {}
        Taken::Transposed => step.form = sys::MEU_MOVE_TRANSPOSED as u8,
        Taken::Picked { rows_apart, columns_apart } => {
            step.form = sys::MEU_MOVE_PICKED as u8;
            step.scalar = numbers(rows_apart as i32, (columns_apart < 0).into());
            row += (rows_apart * i64::from(to.rows - 1)).min(0);
            column += (columns_apart * i64::from(to.columns - 1)).min(0);
            stride_bytes *= columns_apart.unsigned_abs() as u32;
        }
    }
    let ea = operand.ea
        + column as u64 * u64::from(operand.stride_bytes)
        + row as u64 * operand.precision.element_bytes() as u64;
    Some(BlockAddress { ea, stride_bytes, rows, columns, ..operand })
}

/// The two numbers of a move, as its step has them (`spe-kernels/include/move.h`).
fn numbers(first: i32, second: i32) -> f64 {
    f64::from_bits(u64::from(first as u32) << 32 | u64::from(second as u32))
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
