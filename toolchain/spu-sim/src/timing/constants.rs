//! Every constant of the timing model, in SPU cycles unless the name says otherwise. Each constant is marked
//! *published* (in a vendor's document or a paper; the section of cell-facts is named), *derived* (arithmetic
//! on published figures) or *assumed* (chosen for this model, to be calibrated). No constant was measured on
//! hardware by this project.

use crate::{instruction::isa::Class, spu::Cpu};

/// Clock of the SPU in Hz: 3.2 GHz. Published (cell-facts A8).
pub const CLOCK_HZ: u64 = 3_200_000_000;

/// Cycles from issue until a dependent instruction can issue. Published (cell-facts A1, IBM's column); 1 for
/// instructions without a result.
pub const fn latency(class: Class, cpu: Cpu) -> u64 {
    match class {
        Class::Fx2 => 2,
        Class::Fx3 | Class::Fxb | Class::Shuf | Class::Br => 4,
        Class::Fp6 | Class::Ls | Class::Spr => 6,
        Class::Fp7 => 7,
        Class::Fpd => match cpu {
            Cpu::CellBe => 13,
            Cpu::PowerXCell8i => 9,
        },
        Class::Nop | Class::Lnop | Class::Hint => 1,
    }
}

/// Cycles after a double-precision instruction in which a Cell BE issues nothing. Published (cell-facts A1).
pub const CELL_BE_DOUBLE_STALL: u64 = 6;

/// Extra cycles of a branch whose successor was not foreseen. Published as 18 to 19 (cell-facts A4).
pub const BRANCH_MISS: u64 = 18;

/// Cycles after which a hint takes effect; a branch that comes earlier waits. Published (cell-facts A1, HB).
pub const HINT_LATENCY: u64 = 15;

/// Instructions by which a hint must precede its branch to be seen at all. Published (cell-facts A4).
pub const HINT_MIN_INSTRUCTIONS: u64 = 8;

/// Bytes fetched from local store at once: 32 instructions. Published (cell-facts A5).
pub const FETCH_BYTES: u32 = 128;

/// Cycles from a granted inline fetch until its instructions can issue. Assumed: short enough that
/// straight-line code that leaves the local store a free cycle a line never waits (cell-facts A5 says so).
pub const INLINE_FETCH: u64 = 8;

/// Extra cycles of `sync`, which discards what was fetched. Assumed equal to a branch miss.
pub const SYNC: u64 = BRANCH_MISS;

/// Cycles from writing the command channel until an idle MFC can send the first line. Published (cell-facts
/// C2, DMA to EIB).
pub const MFC_DECODE: u64 = 30;

/// Cycles that a command costs a busy MFC beside its lines. Assumed, so that transfers between local stores
/// come near the peak from 1 KiB on and reach it with a few KiB, as published (cell-facts C2).
pub const MFC_COMMAND: u64 = 20;

/// Cycles that an MFC takes to fetch a list element. Published (cell-facts C2, list element overhead).
pub const LIST_ELEMENT: u64 = 10;

/// Cycles between two line requests of one MFC: 128 bytes at 8 bytes a cycle (25.6 GB/s). Derived (cell-facts
/// C1).
pub const MFC_LINE: u64 = 16;

/// Lines that one MFC has outstanding at most. From memory of a published figure (cell-facts B6): calibrate.
pub const MFC_OUTSTANDING_LINES: usize = 16;

/// Cycles from the request to a line of main memory until its data has moved, without contention. Assumed
/// within the published range of 500 to 1000 (cell-facts C2), so that one SPE alone reaches 10 to 15 GB/s.
pub const MEMORY_LATENCY: u64 = 500;

/// Cycles that main memory is busy with a line: 128 bytes at 25.6 GB/s, for all SPEs together. Derived
/// (cell-facts C1).
pub const MEMORY_LINE: u64 = 16;

/// Cycles lost per line to refresh, bank conflicts and turning the bus round. Assumed, so that many SPEs
/// saturate at the published 20 to 24 GB/s (cell-facts C2).
pub const MEMORY_LINE_OVERHEAD: u64 = 2;

/// Cycles from the request to a line of another local store until its data has moved: coherence 100, data
/// 140. Published (cell-facts C2). With issue (10, the SPU's instructions), [`MFC_DECODE`] and
/// [`LIST_ELEMENT`] this is the published total of 290 for a line. [`MFC_OUTSTANDING_LINES`] such lines at a
/// time are enough for the peak, as published.
pub const LOCAL_STORE_LATENCY: u64 = 240;

/// Cycles between two lines that pass the link between two Cells in one direction: 20.5 GB/s. Assumed. Published is the
/// raw bandwidth of the pins, 25 GB/s into a chip and 35 GB/s out of it for its two interfaces together, most of which a
/// blade gives to this link.
pub const LINK_LINE: u64 = 20;

/// Cycles by which a line of another Cell has moved later than a line of the own Cell: both crossings, of the command and
/// of the data. Assumed.
pub const LINK_LATENCY: u64 = 400;

/// Cycles of an atomic line command, for which the SPU waits as soon as it is issued. Assumed equal to a
/// transfer between local stores, as a contended line is in another SPE's atomic cache.
pub const ATOMIC: u64 = LOCAL_STORE_LATENCY;

/// Cycles between two lines into or out of one local store over the bus: 16 bytes a bus cycle, which is two
/// SPU cycles. Derived (cell-facts C1).
pub const LOCAL_STORE_LINE: u64 = 16;

/// Cycles by which one SPE may run ahead of another in virtual time. An SPE influences another SPE only
/// through its MFC, which takes longer than this.
pub const LOOKAHEAD: u64 = 64;
