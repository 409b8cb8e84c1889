//! Moves and reductions of the C interface.

#![allow(clippy::missing_safety_doc, reason = "the contract of each function stands in pmatrix.h")]
#![allow(missing_docs, reason = "the documentation of each item stands in pmatrix.h")]

use std::ffi::{c_char, c_int};

use super::boundary::{Failed, borrow, guarded, store};
use super::record::{record, record_two};
use super::{PmStatus, PmValue, kind_of};
use crate::error::{Error, Result};
use crate::operation::{OpKind, Parameters, Part, Shape, Side, View};

pub(super) fn side_of(number: c_int) -> Result<Side> {
    match number {
        0 => Ok(Side::Column),
        1 => Ok(Side::Row),
        _ => Err(Error::Argument(format!("there is no side number {number}"))),
    }
}

fn part_of(number: c_int) -> Result<Part> {
    match number {
        0 => Ok(Part::Whole),
        1 => Ok(Part::Conjugate),
        2 => Ok(Part::Real),
        _ => Err(Error::Argument(format!("there is no part number {number}"))),
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pm_view(
    a: *const PmValue,
    rows: u64,
    columns: u64,
    offset: i64,
    row_step: i64,
    column_step: i64,
    part: c_int,
    file: *const c_char,
    line: u32,
    result: *mut *mut PmValue,
) -> PmStatus {
    // SAFETY: the header's contract.
    unsafe {
        record(a, file, result, |recorder, a, file| {
            let view = View { offset, row_step, column_step, part: part_of(part)? };
            recorder.view(a, Shape::new(rows, columns)?, view, file, line)
        })
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pm_repeat(
    a: *const PmValue,
    down: u64,
    right: u64,
    file: *const c_char,
    line: u32,
    result: *mut *mut PmValue,
) -> PmStatus {
    // SAFETY: the header's contract.
    unsafe { record(a, file, result, |recorder, a, file| recorder.repeat(a, (down, right), file, line)) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pm_join(
    a: *const PmValue,
    b: *const PmValue,
    side: c_int,
    file: *const c_char,
    line: u32,
    result: *mut *mut PmValue,
) -> PmStatus {
    // SAFETY: the header's contract.
    unsafe {
        record_two(a, b, file, result, |recorder, [a, b], file| {
            recorder.join(a, b, side_of(side)?, file, line)
        })
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pm_band(
    a: *const PmValue,
    least: i64,
    most: i64,
    file: *const c_char,
    line: u32,
    result: *mut *mut PmValue,
) -> PmStatus {
    // SAFETY: the header's contract.
    unsafe { record(a, file, result, |recorder, a, file| recorder.band(a, least, most, file, line)) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pm_diagonal(
    a: *const PmValue,
    diagonal: i64,
    file: *const c_char,
    line: u32,
    result: *mut *mut PmValue,
) -> PmStatus {
    // SAFETY: the header's contract.
    unsafe { record(a, file, result, |recorder, a, file| recorder.diagonal(a, diagonal, file, line)) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pm_reduce(
    operation: u32,
    a: *const PmValue,
    side: c_int,
    file: *const c_char,
    line: u32,
    result: *mut *mut PmValue,
) -> PmStatus {
    // SAFETY: the header's contract.
    unsafe {
        record(a, file, result, |recorder, a, file| match kind_of(operation)? {
            OpKind::Norm => recorder.norm(a, file, line),
            kind => recorder.reduce(kind, a, side_of(side)?, file, line),
        })
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pm_parameters_of(value: *const PmValue, parameters: *mut Parameters) -> PmStatus {
    guarded(|| {
        // SAFETY: pmatrix.h: `value` is null or a value that the caller holds.
        let value = unsafe { borrow(value, "value") }?;
        let what = || Failed::Error(Error::Argument("the value has a result, and no operation".into()));
        let recorded = value.value.recorded().ok_or_else(what)?;
        // SAFETY: pmatrix.h: `parameters` is null or valid for a write.
        unsafe { store(parameters, recorded.parameters, "parameters") }
    })
}
