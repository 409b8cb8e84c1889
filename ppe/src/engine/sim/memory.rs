//! Main memory as a simulated SPE sees it.  DMA converts data between the byte order of this machine and of a
//! Cell.
//!
//! The blocks of each operation have effective addresses in a window (4 GiB) of their own.  A DMA list transfers
//! from one window, so addresses of this process, where threads allocate far apart, would make the number of
//! lists, and with it virtual time, a matter of chance.  A Cell's operating system puts a program's memory into
//! few windows.  All other effective addresses are addresses of this process.
//!
//! The conversion needs the size of the elements.  So [`Memory`] knows the blocks of all outstanding
//! operations, with their precisions: operands may be read, and results may be written.  It also knows the
//! record ring, the parameters and the completion record, whose fields are converted one by one, and the
//! MEU's overlays, which are code for a Cell.  Every other address is a storage fault, as unmapped memory is
//! on a Cell.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crossbeam_utils::CachePadded;
use spe_kernels::big_endian::{self, Line};
use spe_kernels::sys;
use spu_sim::memory::{MainMemory, MemoryFault, Reservation, Route};
use spu_sim::port::Port;

use crate::engine::homes::Homes;
use crate::engine::record::SharedLines;
use crate::engine::sabotage::{Manner, Plot};
use crate::engine::spans::Spans;
use crate::engine::{BlockAddress, Command, Task};
use crate::matrix::QUADWORD_BYTES;
use crate::sync::Unparker;
use crate::time::StageTimes;

/// The first of the windows in which blocks are seen. No memory of this process is there.
const FIRST_WINDOW: u64 = 1 << 31;

/// Columns of a matrix, with room for whole quadwords.
#[derive(Debug, Clone)]
struct Area {
    /// Its effective address.
    ea: u64,
    /// Where it is in this process.
    address: u64,
    stride_bytes: u64,
    column_bytes: u64,
    columns: u64,
    element_bytes: usize,
    /// In which Cell's memory each column lies; empty if there is but one Cell.
    homes: Vec<u8>,
}

impl Area {
    fn new(block: &BlockAddress, (rows, columns): (u64, u64), homes: &Homes) -> Area {
        let home = |column: u64| homes.of(block.ea + column * u64::from(block.stride_bytes), block.ea);
        let homes = (0..columns).map_while(home).collect();
        let element_bytes = block.precision.element_bytes();
        // The operand of a move begins at any element of a quadword.
        let before = block.ea % QUADWORD_BYTES as u64;
        let column_bytes = (before + rows * element_bytes as u64).next_multiple_of(QUADWORD_BYTES as u64);
        let stride_bytes = u64::from(block.stride_bytes);
        // Columns that touch are one run. So are those that overlap: of a window of a matrix that a rank has in part,
        // only elements that do not overlap are in memory.
        let (column_bytes, columns) = match columns {
            1.. if stride_bytes <= column_bytes => (stride_bytes * (columns - 1) + column_bytes, 1),
            _ => (column_bytes, columns),
        };
        Area {
            ea: block.ea - before,
            address: block.ea - before,
            stride_bytes: stride_bytes.max(1),
            column_bytes,
            columns,
            element_bytes,
            homes,
        }
    }

    /// The Cell in whose memory an address of the area lies; None if there is but one Cell.
    fn home(&self, ea: u64) -> Option<u8> {
        let column = usize::try_from((ea - self.ea) / self.stride_bytes).unwrap_or(usize::MAX);
        self.homes.get(column).copied()
    }

    /// Moves its effective address behind `end`, with the distance from a line that its memory has, and `end`
    /// behind it.
    fn place(&mut self, end: &mut u64) {
        let line = u64::from(sys::MEU_LINE_BYTES);
        self.ea = end.next_multiple_of(line) + self.address % line;
        *end = self.ea + self.stride_bytes * (self.columns - 1) + self.column_bytes;
    }

    /// The block of the operation as the SPE sees it.
    fn seen(&self, block: &BlockAddress) -> BlockAddress {
        BlockAddress { ea: self.ea + (block.ea - self.address), ..*block }
    }

    fn contains(&self, ea: u64, length: usize) -> bool {
        let Some(offset) = ea.checked_sub(self.ea) else { return false };
        let (column, at) = match self.columns {
            1 => (0, offset),
            _ => (offset / self.stride_bytes, offset % self.stride_bytes),
        };
        column < self.columns && at + length as u64 <= self.column_bytes
    }
}

/// What an outstanding operation may access.
#[derive(Debug)]
struct Grant {
    operands: Vec<Area>,
    results: Vec<Area>,
}

impl Grant {
    /// The blocks of an operation, in this window.
    fn new(command: &Command<'_>, window: u64, homes: &Homes) -> Grant {
        let area = |(number, block): (usize, &BlockAddress)| {
            let (rows, columns) = (u64::from(block.rows), u64::from(block.columns));
            let sides = match (command.task, number) {
                // A chain continues along the columns of the first operand and along the rows of the second.
                (Task::Product(parts, _), 0) => (rows, parts.length().into()),
                (Task::Product(parts, _), 1) => (parts.length().into(), columns),
                _ => (rows, columns),
            };
            Area::new(block, sides, homes)
        };
        let result =
            |block: &BlockAddress| Area::new(block, (block.rows.into(), block.columns.into()), homes);
        let mut grant = Grant {
            operands: command.operands.iter().enumerate().map(area).collect(),
            results: command.results.iter().map(result).collect(),
        };
        let mut end = window << 32;
        grant.operands.iter_mut().chain(&mut grant.results).for_each(|area| area.place(&mut end));
        grant
    }
}

/// Bytes that an MEU's DMA has moved.
#[derive(Debug, Default)]
pub(super) struct Traffic {
    pub(super) fetched: AtomicU64,
    pub(super) written: AtomicU64,
    /// Of both, those from and to the memory of another Cell.
    pub(super) far: AtomicU64,
}

/// See the module's documentation.
#[derive(Debug)]
pub(super) struct HostMemory {
    lines: Arc<SharedLines>,
    parameters: sys::meu_parameters,
    /// A line that stands for the parameters; its address is what matters.
    parameters_line: Box<CachePadded<Line>>,
    overlays: &'static [u8],
    grants: Mutex<VecDeque<Grant>>,
    /// The Cell of the SPE; None if there is but one.
    cell: Option<u8>,
    /// The window of the next operation's blocks.
    window: AtomicU64,
    pub(super) traffic: Traffic,
    pub(super) spans: Spans,
    /// The thread of execution control, which waits for completion records.
    ppe: Unparker,
    plot: Plot,
    /// The SPE's, for a plot that stops it.
    port: Arc<Port>,
}

impl HostMemory {
    /// The memory of MEU `meu` of Cell `cell`, whose decrementer ticks every `tick_ns_q16` / 65536 ns. `plot` is what happens
    /// to the MEU, whose port this is.
    pub(super) fn new(
        lines: Arc<SharedLines>,
        overlays: &'static [u8],
        (meu, cell, tick_ns_q16): (usize, Option<u8>, u32),
        spans: Spans,
        ppe: Unparker,
        (plot, port): (Plot, Arc<Port>),
    ) -> HostMemory {
        let overlays_ea = overlays.as_ptr().addr() as u64;
        let parameters = sys::meu_parameters { tick_ns_q16, overlays_ea, ..lines.parameters(meu) };
        HostMemory {
            parameters_line: Box::new(CachePadded::new(big_endian::parameters(&parameters))),
            parameters,
            overlays,
            lines,
            grants: Mutex::default(),
            cell,
            window: AtomicU64::new(FIRST_WINDOW),
            traffic: Traffic::default(),
            spans,
            ppe,
            plot,
            port,
        }
    }

    /// Where the MEU finds its parameters.
    pub(super) fn parameters_ea(&self) -> u64 {
        (&raw const **self.parameters_line).addr() as u64
    }

    /// Whether a plot has stopped the SPE.
    pub(super) fn has_stopped(&self) -> bool {
        self.plot.has_struck(Manner::Stop)
    }

    fn grants(&self) -> MutexGuard<'_, VecDeque<Grant>> {
        // The queue is consistent between statements.
        self.grants.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The MEU may access the blocks of an operation that it is about to be offered. Returns the operands and the
    /// results as it sees them.
    pub(super) fn grant(&self, command: &Command<'_>, homes: &Homes) -> [Vec<BlockAddress>; 2] {
        // Few operations are outstanding, so their windows differ when the count begins anew.
        let window = FIRST_WINDOW | (self.window.fetch_add(2, Ordering::Relaxed) % FIRST_WINDOW);
        let grant = Grant::new(command, window, homes);
        let seen = |areas: &[Area], blocks: &[BlockAddress]| {
            areas.iter().zip(blocks).map(|(area, block)| area.seen(block)).collect()
        };
        let blocks = [seen(&grant.operands, command.operands), seen(&grant.results, command.results)];
        self.grants().push_back(grant);
        blocks
    }

    /// All but the last `outstanding` operations are completed.  Their memory may hold other data from now
    /// on.
    pub(super) fn revoke(&self, outstanding: usize) {
        let mut grants = self.grants();
        while grants.len() > outstanding {
            grants.pop_front();
        }
    }

    /// Where bytes of a block are in this process, and the size of its elements.
    fn find(&self, ea: u64, length: usize, write: bool) -> Result<(u64, usize), MemoryFault> {
        let grants = self.grants();
        let mut areas = grants.iter().flat_map(|grant| if write { &grant.results } else { &grant.operands });
        let area = areas.find(|area| area.contains(ea, length));
        if area.and_then(|area| area.home(ea)).is_some_and(|home| Some(home) != self.cell) {
            self.traffic.far.fetch_add(length as u64, Ordering::Relaxed);
        }
        let found = area.map(|area| (area.address + (ea - area.ea), area.element_bytes));
        found.ok_or(MemoryFault { ea, write })
    }

    /// The code that an MEU fetches from here.
    fn overlay(&self, ea: u64, length: usize) -> Option<&'static [u8]> {
        let at = usize::try_from(ea.checked_sub(self.parameters.overlays_ea)?).ok()?;
        self.overlays.get(at..)?.get(..length)
    }

    fn read_line(&self, ea: u64) -> Option<Line> {
        if ea == self.parameters_ea() {
            return Some(**self.parameters_line);
        }
        let line = ea.checked_sub(self.parameters.ring_ea)? / u64::from(sys::MEU_LINE_BYTES);
        let line = usize::try_from(line).ok().filter(|&line| line < sys::MEU_RING_LINES as usize)?;
        // SAFETY: the MEU fetches a line that a mailbox word has named, and the mailbox orders writing and
        // fetching.  An MEU that fetches a wrong line by mistake may see a torn record, which holds numbers
        // only.
        Some(unsafe { self.lines.read(line) })
    }
}

/// Converts elements between big-endian order and the order of this machine.
fn convert(bytes: &mut [u8], element_bytes: usize) {
    if cfg!(target_endian = "little") {
        for element in bytes.chunks_exact_mut(element_bytes) {
            element.reverse();
        }
    }
}

impl MainMemory for HostMemory {
    fn read(&self, ea: u64, buffer: &mut [u8]) -> Result<(), MemoryFault> {
        self.traffic.fetched.fetch_add(buffer.len() as u64, Ordering::Relaxed);
        if buffer.len() == size_of::<Line>()
            && let Some(line) = self.read_line(ea)
        {
            buffer.copy_from_slice(&line);
            return Ok(());
        }
        if let Some(code) = self.overlay(ea, buffer.len()) {
            buffer.copy_from_slice(code);
            return Ok(());
        }
        let (address, element_bytes) = self.find(ea, buffer.len(), false)?;
        // SAFETY: the bytes belong to an operand of an outstanding operation.  Execution control keeps
        // operands readable and unchanged until it acknowledges the operation (matrix.rs, execute/README.md).
        unsafe { std::ptr::copy_nonoverlapping(address as *const u8, buffer.as_mut_ptr(), buffer.len()) };
        convert(buffer, element_bytes);
        Ok(())
    }

    fn write(&self, ea: u64, data: &[u8]) -> Result<(), MemoryFault> {
        self.traffic.written.fetch_add(data.len() as u64, Ordering::Relaxed);
        if ea == self.parameters.completion_ea
            && let Ok(line) = data.try_into()
        {
            let mut completion = big_endian::completion(line);
            match self.plot.step(&Manner::ALL) {
                None => {}
                Some(Manner::Hang) => return Ok(()),
                Some(Manner::Damage) => completion.report.sequence = 0xdead_beef,
                Some(Manner::Fault) => return Err(MemoryFault { ea, write: true }),
                Some(Manner::Stop) => {
                    self.port.request_stop();
                    return Ok(());
                }
            }
            self.spans.completed(|| StageTimes {
                df: completion.fetch_ns,
                ex: completion.execute_ns,
                wb: completion.write_back_ns,
            });
            // SAFETY: only this MEU's MFC calls this function, on one thread.
            unsafe { self.lines.complete(&completion) };
            self.ppe.unpark();
            return Ok(());
        }
        let (address, element_bytes) = self.find(ea, data.len(), true)?;
        let mut line: Line = [0; size_of::<Line>()];
        let line = &mut line[..data.len()];
        line.copy_from_slice(data);
        convert(line, element_bytes);
        // SAFETY: the bytes belong to the result of an outstanding operation.  This MEU is its only writer,
        // and no thread reads it until the operation is acknowledged (matrix.rs, execute/README.md).
        unsafe { std::ptr::copy_nonoverlapping(line.as_ptr(), address as *mut u8, line.len()) };
        Ok(())
    }

    fn route(&self, ea: u64) -> Route {
        if self.cell.is_none() {
            return Route::Memory;
        }
        let grants = self.grants();
        let mut areas = grants.iter().flat_map(|grant| grant.operands.iter().chain(&grant.results));
        let home = areas.find(|area| area.contains(ea, 1)).and_then(|area| area.home(ea));
        home.map_or(Route::Memory, |cell| Route::MemoryOf(cell.into()))
    }

    fn reserve(&self, ea: u64) -> Result<Reservation, MemoryFault> {
        Err(MemoryFault { ea, write: false })
    }

    fn write_reserved(
        &self,
        reservation: &Reservation,
        _line: &spu_sim::memory::Line,
    ) -> Result<bool, MemoryFault> {
        Err(MemoryFault { ea: reservation.ea, write: true })
    }

    fn is_reserved(&self, _reservation: &Reservation) -> bool {
        false
    }
}
