//! For tests: makes the system refuse allocations.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

static ARMED: AtomicBool = AtomicBool::new(false);
/// Allocations since the refusal began.
static WANTED: AtomicU64 = AtomicU64::new(0);
/// The numbers of the allocations that are refused: from `FIRST` to before `END`.
static FIRST: AtomicU64 = AtomicU64::new(0);
static END: AtomicU64 = AtomicU64::new(0);
static REFUSED: AtomicU64 = AtomicU64::new(0);

/// Whether this allocation is refused.
#[inline]
pub(super) fn refuses() -> bool {
    ARMED.load(Ordering::Relaxed) && refuses_now()
}

#[cold]
fn refuses_now() -> bool {
    let number = WANTED.fetch_add(1, Ordering::Relaxed);
    let refused = (FIRST.load(Ordering::Relaxed)..END.load(Ordering::Relaxed)).contains(&number);
    REFUSED.fetch_add(u64::from(refused), Ordering::Relaxed);
    refused
}

/// Refuses some of the process's allocations from now on, by their numbers: the next allocation is number 0.
pub fn refuse(numbers: Range<u64>) {
    FIRST.store(numbers.start, Ordering::Relaxed);
    END.store(numbers.end, Ordering::Relaxed);
    WANTED.store(0, Ordering::Relaxed);
    REFUSED.store(0, Ordering::Relaxed);
    ARMED.store(true, Ordering::Relaxed);
}

/// Ends the refusal. Returns the number of refused allocations.
pub fn end() -> u64 {
    ARMED.store(false, Ordering::Relaxed);
    REFUSED.load(Ordering::Relaxed)
}
