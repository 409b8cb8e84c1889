//! Immediate execution: operations on few elements, computed at once in the calling thread.
//!
//! Recording, lowering, scheduling and executing an operation by an MEU costs far more than the additions of a
//! short vector. So a front end may keep small operations to itself, and have this module compute them. The
//! time model of a host says which operations are small ([`most_elements`]). The kernels are the kernels of
//! the MEUs. Element-wise results do not depend on how a matrix is cut, reductions run along whole columns
//! and rows, and the inner side of a product is cut as an engine cuts it. So results have the bits that an
//! engine would give.

mod in_place;
mod limit;
mod padded;
mod product;
mod reduce;
#[cfg(test)]
mod tests;

pub use limit::most_elements;
pub use reduce::reduce_small;

use spe_kernels::Status;

use crate::error::{Blame, Error, Result};
use crate::lower::Axis;
use crate::operation::{Class, Form, OpKind, Precision, Shape};
use crate::trace::{Signature, ValueType, computed_in, signature};
use in_place::Run;
use product::Factor;

/// Operations on at most so many elements are small, whatever they take.
pub const FEW_ELEMENTS: usize = 64;

/// No operand and no result of a small operation that is no product has more elements: some matrices of so many doubles
/// fit the second-level cache.
pub const MOST_ELEMENTS: usize = 8192;

/// No factor and no result of a small product has more elements. What a product of so many elements takes decides
/// whether it is small.
pub const MOST_FACTOR_ELEMENTS: usize = 65_536;

/// Elements of a column-major matrix without gaps.
#[derive(Debug, Clone, Copy)]
pub enum SmallElements<'a> {
    /// Of class single.
    Single(&'a [f32]),
    /// Of class double.
    Double(&'a [f64]),
    /// Of class logical: 0 and 1.
    Logical(&'a [u8]),
}

impl SmallElements<'_> {
    fn class(self) -> Class {
        match self {
            SmallElements::Single(_) => Class::Single,
            SmallElements::Double(_) => Class::Double,
            SmallElements::Logical(_) => Class::Logical,
        }
    }

    fn len(self) -> usize {
        match self {
            SmallElements::Single(from) => from.len(),
            SmallElements::Double(from) => from.len(),
            SmallElements::Logical(from) => from.len(),
        }
    }

    /// The only element.
    fn number(self) -> Option<f64> {
        match self {
            SmallElements::Single(&[x]) => Some(f64::from(x)),
            SmallElements::Double(&[x]) => Some(x),
            SmallElements::Logical(&[x]) => Some(f64::from(x)),
            _ => None,
        }
    }

    /// A run that is read, and not written.
    fn run(self) -> Run {
        let (data, precision) = match self {
            SmallElements::Single(from) => (from.as_ptr().cast::<u8>(), Precision::Single),
            SmallElements::Double(from) => (from.as_ptr().cast(), Precision::Double),
            SmallElements::Logical(from) => (from.as_ptr(), Precision::Byte),
        };
        Run { data: data.cast_mut(), precision }
    }
}

/// Where the elements of a result go: column-major, without gaps.
#[derive(Debug)]
pub enum SmallDestination<'a> {
    /// Of class single.
    Single(&'a mut [f32]),
    /// Of class double.
    Double(&'a mut [f64]),
    /// Of class logical: 0 and 1.
    Logical(&'a mut [u8]),
}

impl SmallDestination<'_> {
    fn class(&self) -> Class {
        match self {
            SmallDestination::Single(_) => Class::Single,
            SmallDestination::Double(_) => Class::Double,
            SmallDestination::Logical(_) => Class::Logical,
        }
    }

    fn len(&self) -> usize {
        match self {
            SmallDestination::Single(to) => to.len(),
            SmallDestination::Double(to) => to.len(),
            SmallDestination::Logical(to) => to.len(),
        }
    }

    fn run(&mut self) -> Run {
        let (data, precision) = match self {
            SmallDestination::Single(to) => (to.as_mut_ptr().cast::<u8>(), Precision::Single),
            SmallDestination::Double(to) => (to.as_mut_ptr().cast(), Precision::Double),
            SmallDestination::Logical(to) => (to.as_mut_ptr(), Precision::Byte),
        };
        Run { data, precision }
    }
}

/// A small operation: its operands' shapes and classes have been checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SmallOperation {
    signature: Signature,
    form: Form,
    /// As they are stored.
    operands: (ValueType, Option<ValueType>),
    /// Which factors of a product it takes the transpose of.
    transposed: [bool; 2],
    /// The parts of the inner side of a product.
    inner: Axis,
}

impl SmallOperation {
    /// The operation on operands of these shapes and classes. With a scalar form the second operand is the
    /// scalar, of shape 1x1.
    ///
    /// # Errors
    /// The errors of [`signature`], and [`Error::Argument`] for matrices that are empty or too large.
    pub fn new(
        kind: OpKind,
        form: Form,
        first: (Shape, Class),
        second: Option<(Shape, Class)>,
    ) -> Result<SmallOperation> {
        let value = |(shape, class)| ValueType::of(shape, class);
        let operands = (value(first), second.map(value));
        let signature = signature(kind, form, operands.0, operands.1)?;
        SmallOperation::of(signature, form, operands, first.0)
    }

    /// The product of matrices of these shapes and classes, of which those are transposed before that
    /// `transposed` says.
    ///
    /// # Errors
    /// As [`new`](Self::new), and [`Error::Argument`] for a matrix of one element, by which Octave multiplies each
    /// element.
    pub fn product(factors: [(Shape, Class); 2], transposed: [bool; 2]) -> Result<SmallOperation> {
        let [stored_left, stored_right] = factors.map(|(shape, class)| ValueType::of(shape, class));
        let taken = |value: ValueType, transposed: bool| match transposed {
            true => ValueType { shape: value.shape.transposed(), ..value },
            false => value,
        };
        let [left, right] = [taken(stored_left, transposed[0]), taken(stored_right, transposed[1])];
        let signature = signature(OpKind::Multiply, Form::Values, left, Some(right))?;
        if signature.kind != OpKind::Multiply {
            return Err(Error::Argument("a factor of a product with a transpose has one element".into()));
        }
        let operands = (stored_left, Some(stored_right));
        Ok(SmallOperation {
            transposed,
            ..SmallOperation::of(signature, Form::Values, operands, left.shape)?
        })
    }

    /// The operation, if it is small. `first`: the shape of the first operand, after it has been transposed.
    fn of(
        signature: Signature,
        form: Form,
        operands: (ValueType, Option<ValueType>),
        first: Shape,
    ) -> Result<SmallOperation> {
        let values = [Some(signature.result), Some(operands.0), operands.1];
        let ValueType { shape, precision, class } = signature.result;
        let is_product = signature.kind == OpKind::Multiply;
        let most = most_elements(signature.kind);
        // A factor of another class is copied.
        let most_of = |value: ValueType| if value.class == class { most } else { most.min(MOST_ELEMENTS) };
        let unfit =
            |value: ValueType| value.shape.is_empty() || value.shape.elements() > most_of(value) as u64;
        let few = values.iter().flatten().all(|value| value.shape.elements() <= FEW_ELEMENTS as u64);
        let is_long = is_product && !few && !limit::is_short_product(precision, first, shape);
        let inner = match is_product {
            true => limit::inner_axis(precision, shape, first.columns),
            false => Some(Axis::whole(1)),
        };
        match inner {
            Some(inner) if !is_long && !values.into_iter().flatten().any(unfit) => {
                Ok(SmallOperation { signature, form, operands, transposed: [false; 2], inner })
            }
            _ => Err(Error::Argument("a matrix is empty, or too large for a small operation".into())),
        }
    }

    /// Shape and class of the result.
    #[must_use]
    pub fn result(&self) -> (Shape, Class) {
        (self.signature.result.shape, self.signature.result.class)
    }

    /// Computes it.
    ///
    /// # Errors
    /// [`Error::Domain`] when the result would be complex. [`Error::Argument`] when shape or class of the
    /// elements differs from the operation's.
    pub fn compute(
        self,
        scalar: f64,
        first: (Shape, SmallElements<'_>),
        second: Option<(Shape, SmallElements<'_>)>,
        result: SmallDestination<'_>,
    ) -> Result<()> {
        let value = |(shape, elements): (Shape, SmallElements<'_>)| ValueType::of(shape, elements.class());
        let expected = if self.form == Form::Values { self.operands.1 } else { None };
        if (value(first), second.map(value)) != (self.operands.0, expected) {
            return Err(Error::Argument("these are not the operands of this operation".into()));
        }
        let operands = [Some(first), second].into_iter().flatten();
        if operands.clone().any(|(shape, elements)| elements.len() as u64 != shape.elements())
            || result.len() as u64 != self.signature.result.shape.elements()
        {
            return Err(Error::Argument("the number of elements is not that of the shape".into()));
        }
        let Signature { kind, result: ValueType { shape, precision, .. } } = self.signature;
        if let (OpKind::Multiply, Some(second)) = (kind, second) {
            return self.multiply([first, second], result);
        }
        let outcome = match self.flat(scalar, first, second) {
            Some(flat) => self.compute_flat(flat, result),
            None => match precision {
                Precision::Single => padded::compute::<f32>(self, scalar, first, second, result),
                // Truth values are 0 and 1 in every precision.
                Precision::Double | Precision::Byte => {
                    padded::compute::<f64>(self, scalar, first, second, result)
                }
            },
        };
        outcome.map_err(|status| match status {
            Status::Domain => Error::Domain { blame: Blame { kind, shape, site: Default::default() } },
            status => Error::Argument(format!("{}: {status}", kind.name())),
        })
    }

    fn multiply(self, [a, b]: [(Shape, SmallElements<'_>); 2], result: SmallDestination<'_>) -> Result<()> {
        let factor = |(stored, elements), transposed| Factor { stored, elements, transposed };
        let factors = [factor(a, self.transposed[0]), factor(b, self.transposed[1])];
        let ValueType { shape, precision, .. } = self.signature.result;
        let (to, pads) = ((shape, result), spe_kernels::products_need_pads());
        match precision {
            Precision::Single => product::compute::<f32>(factors, self.inner, to, pads),
            Precision::Double | Precision::Byte => product::compute::<f64>(factors, self.inner, to, pads),
        }
    }

    /// The operation, if the ends of columns do not matter, and if its operands are numbers of one precision
    /// or truth values. An operand of one element is a scalar then.
    fn flat<'a>(
        self,
        scalar: f64,
        first: (Shape, SmallElements<'a>),
        second: Option<(Shape, SmallElements<'a>)>,
    ) -> Option<Flat<'a>> {
        let Signature { result: ValueType { shape, precision, .. }, .. } = self.signature;
        let whole = |operand: (Shape, SmallElements<'a>)| {
            let class = operand.1.class();
            let fits = class == Class::Logical || class == precision.into();
            (operand.0 == shape && fits).then_some(operand.1)
        };
        let (form, scalar, operands) = match second {
            None => (self.form, scalar, [whole(first)?; 2]),
            Some(second) if second.0 == shape && first.0 == shape => {
                (Form::Values, scalar, [whole(first)?, whole(second)?])
            }
            Some(second) => match (first.1.number(), second.1.number()) {
                (_, Some(number)) => (Form::ScalarRight, number, [whole(first)?; 2]),
                (Some(number), _) => (Form::ScalarLeft, number, [whole(second)?; 2]),
                _ => return None,
            },
        };
        let two = second.is_some() && form == Form::Values;
        Some(Flat { form, scalar, operands, count: 1 + usize::from(two) })
    }

    fn compute_flat(self, flat: Flat<'_>, mut result: SmallDestination<'_>) -> Result<(), Status> {
        let Signature { kind, result: ValueType { precision, .. } } = self.signature;
        let Flat { form, scalar, operands, count } = flat;
        let (length, to, from) = (result.len(), result.run(), operands.map(SmallElements::run));
        let from = &from[..count];
        let numbers = from.iter().chain([&to]).any(|run| run.precision != Precision::Byte);
        let stored = from.iter().chain([&to]).map(|run| run.precision);
        let computed = if numbers { precision } else { computed_in(kind, form, scalar, stored) };
        // SAFETY: all of these slices have so many elements, the result is borrowed uniquely, and the kernel
        // writes the result alone.
        unsafe { in_place::execute((kind, form, scalar), computed, from, to, length) }
    }
}

/// An element-wise operation on runs of elements.
struct Flat<'a> {
    form: Form,
    scalar: f64,
    operands: [SmallElements<'a>; 2],
    /// Number of operands.
    count: usize,
}
