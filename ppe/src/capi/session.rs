//! Sessions of the C interface, and their counters.

#![allow(clippy::missing_safety_doc, reason = "the contract of each function stands in pmatrix.h")]
#![allow(missing_docs, reason = "the documentation of each item stands in pmatrix.h")]

use std::ffi::{c_char, c_int, c_void};
use std::sync::Arc;

use super::boundary::{Failed, borrow, guarded, store};
use super::options::{PmOptions, chosen_options};
use super::{PmSession, PmStatus};
use crate::session::Session;

/// `pm_statistics`
#[derive(Debug, Default)]
#[repr(C)]
pub struct PmStatistics {
    pub(super) operations_recorded: u64,
    pub(super) operations_executed: u64,
    pub(super) operations_dropped: u64,
    pub(super) operations_pending: u64,
    pub(super) block_operations: u64,
    pub(super) block_edges: u64,
    pub(super) traces: u64,
    pub(super) flushes_forced: u64,
    pub(super) flushes_operations: u64,
    pub(super) flushes_depth: u64,
    pub(super) flushes_bytes: u64,
    pub(super) lower_ns: u64,
    pub(super) schedule_ns: u64,
    pub(super) execute_ns: u64,
    pub(super) bytes_pinned: u64,
    pub(super) bytes_peak: u64,
}

/// `pm_progress`
#[derive(Debug, Default)]
#[repr(C)]
pub struct PmProgress {
    pub(super) operations_pending: u64,
    pub(super) operations_in_flight: u64,
    pub(super) block_operations_lowered: u64,
    pub(super) block_operations_executed: u64,
    pub(super) chunks_lowered: u64,
    pub(super) chunks_begun: u64,
    pub(super) work_executed: u64,
    pub(super) work_in_flight: u64,
    pub(super) meus: u64,
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pm_session_create(
    options: *const PmOptions,
    session: *mut *mut PmSession,
) -> PmStatus {
    guarded(|| {
        // SAFETY: the header's contract.
        let chosen = unsafe { chosen_options(options) }?;
        if session.is_null() {
            return Err(Failed::Null("session"));
        }
        chosen.check()?;
        let made = with_signals_blocked(|| Session::new(&chosen))?;
        let handle = Box::into_raw(Box::new(PmSession(Arc::new(made))));
        // SAFETY: pmatrix.h: `session` is valid for a write; it is not null.
        unsafe { store(session, handle, "session") }
    })
}

/// Runs `make` with signals blocked, so that threads which it starts never take a signal meant for the
/// program. Signals that a thread's own fault raises are not blocked: blocked, they would end the process,
/// although a handler may have an answer, as the handler of a simulated libspe2 has.
fn with_signals_blocked<R>(make: impl FnOnce() -> R) -> R {
    if cfg!(miri) {
        // Miri has no signals.
        return make();
    }
    // SAFETY: both sets are initialised before they are read; changing this thread's mask has no other
    // effect.
    unsafe {
        let mut all = std::mem::zeroed();
        let mut before = std::mem::zeroed();
        libc::sigfillset(&raw mut all);
        for fault in [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGTRAP] {
            libc::sigdelset(&raw mut all, fault);
        }
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut before);
        let result = make();
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, std::ptr::null_mut());
        result
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pm_session_destroy(session: *mut PmSession) {
    _ = guarded(|| {
        if !session.is_null() {
            // SAFETY: the header's contract: the handle came from pm_session_create and is given back once.
            let session = unsafe { Box::from_raw(session) };
            session.0.close();
        }
        Ok(())
    });
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pm_session_release(session: *mut PmSession) {
    _ = guarded(|| {
        if !session.is_null() {
            // SAFETY: the header's contract: the handle came from pm_session_create and is given back once.
            drop(unsafe { Box::from_raw(session) });
        }
        Ok(())
    });
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pm_flush(session: *mut PmSession) -> PmStatus {
    // SAFETY: the header's contract.
    guarded(|| Ok(unsafe { borrow(session, "session") }?.0.flush()?))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pm_cancel(session: *mut PmSession) -> PmStatus {
    // SAFETY: the header's contract.
    guarded(|| Ok(unsafe { borrow(session, "session") }?.0.cancel()?))
}

/// Data of the caller's `interrupted`.
struct Data(*mut c_void);

// SAFETY: the header says that `interrupted` is called with it by whichever thread records.
unsafe impl Send for Data {}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pm_session_interrupt(
    session: *mut PmSession,
    interrupted: Option<unsafe extern "C" fn(*mut c_void) -> c_int>,
    data: *mut c_void,
) -> PmStatus {
    guarded(|| {
        // SAFETY: the header's contract.
        let session = unsafe { borrow(session, "session") }?;
        let data = Data(data);
        let asked = interrupted.map(|interrupted| {
            let ask = move || {
                let Data(data) = &data;
                // SAFETY: the header's contract.
                unsafe { interrupted(*data) != 0 }
            };
            Box::new(ask) as Box<dyn Fn() -> bool + Send>
        });
        session.0.set_interrupt(asked);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pm_session_statistics(
    session: *const PmSession,
    statistics: *mut PmStatistics,
) -> PmStatus {
    guarded(|| {
        // SAFETY: pmatrix.h: `session` is null or a session that the caller holds.
        let now = unsafe { borrow(session, "session") }?.0.statistics();
        let copy = PmStatistics {
            operations_recorded: now.operations_recorded,
            operations_executed: now.operations_executed,
            operations_dropped: now.operations_dropped,
            operations_pending: now.operations_pending,
            block_operations: now.block_operations,
            block_edges: now.block_edges,
            traces: now.traces,
            flushes_forced: now.flushes_forced,
            flushes_operations: now.flushes_operations,
            flushes_depth: now.flushes_depth,
            flushes_bytes: now.flushes_bytes,
            lower_ns: now.lower_ns,
            schedule_ns: now.schedule_ns,
            execute_ns: now.execute_ns,
            bytes_pinned: now.bytes_pinned,
            bytes_peak: now.bytes_peak,
        };
        // SAFETY: pmatrix.h: `statistics` is null or valid for a write.
        unsafe { store(statistics, copy, "statistics") }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pm_session_progress(
    session: *const PmSession,
    progress: *mut PmProgress,
) -> PmStatus {
    guarded(|| {
        // SAFETY: pmatrix.h: `session` is null or a session that the caller holds.
        let now = unsafe { borrow(session, "session") }?.0.headway();
        let copy = PmProgress {
            operations_pending: now.operations_pending,
            operations_in_flight: now.operations_in_flight,
            block_operations_lowered: now.block_operations_lowered,
            block_operations_executed: now.block_operations_executed,
            chunks_lowered: now.chunks_lowered,
            chunks_begun: now.chunks_begun,
            work_executed: now.work_executed,
            work_in_flight: now.work_in_flight,
            meus: now.meus as u64,
        };
        // SAFETY: pmatrix.h: `progress` is null or valid for a write.
        unsafe { store(progress, copy, "progress") }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pm_session_losses(
    session: *const PmSession,
    text: *mut c_char,
    bytes: usize,
) -> PmStatus {
    guarded(|| {
        // SAFETY: the header's contract.
        let session = unsafe { borrow(session, "session") }?;
        if text.is_null() || bytes == 0 {
            return Err(Failed::Null("text"));
        }
        let losses = session.0.take_losses().join("\n");
        let ends = losses.char_indices().map(|(at, char)| at + char.len_utf8());
        let length = ends.take_while(|&end| end < bytes).last().unwrap_or(0);
        // SAFETY: the header's contract: so many bytes can be written.
        unsafe {
            losses.as_ptr().copy_to_nonoverlapping(text.cast(), length);
            text.add(length).write(0);
        }
        Ok(())
    })
}
