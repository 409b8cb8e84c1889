//! Running out of memory: an error instead of the end of the process.
//!
//! # Why this is sound
//! Most allocations of Rust are infallible: if one fails, Rust ends the process, and an allocator may not
//! unwind.  So no infallible allocation may fail while this library works.
//! 1. Large allocations are fallible: matrices and blocks (`Pool::allocate`), growing tables (`reserve`), and
//!    local stores and threads (`spawn`) when an engine is made.  Where a stage makes several tables whose
//!    size is known, `ensure` asks for their memory beforehand.
//! 2. All other allocations are small.  When the system refuses one, its memory comes from a reserve.  The
//!    reserve is part of the program's image, so the system cannot refuse it.  The allocator notes the
//!    shortage.
//! 3. At safe points (`check`), where no work is half done, a noted shortage makes the operation, or the
//!    trace, fail with [`Error::Memory`].  Safe points are: before an operation is recorded, before a trace
//!    is sealed, before each operation is lowered, and before each chunk is executed.  The note is cleared
//!    once the system has memory again.  Between two safe points a thread makes at most the tables of one
//!    chunk, and the tables of all chunks under way fit the reserve.  Memory that the failure itself takes is
//!    given back at once.
//!
//! Memory that the rest of the process allocates is not affected.  A system may promise more memory than it
//! has, and end a process that uses it.  Such a system refuses no allocation, so this module cannot help
//! there.

#[doc(hidden)]
pub mod injection;
mod reserve;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{Error, Result};
use crate::sync::thread::{Builder, JoinHandle};

/// A shortage is over when the system has this much memory again.
const RECOVERY_BYTES: usize = 1 << 20;

/// Bytes that a new thread takes besides its stack: its name, and the system's data about it.
const THREAD_BYTES: usize = 1 << 20;

/// Bytes of the stack of a thread of this library, which keeps its data on the heap.
const STACK_BYTES: usize = 2 << 20;

/// Whether the system has refused an allocation since it was last seen to have memory.
static SHORT: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// Whether allocations of this thread are fallible.
    static MAY_FAIL: Cell<bool> = const { Cell::new(false) };
}

/// The allocator of the library: the system's allocator, and the reserve when the system refuses.
#[derive(Debug)]
struct Allocator;

impl Allocator {
    /// Allocates after the system has refused.
    fn instead(layout: Layout) -> *mut u8 {
        if MAY_FAIL.get() {
            return std::ptr::null_mut();
        }
        SHORT.store(true, Ordering::Relaxed);
        reserve::take(layout)
    }
}

// SAFETY: memory comes from the system, or from the reserve, which gives out ranges that do not overlap and
// have the layout's alignment.  The address tells where memory came from.  This code neither panics nor
// allocates.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !injection::refuses() {
            // SAFETY: the caller's contract is the system's.
            let pointer = unsafe { System.alloc(layout) };
            if !pointer.is_null() {
                return pointer;
            }
        }
        Allocator::instead(layout)
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if !injection::refuses() {
            // SAFETY: the caller's contract is the system's.
            let pointer = unsafe { System.alloc_zeroed(layout) };
            if !pointer.is_null() {
                return pointer;
            }
        }
        let pointer = Allocator::instead(layout);
        if !pointer.is_null() {
            // SAFETY: as many bytes were just given out.
            unsafe { pointer.write_bytes(0, layout.size()) };
        }
        pointer
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        if reserve::owns(pointer) {
            reserve::give_back(pointer, layout);
        } else {
            // SAFETY: it came from the system with this layout.
            unsafe { System.dealloc(pointer, layout) };
        }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if !reserve::owns(pointer) {
            if !injection::refuses() {
                // SAFETY: it came from the system with this layout.
                let moved = unsafe { System.realloc(pointer, layout, size) };
                if !moved.is_null() {
                    return moved;
                }
            }
            if MAY_FAIL.get() {
                return std::ptr::null_mut();
            }
        }
        // SAFETY: the alignment is that of the old layout, and the caller answers for the size.
        let moved = unsafe { self.alloc(Layout::from_size_align_unchecked(size, layout.align())) };
        if !moved.is_null() {
            // SAFETY: both ranges have at least this many bytes, and do not overlap.
            unsafe {
                moved.copy_from_nonoverlapping(pointer, layout.size().min(size));
                self.dealloc(pointer, layout);
            }
        }
        moved
    }
}

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

/// Memory of the system for large data.  Null if the system refuses, because the reserve is for small data
/// only.
///
/// # Safety
/// The contract of [`GlobalAlloc::alloc`].  [`std::alloc::dealloc`] gives the memory back.
pub(crate) unsafe fn allocate(layout: Layout) -> *mut u8 {
    // SAFETY: this function's contract is the allocator's.
    fallibly(|| unsafe { ALLOCATOR.alloc(layout) })
}

/// Runs a function that copes with failing allocations, and does not panic.
pub(crate) fn fallibly<R>(f: impl FnOnce() -> R) -> R {
    let before = MAY_FAIL.replace(true);
    let result = f();
    MAY_FAIL.set(before);
    result
}

/// Makes room for `more` elements of a table.
///
/// # Errors
/// [`Error::Memory`]
#[inline]
pub(crate) fn reserve<T>(table: &mut Vec<T>, more: usize) -> Result<()> {
    if table.capacity() - table.len() >= more {
        return Ok(());
    }
    fallibly(|| table.try_reserve(more)).map_err(|_| refused(more.saturating_mul(size_of::<T>())))
}

/// Checks that the system has this many bytes.
///
/// # Errors
/// [`Error::Memory`]
pub(crate) fn ensure(bytes: usize) -> Result<()> {
    let layout = Layout::from_size_align(bytes.max(1), 16).map_err(|_| refused(bytes))?;
    // SAFETY: the size is not zero, and the memory is given back with the layout of its allocation.
    unsafe {
        let pointer = allocate(layout);
        if pointer.is_null() {
            return Err(refused(bytes));
        }
        ALLOCATOR.dealloc(pointer, layout);
    }
    Ok(())
}

fn refused(bytes: usize) -> Error {
    Error::Memory { bytes, purpose: "what is recorded and executed".into() }
}

/// A safe point: no work is half done here, so work that has used the reserve can be ended.
///
/// # Errors
/// [`Error::Memory`] as long as the system has no more memory.
#[inline]
pub(crate) fn check() -> Result<()> {
    if SHORT.load(Ordering::Relaxed) { recover() } else { Ok(()) }
}

#[cold]
fn recover() -> Result<()> {
    ensure(RECOVERY_BYTES)?;
    if !reserve::is_mostly_free() {
        return Err(refused(RECOVERY_BYTES));
    }
    SHORT.store(false, Ordering::Relaxed);
    Ok(())
}

/// Gives memory that is free back to the system when it is dropped.
///
/// glibc gives each thread a heap of its own, and keeps in each heap what is freed there below something that is in use.
/// Sessions that come and go would else leave the most that each of these heaps ever held.
#[derive(Debug)]
pub(crate) struct GivesBack;

impl Drop for GivesBack {
    fn drop(&mut self) {
        #[cfg(all(target_os = "linux", target_env = "gnu", not(miri)))]
        // SAFETY: it changes nothing that is in use.
        unsafe {
            libc::malloc_trim(0);
        }
    }
}

/// Checks that a thread can have its stack.  The system maps stacks, so an allocator's free memory does not
/// help.
fn has_room_for_a_thread() -> bool {
    let bytes = STACK_BYTES + THREAD_BYTES;
    let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: the system chooses an unused address, and the mapping is removed before any other code knows
    // it.
    unsafe {
        let pointer = libc::mmap(std::ptr::null_mut(), bytes, access, kind, -1, 0);
        pointer != libc::MAP_FAILED && libc::munmap(pointer, bytes) == 0
    }
}

/// Starts a thread of an engine.
///
/// # Errors
/// [`Error::Memory`] when there is no memory for the thread, [`Error::Engine`] when the system has another
/// reason.
pub(crate) fn spawn(
    engine: &'static str,
    name: String,
    run: impl FnOnce() + Send + 'static,
) -> Result<JoinHandle<()>> {
    let no_memory = || Error::Memory { bytes: STACK_BYTES, purpose: format!("the thread {name}") };
    // The system allocates more when the thread begins, and the thread cannot report that this has failed.
    if injection::refuses() || !has_room_for_a_thread() {
        return Err(no_memory());
    }
    Builder::new().name(name.clone()).stack_size(STACK_BYTES).spawn(run).map_err(|error| {
        if has_room_for_a_thread() {
            Error::Engine { engine, what: format!("no thread {name}: {error}") }
        } else {
            no_memory()
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_had_is_an_error_that_says_how_much() {
        let Err(Error::Memory { bytes, .. }) = ensure(usize::MAX / 4) else {
            panic!("there is no such memory")
        };
        assert_eq!(bytes, usize::MAX / 4);
        assert!(matches!(ensure(usize::MAX), Err(Error::Memory { .. })));
        let mut table = vec![1u64];
        assert!(matches!(reserve(&mut table, usize::MAX / 16), Err(Error::Memory { .. })));
        assert_eq!(table, [1]);
        reserve(&mut table, 1000).unwrap();
        assert!(table.capacity() > 1000);
        assert!(!MAY_FAIL.get());
    }
}
