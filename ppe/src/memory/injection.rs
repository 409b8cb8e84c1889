//! For tests: makes the system refuse allocations.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

static ARMED: AtomicBool = AtomicBool::new(false);
static LEFT: AtomicU64 = AtomicU64::new(0);
static REFUSED: AtomicU64 = AtomicU64::new(0);

/// Whether this allocation is refused: after the number that [`refuse_after`] grants, every allocation is.
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

/// Ends the refusal. Returns the number of refused allocations.
pub fn end() -> u64 {
    ARMED.store(false, Ordering::Relaxed);
    REFUSED.load(Ordering::Relaxed)
}
