//! The memory of the simulated machine as an [`AddressSpace`]: a region of it is given out in pieces, first
//! fit.
//!
//! A mapped file is read when it is mapped, and a shared mapping is written to its file by `msync`, by
//! `munmap` and when the last reference to the heap goes. So a mapping of a file does not see in
//! between what is written to further mappings of the file, and there is no protection by page.

use std::{
    collections::BTreeMap,
    fs::File,
    io,
    os::unix::fs::FileExt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use crate::{
    memory::address_space::{AddressSpace, Mapping},
    memory::{Line, MainMemory, MemoryFault, Reservation, Route},
};

/// Unit of mappings.
pub const PAGE_BYTES: u64 = 4096;
/// Every piece begins at a multiple of this.
const GRAIN: u64 = 16;

/// A piece that is given out.
#[derive(Debug)]
struct Piece {
    /// Bytes taken, a multiple of [`GRAIN`].
    bytes: u64,
    purpose: Purpose,
}

#[derive(Debug)]
enum Purpose {
    Allocated,
    Mapped(Option<Backing>),
}

/// The file behind a shared mapping.
#[derive(Debug)]
struct Backing {
    file: File,
    offset: u64,
}

/// A region of memory that is given out in pieces.
#[derive(Debug)]
pub struct Heap {
    memory: Arc<dyn MainMemory>,
    region: std::ops::Range<u64>,
    pointer_bytes: usize,
    /// By address.
    pieces: Mutex<BTreeMap<u64, Piece>>,
}

fn error(number: i32) -> io::Error {
    io::Error::from_raw_os_error(number)
}

impl Heap {
    /// Gives out `region` of `memory`, which the caller leaves alone. The PPE program's pointers have
    /// `pointer_bytes` bytes (4 or 8).
    pub fn new(memory: Arc<dyn MainMemory>, region: std::ops::Range<u64>, pointer_bytes: usize) -> Heap {
        Heap { memory, region, pointer_bytes, pieces: Mutex::default() }
    }

    fn pieces(&self) -> MutexGuard<'_, BTreeMap<u64, Piece>> {
        // The map is valid after each statement that changes it.
        self.pieces.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The first free place for `bytes` bytes.
    fn find(&self, pieces: &BTreeMap<u64, Piece>, bytes: u64, alignment: u64) -> Option<u64> {
        let mut at = self.region.start.checked_next_multiple_of(alignment)?;
        for (&start, piece) in pieces {
            if at.checked_add(bytes)? <= start {
                break;
            }
            at = at.max(start + piece.bytes).checked_next_multiple_of(alignment)?;
        }
        (at.checked_add(bytes)? <= self.region.end).then_some(at)
    }

    /// Whether nothing is given out between `from` and `to`, and both lie in the region.
    fn is_free(&self, pieces: &BTreeMap<u64, Piece>, from: u64, to: u64) -> bool {
        let before = pieces.range(..to).next_back();
        self.region.start <= from
            && to <= self.region.end
            && before.is_none_or(|(start, piece)| start + piece.bytes <= from)
    }

    fn zero(&self, ea: u64, bytes: u64) -> io::Result<()> {
        const ZEROS: [u8; 4096] = [0; 4096];
        let mut done = 0;
        while done < bytes {
            let count = (bytes - done).min(ZEROS.len() as u64);
            self.memory.write_bytes(ea + done, &ZEROS[..count as usize]).map_err(|_| error(libc::EFAULT))?;
            done += count;
        }
        Ok(())
    }

    /// Writes what a shared mapping shows back to the file, but never beyond its end.
    fn write_back(&self, ea: u64, bytes: u64, backing: &Backing) -> io::Result<()> {
        let inside = backing.file.metadata()?.len().saturating_sub(backing.offset).min(bytes);
        let mut contents = vec![0; inside as usize];
        self.memory.read_bytes(ea, &mut contents).map_err(|_| error(libc::EFAULT))?;
        backing.file.write_all_at(&contents, backing.offset)
    }
}

impl Drop for Heap {
    fn drop(&mut self) {
        let pieces = std::mem::take(&mut *self.pieces());
        for (ea, piece) in pieces {
            if let Purpose::Mapped(Some(backing)) = piece.purpose {
                // Whoever wanted to know about a failure would have called msync.
                let _ = self.write_back(ea, piece.bytes, &backing);
            }
        }
    }
}

impl AddressSpace for Heap {
    fn allocate(&self, bytes: u64, alignment: u64) -> Option<u64> {
        let mut pieces = self.pieces();
        let bytes = bytes.max(1).checked_next_multiple_of(GRAIN)?;
        let ea = self.find(&pieces, bytes, alignment.max(GRAIN))?;
        pieces.insert(ea, Piece { bytes, purpose: Purpose::Allocated });
        Some(ea)
    }

    fn size_of(&self, ea: u64) -> Option<u64> {
        self.pieces()
            .get(&ea)
            .filter(|piece| matches!(piece.purpose, Purpose::Allocated))
            .map(|piece| piece.bytes)
    }

    fn free(&self, ea: u64) {
        let mut pieces = self.pieces();
        if pieces.get(&ea).is_some_and(|piece| matches!(piece.purpose, Purpose::Allocated)) {
            pieces.remove(&ea);
        }
    }

    fn map(&self, mapping: Mapping<'_>) -> io::Result<u64> {
        let bytes = mapping.bytes.checked_next_multiple_of(PAGE_BYTES).ok_or_else(|| error(libc::ENOMEM))?;
        let offset = mapping.file.map_or(0, |(_, offset)| offset);
        if bytes == 0
            || !offset.is_multiple_of(PAGE_BYTES)
            || (mapping.fixed && !mapping.ea.is_multiple_of(PAGE_BYTES))
        {
            return Err(error(libc::EINVAL));
        }
        if mapping.fixed && self.pieces().get(&mapping.ea).is_some_and(|piece| piece.bytes == bytes) {
            self.unmap(mapping.ea, bytes)?;
        }
        let mut pieces = self.pieces();
        let ea = if mapping.fixed {
            let end = mapping.ea.checked_add(bytes).ok_or_else(|| error(libc::ENOMEM))?;
            if !self.is_free(&pieces, mapping.ea, end) {
                return Err(error(libc::ENOMEM));
            }
            mapping.ea
        } else {
            self.find(&pieces, bytes, PAGE_BYTES).ok_or_else(|| error(libc::ENOMEM))?
        };
        self.zero(ea, bytes)?;
        let mut backing = None;
        if let Some((file, offset)) = mapping.file {
            let mut contents = Vec::new();
            let inside = file.metadata()?.len().saturating_sub(offset).min(bytes);
            contents.resize(inside as usize, 0);
            file.read_exact_at(&mut contents, offset)?;
            self.memory.write_bytes(ea, &contents).map_err(|_| error(libc::EFAULT))?;
            if mapping.shared && mapping.protection & 2 != 0 {
                backing = Some(Backing { file: file.try_clone()?, offset });
            }
        }
        pieces.insert(ea, Piece { bytes, purpose: Purpose::Mapped(backing) });
        Ok(ea)
    }

    fn unmap(&self, ea: u64, bytes: u64) -> io::Result<()> {
        let bytes = bytes.checked_next_multiple_of(PAGE_BYTES).ok_or_else(|| error(libc::EINVAL))?;
        self.synchronize(ea, bytes, 0)?;
        let mut pieces = self.pieces();
        // Only whole mappings: the simulated machine has no page table to split them.
        match pieces.get(&ea) {
            Some(Piece { bytes: all, purpose: Purpose::Mapped(_) }) if *all == bytes => pieces.remove(&ea),
            _ => return Err(error(libc::EINVAL)),
        };
        Ok(())
    }

    fn remap(&self, ea: u64, old_bytes: u64, new_bytes: u64, may_move: bool) -> io::Result<u64> {
        let round = |bytes: u64| {
            let pages = bytes.checked_next_multiple_of(PAGE_BYTES).filter(|&pages| pages != 0);
            pages.ok_or_else(|| error(libc::EINVAL))
        };
        let (old_bytes, new_bytes) = (round(old_bytes)?, round(new_bytes)?);
        let mut pieces = self.pieces();
        let piece = match pieces.get(&ea) {
            Some(piece) if matches!(piece.purpose, Purpose::Mapped(_)) && piece.bytes == old_bytes => {
                pieces.remove(&ea)
            }
            _ => None,
        };
        let Some(piece) = piece else { return Err(error(libc::EFAULT)) };
        let stays = ea.checked_add(new_bytes).is_some_and(|end| self.is_free(&pieces, ea, end));
        let place = match (stays, may_move) {
            (true, _) => Some(ea),
            (false, true) => self.find(&pieces, new_bytes, PAGE_BYTES),
            (false, false) => None,
        };
        let Some(place) = place else {
            pieces.insert(ea, piece);
            return Err(error(libc::ENOMEM));
        };
        // What is beyond the old end of a mapped file stays zero.
        let mut contents = vec![0; old_bytes.min(new_bytes) as usize];
        self.memory.read_bytes(ea, &mut contents).map_err(|_| error(libc::EFAULT))?;
        self.memory.write_bytes(place, &contents).map_err(|_| error(libc::EFAULT))?;
        self.zero(place + contents.len() as u64, new_bytes - contents.len() as u64)?;
        pieces.insert(place, Piece { bytes: new_bytes, purpose: piece.purpose });
        Ok(place)
    }

    fn synchronize(&self, ea: u64, _: u64, _: u32) -> io::Result<()> {
        match self.pieces().get(&ea) {
            Some(Piece { bytes, purpose: Purpose::Mapped(Some(backing)) }) => {
                self.write_back(ea, *bytes, backing)
            }
            Some(Piece { purpose: Purpose::Mapped(None), .. }) => Ok(()),
            _ => Err(error(libc::ENOMEM)),
        }
    }

    fn pointer_bytes(&self) -> usize {
        self.pointer_bytes
    }
}

/// All accesses go to the memory that is given out.
impl MainMemory for Heap {
    fn read(&self, ea: u64, buffer: &mut [u8]) -> Result<(), MemoryFault> {
        self.memory.read(ea, buffer)
    }

    fn write(&self, ea: u64, data: &[u8]) -> Result<(), MemoryFault> {
        self.memory.write(ea, data)
    }

    fn reserve(&self, ea: u64) -> Result<Reservation, MemoryFault> {
        self.memory.reserve(ea)
    }

    fn write_reserved(&self, reservation: &Reservation, line: &Line) -> Result<bool, MemoryFault> {
        self.memory.write_reserved(reservation, line)
    }

    fn is_reserved(&self, reservation: &Reservation) -> bool {
        self.memory.is_reserved(reservation)
    }

    fn route(&self, ea: u64) -> Route {
        self.memory.route(ea)
    }

    fn signal(&self, ea: u64, value: u32) -> Result<(), MemoryFault> {
        self.memory.signal(ea, value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Ram;

    fn heap(bytes: u64) -> Heap {
        Heap::new(Arc::new(Ram::new(0x1_0000, bytes as usize)), 0x1_0000..0x1_0000 + bytes, 8)
    }

    #[test]
    fn freed_memory_is_given_out_again() {
        let heap = heap(4096);
        let pieces: Vec<u64> = (0..4).map(|_| heap.allocate(1000, 16).unwrap()).collect();
        assert_eq!(heap.allocate(1000, 16), None);
        heap.free(pieces[1]);
        heap.free(pieces[1] + 16);
        assert_eq!(heap.size_of(pieces[1]), None);
        assert_eq!(heap.allocate(1008, 16), Some(pieces[1]));
        assert_eq!(heap.allocate(u64::MAX, 16), None);
    }

    #[test]
    fn alignment_is_kept() {
        let heap = heap(1 << 20);
        heap.allocate(1, 16).unwrap();
        for alignment in [16, 128, 4096, 65536] {
            assert!(heap.allocate(10, alignment).unwrap().is_multiple_of(alignment));
        }
    }

    #[test]
    fn mappings_grow_move_and_go() {
        let heap = heap(1 << 16);
        let zeroed = |ea, fixed| Mapping { ea, bytes: 5000, protection: 3, shared: false, fixed, file: None };
        let first = heap.map(zeroed(0, false)).unwrap();
        let second = heap.map(zeroed(0, false)).unwrap();
        heap.write_bytes(first, b"kept").unwrap();
        assert_eq!(heap.remap(first, 8192, 20000, false).unwrap_err().raw_os_error(), Some(libc::ENOMEM));
        let moved = heap.remap(first, 8192, 20000, true).unwrap();
        let mut back = [0; 4];
        heap.read_bytes(moved, &mut back).unwrap();
        assert_eq!((&back, moved > second), (b"kept", true));
        assert_eq!(heap.map(zeroed(first, true)).unwrap(), first);
        assert_eq!(heap.map(zeroed(moved, true)).unwrap_err().raw_os_error(), Some(libc::ENOMEM));
        heap.unmap(second, 5000).unwrap();
        assert_eq!(heap.unmap(second, 5000).unwrap_err().raw_os_error(), Some(libc::ENOMEM));
        assert_eq!(heap.size_of(first), None, "a mapping is not an allocation");
    }
}
