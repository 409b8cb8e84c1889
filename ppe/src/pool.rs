//! Memory pools: buffers with 128-byte alignment, which are used again instead of being given back to the
//! system (paper, "Performance Tuning").
//!
//! A buffer has one of the pool's size classes.  There are four classes for each power of two, so that at
//! most a fifth of a buffer is wasted.  Freed buffers wait in a list of their class.  The buffer that was
//! freed last is handed out first, because it is still in a cache.

use std::alloc::{Layout, dealloc};
use std::fmt;
use std::sync::{Arc, OnceLock};

use crate::error::{Error, Result};
use crate::memory;
use crate::process::ForkMutex;

/// Alignment of every buffer: a cache line, and the best DMA alignment of an MFC.
pub const ALIGNMENT: usize = 128;

/// Alignment of large buffers.
const HUGE_PAGE_BYTES: usize = 2 << 20;

const CLASSES: usize = 4 * 56;

/// `bytes`, but at most a `part`th of the machine's memory.  (A PlayStation 3 has 256 MB.)
#[must_use]
pub fn within_memory(bytes: u64, part: u64) -> u64 {
    static TOTAL: OnceLock<Option<u64>> = OnceLock::new();
    let total = TOTAL.get_or_init(|| total_memory(&std::fs::read_to_string("/proc/meminfo").ok()?));
    total.map_or(bytes, |total| bytes.min(total / part))
}

/// The machine's bytes of memory, from the text of /proc/meminfo.
fn total_memory(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

/// A pool of aligned buffers.  Clones are handles to one pool.
#[derive(Clone)]
pub struct Pool {
    shared: Arc<Shared>,
}

struct Shared {
    lists: ForkMutex<Lists>,
    /// Free buffers are kept up to this many bytes in all.
    keep_bytes: usize,
    /// No more bytes than these are handed out.
    most_bytes: usize,
    /// Fill every buffer with NaN before it is handed out.
    poison: bool,
    /// Ask for huge pages for large buffers.
    huge_pages: bool,
}

struct Lists {
    free: Vec<Vec<Block>>,
    free_bytes: usize,
    used_bytes: usize,
    peak_bytes: usize,
}

/// A raw allocation of one size class.
struct Block {
    pointer: *mut u8,
    class: usize,
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
    /// A pool that keeps up to `keep_bytes` of freed memory.  With `poison`, every buffer is filled with NaN
    /// (all ones) when it is handed out, so that a value that was never written is noticed.
    #[must_use]
    pub fn new(keep_bytes: usize, poison: bool) -> Pool {
        Pool::make(keep_bytes, poison, false, usize::MAX)
    }

    /// A pool like [`Pool::new`], whose large buffers ask for huge pages.  With small pages each column of a
    /// block lies on a page of its own, and an MFC translates the address of each page.  Threads of the host
    /// are faster without huge pages: the first use of a huge page may cost more than the translations that
    /// it saves.
    #[must_use]
    pub fn with_huge_pages(keep_bytes: usize, poison: bool) -> Pool {
        Pool::make(keep_bytes, poison, true, usize::MAX)
    }

    /// A pool of either kind, which has no more than `most_bytes` handed out at a time.
    pub(crate) fn make(keep_bytes: usize, poison: bool, huge_pages: bool, most_bytes: usize) -> Pool {
        let lists = Lists { free: Vec::new(), free_bytes: 0, used_bytes: 0, peak_bytes: 0 };
        let lists = ForkMutex::new(lists);
        Pool { shared: Arc::new(Shared { lists, keep_bytes, most_bytes, poison, huge_pages }) }
    }

    /// A buffer of at least `bytes` bytes.  Its contents are arbitrary (NaN with poison).
    ///
    /// # Errors
    /// [`Error::Memory`] when the system has no more, or the pool may hand out no more.
    pub fn allocate(&self, bytes: usize) -> Result<Buffer> {
        if bytes > isize::MAX as usize / 2 {
            return Err(Error::Memory { bytes, purpose: "a matrix".into() });
        }
        let class = class_of(bytes);
        let size = class_bytes(class);
        let recycled = {
            let mut lists = self.shared.lists.lock().ok_or(Error::Fork)?;
            if size > self.shared.most_bytes.saturating_sub(lists.used_bytes) {
                return Err(Error::Memory { bytes, purpose: "a matrix".into() });
            }
            lists.used_bytes += size;
            lists.peak_bytes = lists.peak_bytes.max(lists.used_bytes);
            let found = lists.free.get_mut(class).and_then(Vec::pop);
            if found.is_some() {
                lists.free_bytes -= size;
            }
            found
        };
        let fresh = || allocate_block(class, self.shared.huge_pages);
        let Some(block) = recycled.or_else(fresh).or_else(|| self.shared.give_back().then(fresh).flatten())
        else {
            if let Some(mut lists) = self.shared.lists.lock() {
                lists.used_bytes -= size;
            }
            return Err(Error::Memory { bytes, purpose: "a matrix".into() });
        };
        if self.shared.poison {
            // SAFETY: the block owns `size` bytes.
            unsafe { block.pointer.write_bytes(0xff, size) };
        }
        Ok(Buffer { block: Some(block), pool: Arc::clone(&self.shared) })
    }

    /// Whether every buffer is filled with NaN.
    pub(crate) fn poisons(&self) -> bool {
        self.shared.poison
    }

    /// Runs `want`, which needs memory.  If there is none, gives kept memory back to the system and runs
    /// `want` once more.
    ///
    /// # Errors
    /// The errors of `want`.
    pub(crate) fn insist<R>(&self, mut want: impl FnMut() -> Result<R>) -> Result<R> {
        match want() {
            Err(Error::Memory { .. }) if self.shared.give_back() => want(),
            outcome => outcome,
        }
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

impl Shared {
    /// Gives kept memory back to the system.  False if there was none.
    fn give_back(&self) -> bool {
        let Some(mut lists) = self.lists.lock() else { return false };
        let kept = std::mem::take(&mut lists.free_bytes) > 0;
        lists.free.iter_mut().flat_map(|list| list.drain(..)).for_each(free_block);
        kept
    }
}

fn layout(class: usize) -> Option<Layout> {
    let bytes = class_bytes(class);
    Layout::from_size_align(bytes, if bytes < HUGE_PAGE_BYTES { ALIGNMENT } else { HUGE_PAGE_BYTES }).ok()
}

/// Memory is not cleared.  An engine writes every element of a result before it is read, and pads are never
/// read as elements.
fn allocate_block(class: usize, huge_pages: bool) -> Option<Block> {
    let layout = layout(class)?;
    // SAFETY: a class is at least one line, so the size is not zero.
    let pointer = unsafe { memory::allocate(layout) };
    // Miri takes no advice.
    if huge_pages && !cfg!(miri) && !pointer.is_null() && layout.align() == HUGE_PAGE_BYTES {
        // SAFETY: the range belongs to this allocation.  The call is advice, which never changes the
        // contents.
        unsafe { libc::madvise(pointer.cast(), layout.size(), libc::MADV_HUGEPAGE) };
    }
    (!pointer.is_null()).then_some(Block { pointer, class })
}

fn free_block(block: Block) {
    if let Some(layout) = layout(block.class) {
        // SAFETY: the pointer came from allocate_block with this class.
        unsafe { dealloc(block.pointer, layout) };
    }
}

impl Drop for Lists {
    fn drop(&mut self) {
        self.free.drain(..).flatten().for_each(free_block);
    }
}

/// A buffer of a pool.  Dropping it gives it back to the pool.
pub struct Buffer {
    block: Option<Block>,
    pool: Arc<Shared>,
}

// SAFETY: Buffer gives out raw addresses only.  Code that dereferences an address argues for its access
// (matrix.rs).
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
        let size = class_bytes(block.class);
        // A forked child that cannot have the lock leaks the memory.
        let Some(mut guard) = self.pool.lists.lock() else { return };
        let lists = &mut *guard;
        lists.used_bytes -= size;
        if lists.free_bytes + size <= self.pool.keep_bytes {
            if lists.free.is_empty() && memory::reserve(&mut lists.free, CLASSES).is_ok() {
                lists.free.resize_with(CLASSES, Vec::new);
            }
            if let Some(list) = lists.free.get_mut(block.class)
                && memory::reserve(list, 1).is_ok()
            {
                lists.free_bytes += size;
                list.push(block);
                return;
            }
        }
        drop(guard);
        free_block(block);
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
    fn a_pool_may_have_a_limit() {
        let pool = Pool::make(0, false, false, 3000);
        let first = pool.allocate(2000).unwrap();
        assert!(matches!(pool.allocate(1500), Err(Error::Memory { bytes: 1500, .. })));
        let second = pool.allocate(500).unwrap();
        drop((first, second));
        assert_eq!(pool.used_bytes().0, 0);
        pool.allocate(2500).unwrap();
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
        let pool = Pool::with_huge_pages(0, false);
        assert_eq!(pool.allocate(3 << 20).unwrap().pointer() as usize % HUGE_PAGE_BYTES, 0);
    }

    #[test]
    fn a_pool_keeps_no_more_than_it_may_and_refuses_the_impossible() {
        let pool = Pool::new(1024, false);
        drop(pool.allocate(1 << 20).unwrap());
        assert_eq!(pool.shared.lists.lock().unwrap().free_bytes, 0);
        assert!(matches!(pool.allocate(usize::MAX), Err(Error::Memory { .. })));
        assert!(matches!(pool.allocate(isize::MAX as usize / 4), Err(Error::Memory { .. })));
        assert_eq!(pool.used_bytes().0, 0);
        drop(pool.allocate(1000).unwrap());
        assert_eq!(pool.shared.lists.lock().unwrap().free_bytes, 1024);
        assert!(
            pool.allocate(isize::MAX as usize / 4).is_err(),
            "though all that was kept has been given back"
        );
        assert_eq!(pool.shared.lists.lock().unwrap().free_bytes, 0);
    }
}
