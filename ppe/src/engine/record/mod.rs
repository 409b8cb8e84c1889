//! Operation records and completion records (`spe-kernels/include/meu.h`). Only this module accesses the
//! memory that an MEU shares with the PPE.
//!
//! The record ring of an MEU has one writer, the PPE. The PPE fills the lines of a record before it sends the
//! mailbox word that names the lines. It fills the lines again only after the operation has completed.
//!
//! The completion record has one writer, the MEU. The MEU stores the report, the first doubleword, last, with
//! release order. This module loads the report at once, with acquire order, before the PPE reads a result. So
//! the number of completed operations, the status and its detail are always of one moment.

mod command;
mod gather;
mod ring;

use std::cell::UnsafeCell;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use spe_kernels::big_endian::{self, Line};
use spe_kernels::program::FurtherLine;
use spe_kernels::sys;
use static_assertions::{const_assert, const_assert_eq};

pub use command::chain;
pub(super) use command::{blocks, direct, direct_operation, empty, local_move, product, reduction};
pub(super) use gather::gather;
pub(super) use ring::Ring;

/// What an MEU reports after each operation.
type Completion = sys::meu_completion;

/// How far an MEU has come.
pub(super) type Report = sys::meu_report;

// The report is the first doubleword of the line.
const_assert_eq!(std::mem::offset_of!(Completion, report), 0);
const_assert_eq!(size_of::<Report>(), size_of::<u64>());

// Forms and precisions have the numbers of the protocol.
const_assert_eq!(crate::operation::Form::Values as u32, sys::MEU_FORM_BLOCKS);
const_assert_eq!(crate::operation::Form::ScalarRight as u32, sys::MEU_FORM_SCALAR_RIGHT);
const_assert_eq!(crate::operation::Form::ScalarLeft as u32, sys::MEU_FORM_SCALAR_LEFT);
const_assert_eq!(crate::operation::Precision::Single as u32, sys::MEU_SINGLE);
const_assert_eq!(crate::operation::Precision::Double as u32, sys::MEU_DOUBLE);
const_assert_eq!(crate::operation::Precision::Byte as u32, sys::MEU_BYTE);
const_assert!(sys::MEU_RING_LINES <= 1 << 16);

/// A line of the ring.
#[repr(C, align(128))]
struct RingLine(UnsafeCell<Line>);

const_assert_eq!(size_of::<RingLine>(), sys::MEU_LINE_BYTES as usize);
const_assert_eq!(size_of::<RingLine>(), size_of::<sys::meu_record>());

/// The lines that one MEU shares with the PPE.
pub(super) struct SharedLines {
    ring: Box<[RingLine]>,
    /// Whether the MEU reads records in the byte order of a Cell, and not in that of this machine.
    big_endian: bool,
    completion: Box<UnsafeCell<Completion>>,
}

// SAFETY: one thread of the PPE writes the ring, as the contract of `write` demands; the completion record is
// accessed atomically, or while the MEU does not write to it.
unsafe impl Sync for SharedLines {}

impl SharedLines {
    /// Zeroed lines, for an MEU that reads them in the byte order of this machine.
    #[must_use]
    pub(super) fn new() -> SharedLines {
        let line = |_| RingLine(UnsafeCell::new([0; size_of::<Line>()]));
        SharedLines {
            ring: (0..sys::MEU_RING_LINES).map(line).collect(),
            big_endian: false,
            completion: Box::default(),
        }
    }

    /// Zeroed lines, for an MEU that reads them in the byte order of a Cell.
    #[must_use]
    pub(super) fn big_endian() -> SharedLines {
        SharedLines { big_endian: true, ..SharedLines::new() }
    }

    /// The parameters that an MEU fetches when it starts.
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

    /// Writes a record into the ring, from line `first` on. Returns the mailbox word that names the record.
    ///
    /// # Safety
    /// Only one thread writes, and no outstanding operation has a record in these lines: the MEU does not
    /// read them.
    ///
    /// # Panics
    /// When the record reaches beyond the end of the ring.
    pub(super) unsafe fn write(
        &self,
        first: u32,
        record: &sys::meu_record,
        further: impl IntoIterator<Item = FurtherLine>,
    ) -> u32 {
        // SAFETY: the contract of this function.
        unsafe { self.write_line(first, record, || big_endian::record(record)) };
        let mut lines = 1;
        for line in further {
            let (at, in_order) = (first + lines, || big_endian::further(&line));
            // SAFETY: the contract of this function.
            unsafe {
                match &line {
                    FurtherLine::Blocks(blocks) => self.write_line(at, blocks, in_order),
                    FurtherLine::Steps(steps) => self.write_line(at, steps, in_order),
                    FurtherLine::Direct(direct) => self.write_line(at, direct, in_order),
                    FurtherLine::Gather(gather) => self.write_line(at, gather, in_order),
                }
            }
            lines += 1;
        }
        (lines << 16) | first
    }

    /// # Safety
    /// As [`write`](Self::write), for one line.
    unsafe fn write_line<T: Copy>(&self, at: u32, line: &T, in_order: impl FnOnce() -> Line) {
        const { assert!(size_of::<T>() <= size_of::<RingLine>() && align_of::<T>() <= align_of::<RingLine>()) };
        let to = self.ring[at as usize].0.get();
        // SAFETY: the line is large and aligned enough, and by the caller's contract no other thread reads or
        // writes it.
        unsafe {
            match self.big_endian {
                true => to.write_volatile(in_order()),
                false => to.cast::<T>().write_volatile(*line),
            }
        }
    }

    /// The doubleword with the report.
    fn reported(&self) -> &AtomicU64 {
        // SAFETY: the line is aligned and lives as long as self; both sides access its first doubleword
        // atomically, or while the MEU does not write to it.
        unsafe { AtomicU64::from_ptr(self.completion.get().cast()) }
    }

    /// How far the MEU has come. Results of all operations up to `sequence` are visible to the caller. After
    /// a report with a status other than 0 the MEU writes no further completion record.
    #[must_use]
    pub(super) fn report(&self) -> Report {
        let bits = self.reported().load(Ordering::Acquire);
        // SAFETY: a report consists of integers without gaps, and has the size of a doubleword.
        unsafe { std::mem::transmute::<u64, Report>(bits) }
    }

    /// The number of the last completed operation. The result of this operation is visible to the caller.
    #[must_use]
    pub(super) fn sequence(&self) -> u32 {
        self.report().sequence
    }

    /// Reads a line of the ring for an MEU that cannot read memory of this process.
    ///
    /// # Safety
    /// The PPE has named the line in a mailbox word, the caller has seen the word with acquire order, and the
    /// operation is not completed. So no thread writes to the line.
    #[must_use]
    pub(super) unsafe fn read(&self, line: usize) -> Line {
        // SAFETY: this function's contract: no thread writes to the line, which lives as long as self.
        unsafe { self.ring[line].0.get().read_volatile() }
    }

    /// Writes a completion record for an MEU that cannot write to memory of this process. The report is
    /// stored last, with release order.
    ///
    /// # Safety
    /// Only this MEU's thread writes. A thread that reads other fields has loaded the report before, as the
    /// contract of [`completion`](Self::completion) says.
    pub(super) unsafe fn complete(&self, new: &Completion) {
        let line = self.completion.get();
        // SAFETY: the pointers lie in the line, which lives as long as self; the other fields are read only
        // by a thread that has loaded the report, which is stored after them.
        unsafe {
            (&raw mut (*line).fetch_ns).write_volatile(new.fetch_ns);
            (&raw mut (*line).execute_ns).write_volatile(new.execute_ns);
            (&raw mut (*line).write_back_ns).write_volatile(new.write_back_ns);
        }
        // SAFETY: a report consists of integers without gaps, and has the size of a doubleword.
        let bits = unsafe { std::mem::transmute::<Report, u64>(new.report) };
        self.reported().store(bits, Ordering::Release);
    }

    /// The whole completion record.
    ///
    /// # Safety
    /// The MEU does not write to the completion record now: it has failed or stopped, or has no operation
    /// outstanding. The caller has seen that in a report.
    #[must_use]
    pub(super) unsafe fn completion(&self) -> Completion {
        // SAFETY: this function's contract: the MEU does not write to the record, which lives as long as self.
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
