//! Elements of values, copied to the caller of the C interface.

#![allow(clippy::missing_safety_doc, reason = "the contract of each function stands in pmatrix.h")]
#![allow(missing_docs, reason = "the documentation of each item stands in pmatrix.h")]

use std::ffi::c_void;

use super::boundary::{Failed, borrow, guarded};
use super::{PmStatus, PmValue};
use crate::error::{Error, Result};
use crate::matrix::{Element, Matrix};
use crate::operation::{Class, Part, Precision, Shape, View};
use crate::trace::check_view;

/// Copies the elements of a view of a matrix, column after column without gaps; `of` converts each.
///
/// # Safety
/// The view lies within the matrix, and `to` has room for all elements of `shape`.
unsafe fn copy<T: Element, R>(matrix: &Matrix, shape: Shape, view: View, to: *mut R, of: impl Fn(T) -> R) {
    // Without pads between its columns, the matrix is one long column.
    let all = matrix.elements::<T>();
    let rows = all.map_or(i64::from(matrix.shape().rows), |all| all.len() as i64);
    // One row is taken as a column is.
    let (length, columns, step) = match shape.rows {
        1 => (shape.columns, 1, view.column_step),
        rows => (rows, shape.columns, view.row_step),
    };
    // Elements that lie one after the other are copied together, up to the end of their column.
    let in_runs = step == 1;
    let columns_on = if in_runs { 0 } else { step.div_euclid(rows) };
    let rows_on = step.rem_euclid(rows);
    let mut to = to;
    for j in 0..i64::from(columns) {
        let first = view.offset + view.column_step * j;
        let (mut column, mut row) = (first / rows, first % rows);
        let mut left = i64::from(length);
        while left > 0 {
            let run = if in_runs { left.min(rows - row) } else { 1 };
            let from = all.unwrap_or_else(|| matrix.column::<T>(column as u32));
            for &element in &from[row as usize..(row + run) as usize] {
                // SAFETY: this function's contract: `to` has room for the elements of `shape`, and goes on by one for each of
                // them.
                unsafe {
                    to.write(of(element));
                    to = to.add(1);
                }
            }
            left -= run;
            column += columns_on;
            row += if in_runs { run } else { rows_on };
            if row >= rows {
                row -= rows;
                column += 1;
            }
        }
    }
}

/// Forces the value and copies elements of it.
///
/// # Safety
/// `data` is null or has room for `bytes` bytes.
unsafe fn read(
    value: &PmValue,
    shape: Shape,
    view: View,
    data: *mut c_void,
    bytes: u64,
) -> Result<(), Failed> {
    let (whole, class) = (value.value.shape(), value.value.class());
    let element_bytes = match class {
        Class::Single => 4,
        Class::Double => 8,
        Class::Logical => 1,
    };
    if bytes != shape.elements() * element_bytes {
        return Err(Error::Argument(format!(
            "{bytes} bytes were given for a {shape} {} value",
            class.name()
        ))
        .into());
    }
    check_view(view, shape, whole)?;
    if shape.is_empty() {
        return Ok(());
    }
    if data.is_null() {
        return Err(Failed::Null("data"));
    }
    let matrix = value.session.force(&value.value)?;
    // SAFETY: the view lies within the matrix, and `data` has room for the elements of its shape.
    unsafe {
        match (class, matrix.precision()) {
            (Class::Single, _) => copy(&matrix, shape, view, data.cast::<f32>(), |x: f32| x),
            (Class::Double, _) => copy(&matrix, shape, view, data.cast::<f64>(), |x: f64| x),
            (Class::Logical, Precision::Byte) => copy(&matrix, shape, view, data.cast::<u8>(), |x: u8| x),
            (Class::Logical, Precision::Single) => {
                copy(&matrix, shape, view, data.cast::<u8>(), |x: f32| u8::from(x != 0.0));
            }
            (Class::Logical, Precision::Double) => {
                copy(&matrix, shape, view, data.cast::<u8>(), |x: f64| u8::from(x != 0.0));
            }
        }
    }
    Ok(())
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pm_read(value: *const PmValue, data: *mut c_void, bytes: u64) -> PmStatus {
    guarded(|| {
        // SAFETY: pmatrix.h: `value` is null or a value that the caller holds.
        let value = unsafe { borrow(value, "value") }?;
        let shape = value.value.shape();
        // SAFETY: pmatrix.h: `data` has room for `bytes` bytes.
        unsafe { read(value, shape, View::reshape(shape.rows), data, bytes) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pm_read_view(
    value: *const PmValue,
    rows: u64,
    columns: u64,
    offset: i64,
    row_step: i64,
    column_step: i64,
    data: *mut c_void,
    bytes: u64,
) -> PmStatus {
    guarded(|| {
        // SAFETY: pmatrix.h: `value` is null or a value that the caller holds.
        let value = unsafe { borrow(value, "value") }?;
        let view = View { offset, row_step, column_step, part: Part::Whole };
        // SAFETY: pmatrix.h: `data` has room for `bytes` bytes.
        unsafe { read(value, Shape::new(rows, columns)?, view, data, bytes) }
    })
}
