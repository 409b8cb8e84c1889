//! Which processor of the machine a helper runs on.
//!
//! Linux often wakes a thread on the processor of the thread that wakes it, and moves it to a free processor
//! at the next balancing, some milliseconds later. Until then a helper would wait for the calling thread, and
//! not help it. So a helper is kept off the processor of the calling thread: when it is woken, and when it
//! finds itself there. Otherwise it may run where the process may.

use std::mem::MaybeUninit;

/// A set of processors.
#[derive(Clone, Copy)]
pub(super) struct Processors(libc::cpu_set_t);

impl std::fmt::Debug for Processors {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} processors", self.count())
    }
}

/// Identifies a thread to the system.
pub(super) type ThreadId = libc::pid_t;

/// The calling thread.
pub(super) fn thread_id() -> ThreadId {
    // SAFETY: the call has no conditions.
    unsafe { libc::gettid() }
}

/// The processor that the calling thread runs on, as far as the system says so.
pub(super) fn current() -> Option<usize> {
    // SAFETY: the call has no conditions.
    usize::try_from(unsafe { libc::sched_getcpu() }).ok()
}

impl Processors {
    /// The processors that the calling thread may use. None when the system does not say so, as with more
    /// processors than a set holds.
    pub(super) fn of_thread() -> Option<Processors> {
        let mut set = MaybeUninit::uninit();
        // SAFETY: the system writes the whole set, whose size it is told, if it gives 0.
        unsafe {
            let status = libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), set.as_mut_ptr());
            (status == 0).then(|| Processors(set.assume_init()))
        }
    }

    fn count(&self) -> usize {
        // SAFETY: the set is initialised.
        unsafe { libc::CPU_COUNT(&self.0) as usize }
    }

    /// The other processors of the set. None if there are none.
    fn without(&self, processor: usize) -> Option<Processors> {
        let mut others = *self;
        if processor >= libc::CPU_SETSIZE as usize {
            return None;
        }
        // SAFETY: the set is initialised and holds the number.
        unsafe { libc::CPU_CLR(processor, &mut others.0) };
        (others.count() > 0).then_some(others)
    }

    /// Lets a thread run on these processors alone. If the system refuses, the thread runs where it did.
    pub(super) fn bind(&self, thread: ThreadId) {
        // SAFETY: the set is initialised, and has the size that the system is told.
        unsafe { libc::sched_setaffinity(thread, size_of::<libc::cpu_set_t>(), &raw const self.0) };
    }

    /// Lets a thread run on these processors except one.
    pub(super) fn keep_off(&self, thread: ThreadId, processor: usize) {
        if let Some(others) = self.without(processor) {
            others.bind(thread);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_leaves_a_processor_and_may_come_back() {
        let allowed = Processors::of_thread().unwrap();
        assert!(allowed.count() > 0);
        let before = current().unwrap();
        allowed.keep_off(thread_id(), before);
        assert_eq!(current() == Some(before), allowed.count() == 1);
        let bound = Processors::of_thread().unwrap();
        assert_eq!(bound.count(), (allowed.count() - 1).max(1));
        allowed.bind(thread_id());
        assert_eq!(Processors::of_thread().unwrap().count(), allowed.count());
        assert!(allowed.without(libc::CPU_SETSIZE as usize).is_none());
    }
}
