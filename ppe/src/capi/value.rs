//! Values of the C interface: constants, reference counts, properties and elements.

#![allow(clippy::missing_safety_doc, reason = "the contract of each function stands in pmatrix.h")]
#![allow(missing_docs, reason = "the documentation of each item stands in pmatrix.h")]

use std::ffi::{c_char, c_int, c_void};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::boundary::{Failed, answer, borrow, guarded, store};
use super::{PmSession, PmStatus, PmValue, class_of, hand_over};
use crate::error::{Error, Result};
use crate::matrix::{Element, Matrix};
use crate::operation::{Class, Part, Precision, Shape, View};
use crate::session::Session;
use crate::trace::{Value, check_view};

/// The owner of foreign memory, who is told once that the memory is no longer needed.
struct Owner {
    release: unsafe extern "C" fn(*mut c_void),
    owner: *mut c_void,
}

// SAFETY: the header says that `release` is called on some thread.
unsafe impl Send for Owner {}
// SAFETY: nothing can be done with a shared Owner.
unsafe impl Sync for Owner {}

impl Owner {
    fn release(self) {
        // SAFETY: the header's contract.
        unsafe { (self.release)(self.owner) }
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pm_constant(
    session: *mut PmSession,
    data: *const c_void,
    rows: u64,
    columns: u64,
    value_class: u32,
    release: Option<unsafe extern "C" fn(*mut c_void)>,
    owner: *mut c_void,
    value: *mut *mut PmValue,
) -> PmStatus {
    guarded(|| {
        // SAFETY: pmatrix.h: `session` is null or a session that the caller holds.
        let session = unsafe { &borrow(session, "session")?.0 };
        let (shape, class) = (Shape::new(rows, columns)?, class_of(value_class)?);
        let release = release.ok_or(Failed::Null("release"))?;
        if value.is_null() {
            return Err(Failed::Null("value"));
        }
        if data.is_null() && !shape.is_empty() {
            return Err(Failed::Null("data"));
        }
        let owner = Owner { release, owner };
        let in_place = match class {
            Class::Single => Some(Precision::Single),
            Class::Double => Some(Precision::Double),
            Class::Logical => Some(Precision::Byte).filter(|&bytes| session.storage(class) == bytes),
        };
        let matrix = match in_place {
            Some(precision) if !shape.is_empty() => {
                // SAFETY: the header lets any thread read the elements until `release` is called.
                unsafe { Matrix::foreign(shape, precision, data.cast(), Box::new(move || owner.release())) }
            }
            _ => {
                // SAFETY: the header's contract on `data`.
                let copy = unsafe { copied(session, data, class, shape, View::reshape(shape.rows)) }?;
                owner.release();
                copy
            }
        };
        // SAFETY: pmatrix.h: `value` is null or valid for a write.
        unsafe { hand_over(session, session.constant(matrix, class)?, value) }
    })
}

/// A copy of some of the caller's elements.
///
/// # Safety
/// The view lies within an array of elements of the class that begins at `data`.
unsafe fn copied(
    session: &Session,
    data: *const c_void,
    class: Class,
    shape: Shape,
    view: View,
) -> Result<Matrix> {
    if shape.is_empty() {
        return Matrix::zeros(shape, session.storage(class), session.pool());
    }
    // SAFETY: this function's contract: `data` holds what `view` takes, with elements of this class.
    unsafe {
        match class {
            Class::Single => gathered(data.cast::<f32>(), shape, view, session, |number| number),
            Class::Double => gathered(data.cast::<f64>(), shape, view, session, |number| number),
            Class::Logical => match session.storage(class) {
                Precision::Byte => {
                    gathered(data.cast::<u8>(), shape, view, session, |byte| u8::from(byte != 0))
                }
                _ => gathered(data.cast::<u8>(), shape, view, session, |byte| f64::from(byte != 0)),
            },
        }
    }
}

/// A matrix of the elements of a view; `of` converts each of them.
///
/// # Safety
/// The view lies within the array that begins at `data`.
unsafe fn gathered<T: Copy, R: Element>(
    data: *const T,
    shape: Shape,
    view: View,
    session: &Session,
    of: impl Fn(T) -> R,
) -> Result<Matrix> {
    let View { offset, row_step, column_step, .. } = view;
    // The closures own what they use: the compiler then knows that no store into the matrix changes it.
    let at = move |r: usize, c: usize, step: i64| {
        // SAFETY: this function's contract: `view` takes elements that `data` holds.
        of(unsafe { *data.offset((offset + step * r as i64 + column_step * c as i64) as isize) })
    };
    match row_step {
        // With a constant step the loop over a column is a copy.
        1 => Matrix::from_fn(shape, session.pool(), move |r, c| at(r, c, 1)),
        step => Matrix::from_fn(shape, session.pool(), move |r, c| at(r, c, step)),
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pm_constant_copy(
    session: *mut PmSession,
    data: *const c_void,
    rows: u64,
    columns: u64,
    value_class: u32,
    value: *mut *mut PmValue,
) -> PmStatus {
    let column_step = rows.try_into().unwrap_or(i64::MAX);
    // SAFETY: the header's contract.
    unsafe {
        pm_constant_view(session, data, rows, columns, value_class, rows, columns, 0, 1, column_step, value)
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pm_constant_view(
    session: *mut PmSession,
    data: *const c_void,
    rows: u64,
    columns: u64,
    value_class: u32,
    view_rows: u64,
    view_columns: u64,
    offset: i64,
    row_step: i64,
    column_step: i64,
    value: *mut *mut PmValue,
) -> PmStatus {
    guarded(|| {
        // SAFETY: pmatrix.h: `session` is null or a session that the caller holds.
        let session = unsafe { &borrow(session, "session")?.0 };
        let (whole, class) = (Shape::new(rows, columns)?, class_of(value_class)?);
        let shape = Shape::new(view_rows, view_columns)?;
        let view = View { offset, row_step, column_step, part: Part::Whole };
        check_view(view, shape, whole)?;
        if data.is_null() && !shape.is_empty() {
            return Err(Failed::Null("data"));
        }
        // SAFETY: pmatrix.h: `data` holds rows x columns elements, and `view` takes some of them, which has been checked;
        // `value` is null or valid for a write.
        unsafe {
            hand_over(session, session.constant(copied(session, data, class, shape, view)?, class)?, value)
        }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pm_value_retain(value: *const PmValue) -> *mut PmValue {
    let mut copy = std::ptr::null_mut();
    _ = guarded(|| {
        // SAFETY: the header's contract.
        let value = unsafe { borrow(value, "value") }?;
        copy = Box::into_raw(Box::new(PmValue {
            session: Arc::clone(&value.session),
            value: value.value.clone(),
        }));
        Ok(())
    });
    copy
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pm_value_release(value: *mut PmValue) {
    _ = guarded(|| {
        if !value.is_null() {
            // SAFETY: the header's contract: a reference is given back once.
            drop(unsafe { Box::from_raw(value) });
        }
        Ok(())
    });
}

/// Applies `of` to a value. Returns `otherwise` for a null pointer, and when `of` panics.
///
/// # Safety
/// `value` is null or valid.
unsafe fn known<R: Copy>(value: *const PmValue, otherwise: R, of: impl FnOnce(&PmValue) -> R) -> R {
    // SAFETY: this function's contract: `value` is null or valid.
    answer(otherwise, || unsafe { value.as_ref() }.map_or(otherwise, of))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pm_rows(value: *const PmValue) -> u64 {
    // SAFETY: the header's contract.
    unsafe { known(value, 0, |value| value.value.shape().rows.into()) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pm_columns(value: *const PmValue) -> u64 {
    // SAFETY: the header's contract.
    unsafe { known(value, 0, |value| value.value.shape().columns.into()) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pm_value_class(value: *const PmValue) -> u32 {
    // SAFETY: the header's contract.
    unsafe { known(value, Class::Double as u32, |value| value.value.class() as u32) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pm_has_result(value: *const PmValue) -> c_int {
    // SAFETY: the header's contract.
    unsafe { known(value, 0, |value| value.value.has_result().into()) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pm_wait(value: *const PmValue, timeout_ms: u64, done: *mut c_int) -> PmStatus {
    guarded(|| {
        // SAFETY: the header's contract.
        let value = unsafe { borrow(value, "value") }?;
        let deadline = match timeout_ms {
            u64::MAX => None,
            milliseconds => Instant::now().checked_add(Duration::from_millis(milliseconds)),
        };
        let there = value.session.wait(&value.value, deadline)?;
        // SAFETY: the header's contract.
        unsafe { store(done, c_int::from(there), "done") }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pm_operation_of(
    value: *const PmValue,
    operation: *mut u32,
    a: *mut *mut PmValue,
    b: *mut *mut PmValue,
    scalar: *mut f64,
    form: *mut c_int,
) -> PmStatus {
    guarded(|| {
        // SAFETY: pmatrix.h: `value` is null or a value that the caller holds.
        let value = unsafe { borrow(value, "value") }?;
        let recorded = value.value.recorded();
        let recorded =
            recorded.ok_or_else(|| Error::Argument("the value has a result, and no operation".into()))?;
        let handle = |operand: Option<Value>| match operand {
            Some(operand) => {
                Box::into_raw(Box::new(PmValue { session: Arc::clone(&value.session), value: operand }))
            }
            None => std::ptr::null_mut(),
        };
        if [operation.is_null(), a.is_null(), b.is_null(), scalar.is_null(), form.is_null()].contains(&true) {
            return Err(Failed::Null("operation, a, b, scalar or form"));
        }
        let [first, second] = recorded.operands;
        // SAFETY: pmatrix.h: the pointers are valid for a write, and they are not null.
        unsafe {
            operation.write(recorded.kind as u32);
            a.write(handle(first));
            b.write(handle(second));
            scalar.write(recorded.scalar);
            form.write(recorded.form as c_int);
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pm_value_identity(value: *const PmValue) -> u64 {
    // SAFETY: the header's contract.
    unsafe { known(value, u64::MAX, |value| value.value.id().0.into()) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pm_value_is_in(value: *const PmValue, session: *const PmSession) -> c_int {
    // SAFETY: the header's contract.
    unsafe {
        known(value, 0, |value| {
            session.as_ref().is_some_and(|session| Arc::ptr_eq(&value.session, &session.0)).into()
        })
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pm_value_cancel(value: *const PmValue) -> PmStatus {
    // SAFETY: the header's contract.
    guarded(|| Ok(unsafe { borrow(value, "value") }?.session.cancel()?))
}

/// `pm_information`
#[derive(Debug)]
#[repr(C)]
pub struct PmInformation {
    pub(super) operations: u64,
    pub(super) bytes: u64,
    pub(super) line: u32,
    pub(super) file: [c_char; 1024],
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pm_value_information(
    value: *const PmValue,
    information: *mut PmInformation,
) -> PmStatus {
    guarded(|| {
        // SAFETY: pmatrix.h: `value` is null or a value that the caller holds.
        let value = unsafe { borrow(value, "value") }?;
        let below = value.session.below(&value.value);
        let mut file = [0; 1024];
        // The last byte stays zero.
        for (to, from) in file[..1023].iter_mut().zip(below.site.file.bytes()) {
            *to = from as c_char;
        }
        let filled =
            PmInformation { operations: below.operations, bytes: below.bytes, line: below.site.line, file };
        // SAFETY: pmatrix.h: `information` is null or valid for a write.
        unsafe { store(information, filled, "information") }
    })
}
