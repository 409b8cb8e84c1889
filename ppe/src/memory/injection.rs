//! For tests: allocations that the system is made to refuse.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

static ARMED: AtomicBool = AtomicBool::new(false);
static LEFT: AtomicU64 = AtomicU64::new(0);
static REFUSED: AtomicU64 = AtomicU64::new(0);

/// Whether the allocation at hand is refused: every one is, once as many have been granted as was said.
#[inline]
pub(super) fn refuses() -> bool {
    ARMED.load(Ordering::Relaxed) && refuses_now()
}

#[cold]
fn refuses_now() -> bool {
    let granted = LEFT.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
    REFUSED.fetch_add(u64::from(granted.is_err()), Ordering::Relaxed);
    granted.is_err()
}

/// Refuses all allocations of the process after the next `granted` ones.
pub fn refuse_after(granted: u64) {
    LEFT.store(granted, Ordering::Relaxed);
    REFUSED.store(0, Ordering::Relaxed);
    ARMED.store(true, Ordering::Relaxed);
}

/// Refuses none any more; gives the number of those that were.
pub fn end() -> u64 {
    ARMED.store(false, Ordering::Relaxed);
    REFUSED.load(Ordering::Relaxed)
}
