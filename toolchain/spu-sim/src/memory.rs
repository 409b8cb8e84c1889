//! Main memory as the MFCs see it: effective addresses behind the [`MainMemory`] trait. All accesses of the
//! MFC stay within one 128-byte line, and each is atomic, as on the machine (cell-facts B3).

pub mod address_space;
pub mod heap;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::{local_store::LS_SIZE, port::Port};

/// Bytes of a cache line, the unit of the memory interface.
pub const LINE_BYTES: usize = 128;
/// One line.
pub type Line = [u8; LINE_BYTES];

/// An effective address without memory behind it, or one that may not be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("no {} access to effective address {ea:#x}", if *.write { "write" } else { "read" })]
pub struct MemoryFault {
    /// The address.
    pub ea: u64,
    /// Whether it was to be written.
    pub write: bool,
}

/// A load-and-reserve of one line, to be completed by a conditional store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reservation {
    /// Address of the line.
    pub ea: u64,
    /// A number by which the memory recognises that the line was written since; each [`MainMemory`] decides
    /// what it means.
    pub version: u64,
    /// Contents of the line when it was reserved.
    pub line: Line,
}

/// Where a line request goes, which decides how long it takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route {
    /// To the main memory of the SPE's own Cell.
    Memory,
    /// To the main memory of the Cell with this number in the machine.
    MemoryOf(usize),
    /// To the local store or registers of the SPE with this number in the machine.
    LocalStore(usize),
}

/// Memory reached by effective address. A range that a caller gives lies within one 128-byte line, and has to
/// be accessed atomically.
pub trait MainMemory: Send + Sync + std::fmt::Debug {
    /// Reads `buffer.len()` bytes.
    ///
    /// # Errors
    /// If the address is not readable.
    fn read(&self, ea: u64, buffer: &mut [u8]) -> Result<(), MemoryFault>;

    /// Writes `data`.
    ///
    /// # Errors
    /// If the address is not writable.
    fn write(&self, ea: u64, data: &[u8]) -> Result<(), MemoryFault>;

    /// Reads a line (`ea` is a multiple of 128) and reserves it.
    ///
    /// # Errors
    /// If the address is not readable.
    fn reserve(&self, ea: u64) -> Result<Reservation, MemoryFault>;

    /// Writes a line if nobody wrote it since it was reserved; returns whether it was written.
    ///
    /// # Errors
    /// If the address is not writable.
    fn write_reserved(&self, reservation: &Reservation, line: &Line) -> Result<bool, MemoryFault>;

    /// Whether nobody wrote the line since it was reserved.
    fn is_reserved(&self, reservation: &Reservation) -> bool;

    /// Reads any range, line by line.
    ///
    /// # Errors
    /// If part of it is not readable.
    fn read_bytes(&self, ea: u64, buffer: &mut [u8]) -> Result<(), MemoryFault> {
        let mut at = ea;
        let mut rest = buffer;
        while !rest.is_empty() {
            let count = rest.len().min(LINE_BYTES - (at % LINE_BYTES as u64) as usize);
            let (now, later) = rest.split_at_mut(count);
            self.read(at, now)?;
            rest = later;
            at = at.wrapping_add(count as u64);
        }
        Ok(())
    }

    /// Writes any range, line by line.
    ///
    /// # Errors
    /// If part of the range is not writable. The part before it has been written then.
    fn write_bytes(&self, ea: u64, data: &[u8]) -> Result<(), MemoryFault> {
        let mut at = ea;
        let mut rest = data;
        while !rest.is_empty() {
            let count = rest.len().min(LINE_BYTES - (at % LINE_BYTES as u64) as usize);
            let (now, later) = rest.split_at(count);
            self.write(at, now)?;
            rest = later;
            at = at.wrapping_add(count as u64);
        }
        Ok(())
    }

    /// What lies behind an address, for the timing model.
    fn route(&self, ea: u64) -> Route {
        let _ = ea;
        Route::Memory
    }

    /// Writes a signal (`sndsig`): four bytes, to a signal-notification register in the usual case.
    ///
    /// # Errors
    /// If the address is not writable.
    fn signal(&self, ea: u64, value: u32) -> Result<(), MemoryFault> {
        self.write(ea, &value.to_be_bytes())
    }
}

/// A line, with the number of writes to it.
#[derive(Debug)]
struct VersionedLine {
    version: u64,
    bytes: Line,
}

/// Memory of the simulated machine: bytes from effective address `base` on.
#[derive(Debug)]
pub struct Ram {
    base: u64,
    lines: Box<[Mutex<VersionedLine>]>,
}

impl Ram {
    /// Zeroed memory of at least `bytes` bytes (whole lines) at `base`, which is rounded down to a line.
    pub fn new(base: u64, bytes: usize) -> Ram {
        let zero = |_| Mutex::new(VersionedLine { version: 0, bytes: [0; LINE_BYTES] });
        Ram {
            base: base & !(LINE_BYTES as u64 - 1),
            lines: (0..bytes.div_ceil(LINE_BYTES)).map(zero).collect(),
        }
    }

    fn line(&self, ea: u64, write: bool) -> Result<(MutexGuard<'_, VersionedLine>, usize), MemoryFault> {
        let fault = MemoryFault { ea, write };
        let offset = ea.checked_sub(self.base).ok_or(fault)?;
        let index = usize::try_from(offset / LINE_BYTES as u64).map_err(|_| fault)?;
        let line = self.lines.get(index).ok_or(fault)?;
        Ok((line.lock().unwrap_or_else(PoisonError::into_inner), offset as usize % LINE_BYTES))
    }
}

impl MainMemory for Ram {
    fn read(&self, ea: u64, buffer: &mut [u8]) -> Result<(), MemoryFault> {
        let (line, offset) = self.line(ea, false)?;
        buffer.copy_from_slice(&line.bytes[offset..offset + buffer.len()]);
        Ok(())
    }

    fn write(&self, ea: u64, data: &[u8]) -> Result<(), MemoryFault> {
        let (mut line, offset) = self.line(ea, true)?;
        line.version += 1;
        line.bytes[offset..offset + data.len()].copy_from_slice(data);
        Ok(())
    }

    fn reserve(&self, ea: u64) -> Result<Reservation, MemoryFault> {
        let (line, _) = self.line(ea, false)?;
        Ok(Reservation { ea, version: line.version, line: line.bytes })
    }

    fn write_reserved(&self, reservation: &Reservation, new: &Line) -> Result<bool, MemoryFault> {
        let (mut line, _) = self.line(reservation.ea, true)?;
        let unchanged = line.version == reservation.version;
        if unchanged {
            line.version += 1;
            line.bytes = *new;
        }
        Ok(unchanged)
    }

    fn is_reserved(&self, reservation: &Reservation) -> bool {
        self.line(reservation.ea, false).is_ok_and(|(line, _)| line.version == reservation.version)
    }
}

/// What a window of the effective address space shows.
#[derive(Debug, Clone)]
pub enum Window {
    /// Main memory, whose addresses are the addresses of the address space.
    Memory(Arc<dyn MainMemory>),
    /// The local store of an SPE.
    LocalStore(Arc<Port>),
    /// One of the two signal-notification registers of an SPE (index 0 or 1), or its inbound mailbox: a
    /// register that takes four-byte writes.
    Signal(Arc<Port>, usize),
    /// The inbound mailbox register of an SPE.
    InMailbox(Arc<Port>),
}

/// Size of the area that one SPE takes in a [`Bus`]: its local store, then its registers.
pub const SPE_AREA_BYTES: u64 = 0x10_0000;
/// Offsets of the registers within an SPE's area, after the problem-state map of cell-facts B7 placed at
/// 0x40000.
const PROBLEM_STATE: u64 = LS_SIZE as u64;
const IN_MAILBOX_OFFSET: u64 = PROBLEM_STATE + 0x400c;
const SIGNAL_OFFSETS: [u64; 2] = [PROBLEM_STATE + 0x1_400c, PROBLEM_STATE + 0x1_c00c];

/// An effective address space: windows that show memories, local stores and registers.
#[derive(Debug, Default)]
pub struct Bus {
    windows: Vec<(std::ops::Range<u64>, Window)>,
    /// The areas of the SPEs, in the order in which they were added.
    spe_areas: Vec<std::ops::Range<u64>>,
}

impl Bus {
    /// Adds a window. Where windows overlap, the window that was added first is used.
    pub fn add(&mut self, range: std::ops::Range<u64>, window: Window) {
        self.windows.push((range, window));
    }

    /// Maps the local store of an SPE at `base` and its writable registers behind it.
    pub fn add_spe(&mut self, base: u64, port: &Arc<Port>) {
        self.spe_areas.push(base..base + SPE_AREA_BYTES);
        self.add(base..base + LS_SIZE as u64, Window::LocalStore(Arc::clone(port)));
        self.add(base + IN_MAILBOX_OFFSET..base + IN_MAILBOX_OFFSET + 4, Window::InMailbox(Arc::clone(port)));
        for (index, offset) in SIGNAL_OFFSETS.into_iter().enumerate() {
            self.add(base + offset..base + offset + 4, Window::Signal(Arc::clone(port), index));
        }
    }

    fn find(&self, ea: u64, length: usize, write: bool) -> Result<(u64, &Window), MemoryFault> {
        self.windows
            .iter()
            .find(|(range, _)| range.contains(&ea) && range.end - ea >= length as u64)
            .map(|(range, window)| (ea - range.start, window))
            .ok_or(MemoryFault { ea, write })
    }
}

impl MainMemory for Bus {
    fn route(&self, ea: u64) -> Route {
        let spe = self.spe_areas.iter().position(|area| area.contains(&ea));
        spe.map_or(Route::Memory, Route::LocalStore)
    }

    fn read(&self, ea: u64, buffer: &mut [u8]) -> Result<(), MemoryFault> {
        match self.find(ea, buffer.len(), false)? {
            (_, Window::Memory(memory)) => memory.read(ea, buffer),
            (offset, Window::LocalStore(port)) => {
                port.ls().read(offset as u32, buffer);
                Ok(())
            }
            (_, Window::Signal(port, index)) if buffer.len() == 4 => {
                buffer.copy_from_slice(&port.inspect(|state| state.signals[*index].peek()).to_be_bytes());
                Ok(())
            }
            _ => Err(MemoryFault { ea, write: false }),
        }
    }

    fn write(&self, ea: u64, data: &[u8]) -> Result<(), MemoryFault> {
        let (offset, window) = self.find(ea, data.len(), true)?;
        let word =
            || <[u8; 4]>::try_from(data).map(u32::from_be_bytes).map_err(|_| MemoryFault { ea, write: true });
        match window {
            Window::Memory(memory) => return memory.write(ea, data),
            Window::LocalStore(port) => port.ls().write(offset as u32, data),
            Window::Signal(port, index) => port.write_signal(*index, word()?),
            Window::InMailbox(port) => port.write_in_mailbox_register(word()?),
        }
        Ok(())
    }

    fn reserve(&self, ea: u64) -> Result<Reservation, MemoryFault> {
        match self.find(ea, LINE_BYTES, false)? {
            (_, Window::Memory(memory)) => memory.reserve(ea),
            _ => Err(MemoryFault { ea, write: false }),
        }
    }

    fn write_reserved(&self, reservation: &Reservation, line: &Line) -> Result<bool, MemoryFault> {
        match self.find(reservation.ea, LINE_BYTES, true)? {
            (_, Window::Memory(memory)) => memory.write_reserved(reservation, line),
            _ => Err(MemoryFault { ea: reservation.ea, write: true }),
        }
    }

    fn is_reserved(&self, reservation: &Reservation) -> bool {
        match self.find(reservation.ea, LINE_BYTES, false) {
            Ok((_, Window::Memory(memory))) => memory.is_reserved(reservation),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_breaks_a_reservation_even_with_the_same_bytes() {
        let ram = Ram::new(0x1000, 256);
        let reservation = ram.reserve(0x1080).unwrap();
        assert!(ram.is_reserved(&reservation));
        ram.write(0x1084, &[0; 4]).unwrap();
        assert!(!ram.is_reserved(&reservation));
        assert_eq!(ram.write_reserved(&reservation, &[1; 128]), Ok(false));
        let again = ram.reserve(0x1080).unwrap();
        assert_eq!(ram.write_reserved(&again, &[1; 128]), Ok(true));
    }

    #[test]
    fn addresses_outside_fault() {
        let ram = Ram::new(0x1000, 256);
        assert_eq!(ram.read(0xfff, &mut [0]), Err(MemoryFault { ea: 0xfff, write: false }));
        assert_eq!(ram.write_bytes(0x10ff, &[0; 2]), Err(MemoryFault { ea: 0x1100, write: true }));
    }

    #[test]
    fn the_bus_shows_local_stores_and_registers() {
        let port = Arc::new(Port::new([true, false]));
        let mut bus = Bus::default();
        bus.add_spe(0x10_0000, &port);
        bus.write(0x10_0010, &[1, 2, 3, 4]).unwrap();
        assert_eq!(port.ls().load_word(0x10), 0x0102_0304);
        bus.signal(0x10_0000 + SIGNAL_OFFSETS[0], 5).unwrap();
        bus.signal(0x10_0000 + SIGNAL_OFFSETS[0], 8).unwrap();
        assert_eq!(port.inspect(|state| state.signals[0].peek()), 13);
        bus.write(0x10_0000 + IN_MAILBOX_OFFSET, &[0, 0, 0, 9]).unwrap();
        assert_eq!(port.inspect(|state| state.in_mailbox.count()), 1);
        assert!(bus.read(0x20_0000, &mut [0; 4]).is_err());
    }
}
