//! The C interface: `include/pmatrix.h`, whose comments are the contract of every function here.
//!
//! Each entry point runs inside a boundary ([`boundary`]), so no panic unwinds into the caller. An entry
//! point that returns a status turns an error into a status with a message, and a panic into
//! `PM_ERROR_PANIC`. Any other entry point answers a panic with a value that means nothing was found.

#![allow(clippy::missing_safety_doc, reason = "the contract of each function stands in pmatrix.h")]
#![allow(missing_docs, reason = "the documentation of each item stands in pmatrix.h")]

pub mod boundary;
pub mod direct;
#[cfg(test)]
mod layout;
pub mod options;
pub mod profile;
pub mod read;
pub mod record;
pub mod session;
pub mod small;
#[cfg(test)]
mod tests;
pub mod value;

use std::ffi::c_char;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::operation::{Class, OpKind};
use crate::session::Session;
use crate::trace::Value;
use boundary::{Failed, answer};

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
    Cancelled = 10,
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
    // SAFETY: `result` is not null, so this function's contract lets it be written.
    unsafe { result.write(Box::into_raw(handle)) };
    Ok(())
}

#[unsafe(no_mangle)]
pub extern "C" fn pm_version() -> *const c_char {
    answer(std::ptr::null(), || concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast())
}
