//! Operations on small matrices, without a session.

use std::cell::Cell;
use std::ffi::{c_int, c_void};

use super::boundary::{Failed, answer, borrow, guarded};
use super::direct::side_of;
use super::{PmStatus, class_of, kind_of};
use crate::error::{Error, Result};
use crate::immediate::{
    FEW_ELEMENTS, SmallDestination, SmallElements, SmallOperation, most_elements, reduce_small,
};
use crate::operation::{Class, Form, OpKind, Shape};

/// `pm_small`
#[derive(Debug)]
#[repr(C)]
pub struct PmSmall {
    pub(super) data: *mut c_void,
    pub(super) rows: u32,
    pub(super) columns: u32,
    pub(super) value_class: u32,
    pub(super) transposed: u32,
}

impl PmSmall {
    fn shape(&self) -> Shape {
        Shape { rows: self.rows, columns: self.columns }
    }

    fn said(&self) -> [u32; 4] {
        [self.rows, self.columns, self.value_class, self.transposed]
    }

    fn described(&self) -> Result<(Shape, Class)> {
        Ok((self.shape(), class_of(self.value_class)?))
    }

    fn is_transposed(&self) -> Result<bool> {
        match self.transposed {
            0 | 1 => Ok(self.transposed == 1),
            other => Err(Error::Argument(format!("transposed is 0 or 1, and not {other}"))),
        }
    }

    /// # Safety
    /// `data` is null or holds as many elements as the shape has.
    unsafe fn elements<'a>(&self, what: &'static str) -> Result<(Shape, SmallElements<'a>), Failed> {
        if self.data.is_null() {
            return Err(Failed::Null(what));
        }
        let (shape, length) = (self.shape(), self.shape().elements() as usize);
        // SAFETY: this function's contract: `data` holds so many elements of this class.
        let elements = unsafe {
            match class_of(self.value_class)? {
                Class::Single => SmallElements::Single(std::slice::from_raw_parts(self.data.cast(), length)),
                Class::Double => SmallElements::Double(std::slice::from_raw_parts(self.data.cast(), length)),
                Class::Logical => {
                    SmallElements::Logical(std::slice::from_raw_parts(self.data.cast(), length))
                }
            }
        };
        Ok((shape, elements))
    }

    /// # Safety
    /// The contract of [`elements`](Self::elements), and no other code uses the data.
    unsafe fn destination<'a>(&self) -> Result<SmallDestination<'a>, Failed> {
        if self.data.is_null() {
            return Err(Failed::Null("result.data"));
        }
        let length = self.shape().elements() as usize;
        // SAFETY: this function's contract: `data` has room for so many elements of this class, which nothing else
        // uses.
        Ok(unsafe {
            match class_of(self.value_class)? {
                Class::Single => {
                    SmallDestination::Single(std::slice::from_raw_parts_mut(self.data.cast(), length))
                }
                Class::Double => {
                    SmallDestination::Double(std::slice::from_raw_parts_mut(self.data.cast(), length))
                }
                Class::Logical => {
                    SmallDestination::Logical(std::slice::from_raw_parts_mut(self.data.cast(), length))
                }
            }
        })
    }
}

fn form_of(form: c_int) -> Result<Form> {
    match form {
        0 => Ok(Form::Values),
        1 => Ok(Form::ScalarRight),
        2 => Ok(Form::ScalarLeft),
        _ => Err(Error::Argument(format!("there is no form number {form}"))),
    }
}

/// What a front end says about an operation: its number, its form, rows, columns, class and transposition of each
/// operand, and the class of the scalar.
type Said = (u32, c_int, [[u32; 4]; 2], u32);

thread_local! {
    /// What was described last is computed next.
    static LAST: Cell<Option<(Said, SmallOperation)>> = const { Cell::new(None) };
}

/// # Safety
/// `a` and `b` are null or valid.
unsafe fn operation(
    operation: u32,
    form: c_int,
    a: *const PmSmall,
    b: *const PmSmall,
    scalar_class: u32,
) -> Result<SmallOperation, Failed> {
    // SAFETY: this function's contract: `a` and `b` are null or valid, with their elements.
    let (a, second) = unsafe { (borrow(a, "a")?, b.as_ref()) };
    let said = (operation, form, [a.said(), second.map_or([u32::MAX; 4], PmSmall::said)], scalar_class);
    if let Some((last, described)) = LAST.get()
        && last == said
    {
        return Ok(described);
    }
    let described = describe(kind_of(operation)?, form_of(form)?, (a, second), scalar_class)?;
    LAST.set(Some((said, described)));
    Ok(described)
}

fn describe(
    kind: OpKind,
    form: Form,
    (a, second): (&PmSmall, Option<&PmSmall>),
    scalar_class: u32,
) -> Result<SmallOperation> {
    let first = a.described()?;
    let transposed = [a.is_transposed()?, second.map_or(Ok(false), PmSmall::is_transposed)?];
    if transposed != [false; 2] {
        return match (kind, form, second) {
            (OpKind::Multiply, Form::Values, Some(second)) => {
                SmallOperation::product([first, second.described()?], transposed)
            }
            _ => Err(Error::Argument("only factors of a product may be transposed".into())),
        };
    }
    let second = match form {
        Form::Values => second.map(PmSmall::described).transpose()?,
        _ => Some((Shape { rows: 1, columns: 1 }, class_of(scalar_class)?)),
    };
    SmallOperation::new(kind, form, first, second)
}

#[unsafe(no_mangle)]
pub extern "C" fn pm_small_elements(number: u32) -> u32 {
    answer(FEW_ELEMENTS as u32, || kind_of(number).map_or(FEW_ELEMENTS, most_elements) as u32)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pm_small_describe(
    number: u32,
    form: c_int,
    a: *const PmSmall,
    b: *const PmSmall,
    scalar_class: u32,
    result: *mut PmSmall,
) -> PmStatus {
    guarded(|| {
        // SAFETY: pmatrix.h: `a` and `b` are null or valid, with their elements.
        let described = unsafe { operation(number, form, a, b, scalar_class) }?;
        // SAFETY: pmatrix.h: `result` is null or valid, and the caller does not use it meanwhile.
        let result = unsafe { result.as_mut() }.ok_or(Failed::Null("result"))?;
        let (shape, class) = described.result();
        (result.rows, result.columns, result.value_class) = (shape.rows, shape.columns, class as u32);
        result.transposed = 0;
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pm_small_compute(
    number: u32,
    form: c_int,
    a: *const PmSmall,
    b: *const PmSmall,
    scalar: f64,
    scalar_class: u32,
    result: *const PmSmall,
) -> PmStatus {
    guarded(|| {
        // SAFETY: pmatrix.h: `a`, `b` and `result` are null or valid, with their elements or room for them.
        unsafe {
            let described = operation(number, form, a, b, scalar_class)?;
            let result = borrow(result, "result")?;
            if result.described()? != described.result() {
                let what = "the result is not as pm_small_describe says".into();
                return Err(Error::Argument(what).into());
            }
            let first = borrow(a, "a")?.elements("a.data")?;
            let second = match b.as_ref() {
                Some(b) if form == 0 => Some(b.elements("b.data")?),
                _ => None,
            };
            described.compute(scalar, first, second, result.destination()?)?;
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pm_small_reduce(
    number: u32,
    side: c_int,
    a: *const PmSmall,
    result: *const PmSmall,
) -> PmStatus {
    guarded(|| {
        // SAFETY: the header's contract.
        unsafe {
            let (a, result) = (borrow(a, "a")?.elements("a.data")?, borrow(result, "result")?);
            reduce_small(kind_of(number)?, side_of(side)?, a, (result.shape(), result.destination()?))?;
        }
        Ok(())
    })
}
