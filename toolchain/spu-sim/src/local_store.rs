//! The 256 KB local store. The SPU that executes from it, the MFC, and (through the PPE's mapping) any host
//! thread share it. So its cells are atomics with relaxed order: plain loads and stores on every host,
//! without data races in the sense of the language. Order comes from the mailboxes, signals and tag status by
//! which programs synchronise.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::quad::Quad;

/// Size of the local store in bytes (SPU ISA; LSLR of the Cell implementation is 0x3ffff).
pub const LS_SIZE: usize = 0x4_0000;
/// Mask that wraps an address into the local store.
pub const LS_MASK: u32 = LS_SIZE as u32 - 1;

const CELLS: usize = LS_SIZE / 8;

/// All cells, at a multiple of 4096, so that an address in local store and its address in the host's memory
/// have the same low bits. Then the MFC's alignment rules hold also for one SPE's access to the mapped local
/// store of another SPE.
#[repr(C, align(4096))]
struct Cells([AtomicU64; CELLS]);

/// 256 KB of memory, big-endian bytes in address order.
pub struct LocalStore {
    /// Each cell holds eight bytes in memory order (`to_ne_bytes` of the cell gives the bytes at its
    /// address).
    cells: Box<Cells>,
}

impl std::fmt::Debug for LocalStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LocalStore").finish_non_exhaustive()
    }
}

impl Default for LocalStore {
    fn default() -> Self {
        Self::new()
    }
}

impl LocalStore {
    /// A local store full of zeros.
    pub fn new() -> Self {
        LocalStore { cells: Box::new(Cells([const { AtomicU64::new(0) }; CELLS])) }
    }

    #[inline]
    fn cell(&self, address: u32) -> &AtomicU64 {
        // The mask keeps the index in bounds; the compiler sees that.
        &self.cells.0[(address & LS_MASK) as usize / 8]
    }

    /// Loads the quadword that contains `address`; the low four bits are ignored, the address wraps.
    #[inline]
    pub fn load_quad(&self, address: u32) -> Quad {
        let address = address & !15;
        Quad::from_doubles([
            u64::from_be(self.cell(address).load(Relaxed)),
            u64::from_be(self.cell(address + 8).load(Relaxed)),
        ])
    }

    /// Stores the quadword that contains `address`; the low four bits are ignored, the address wraps.
    #[inline]
    pub fn store_quad(&self, address: u32, value: Quad) {
        let address = address & !15;
        let [left, right] = value.doubles();
        self.cell(address).store(left.to_be(), Relaxed);
        self.cell(address + 8).store(right.to_be(), Relaxed);
    }

    /// The aligned word that contains `address`.
    #[inline]
    pub fn load_word(&self, address: u32) -> u32 {
        let cell = u64::from_be(self.cell(address).load(Relaxed));
        if address & 4 == 0 { (cell >> 32) as u32 } else { cell as u32 }
    }

    /// Stores the aligned word that contains `address`.
    pub fn store_word(&self, address: u32, value: u32) {
        self.write(address & !3, &value.to_be_bytes());
    }

    /// Copies `buffer.len()` bytes out, beginning at `address`, wrapping at the end of the local store.
    pub fn read(&self, address: u32, buffer: &mut [u8]) {
        let mut at = address;
        let mut rest = buffer;
        while !rest.is_empty() {
            let bytes = self.cell(at).load(Relaxed).to_ne_bytes();
            let offset = (at & 7) as usize;
            let count = rest.len().min(8 - offset);
            let (now, later) = rest.split_at_mut(count);
            now.copy_from_slice(&bytes[offset..offset + count]);
            rest = later;
            at = at.wrapping_add(count as u32);
        }
    }

    /// Copies `data` in, beginning at `address`, wrapping at the end of the local store.
    pub fn write(&self, address: u32, data: &[u8]) {
        let mut at = address;
        let mut rest = data;
        while !rest.is_empty() {
            let offset = (at & 7) as usize;
            let count = rest.len().min(8 - offset);
            let (now, later) = rest.split_at(count);
            let cell = self.cell(at);
            if let Ok(whole) = <[u8; 8]>::try_from(now) {
                cell.store(u64::from_ne_bytes(whole), Relaxed);
            } else {
                // A partial cell changes only its own bytes, even while another thread writes its neighbours.
                let _ = cell.fetch_update(Relaxed, Relaxed, |old| {
                    let mut bytes = old.to_ne_bytes();
                    bytes[offset..offset + count].copy_from_slice(now);
                    Some(u64::from_ne_bytes(bytes))
                });
            }
            rest = later;
            at = at.wrapping_add(count as u32);
        }
    }

    /// Fills everything with zeros.
    pub fn clear(&self) {
        for cell in &self.cells.0 {
            cell.store(0, Relaxed);
        }
    }

    /// Address of the first byte, a multiple of 4096, for mapping the local store into the address space of a
    /// host program. The memory stays valid and in place for the life of `self`; access it atomically or
    /// volatilely.
    pub fn as_ptr(&self) -> *mut u8 {
        self.cells.0.as_ptr().cast_mut().cast()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_wrap_and_quads_align() {
        let ls = LocalStore::new();
        ls.store_quad(0x4_0013, Quad::from_words([1, 2, 3, 4]));
        assert_eq!(ls.load_quad(0x1f).words(), [1, 2, 3, 4]);
        assert_eq!((ls.load_word(0x10), ls.load_word(0x1f)), (1, 4));
    }

    #[test]
    fn low_address_bits_are_those_of_the_host() {
        assert!(LocalStore::new().as_ptr().addr().is_multiple_of(4096));
    }

    #[test]
    fn byte_ranges_cross_cells_and_the_end() {
        let ls = LocalStore::new();
        let data: Vec<u8> = (1..=21).collect();
        ls.write(LS_SIZE as u32 - 5, &data);
        let mut back = vec![0; 21];
        ls.read(LS_SIZE as u32 - 5, &mut back);
        assert_eq!(back, data);
        assert_eq!(ls.load_word(0), 0x0607_0809);
    }
}
