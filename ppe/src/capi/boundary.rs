//! The boundary of the C interface. An error becomes a status with a message. A panic becomes
//! `PM_ERROR_PANIC`, or the answer that an entry point without a status has for it. No panic unwinds into the
//! caller.

#![allow(clippy::missing_safety_doc, reason = "the contract of each function stands in pmatrix.h")]
#![allow(missing_docs, reason = "the documentation of each item stands in pmatrix.h")]

use std::any::Any;
use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::PmStatus;
use crate::error::Error;
use crate::operation::SideTooLong;

/// What a call can fail with, besides an [`Error`].
pub(super) enum Failed {
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
    // There is no message when the thread is about to end.
    _ = LAST.try_with(|last| *last.borrow_mut() = (text(message), text(id)));
}

fn status_of(error: &Error) -> PmStatus {
    match error {
        Error::Nonconformant { .. } => PmStatus::Nonconformant,
        Error::Argument(_) | Error::Closed => PmStatus::Argument,
        Error::Cancelled => PmStatus::Cancelled,
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

/// The boundary around every entry point: `otherwise` is the answer of a call that panics.
pub(super) fn answer<R>(otherwise: R, call: impl FnOnce() -> R) -> R {
    let call = || {
        #[cfg(test)]
        tests::panic_if_wanted();
        call()
    };
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|payload| {
        remember(&format!("a mistake of pmatrix: {}", panic_text(&*payload)), "pmatrix:panic");
        otherwise
    })
}

/// The boundary around every call that returns a status.
pub(super) fn guarded(call: impl FnOnce() -> Result<(), Failed>) -> PmStatus {
    answer(PmStatus::Panic, || match call() {
        Ok(()) => PmStatus::Ok,
        Err(Failed::Null(what)) => {
            remember(&format!("the argument '{what}' is a null pointer"), "pmatrix:argument");
            PmStatus::Null
        }
        Err(Failed::Error(error)) => {
            remember(&error.to_string(), error.octave_id());
            status_of(&error)
        }
    })
}

/// # Safety
/// `pointer` is null or valid for the lifetime that the caller lets it have.
pub(super) unsafe fn borrow<'a, T>(pointer: *const T, what: &'static str) -> Result<&'a T, Failed> {
    // SAFETY: this function's contract: the pointer is null or valid.
    unsafe { pointer.as_ref() }.ok_or(Failed::Null(what))
}

/// # Safety
/// `pointer` is null or valid for a write.
pub(super) unsafe fn store<T>(pointer: *mut T, value: T, what: &'static str) -> Result<(), Failed> {
    if pointer.is_null() {
        return Err(Failed::Null(what));
    }
    // SAFETY: this function's contract, and the pointer is not null.
    unsafe { pointer.write(value) };
    Ok(())
}

/// # Safety
/// `pointer` is null or a string that ends with a zero byte.
pub(super) unsafe fn text<'a>(pointer: *const c_char, what: &'static str) -> Result<&'a str, Failed> {
    if pointer.is_null() {
        return Err(Failed::Null(what));
    }
    // SAFETY: this function's contract: a string that ends with a zero byte; it is not null.
    let text = unsafe { CStr::from_ptr(pointer) };
    text.to_str().map_err(|_| Failed::Error(Error::Argument(format!("'{what}' is not UTF-8"))))
}

/// The place in the program, empty when the caller does not know it.
///
/// # Safety
/// As [`text`].
pub(super) unsafe fn place<'a>(file: *const c_char) -> &'a str {
    // SAFETY: this function's contract: `file` is null or a string.
    unsafe { text(file, "file") }.unwrap_or_default()
}

/// The last error's text and identifier, as `part` picks them.
fn last_error(part: impl FnOnce(&(CString, CString)) -> *const c_char) -> *const c_char {
    let none = c"".as_ptr();
    answer(none, || LAST.try_with(|last| part(&last.borrow())).unwrap_or(none))
}

#[unsafe(no_mangle)]
pub extern "C" fn pm_last_error_message() -> *const c_char {
    last_error(|(message, _)| message.as_ptr())
}

#[unsafe(no_mangle)]
pub extern "C" fn pm_last_error_id() -> *const c_char {
    last_error(|(_, id)| id.as_ptr())
}

#[cfg(test)]
mod tests;
