//! The lines of the protocol in the byte order of a Cell, for an SPE that is simulated on a machine of either
//! byte order.

use std::mem::offset_of;

use crate::operation::Opcode;
use crate::program::FurtherLine;
use crate::sys;

/// A line as an SPE sees it.
pub type Line = [u8; sys::MEU_LINE_BYTES as usize];

/// Stores fields of a structure where they belong, each in big-endian order.
macro_rules! store {
    ($line:ident, $base:expr, $value:expr, $structure:ty { $($field:ident),* }) => {
        $(
            let at = $base + offset_of!($structure, $field);
            let bytes = $value.$field.to_be_bytes();
            $line[at..at + bytes.len()].copy_from_slice(&bytes);
        )*
    };
}

fn store_block(line: &mut Line, at: usize, block: &sys::meu_block) {
    store!(line, at, block, sys::meu_block { ea, stride_bytes, rows, columns, precision });
}

fn store_step(line: &mut Line, at: usize, step: &sys::program_step) {
    store!(line, at, step, sys::program_step { opcode, form, result, scalar });
    let operands = at + offset_of!(sys::program_step, operands);
    line[operands..operands + step.operands.len()].copy_from_slice(&step.operands);
}

/// The first line of a record as an SPE fetches it.
#[must_use]
pub fn record(record: &sys::meu_record) -> Line {
    let mut line = [0; size_of::<Line>()];
    store!(
        line,
        0,
        record,
        sys::meu_record {
            version,
            flags,
            input_count,
            result_count,
            step_count,
            strip_count,
            sequence,
            inner
        }
    );
    let work = offset_of!(sys::meu_record, work);
    // SAFETY: both fields are numbers without gaps, of one size: all bytes are initialised, whichever was
    // written.
    let (step, product) = unsafe { (record.work.step, record.work.product) };
    if step.opcode == Opcode::Multiply as u8 {
        store!(line, work, product, sys::meu_product { opcode, parts, longer, divisor, base });
    } else {
        store_step(&mut line, work, &step);
    }
    store_blocks(&mut line, offset_of!(sys::meu_record, blocks), &record.blocks);
    line
}

fn store_blocks(line: &mut Line, at: usize, blocks: &[sys::meu_block]) {
    for (number, block) in blocks.iter().enumerate() {
        store_block(line, at + number * size_of::<sys::meu_block>(), block);
    }
}

/// A further line of a record as an SPE fetches it.
#[must_use]
pub fn further(further: &FurtherLine) -> Line {
    let mut line = [0; size_of::<Line>()];
    match further {
        FurtherLine::Blocks(blocks) => store_blocks(&mut line, 0, blocks),
        FurtherLine::Steps(steps) => {
            for (number, step) in steps.iter().enumerate() {
                store_step(&mut line, number * size_of::<sys::program_step>(), step);
            }
        }
        // An SPE refuses the operation for what its first line says.
        FurtherLine::Direct(_) => {}
        FurtherLine::Gather(gather) => {
            store!(
                line,
                0,
                gather,
                sys::meu_gather {
                    ea,
                    down_bytes,
                    right_bytes,
                    wrap_bytes,
                    turn_bytes,
                    row,
                    height,
                    down,
                    right,
                    column,
                    width,
                    rows,
                    columns,
                    diagonal,
                    to_row,
                    to_column
                }
            );
        }
    }
    line
}

/// The completion record that an SPE has put.
#[must_use]
pub fn completion(line: &Line) -> sys::meu_completion {
    let half = |at: usize| u16::from_be_bytes([line[at], line[at + 1]]);
    let word = |at: usize| u32::from(half(at)) << 16 | u32::from(half(at + 2));
    let double = |at: usize| u64::from(word(at)) << 32 | u64::from(word(at + 4));
    sys::meu_completion {
        report: sys::meu_report {
            sequence: word(offset_of!(sys::meu_completion, report.sequence)),
            status: half(offset_of!(sys::meu_completion, report.status)),
            detail: half(offset_of!(sys::meu_completion, report.detail)),
        },
        fetch_ns: double(offset_of!(sys::meu_completion, fetch_ns)),
        execute_ns: double(offset_of!(sys::meu_completion, execute_ns)),
        write_back_ns: double(offset_of!(sys::meu_completion, write_back_ns)),
        ..Default::default()
    }
}

/// What an SPE is told when it starts, as it fetches it.
#[must_use]
pub fn parameters(parameters: &sys::meu_parameters) -> Line {
    let mut line = [0; size_of::<Line>()];
    store!(
        line,
        0,
        parameters,
        sys::meu_parameters { ring_ea, completion_ea, overlays_ea, version, meu, tick_ns_q16 }
    );
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_where_the_protocol_has_them() {
        let mut first = sys::meu_record { version: 5, sequence: 0x0304_0506, ..sys::meu_record::default() };
        first.work.step =
            sys::program_step { opcode: 1, operands: [2, 3], scalar: -2.0, ..Default::default() };
        first.blocks[2].ea = 0x0708_090a_0b0c_0d0e;
        first.blocks[2].rows = 0x0102;
        let line = record(&first);
        assert_eq!(line[0], 5);
        assert_eq!(line[8..12], [3, 4, 5, 6]);
        assert_eq!(line[16..21], [1, 0, 2, 3, 0]);
        assert_eq!(line[24..32], [0xc0, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(line[96..112], [7, 8, 9, 10, 11, 12, 13, 14, 0, 0, 0, 0, 0, 0, 1, 2]);
        first.work.product = sys::meu_product { parts: 0x0102, base: 0x0304, ..Default::default() };
        assert_eq!(record(&first)[24..32], [1, 2, 0, 0, 0, 0, 3, 4]);
    }

    #[test]
    fn further_lines_hold_blocks_and_steps() {
        let mut blocks = [sys::meu_block::default(); 4];
        (blocks[3].stride_bytes, blocks[3].precision) = (0x0102_0304, 1);
        let line = further(&FurtherLine::Blocks(blocks));
        assert_eq!(line[96 + 8..96 + 12], [1, 2, 3, 4]);
        assert_eq!(line[96 + 20], 1);
        let mut steps = [sys::program_step::default(); 8];
        (steps[7].form, steps[7].result, steps[7].scalar) = (2, 9, 1.0);
        let line = further(&FurtherLine::Steps(steps));
        assert_eq!(line[112..], [0, 2, 0, 0, 9, 0, 0, 0, 0x3f, 0xf0, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn the_line_of_a_move_that_gathers_has_all_fields() {
        let gather = sys::meu_gather {
            ea: 1,
            down_bytes: -2,
            turn_bytes: 3,
            row: 4,
            width: 5,
            to_column: 6,
            ..sys::meu_gather::default()
        };
        let line = further(&FurtherLine::Gather(gather));
        let numbers: Vec<u32> = line
            .chunks_exact(4)
            .map(|word| u32::from_be_bytes([word[0], word[1], word[2], word[3]]))
            .collect();
        let minus = u32::MAX;
        assert_eq!(
            numbers[..21],
            [0, 1, minus, minus - 1, 0, 0, 0, 0, 0, 3, 4, 0, 0, 0, 0, 5, 0, 0, 0, 0, 6]
        );
    }

    #[test]
    fn completion_records_are_read() {
        let mut line = [0; 128];
        line[..8].copy_from_slice(&[1, 2, 3, 7, 4, 5, 6, 8]);
        line[8..16].copy_from_slice(&0x1234_5678_9abc_def0u64.to_be_bytes());
        let read = completion(&line);
        let report = (read.report.sequence, read.report.status, read.report.detail);
        assert_eq!(report, (0x0102_0307, 0x0405, 0x0608));
        assert_eq!((read.fetch_ns, read.execute_ns), (0x1234_5678_9abc_def0, 0));
    }
}
