//! Memory pools: 128-byte aligned buffers that are used again instead of being given back (paper, "Performance Tuning").
//!
//! A buffer has one of the pool's size classes: four to each power of two, so that at most a fifth is wasted.  Freed buffers
//! wait in a list of their class; the last one freed is the first to be handed out, while it is still in a cache.
//!
//! The first touch of a page costs more than most operations on it, so memory comes in huge pages where the system has them:
//! a large buffer has pages of its own, and many small ones of a class are cut from slabs.  A slab goes back to the system as a
//! whole, once all of its buffers are free.

mod slab;

use std::alloc::{Layout, alloc, dealloc};
use std::fmt;
use std::sync::{Arc, OnceLock};

use crate::error::{Error, Result};
use crate::process::ForkMutex;
use slab::{Carved, Slabs};

/// Alignment of every buffer: a cache line, and the best DMA alignment of an MFC.
pub const ALIGNMENT: usize = 128;

/// Alignment of large buffers and of slabs.
const HUGE_PAGE_BYTES: usize = 2 << 20;

const CLASSES: usize = 4 * 56;

/// `bytes`, or less on a machine with little memory: at most a `part`th of what it has.  (A PlayStation 3 has 256 MB.)
#[must_use]
pub fn within_memory(bytes: u64, part: u64) -> u64 {
    static TOTAL: OnceLock<Option<u64>> = OnceLock::new();
    let total = TOTAL.get_or_init(|| total_memory(&std::fs::read_to_string("/proc/meminfo").ok()?));
    total.map_or(bytes, |total| bytes.min(total / part))
}

/// Bytes of memory by the text of /proc/meminfo.
fn total_memory(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

/// A pool of aligned buffers.  Clones share the same pool.
#[derive(Clone)]
pub struct Pool {
    shared: Arc<Shared>,
}

struct Shared {
    lists: ForkMutex<Lists>,
    /// Free buffers are kept up to this many bytes in all.
    keep_bytes: usize,
    /// Fill every buffer with NaN before it is handed out.
    poison: bool,
}

#[derive(Default)]
struct Lists {
    free: Vec<Vec<Block>>,
    slabs: Slabs,
    free_bytes: usize,
    used_bytes: usize,
    peak_bytes: usize,
}

/// A raw allocation of one size class.
struct Block {
    pointer: *mut u8,
    class: usize,
    /// The slab that it was cut from.
    slab: Option<u32>,
}

// SAFETY: a Block is plain owned memory; only its owner uses the pointer.
unsafe impl Send for Block {}

/// Size class of a length: the smallest class that holds it.
fn class_of(bytes: usize) -> usize {
    let lines = bytes.div_ceil(ALIGNMENT).max(1);
    if lines <= 4 {
        return lines - 1;
    }
    let log = (lines - 1).ilog2() as usize; // lines - 1 has its leading bit here, and log >= 2
    let quarter = ((lines - 1) >> (log - 2)) & 3;
    4 * (log - 1) + quarter
}

/// Bytes of a buffer of a class.
fn class_bytes(class: usize) -> usize {
    if class < 4 {
        return (class + 1) * ALIGNMENT;
    }
    let log = class / 4 + 1;
    ((5 + class % 4) << (log - 2)) * ALIGNMENT
}

impl Pool {
    /// A pool that keeps up to `keep_bytes` of freed memory.  With `poison`, every buffer is filled with NaN (all ones) when
    /// it is handed out, so that a value that nobody wrote shows.
    #[must_use]
    pub fn new(keep_bytes: usize, poison: bool) -> Pool {
        Pool { shared: Arc::new(Shared { lists: ForkMutex::default(), keep_bytes, poison }) }
    }

    /// A buffer of at least `bytes` bytes.  Its contents are arbitrary (NaN with poison).
    ///
    /// # Errors
    /// [`Error::Memory`] when the system has no more.
    pub fn allocate(&self, bytes: usize) -> Result<Buffer> {
        if bytes > isize::MAX as usize / 2 {
            return Err(Error::Memory { bytes, purpose: "a matrix".into() });
        }
        let class = class_of(bytes);
        let size = class_bytes(class);
        let block = {
            let mut lists = self.shared.lists.lock().ok_or(Error::Fork)?;
            let block = lists.take(class).ok_or(Error::Memory { bytes, purpose: "a matrix".into() })?;
            lists.used_bytes += size;
            lists.peak_bytes = lists.peak_bytes.max(lists.used_bytes);
            block
        };
        if self.shared.poison {
            // SAFETY: the block owns `size` bytes.
            unsafe { block.pointer.write_bytes(0xff, size) };
        }
        Ok(Buffer { block: Some(block), pool: Arc::clone(&self.shared) })
    }

    /// Bytes handed out now, and the most there ever were.
    #[must_use]
    pub fn used_bytes(&self) -> (usize, usize) {
        self.shared.lists.lock().map_or((0, 0), |lists| (lists.used_bytes, lists.peak_bytes))
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (used, peak) = self.used_bytes();
        f.debug_struct("Pool").field("used_bytes", &used).field("peak_bytes", &peak).finish_non_exhaustive()
    }
}

fn layout(bytes: usize) -> Option<Layout> {
    Layout::from_size_align(bytes, if bytes < HUGE_PAGE_BYTES { ALIGNMENT } else { HUGE_PAGE_BYTES }).ok()
}

/// Memory is not cleared: an engine writes every element of a result before anybody reads it, and pads are never read as
/// elements.  Large blocks ask for huge pages.  `bytes` is not 0.
fn allocate_memory(bytes: usize) -> Option<*mut u8> {
    let layout = layout(bytes)?;
    // SAFETY: the size is not zero.
    let pointer = unsafe { alloc(layout) };
    if !pointer.is_null() && layout.align() == HUGE_PAGE_BYTES {
        // SAFETY: the range is ours.  The call is advice: whether it is taken makes no difference to the contents.
        unsafe { libc::madvise(pointer.cast(), layout.size(), libc::MADV_HUGEPAGE) };
    }
    (!pointer.is_null()).then_some(pointer)
}

/// Gives back what `allocate_memory` has given with the same length, and what nobody uses any more.
fn free_memory(pointer: *mut u8, bytes: usize) {
    if let Some(layout) = layout(bytes) {
        // SAFETY: the pointer came from allocate_memory with the same layout.
        unsafe { dealloc(pointer, layout) };
    }
}

impl Lists {
    /// A block of a class: the last one freed, or a new one.
    fn take(&mut self, class: usize) -> Option<Block> {
        let size = class_bytes(class);
        if let Some(block) = self.free.get_mut(class).and_then(Vec::pop) {
            self.free_bytes -= size;
            block.slab.into_iter().for_each(|slab| self.slabs.taken(slab));
            return Some(block);
        }
        match self.slabs.carve(class, size) {
            Carved::Block(pointer, slab) => Some(Block { pointer, class, slab: Some(slab) }),
            Carved::Alone => {
                let block = Block { pointer: allocate_memory(size)?, class, slab: None };
                self.slabs.add_alone(class, size);
                Some(block)
            }
        }
    }

    /// Keeps a block for later, or gives it back when that would exceed `keep_bytes`.  A block of a slab stays with it.
    fn give(&mut self, block: Block, keep_bytes: usize) {
        let (class, size) = (block.class, class_bytes(block.class));
        if block.slab.is_none() && self.free_bytes + size > keep_bytes {
            self.slabs.remove_alone(class, size);
            return free_memory(block.pointer, size);
        }
        if self.free.is_empty() {
            self.free.resize_with(CLASSES, Vec::new);
        }
        let slab = block.slab;
        self.free_bytes += size;
        self.free[class].push(block);
        if let Some(slab) =
            slab.filter(|&slab| self.slabs.is_idle_after(slab) && self.free_bytes > keep_bytes)
        {
            self.free_bytes -= self.slabs.release(slab, size);
            self.free[class].retain(|block| block.slab != Some(slab));
        }
    }
}

impl Drop for Lists {
    fn drop(&mut self) {
        // Those of slabs go with them.
        for block in self.free.drain(..).flatten().filter(|block| block.slab.is_none()) {
            free_memory(block.pointer, class_bytes(block.class));
        }
    }
}

/// A buffer of a pool, given back when it is dropped.
pub struct Buffer {
    block: Option<Block>,
    pool: Arc<Shared>,
}

// SAFETY: Buffer gives out raw addresses only; those who dereference them argue for their accesses (matrix.rs).
unsafe impl Sync for Buffer {}

impl Buffer {
    /// First byte; 128-byte aligned.
    #[must_use]
    pub fn pointer(&self) -> *mut u8 {
        self.block.as_ref().map_or(std::ptr::null_mut(), |block| block.pointer)
    }

    /// Length in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.block.as_ref().map_or(0, |block| class_bytes(block.class))
    }
}

impl fmt::Debug for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Buffer").field("bytes", &self.bytes()).finish_non_exhaustive()
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        let Some(block) = self.block.take() else { return };
        // A forked child that cannot have the lock lets the memory be.
        let Some(mut lists) = self.pool.lists.lock() else { return };
        lists.used_bytes -= class_bytes(block.class);
        lists.give(block, self.pool.keep_bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_hold_their_sizes_and_waste_little() {
        for lines in 1..5000 {
            let bytes = lines * ALIGNMENT;
            let class = class_of(bytes);
            assert!(class_bytes(class) >= bytes);
            assert!(class == 0 || class_bytes(class - 1) < bytes, "{lines} lines fit the class below");
            assert!(class_bytes(class) <= bytes + bytes / 4, "{lines} lines");
        }
        assert!(class_of(isize::MAX as usize / 2) < CLASSES);
    }

    #[test]
    fn limits_are_smaller_where_memory_is() {
        assert_eq!(total_memory("MemTotal:         219648 kB\nMemFree: 1 kB\n"), Some(219_648 << 10));
        assert_eq!(total_memory("MemFree: 1 kB\n"), None);
        assert_eq!(within_memory(4096, 1), 4096);
        assert!(within_memory(u64::MAX, 4) < u64::MAX / 4);
    }

    #[test]
    fn buffers_are_aligned_poisoned_and_used_again() {
        let pool = Pool::new(1 << 20, true);
        let first = pool.allocate(1000).unwrap();
        let address = first.pointer() as usize;
        assert_eq!(address % ALIGNMENT, 0);
        // SAFETY: the buffer is ours and initialised.
        let bytes = unsafe { std::slice::from_raw_parts(first.pointer(), first.bytes()) };
        assert!(bytes.iter().all(|&byte| byte == 0xff));
        drop(first);
        let again = pool.allocate(990).unwrap();
        assert_eq!(again.pointer() as usize, address);
        assert_eq!(pool.used_bytes(), (1024, 1024));
    }

    #[test]
    fn a_pool_keeps_no_more_than_it_may_and_refuses_the_impossible() {
        let pool = Pool::new(1024, false);
        drop(pool.allocate(1 << 20).unwrap());
        assert_eq!(pool.shared.lists.lock().unwrap().free_bytes, 0);
        assert!(matches!(pool.allocate(usize::MAX), Err(Error::Memory { .. })));
        assert!(matches!(pool.allocate(isize::MAX as usize / 4), Err(Error::Memory { .. })));
        assert_eq!(pool.used_bytes().0, 0);
    }

    #[test]
    fn many_small_buffers_come_from_slabs_which_go_back_as_a_whole() {
        let pool = Pool::new(0, true);
        let buffers: Vec<_> = (0..1000).map(|_| pool.allocate(36_864).unwrap()).collect();
        let mut addresses: Vec<_> = buffers.iter().map(|buffer| buffer.pointer() as usize).collect();
        addresses.sort_unstable();
        assert!(addresses.iter().all(|address| address % ALIGNMENT == 0));
        assert!(addresses.windows(2).all(|pair| pair[1] - pair[0] >= buffers[0].bytes()));
        assert!(pool.shared.lists.lock().unwrap().slabs.bytes() >= 500 * 36_864);
        drop(buffers);
        let lists = pool.shared.lists.lock().unwrap();
        assert_eq!((lists.slabs.bytes(), lists.free_bytes, lists.used_bytes), (0, 0, 0));
        assert!(lists.free.iter().all(Vec::is_empty));
        drop(lists);
        // And the same with memory that is kept and used again.
        let pool = Pool::new(64 << 20, false);
        let first: Vec<_> = (0..1000).map(|_| pool.allocate(36_864).unwrap()).collect();
        let slabs = pool.shared.lists.lock().unwrap().slabs.bytes();
        drop(first);
        let again: Vec<_> = (0..1000).map(|_| pool.allocate(36_864).unwrap()).collect();
        assert_eq!(pool.shared.lists.lock().unwrap().slabs.bytes(), slabs);
        drop(again);
    }
}
