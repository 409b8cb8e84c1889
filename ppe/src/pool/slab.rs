//! Slabs: memory in huge pages that many small blocks of one size class are cut from.
//!
//! The first few blocks of a class are allocated alone, so that a program with a few small matrices does not pay for a slab.

use super::{HUGE_PAGE_BYTES, allocate_memory, free_memory};

/// Bytes of a class that are allocated in blocks of their own before slabs are: a system may have to make a huge page first.
const ALONE_BYTES: usize = 16 << 20;

/// Blocks that a slab has, at least.
const LEAST_BLOCKS: usize = 4;

/// Memory for blocks of one class, cut from its beginning on.
struct Slab {
    pointer: *mut u8,
    bytes: usize,
    class: usize,
    /// Blocks that have been cut.
    cut: usize,
    /// Those of them that are in use.
    used: usize,
}

// SAFETY: a Slab is plain owned memory; blocks of it are used by their owners only.
unsafe impl Send for Slab {}

/// What becomes of the wish for a new block.
pub(super) enum Carved {
    /// A block, and the number of its slab.
    Block(*mut u8, u32),
    /// The block is to be allocated alone.
    Alone,
}

/// The slabs of a pool.
#[derive(Default)]
pub(super) struct Slabs {
    slabs: Vec<Option<Slab>>,
    /// Numbers without a slab.
    vacant: Vec<u32>,
    /// By class: bytes allocated alone, and the slab that blocks are cut from.
    classes: Vec<(usize, Option<u32>)>,
}

impl Slabs {
    fn class(&mut self, class: usize) -> &mut (usize, Option<u32>) {
        if self.classes.len() <= class {
            self.classes.resize(class + 1, (0, None));
        }
        &mut self.classes[class]
    }

    fn slab(&mut self, number: u32) -> &mut Slab {
        self.slabs[number as usize].as_mut().unwrap_or_else(|| unreachable!("a block outlives its slab"))
    }

    /// Cuts a block of `size` bytes from a slab of its class.
    pub(super) fn carve(&mut self, class: usize, size: usize) -> Carved {
        let (alone, open) = *self.class(class);
        if size >= HUGE_PAGE_BYTES || alone + size <= ALONE_BYTES {
            return Carved::Alone;
        }
        let room = |slab: &Slab| (slab.cut + 1) * size <= slab.bytes;
        let number = match open.filter(|&number| room(self.slab(number))) {
            Some(number) => number,
            None => match self.add(class, size) {
                Some(number) => number,
                None => return Carved::Alone,
            },
        };
        let slab = self.slab(number);
        let pointer = slab.pointer.wrapping_add(slab.cut * size);
        slab.cut += 1;
        slab.used += 1;
        Carved::Block(pointer, number)
    }

    fn add(&mut self, class: usize, size: usize) -> Option<u32> {
        let bytes = (LEAST_BLOCKS * size).next_multiple_of(HUGE_PAGE_BYTES);
        let slab = Slab { pointer: allocate_memory(bytes)?, bytes, class, cut: 0, used: 0 };
        let number = self.vacant.pop().unwrap_or(self.slabs.len() as u32);
        if number as usize == self.slabs.len() {
            self.slabs.push(None);
        }
        self.slabs[number as usize] = Some(slab);
        self.class(class).1 = Some(number);
        Some(number)
    }

    /// A free block of a slab is used again.
    pub(super) fn taken(&mut self, number: u32) {
        self.slab(number).used += 1;
    }

    /// A block of a slab is free again: whether all of the slab's are.
    pub(super) fn is_idle_after(&mut self, number: u32) -> bool {
        let slab = self.slab(number);
        slab.used -= 1;
        slab.used == 0
    }

    /// Gives a slab back whose blocks, of `size` bytes, are all free; how many bytes they were.
    pub(super) fn release(&mut self, number: u32, size: usize) -> usize {
        let Some(slab) = self.slabs[number as usize].take() else { return 0 };
        self.vacant.push(number);
        let open = &mut self.class(slab.class).1;
        *open = open.filter(|&open| open != number);
        free_memory(slab.pointer, slab.bytes);
        slab.cut * size
    }

    /// A block of this class has been allocated alone.
    pub(super) fn add_alone(&mut self, class: usize, size: usize) {
        self.class(class).0 += size;
    }

    /// Such a block has been given back.
    pub(super) fn remove_alone(&mut self, class: usize, size: usize) {
        self.class(class).0 -= size;
    }

    /// Bytes of all slabs.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        self.slabs.iter().flatten().map(|slab| slab.bytes).sum()
    }
}

impl Drop for Slabs {
    fn drop(&mut self) {
        for slab in self.slabs.drain(..).flatten() {
            free_memory(slab.pointer, slab.bytes);
        }
    }
}
