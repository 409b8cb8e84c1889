//! The timeline of a session of the C interface.

#![allow(clippy::missing_safety_doc, reason = "the contract of each function stands in pmatrix.h")]
#![allow(missing_docs, reason = "the documentation of each item stands in pmatrix.h")]

use std::ffi::{CString, c_char, c_int, c_void};
use std::path::Path;

use super::boundary::{borrow, guarded, text};
use super::{PmSession, PmStatus};

/// `pm_total`
#[derive(Debug)]
#[repr(C)]
pub struct PmTotal {
    pub(super) file: *const c_char,
    pub(super) line: u32,
    pub(super) operation: u32,
    pub(super) recorded: u64,
    pub(super) computed_at_once: u64,
    pub(super) blocks_at_once: u64,
    pub(super) blocks_on_meus: u64,
    pub(super) ns: u64,
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pm_session_profile(session: *mut PmSession, on: c_int) -> PmStatus {
    guarded(|| {
        // SAFETY: the header's contract.
        unsafe { borrow(session, "session") }?.0.switch_timeline(on != 0);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pm_session_profile_clear(session: *mut PmSession) -> PmStatus {
    guarded(|| {
        // SAFETY: the header's contract.
        unsafe { borrow(session, "session") }?.0.clear_timeline();
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pm_session_profile_save(session: *mut PmSession, path: *const c_char) -> PmStatus {
    guarded(|| {
        // SAFETY: the header's contract.
        let (session, path) = unsafe { (borrow(session, "session")?, text(path, "path")?) };
        Ok(session.0.export_timeline(Path::new(path))?)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pm_session_totals(
    session: *mut PmSession,
    each: Option<unsafe extern "C" fn(*const PmTotal, *mut c_void)>,
    data: *mut c_void,
) -> PmStatus {
    guarded(|| {
        // SAFETY: pmatrix.h: `session` is null or a session that the caller holds.
        let session = unsafe { borrow(session, "session") }?;
        let Some(each) = each else { return Ok(()) };
        for total in session.0.totals() {
            let file = CString::new(total.site.file.replace('\0', " ")).unwrap_or_default();
            let [recorded, computed_at_once, blocks_at_once, blocks_on_meus] = total.counts;
            let shown = PmTotal {
                file: file.as_ptr(),
                line: total.site.line,
                operation: total.kind as u32,
                recorded,
                computed_at_once,
                blocks_at_once,
                blocks_on_meus,
                ns: total.ns,
            };
            // SAFETY: pmatrix.h: `each` may be called with a structure that lasts for the call, and with the caller's data.
            unsafe { each(&raw const shown, data) };
        }
        Ok(())
    })
}
