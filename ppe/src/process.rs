//! Fork: a child process has the memory of its parent, but only the thread that forked.
//!
//! A lock that another thread held at the fork is never released in the child. A [`ForkMutex`] knows whether
//! it is in a child. There it is locked only if that needs no waiting.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Once, PoisonError, TryLockError};

use crate::sync::{Mutex, MutexGuard};

/// Forks between the start of the first process and this one.
static GENERATION: AtomicU32 = AtomicU32::new(0);

extern "C" fn in_child() {
    GENERATION.fetch_add(1, Ordering::Relaxed);
}

/// Tells a process from its forked children.
#[must_use]
pub fn generation() -> u32 {
    static REGISTERED: Once = Once::new();
    REGISTERED.call_once(|| {
        // Miri has no forks.
        if cfg!(miri) {
            return;
        }
        // SAFETY: the handler only touches an atomic variable, which is allowed between fork and exec.
        let status = unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
        assert_eq!(status, 0, "no memory for a fork handler");
    });
    GENERATION.load(Ordering::Relaxed)
}

/// Ends all processes of a group at once.
pub fn end_group(group: i32) {
    // SAFETY: the call takes any numbers, and touches no memory.
    unsafe { libc::kill(-group, libc::SIGKILL) };
}

/// Lets a function be called when the process ends by `exit`, or by returning from `main`. Registering it again
/// changes nothing but the order. Threads may still run when it is called, and forked children call it too.
pub fn at_exit(function: extern "C" fn()) {
    // SAFETY: the function is safe to call at any time, and lives as long as the process: this library is not
    // unloaded (`-z nodelete`).
    let status = unsafe { libc::atexit(function) };
    if status != 0 {
        log::warn!("no memory to register what is done at exit");
    }
}

/// A mutex that does not hang a forked child.
#[derive(Debug)]
pub struct ForkMutex<T> {
    mutex: Mutex<T>,
    generation: u32,
}

impl<T> ForkMutex<T> {
    /// A mutex of this process.
    #[must_use]
    pub fn new(value: T) -> ForkMutex<T> {
        ForkMutex { mutex: Mutex::new(value), generation: generation() }
    }

    /// True in a child of the process that made it.
    #[must_use]
    pub fn is_foreign(&self) -> bool {
        GENERATION.load(Ordering::Relaxed) != self.generation
    }

    /// Locks the value. None in a child whose parent had it locked when it forked.
    ///
    /// A panic of another thread under the lock is no obstacle: values of this crate under locks are
    /// consistent between statements.
    pub fn lock(&self) -> Option<MutexGuard<'_, T>> {
        if !self.is_foreign() {
            return Some(self.mutex.lock().unwrap_or_else(PoisonError::into_inner));
        }
        match self.mutex.try_lock() {
            Ok(guard) => Some(guard),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }
}

impl<T: Default> Default for ForkMutex<T> {
    fn default() -> ForkMutex<T> {
        ForkMutex::new(T::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_does_not_wait_for_a_lock_that_nobody_will_release() {
        let free = ForkMutex::new(1);
        let held = ForkMutex::new(2);
        let guard = held.lock();
        // SAFETY: the child calls nothing but _exit and what is under test, which takes no other lock.
        let child = unsafe { libc::fork() };
        if child == 0 {
            let good = free.is_foreign() && free.lock().is_some_and(|v| *v == 1) && held.lock().is_none();
            // SAFETY: ends the child at once.
            unsafe { libc::_exit(i32::from(!good)) };
        }
        let mut status = 0;
        // SAFETY: waits for the child made above.
        assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
        assert_eq!(status, 0);
        drop(guard);
        assert!(!held.is_foreign() && held.lock().is_some());
    }
}
