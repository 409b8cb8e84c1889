//! The reserve: memory for small allocations when the system has none.
//!
//! The reserve is a region of the program's image, cut into granules.  A bit for each granule says whether it
//! is in use.  A lock guards the bits.  Whoever wants it tries again and again, because a queue of the waiting may
//! itself need memory.

use std::alloc::Layout;
use std::cell::UnsafeCell;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

/// Bytes of the reserve.  It takes address space, and takes memory only when it is used.
const BYTES: usize = 8 << 20;
const GRANULE_BYTES: usize = 512;
const GRANULES: usize = BYTES / GRANULE_BYTES;
const ALIGNMENT: usize = 4096;

/// How often the lock is tried.  Its holder only examines bits.  So only a forked child may try in vain: when
/// another thread of its parent held the lock.
const TRIES: u32 = 11_000;

/// After so many tries the holder probably waits for a processor.  From then on each try takes a millisecond, and
/// all tries together some ten seconds: a busy machine may keep the holder waiting for much of a second.
const QUICK_TRIES: u32 = 1000;

#[repr(align(4096))]
struct Region(UnsafeCell<[u8; BYTES]>);

// SAFETY: the region is given out in ranges that do not overlap, each to one owner.
unsafe impl Sync for Region {}

static REGION: Region = Region(UnsafeCell::new([0; BYTES]));
/// Changed while `LOCKED` is held.
static USED: [AtomicU64; GRANULES / 64] = [const { AtomicU64::new(0) }; GRANULES / 64];
static USED_GRANULES: AtomicUsize = AtomicUsize::new(0);
static LOCKED: AtomicBool = AtomicBool::new(false);

/// None if the lock cannot be had.
fn locked<R>(f: impl FnOnce() -> R) -> Option<R> {
    for attempt in 0..TRIES {
        if LOCKED.compare_exchange_weak(false, true, Ordering::Acquire, Ordering::Relaxed).is_ok() {
            let result = f();
            LOCKED.store(false, Ordering::Release);
            return Some(result);
        }
        if attempt < QUICK_TRIES {
            std::thread::yield_now();
        } else {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
    None
}

fn is_used(granule: usize) -> bool {
    USED[granule / 64].load(Ordering::Relaxed) >> (granule % 64) & 1 == 1
}

fn mark(granules: Range<usize>, used: bool) {
    let count = granules.len();
    for granule in granules {
        let bit = 1 << (granule % 64);
        _ = match used {
            true => USED[granule / 64].fetch_or(bit, Ordering::Relaxed),
            false => USED[granule / 64].fetch_and(!bit, Ordering::Relaxed),
        };
    }
    _ = match used {
        true => USED_GRANULES.fetch_add(count, Ordering::Relaxed),
        false => USED_GRANULES.fetch_sub(count, Ordering::Relaxed),
    };
}

fn granules_of(layout: Layout) -> usize {
    layout.size().div_ceil(GRANULE_BYTES).max(1)
}

/// First fit, from a granule with this alignment.
fn find(count: usize, step: usize) -> Option<usize> {
    let mut first = 0;
    while first + count <= GRANULES {
        match (first..first + count).rev().find(|&granule| is_used(granule)) {
            Some(used) => first = (used + 1).next_multiple_of(step),
            None => return Some(first),
        }
    }
    None
}

/// Memory of this layout; null when there is no room for it.
pub(super) fn take(layout: Layout) -> *mut u8 {
    let count = granules_of(layout);
    if layout.align() > ALIGNMENT || count > GRANULES {
        return std::ptr::null_mut();
    }
    let step = (layout.align() / GRANULE_BYTES).max(1);
    let found = locked(|| find(count, step).inspect(|&first| mark(first..first + count, true)));
    found.flatten().map_or(std::ptr::null_mut(), |first| start().wrapping_add(first * GRANULE_BYTES))
}

/// Gives back memory that was taken with this layout.  A forked child that cannot have the lock keeps it.
pub(super) fn give_back(pointer: *mut u8, layout: Layout) {
    let first = (pointer as usize - start() as usize) / GRANULE_BYTES;
    _ = locked(|| mark(first..first + granules_of(layout), false));
}

fn start() -> *mut u8 {
    REGION.0.get().cast()
}

/// Whether this address is in the reserve.
#[inline]
pub(super) fn owns(pointer: *mut u8) -> bool {
    (pointer as usize).wrapping_sub(start() as usize) < BYTES
}

/// Whether the reserve has enough for another shortage.
pub(super) fn is_mostly_free() -> bool {
    USED_GRANULES.load(Ordering::Relaxed) <= GRANULES / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One test for all properties, because the process has one reserve.
    #[test]
    fn parts_are_aligned_do_not_overlap_and_can_be_taken_again() {
        let mut taken = Vec::with_capacity(200);
        for round in 0..3 {
            for (number, size) in [1, 511, 512, 513, 5000, 262_144].into_iter().enumerate() {
                for align in [1, 16, 512, 1024, 4096] {
                    let layout = Layout::from_size_align(size, align).unwrap();
                    let pointer = take(layout);
                    assert!(owns(pointer) && pointer.addr().is_multiple_of(align), "{size} {align}");
                    taken.push((pointer, layout, (10 * round + number) as u8));
                }
            }
            for &(pointer, layout, mark) in &taken[taken.len() - 30..] {
                // SAFETY: the part is ours.
                unsafe { pointer.write_bytes(mark, layout.size()) };
            }
            // Every second part goes back.
            for (number, (pointer, layout, mark)) in std::mem::take(&mut taken).into_iter().enumerate() {
                // SAFETY: the part is ours, and was written above.
                let bytes = unsafe { std::slice::from_raw_parts(pointer, layout.size()) };
                assert!(bytes.iter().all(|&byte| byte == mark));
                match number % 2 {
                    0 => give_back(pointer, layout),
                    _ => taken.push((pointer, layout, mark)),
                }
            }
        }
        assert!(take(Layout::from_size_align(BYTES, 1).unwrap()).is_null());
        assert!(take(Layout::from_size_align(BYTES + 1, 1).unwrap()).is_null());
        assert!(take(Layout::from_size_align(1, 8192).unwrap()).is_null());
        taken.into_iter().for_each(|(pointer, layout, _)| give_back(pointer, layout));
        assert!(is_mostly_free());
        assert!(!owns(std::ptr::null_mut()) && !owns(start().wrapping_add(BYTES)));
        assert!(owns(start()) && owns(start().wrapping_add(BYTES - 1)));
    }
}
