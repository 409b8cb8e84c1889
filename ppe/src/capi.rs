//! The C interface: `include/pmatrix.h`, whose comments are the contract of every function here.
//!
//! Each entry point runs inside a boundary that turns errors into a status with a message, and a panic into
//! `PM_ERROR_PANIC`; nothing unwinds into the caller.  Here stand that boundary, sessions and errors; values, recording and small
//! operations have files of their own.

#![allow(clippy::missing_safety_doc, reason = "the contract of each function stands in pmatrix.h")]
#![allow(missing_docs, reason = "the documentation of each item stands in pmatrix.h")]

pub mod direct;
#[cfg(test)]
mod layout;
pub mod record;
pub mod small;
pub mod value;

use std::any::Any;
use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};

use crate::error::{Error, Result};
use crate::operation::{Class, OpKind, SideTooLong};
use crate::session::choices::{Setting, Source, check as check_option, check_variable};
use crate::session::{Options, Session};
use crate::trace::Value;

/// Status codes, as in the header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub enum PmStatus {
    Ok = 0,
    Null = 1,
    Argument = 2,
    Nonconformant = 3,
    Domain = 4,
    Execution = 5,
    Memory = 6,
    File = 7,
    Fork = 8,
    Panic = 9,
}

/// `pm_session`
#[derive(Debug)]
pub struct PmSession(Arc<Session>);

/// `pm_value`
#[derive(Debug)]
pub struct PmValue {
    session: Arc<Session>,
    value: Value,
}

/// `pm_options`
#[derive(Debug)]
#[repr(C)]
pub struct PmOptions {
    engine: *const c_char,
    scheduler: *const c_char,
    model: *const c_char,
    meus: u32,
    overlap: u32,
    max_operations: u64,
    max_depth: u64,
    max_bytes: u64,
}

/// `pm_statistics`
#[derive(Debug, Default)]
#[repr(C)]
pub struct PmStatistics {
    operations_recorded: u64,
    operations_executed: u64,
    operations_dropped: u64,
    operations_pending: u64,
    block_operations: u64,
    block_edges: u64,
    traces: u64,
    flushes_forced: u64,
    flushes_operations: u64,
    flushes_depth: u64,
    flushes_bytes: u64,
    lower_ns: u64,
    schedule_ns: u64,
    execute_ns: u64,
    bytes_pinned: u64,
    bytes_peak: u64,
}

/// `pm_progress`
#[derive(Debug, Default)]
#[repr(C)]
pub struct PmProgress {
    operations_pending: u64,
    operations_in_flight: u64,
    block_operations_lowered: u64,
    block_operations_executed: u64,
    chunks_lowered: u64,
    chunks_begun: u64,
    work_executed: u64,
    work_in_flight: u64,
    meus: u64,
}

/// What a call can fail with, besides an [`Error`].
enum Failed {
    Null(&'static str),
    Error(Error),
}

impl From<Error> for Failed {
    fn from(error: Error) -> Failed {
        Failed::Error(error)
    }
}

impl From<SideTooLong> for Failed {
    fn from(shape: SideTooLong) -> Failed {
        Failed::Error(shape.into())
    }
}

thread_local! {
    static LAST: RefCell<(CString, CString)> = RefCell::default();
}

fn remember(message: &str, id: &str) {
    let text = |text: &str| CString::new(text.replace('\0', " ")).unwrap_or_default();
    LAST.with(|last| *last.borrow_mut() = (text(message), text(id)));
}

fn status_of(error: &Error) -> PmStatus {
    match error {
        Error::Nonconformant { .. } => PmStatus::Nonconformant,
        Error::Argument(_) | Error::Closed => PmStatus::Argument,
        Error::Cancelled => PmStatus::Execution,
        Error::Domain { .. } => PmStatus::Domain,
        Error::Meu { .. } | Error::Engine { .. } => PmStatus::Execution,
        Error::Memory { .. } => PmStatus::Memory,
        Error::File { .. } => PmStatus::File,
        Error::Fork => PmStatus::Fork,
    }
}

fn panic_text(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("an unknown panic")
}

/// The boundary around every call that returns a status.
fn guarded(call: impl FnOnce() -> Result<(), Failed>) -> PmStatus {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(())) => PmStatus::Ok,
        Ok(Err(Failed::Null(what))) => {
            remember(&format!("the argument '{what}' is a null pointer"), "pmatrix:argument");
            PmStatus::Null
        }
        Ok(Err(Failed::Error(error))) => {
            remember(&error.to_string(), error.octave_id());
            status_of(&error)
        }
        Err(payload) => {
            remember(&format!("a mistake of pmatrix: {}", panic_text(&*payload)), "pmatrix:panic");
            PmStatus::Panic
        }
    }
}

/// # Safety
/// `pointer` is null or valid for the lifetime that the caller lets it have.
unsafe fn borrow<'a, T>(pointer: *const T, what: &'static str) -> Result<&'a T, Failed> {
    // SAFETY: the contract above.
    unsafe { pointer.as_ref() }.ok_or(Failed::Null(what))
}

/// # Safety
/// `pointer` is null or valid for a write.
unsafe fn store<T>(pointer: *mut T, value: T, what: &'static str) -> Result<(), Failed> {
    if pointer.is_null() {
        return Err(Failed::Null(what));
    }
    // SAFETY: the contract above.
    unsafe { pointer.write(value) };
    Ok(())
}

/// # Safety
/// `pointer` is null or a string that ends with a zero byte.
unsafe fn text<'a>(pointer: *const c_char, what: &'static str) -> Result<&'a str, Failed> {
    if pointer.is_null() {
        return Err(Failed::Null(what));
    }
    // SAFETY: the contract above.
    let text = unsafe { CStr::from_ptr(pointer) };
    text.to_str().map_err(|_| Failed::Error(Error::Argument(format!("'{what}' is not UTF-8"))))
}

/// The place in the program, empty when the caller does not know it.
///
/// # Safety
/// As [`text`].
unsafe fn place<'a>(file: *const c_char) -> &'a str {
    // SAFETY: the contract above.
    unsafe { text(file, "file") }.unwrap_or_default()
}

fn class_of(number: u32) -> Result<Class> {
    match number {
        0 => Ok(Class::Single),
        1 => Ok(Class::Double),
        2 => Ok(Class::Logical),
        _ => Err(Error::Argument(format!("there is no class number {number}"))),
    }
}

fn kind_of(number: u32) -> Result<OpKind> {
    let kind = OpKind::ALL.get(number as usize).copied();
    kind.ok_or_else(|| Error::Argument(format!("there is no operation number {number}")))
}

/// Hands a new value to the caller.
///
/// # Safety
/// `result` is null or valid for a write.
unsafe fn hand_over(session: &Arc<Session>, value: Value, result: *mut *mut PmValue) -> Result<(), Failed> {
    if result.is_null() {
        return Err(Failed::Null("result"));
    }
    let handle = Box::new(PmValue { session: Arc::clone(session), value });
    // SAFETY: the contract above, and not null.
    unsafe { result.write(Box::into_raw(handle)) };
    Ok(())
}

fn static_text(cell: &'static OnceLock<CString>, value: String) -> *const c_char {
    cell.get_or_init(|| CString::new(value).unwrap_or_default()).as_ptr()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pm_options_default(options: *mut PmOptions) -> PmStatus {
    static ENGINE: OnceLock<CString> = OnceLock::new();
    static SCHEDULER: OnceLock<CString> = OnceLock::new();
    static MODEL: OnceLock<CString> = OnceLock::new();
    guarded(|| {
        let defaults = Options::from_environment()?;
        let model = defaults.model.map(|path| static_text(&MODEL, path.display().to_string()));
        let filled = PmOptions {
            engine: static_text(&ENGINE, defaults.engine),
            scheduler: static_text(&SCHEDULER, defaults.scheduler),
            model: model.unwrap_or(std::ptr::null()),
            meus: defaults.meus as u32,
            overlap: u32::from(defaults.overlap),
            max_operations: defaults.limits.operations,
            max_depth: defaults.limits.depth,
            max_bytes: defaults.limits.bytes,
        };
        // SAFETY: the header's contract.
        unsafe { store(options, filled, "options") }
    })
}

/// # Safety
/// `options` is null or valid, and so are its strings.
unsafe fn chosen_options(options: *const PmOptions) -> Result<Options, Failed> {
    // SAFETY: the contract above, here and below.
    let given = unsafe { borrow(options, "options") }?;
    let mut chosen = Options::from_environment()?;
    // SAFETY: as above.
    unsafe {
        chosen.engine = text(given.engine, "engine")?.into();
        chosen.scheduler = text(given.scheduler, "scheduler")?.into();
        chosen.model = if given.model.is_null() { None } else { Some(text(given.model, "model")?.into()) };
    }
    chosen.meus = given.meus as usize;
    check_option("overlap", &given.overlap.to_string(), Source::Program)?;
    chosen.overlap = given.overlap != 0;
    chosen.limits.operations = given.max_operations;
    chosen.limits.depth = given.max_depth;
    chosen.limits.bytes = given.max_bytes;
    Ok(chosen)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pm_options_check(options: *const PmOptions) -> PmStatus {
    // SAFETY: the header's contract.
    guarded(|| Ok(unsafe { chosen_options(options) }?.check()?))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pm_option_check(option: *const c_char, value: *const c_char) -> PmStatus {
    guarded(|| {
        // SAFETY: the header's contract.
        let (option, value) = unsafe { (text(option, "option")?, text(value, "value")?) };
        check_option(option, value, Source::Program)?;
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pm_option_variable(variable: *const c_char, on: *mut c_int) -> PmStatus {
    guarded(|| {
        // SAFETY: the header's contract.
        let variable = unsafe { text(variable, "variable") }?;
        match check_variable(variable)? {
            // SAFETY: as above.
            Some(Setting::Switch(given)) => unsafe { store(on, c_int::from(given), "on") },
            _ => Ok(()),
        }
    })
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
        // SAFETY: as above.
        unsafe { store(session, handle, "session") }
    })
}

/// Runs `make` with signals blocked, so that the threads that it starts never take one meant for the program.  Not blocked are those
/// that a thread's own fault raises: they would end the process, where a handler may have an answer, as a simulated libspe2 has.
fn with_signals_blocked<R>(make: impl FnOnce() -> R) -> R {
    // SAFETY: both sets are initialised before they are read; changing this thread's mask has no other effect.
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
pub unsafe extern "C" fn pm_value_is_in(value: *const PmValue, session: *const PmSession) -> c_int {
    // SAFETY: the header's contract.
    let (value, session) = unsafe { (value.as_ref(), session.as_ref()) };
    c_int::from(value.zip(session).is_some_and(|(value, session)| Arc::ptr_eq(&value.session, &session.0)))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pm_value_cancel(value: *const PmValue) -> PmStatus {
    // SAFETY: the header's contract.
    guarded(|| Ok(unsafe { borrow(value, "value") }?.session.cancel()?))
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

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pm_session_statistics(
    session: *const PmSession,
    statistics: *mut PmStatistics,
) -> PmStatus {
    guarded(|| {
        // SAFETY: the header's contract, here and below.
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
        // SAFETY: as above.
        unsafe { store(statistics, copy, "statistics") }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pm_session_progress(
    session: *const PmSession,
    progress: *mut PmProgress,
) -> PmStatus {
    guarded(|| {
        // SAFETY: the header's contract, here and below.
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
        // SAFETY: as above.
        unsafe { store(progress, copy, "progress") }
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn pm_last_error_message() -> *const c_char {
    LAST.with(|last| last.borrow().0.as_ptr())
}

#[unsafe(no_mangle)]
pub extern "C" fn pm_last_error_id() -> *const c_char {
    LAST.with(|last| last.borrow().1.as_ptr())
}

#[unsafe(no_mangle)]
pub extern "C" fn pm_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}
