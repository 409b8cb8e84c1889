//! The Rust twin of `spe-kernels/include/meu.h`: operation records and completion records, and the only accesses to the memory
//! that an MEU shares with the PPE.
//!
//! The record ring of an MEU has one writer, the PPE: it fills a line before it sends the mailbox word that names the line, and
//! fills it again only after that operation has completed.  The completion record has one writer, the MEU; its `sequence` is
//! stored last, with release order, and loaded here with acquire order before anything that it announces is read.

mod big_endian;

use std::cell::UnsafeCell;
use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};

use memoffset::offset_of;
use spe_kernels::sys;
use static_assertions::{const_assert, const_assert_eq};

pub(super) use big_endian::{Line, parameters_line};

use super::direct::Description;
use super::{BlockAddress, Command};
use crate::operation::OpKind;

/// A block in a record.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C)]
pub(super) struct RecordBlock {
    ea: u64,
    stride_bytes: u32,
    rows: u16,
    columns: u16,
    precision: u8,
    reserved: [u8; 7],
    reserved_ea: u64,
}

/// An operation with up to two operands: one line of the ring.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C, align(128))]
pub(super) struct Record {
    version: u16,
    opcode: u8,
    form: u8,
    operand_count: u16,
    lines: u8,
    flags: u8,
    sequence: u32,
    parts: u16,
    longer: u16,
    scalar: f64,
    inner: u32,
    divisor: u16,
    base: u16,
    result: RecordBlock,
    operands: [RecordBlock; 2],
}

/// What an MEU reports after each operation.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C, align(128))]
pub(super) struct Completion {
    /// The last operation that is done.
    pub(super) sequence: u32,
    /// 0, or the first failure.
    pub(super) status: u32,
    /// The operation that failed.
    pub(super) failed_sequence: u32,
    /// More about a failure.
    pub(super) detail: u32,
    /// Time waited for the operands, in nanoseconds, when the record asked for it.
    pub(super) fetch_ns: u64,
    /// Time of the execution.
    pub(super) execute_ns: u64,
    /// Time waited for the write back.
    pub(super) write_back_ns: u64,
    reserved: [[u8; 8]; 11],
}

macro_rules! same_layout {
    ($rust:ty, $c:ty { $($field:ident),* }) => {
        const_assert_eq!(size_of::<$rust>(), size_of::<$c>());
        const_assert_eq!(align_of::<$rust>(), align_of::<$c>());
        $(const_assert_eq!(offset_of!($rust, $field), offset_of!($c, $field));)*
    };
}

same_layout!(
    RecordBlock,
    sys::meu_block { ea, stride_bytes, rows, columns, precision, reserved, reserved_ea }
);
same_layout!(
    Record,
    sys::meu_record {
        version,
        opcode,
        form,
        operand_count,
        lines,
        flags,
        sequence,
        parts,
        longer,
        scalar,
        inner,
        divisor,
        base,
        result,
        operands
    }
);
same_layout!(
    Completion,
    sys::meu_completion {
        sequence,
        status,
        failed_sequence,
        detail,
        fetch_ns,
        execute_ns,
        write_back_ns,
        reserved
    }
);
const_assert_eq!(size_of::<Record>(), sys::MEU_LINE_BYTES as usize);

// The numbers of the operations are those of the kernels' table, the numbers of forms and precisions the protocol's.
const_assert_eq!(OpKind::Convert as u32 + 1, sys::MEU_RESIDENT_COUNT);
const_assert_eq!(crate::operation::Form::Values as u32, sys::MEU_FORM_BLOCKS);
const_assert_eq!(crate::operation::Form::ScalarRight as u32, sys::MEU_FORM_SCALAR_RIGHT);
const_assert_eq!(crate::operation::Form::ScalarLeft as u32, sys::MEU_FORM_SCALAR_LEFT);
const_assert_eq!(crate::operation::Precision::Single as u32, sys::MEU_SINGLE);
const_assert_eq!(crate::operation::Precision::Double as u32, sys::MEU_DOUBLE);
const_assert!(sys::MEU_RING_LINES <= 1 << 16);

impl From<BlockAddress> for RecordBlock {
    fn from(block: BlockAddress) -> RecordBlock {
        RecordBlock {
            ea: block.ea,
            stride_bytes: block.stride_bytes,
            rows: block.rows as u16,
            columns: block.columns as u16,
            precision: block.precision as u8,
            ..RecordBlock::default()
        }
    }
}

impl Record {
    /// The record of an operation in main memory, which is described there.
    #[must_use]
    pub(super) fn direct(operation_ea: u64, sequence: u32, profile: bool) -> Record {
        Record {
            version: sys::MEU_PROTOCOL_VERSION as u16,
            lines: 1,
            flags: (sys::MEU_FLAG_DIRECT | if profile { sys::MEU_FLAG_PROFILE } else { 0 }) as u8,
            sequence,
            parts: 1,
            result: RecordBlock { ea: operation_ea, ..RecordBlock::default() },
            ..Record::default()
        }
    }

    /// The record of a command.  With `in_memory`, its operands are not copied to the local store.
    #[must_use]
    pub(super) fn new(command: &Command, sequence: u32, profile: bool, in_memory: bool) -> Record {
        let profile = if profile { sys::MEU_FLAG_PROFILE } else { 0 };
        let in_memory = if in_memory { sys::MEU_FLAG_MEMORY } else { 0 };
        let operands = command.operands.map(|operand| operand.map(RecordBlock::from));
        Record {
            version: sys::MEU_PROTOCOL_VERSION as u16,
            opcode: command.kind as u8,
            form: command.form as u8,
            operand_count: operands.iter().flatten().count() as u16,
            lines: 1,
            flags: (profile | in_memory) as u8,
            sequence,
            scalar: command.scalar,
            parts: command.chain.map_or(1, |chain| chain.parts() as u16),
            longer: command.chain.map_or(0, |chain| chain.longer() as u16),
            inner: command.chain.map_or(0, |chain| chain.length()),
            divisor: command.chain.map_or(0, |chain| chain.divisor() as u16),
            base: command.chain.map_or(0, |chain| chain.base() as u16),
            result: command.result.into(),
            operands: operands.map(Option::unwrap_or_default),
        }
    }
}

/// The lines that one MEU shares with the PPE.
pub(super) struct SharedLines {
    ring: Box<[UnsafeCell<Record>]>,
    /// The description of each line's operation, when that is executed in main memory; the MEU reads it after the line.
    direct: Box<[UnsafeCell<sys::direct_description>]>,
    completion: Box<UnsafeCell<Completion>>,
}

// SAFETY: both are accessed as the module's documentation says, the ring by one PPE thread (`write` asks for `&mut self` or
// its like at the caller, see there), the completion record atomically.
unsafe impl Sync for SharedLines {}
// SAFETY: addresses of blocks in descriptions are dereferenced by the MEU alone.
unsafe impl Send for SharedLines {}

impl SharedLines {
    /// Zeroed lines.
    #[must_use]
    pub(super) fn new() -> SharedLines {
        SharedLines {
            ring: (0..sys::MEU_RING_LINES).map(|_| UnsafeCell::default()).collect(),
            direct: (0..sys::MEU_RING_LINES).map(|_| UnsafeCell::default()).collect(),
            completion: Box::default(),
        }
    }

    /// What an MEU is told when it starts.
    #[must_use]
    pub(super) fn parameters(&self, meu: usize) -> sys::meu_parameters {
        sys::meu_parameters {
            ring_ea: self.ring.as_ptr() as u64,
            completion_ea: self.completion.get() as u64,
            version: sys::MEU_PROTOCOL_VERSION,
            meu: meu as u32,
            ..Default::default()
        }
    }

    /// Writes the record of the operation with this sequence number into the ring; returns the mailbox word that names it.
    ///
    /// # Safety
    /// Only one thread writes, and fewer than `MEU_RING_LINES` operations are outstanding: the MEU does not read this line.
    pub(super) unsafe fn write(&self, record: &Record) -> u32 {
        let line = record.sequence % sys::MEU_RING_LINES;
        // SAFETY: the line exists, and the caller answers for it not being read or written by others.
        unsafe { self.ring[line as usize].get().write_volatile(*record) };
        (1 << 16) | line
    }

    /// Writes the description of an operation in main memory, and its record; returns the mailbox word that names it.
    ///
    /// # Safety
    /// As [`write`](Self::write).
    pub(super) unsafe fn write_direct(&self, operation: &Description, sequence: u32, profile: bool) -> u32 {
        let description = self.direct[(sequence % sys::MEU_RING_LINES) as usize].get();
        // SAFETY: it belongs to the line, and the caller answers for that.  The fields of a union begin at its address.
        unsafe {
            match operation {
                Description::Block(block) => {
                    description.cast::<sys::kernel_operation>().write_volatile(*block)
                }
                Description::Fusion(fusion) => {
                    description.cast::<sys::direct_fusion>().write_volatile(**fusion)
                }
                Description::Direct(direct) => {
                    description.cast::<sys::direct_operation>().write_volatile(*direct);
                }
            }
        }
        // SAFETY: the contract of this function.
        unsafe { self.write(&Record::direct(description as u64, sequence, profile)) }
    }

    /// The number of the last operation that is done.  Its result is visible to the caller.
    #[must_use]
    pub(super) fn sequence(&self) -> u32 {
        // SAFETY: the field is aligned and lives as long as self; both sides access it atomically.
        let sequence = unsafe { AtomicU32::from_ptr(&raw mut (*self.completion.get()).sequence) };
        sequence.load(Ordering::Acquire)
    }

    /// The status of the completion record: not 0 once the MEU has failed, when it writes no further one.
    #[must_use]
    pub(super) fn status(&self) -> u32 {
        // SAFETY: as in `sequence`.
        let status = unsafe { AtomicU32::from_ptr(&raw mut (*self.completion.get()).status) };
        status.load(Ordering::Acquire)
    }

    /// The record in a line of the ring, for an MEU that cannot read memory of this process itself.
    ///
    /// # Safety
    /// The PPE has named the line in a mailbox word, which has been seen with acquire order, and the operation is not
    /// completed: nobody writes to it.
    #[must_use]
    pub(super) unsafe fn read(&self, line: usize) -> Record {
        // SAFETY: see the contract.
        unsafe { self.ring[line].get().read_volatile() }
    }

    /// Writes a completion record, for an MEU that cannot write to memory of this process itself: `status` and then
    /// `sequence` come last, each with release order.
    ///
    /// # Safety
    /// Only this MEU's thread writes, and whoever reads more than these two waits for them as their documentation says.
    pub(super) unsafe fn complete(&self, new: &Completion) {
        let line = self.completion.get();
        // SAFETY: the pointers lie in the line, which lives as long as self; the fields beside `status` and `sequence` are
        // read only by those who have loaded one of these two, whose stores follow.
        unsafe {
            (&raw mut (*line).failed_sequence).write_volatile(new.failed_sequence);
            (&raw mut (*line).detail).write_volatile(new.detail);
            (&raw mut (*line).fetch_ns).write_volatile(new.fetch_ns);
            (&raw mut (*line).execute_ns).write_volatile(new.execute_ns);
            (&raw mut (*line).write_back_ns).write_volatile(new.write_back_ns);
            AtomicU32::from_ptr(&raw mut (*line).status).store(new.status, Ordering::Release);
            AtomicU32::from_ptr(&raw mut (*line).sequence).store(new.sequence, Ordering::Release);
        }
    }

    /// The whole completion record.
    ///
    /// # Safety
    /// The MEU does not write it now: it has failed or stopped, or has nothing outstanding, and that has been seen with
    /// acquire order.
    #[must_use]
    pub(super) unsafe fn completion(&self) -> Completion {
        // SAFETY: see the contract.
        unsafe { self.completion.get().read_volatile() }
    }
}

impl Default for SharedLines {
    fn default() -> SharedLines {
        SharedLines::new()
    }
}

impl fmt::Debug for SharedLines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedLines").field("sequence", &self.sequence()).finish_non_exhaustive()
    }
}
