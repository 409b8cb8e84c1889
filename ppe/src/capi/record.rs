//! Recording element-wise operations, products and conversions through the C interface.

#![allow(clippy::missing_safety_doc, reason = "the contract of each function stands in pmatrix.h")]
#![allow(missing_docs, reason = "the documentation of each item stands in pmatrix.h")]

use std::ffi::{c_char, c_int};

use super::boundary::{borrow, guarded, place};
use super::{PmStatus, PmValue, class_of, hand_over, kind_of};
use crate::error::{Error, Result};
use crate::operation::{Class, Form, Precision};
use crate::trace::{Recorder, Recording, Value};

/// Lets `record` record an operation on `a`, and hands the result over.
///
/// # Safety
/// The pointers are null or valid, `file` as in [`place`].
pub(super) unsafe fn record(
    a: *const PmValue,
    file: *const c_char,
    result: *mut *mut PmValue,
    record: impl FnOnce(&Recorder, &Value, &str) -> Result<Recording>,
) -> PmStatus {
    guarded(|| {
        // SAFETY: this function's contract: `a` and `file` are null or valid, and so is `result` for a write.
        unsafe {
            let (a, file) = (borrow(a, "a")?, place(file));
            let value = a.session.record(|recorder| record(recorder, &a.value, file))?;
            hand_over(&a.session, value, result)
        }
    })
}

/// As [`record`], for an operation on `a` and `b`.
///
/// # Safety
/// As for [`record`].
pub(super) unsafe fn record_two(
    a: *const PmValue,
    b: *const PmValue,
    file: *const c_char,
    result: *mut *mut PmValue,
    record: impl FnOnce(&Recorder, [&Value; 2], &str) -> Result<Recording>,
) -> PmStatus {
    guarded(|| {
        // SAFETY: this function's contract: `a`, `b` and `file` are null or valid, and so is `result` for a write.
        unsafe {
            let (a, b, file) = (borrow(a, "a")?, borrow(b, "b")?, place(file));
            let value = a.session.record(|recorder| record(recorder, [&a.value, &b.value], file))?;
            hand_over(&a.session, value, result)
        }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pm_unary(
    operation: u32,
    a: *const PmValue,
    file: *const c_char,
    line: u32,
    result: *mut *mut PmValue,
) -> PmStatus {
    // SAFETY: the header's contract.
    unsafe { record(a, file, result, |recorder, a, file| recorder.unary(kind_of(operation)?, a, file, line)) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pm_binary(
    operation: u32,
    a: *const PmValue,
    b: *const PmValue,
    file: *const c_char,
    line: u32,
    result: *mut *mut PmValue,
) -> PmStatus {
    // SAFETY: the header's contract.
    unsafe {
        record_two(a, b, file, result, |recorder, [a, b], file| {
            recorder.binary(kind_of(operation)?, a, b, file, line)
        })
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pm_product(
    a: *const PmValue,
    a_transposed: c_int,
    b: *const PmValue,
    b_transposed: c_int,
    file: *const c_char,
    line: u32,
    result: *mut *mut PmValue,
) -> PmStatus {
    let transposed = [a_transposed != 0, b_transposed != 0];
    // SAFETY: the header's contract.
    unsafe {
        record_two(a, b, file, result, |recorder, operands, file| {
            recorder.product(operands, transposed, file, line)
        })
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pm_binary_scalar(
    operation: u32,
    a: *const PmValue,
    scalar: f64,
    scalar_class: u32,
    scalar_left: c_int,
    file: *const c_char,
    line: u32,
    result: *mut *mut PmValue,
) -> PmStatus {
    // SAFETY: the header's contract.
    unsafe {
        record(a, file, result, |recorder, a, file| {
            let form = if scalar_left == 0 { Form::ScalarRight } else { Form::ScalarLeft };
            let (kind, class) = (kind_of(operation)?, class_of(scalar_class)?);
            if class == Class::Logical && ![0.0, 1.0].contains(&scalar) {
                return Err(Error::Argument(format!("a logical scalar is 0 or 1, and not {scalar}")));
            }
            recorder.binary_scalar(kind, form, a, scalar, class, file, line)
        })
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pm_convert(
    a: *const PmValue,
    to: u32,
    file: *const c_char,
    line: u32,
    result: *mut *mut PmValue,
) -> PmStatus {
    // SAFETY: the header's contract.
    unsafe {
        record(a, file, result, |recorder, a, file| {
            let to = match class_of(to)? {
                Class::Single => Precision::Single,
                Class::Double => Precision::Double,
                Class::Logical => {
                    return Err(Error::Argument("conversion is to single or double only".into()));
                }
            };
            recorder.convert(a, to, file, line)
        })
    }
}
