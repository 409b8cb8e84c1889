//! The shared lines in the byte order of a Cell, for an SPE that is simulated on a machine of either byte order.

use memoffset::offset_of;
use spe_kernels::sys;

use super::{Completion, Record, RecordBlock};

/// A line as an SPE sees it.
pub(in crate::engine) type Line = [u8; sys::MEU_LINE_BYTES as usize];

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

fn store_block(line: &mut Line, at: usize, block: &RecordBlock) {
    store!(line, at, block, RecordBlock { ea, stride_bytes, rows, columns, precision, reserved_ea });
}

impl Record {
    /// The record as an SPE fetches it.
    pub(in crate::engine) fn to_big_endian(self) -> Line {
        let mut line = [0; size_of::<Line>()];
        store!(
            line,
            0,
            self,
            Record { version, opcode, form, operand_count, lines, flags, sequence, parts, longer, scalar }
        );
        store!(line, 0, self, Record { inner, divisor, base });
        store_block(&mut line, offset_of!(Record, result), &self.result);
        for (number, operand) in self.operands.iter().enumerate() {
            store_block(&mut line, offset_of!(Record, operands) + number * size_of::<RecordBlock>(), operand);
        }
        line
    }
}

impl Completion {
    /// The completion record that an SPE has put.
    pub(in crate::engine) fn from_big_endian(line: &Line) -> Completion {
        let word = |at: usize| u32::from_be_bytes([line[at], line[at + 1], line[at + 2], line[at + 3]]);
        let double = |at: usize| u64::from(word(at)) << 32 | u64::from(word(at + 4));
        Completion {
            sequence: word(offset_of!(Completion, sequence)),
            status: word(offset_of!(Completion, status)),
            failed_sequence: word(offset_of!(Completion, failed_sequence)),
            detail: word(offset_of!(Completion, detail)),
            fetch_ns: double(offset_of!(Completion, fetch_ns)),
            execute_ns: double(offset_of!(Completion, execute_ns)),
            write_back_ns: double(offset_of!(Completion, write_back_ns)),
            ..Completion::default()
        }
    }
}

/// What an SPE is told when it starts, as it fetches it.
pub(in crate::engine) fn parameters_line(parameters: &sys::meu_parameters) -> Line {
    let mut line = [0; size_of::<Line>()];
    store!(line, 0, parameters, sys::meu_parameters { ring_ea, completion_ea, version, meu, tick_ns_q16 });
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_where_the_protocol_has_them() {
        let mut record = Record { version: 0x0102, sequence: 0x0304_0506, scalar: -2.0, ..Record::default() };
        record.operands[1].ea = 0x0708_090a_0b0c_0d0e;
        record.operands[1].precision = 1;
        let line = record.to_big_endian();
        assert_eq!(line[..2], [1, 2]);
        assert_eq!(line[8..12], [3, 4, 5, 6]);
        assert_eq!(line[16..24], [0xc0, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(line[96..104], [7, 8, 9, 10, 11, 12, 13, 14]);
        assert_eq!(line[112], 1);
    }

    #[test]
    fn completion_records_are_read() {
        let mut line = [0; 128];
        line[3] = 7;
        line[7] = 5;
        line[16..24].copy_from_slice(&0x1234_5678_9abc_def0u64.to_be_bytes());
        let completion = Completion::from_big_endian(&line);
        let found = (completion.sequence, completion.status, completion.fetch_ns);
        assert_eq!(found, (7, 5, 0x1234_5678_9abc_def0));
    }
}
