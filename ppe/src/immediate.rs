//! Immediate execution: operations on matrices of a few elements, computed at once in the calling thread.
//!
//! Recording, lowering, scheduling and executing an operation by an MEU costs far more than the few additions
//! of a 4 x 4 matrix. So a front end may keep small operations to itself, and have this module compute them.
//! The kernels are the kernels of the MEUs. A matrix of at most [`MOST_ELEMENTS`] elements is never cut, so
//! results have the bits that an engine would give.

use crate::error::{Blame, Error, Result};
use crate::operation::{Class, Form, OpKind, Precision, Shape, Side};
use crate::trace::{Signature, ValueType, reduction, signature};
use spe_kernels::{Block, BlockMut, Opcode, Status, sys};

/// No operand and no result has more elements.
pub const MOST_ELEMENTS: usize = 64;

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
}

/// A small operation: its operands' shapes and classes have been checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SmallOperation {
    signature: Signature,
    form: Form,
    operands: (ValueType, Option<ValueType>),
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
        let values = [Some(signature.result), Some(operands.0), operands.1];
        let unfit = |shape: Shape| shape.is_empty() || shape.elements() > MOST_ELEMENTS as u64;
        if values.into_iter().flatten().any(|value| unfit(value.shape)) {
            return Err(Error::Argument("a matrix is empty, or too large for a small operation".into()));
        }
        Ok(SmallOperation { signature, form, operands })
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
        match self.signature.result.precision {
            Precision::Single => self.compute_in::<f32>(scalar, first, second, result),
            // Truth values are 0 and 1 in every precision.
            Precision::Double | Precision::Byte => self.compute_in::<f64>(scalar, first, second, result),
        }
    }

    fn compute_in<T: Real>(
        self,
        scalar: f64,
        first: (Shape, SmallElements<'_>),
        second: Option<(Shape, SmallElements<'_>)>,
        result: SmallDestination<'_>,
    ) -> Result<()> {
        let Signature { kind, result: ValueType { shape, .. } } = self.signature;
        // Without broadcasting the ends of columns do not matter to an element-wise operation.
        let flat = kind != OpKind::Multiply && first.0 == shape && second.is_none_or(|s| s.0 == shape);
        let widest = |shape: Shape| stride::<T>(shape, flat) * if flat { 1 } else { shape.columns as usize };
        let most = widest(shape).max(widest(first.0)).max(second.map_or(0, |s| widest(s.0)));
        if most <= 64 {
            self.compute_padded::<T, 64>(flat, scalar, first, second, result)
        } else {
            self.compute_padded::<T, 256>(flat, scalar, first, second, result)
        }
    }

    fn compute_padded<T: Real, const N: usize>(
        self,
        flat: bool,
        scalar: f64,
        first: (Shape, SmallElements<'_>),
        second: Option<(Shape, SmallElements<'_>)>,
        result: SmallDestination<'_>,
    ) -> Result<()> {
        let Signature { kind, result: ValueType { shape: result_shape, .. } } = self.signature;
        let (mut a, mut b, mut c) = ([T::default(); N], [T::default(); N], [T::default(); N]);
        fill(&mut a, first, flat)?;
        if let Some(second) = second {
            fill(&mut b, second, flat)?;
        }
        let sides = |shape: Shape| match flat {
            true => (shape.elements() as usize, 1),
            false => (shape.rows as usize, shape.columns as usize),
        };
        let block = |data, shape| {
            let (rows, columns) = sides(shape);
            Block::new(data, rows, columns, stride::<T>(shape, flat))
        };
        let (rows, columns) = sides(result_shape);
        let target = BlockMut::new(&mut c, rows, columns, stride::<T>(result_shape, flat));
        let form = match self.form {
            Form::Values => spe_kernels::Form::Blocks,
            Form::ScalarRight => spe_kernels::Form::ScalarRight,
            Form::ScalarLeft => spe_kernels::Form::ScalarLeft,
        };
        let opcode = Opcode::ALL[kind as usize];
        let beside = second.map(|second| block(&b[..], second.0));
        match spe_kernels::execute(opcode, form, scalar, block(&a[..], first.0), beside, target) {
            Ok(()) => {}
            Err(Status::Domain) => {
                let blame = Blame { kind, shape: result_shape, site: Default::default() };
                return Err(Error::Domain { blame });
            }
            Err(status) => return Err(Error::Argument(format!("{}: {status}", kind.name()))),
        }
        give(result, result_shape, columns_of(&c, result_shape, flat))
    }
}

/// Reduces each column or row of a matrix of few numbers to one element, or takes cumulative sums along them.
/// [`OpKind::Norm`] takes all elements together, whatever `side` is.
///
/// # Errors
/// [`Error::Argument`] for other kinds, for logical values, for matrices that are empty or too large, and when
/// the result has another shape or class.
pub fn reduce_small(
    kind: OpKind,
    side: Side,
    (shape, elements): (Shape, SmallElements<'_>),
    (result_shape, result): (Shape, SmallDestination<'_>),
) -> Result<()> {
    let expected = reduction(kind, ValueType::of(shape, elements.class()), side)?;
    if shape.is_empty()
        || shape.elements() > MOST_ELEMENTS as u64
        || expected != (result_shape, result.class())
    {
        return Err(Error::Argument(format!("{} of a {shape} matrix has no such small form", kind.name())));
    }
    match elements {
        SmallElements::Single(from) => reduce_in(kind, side, (shape, from), result_shape, result),
        SmallElements::Double(from) => reduce_in(kind, side, (shape, from), result_shape, result),
        SmallElements::Logical(_) => Err(Error::Argument("a logical matrix has no small reduction".into())),
    }
}

fn reduce_in<T: Real>(
    kind: OpKind,
    side: Side,
    (shape, from): (Shape, &[T]),
    result_shape: Shape,
    result: SmallDestination<'_>,
) -> Result<()> {
    if from.len() as u64 != shape.elements() {
        return Err(Error::Argument("the number of elements is not that of the shape".into()));
    }
    let mut to = [T::default(); MOST_ELEMENTS];
    let matrix = |ea, shape: Shape| sys::direct_matrix {
        ea,
        stride_bytes: u64::from(shape.rows) * size_of::<T>() as u64,
        rows: shape.rows,
        columns: shape.columns,
    };
    let operation = sys::direct_operation {
        opcode: kind as u32,
        precision: T::PRECISION as u32,
        operand_count: 1,
        parameters: [side as i64, 0, 0],
        result: matrix(to.as_mut_ptr() as u64, result_shape),
        operands: [matrix(from.as_ptr() as u64, shape), sys::direct_matrix::default()],
        ..sys::direct_operation::default()
    };
    // SAFETY: both matrices are arrays of this function or its caller, with as many elements as their shapes
    // have; a reduction has no more elements than its operand, and so no more than MOST_ELEMENTS.
    unsafe { spe_kernels::execute_direct(&operation) }
        .map_err(|status| Error::Argument(format!("{}: {status}", kind.name())))?;
    let values = to.iter().copied().take(result_shape.elements() as usize);
    give(result, result_shape, values)
}

/// Converts the elements of a result to its class.
fn give<T: Real>(result: SmallDestination<'_>, shape: Shape, values: impl Iterator<Item = T>) -> Result<()> {
    match result {
        SmallDestination::Single(to) => spread(to, shape, values.map(|x| x.double() as f32)),
        SmallDestination::Double(to) => spread(to, shape, values.map(|x| x.double())),
        SmallDestination::Logical(to) => spread(to, shape, values.map(|x| u8::from(x.double() != 0.0))),
    }
}

trait Real: spe_kernels::Element {
    fn of(value: f64) -> Self;
    fn double(self) -> f64;
}

impl Real for f32 {
    fn of(value: f64) -> f32 {
        value as f32
    }
    fn double(self) -> f64 {
        f64::from(self)
    }
}

impl Real for f64 {
    fn of(value: f64) -> f64 {
        value
    }
    fn double(self) -> f64 {
        self
    }
}

/// Distance between columns: they are padded to 16 bytes.
fn stride<T>(shape: Shape, flat: bool) -> usize {
    let rows = if flat { shape.elements() as usize } else { shape.rows as usize };
    rows.next_multiple_of(16 / size_of::<T>())
}

fn fill<T: Real>(to: &mut [T], (shape, from): (Shape, SmallElements<'_>), flat: bool) -> Result<()> {
    fn copy<S: Copy, T>(
        to: &mut [T],
        from: &[S],
        shape: Shape,
        flat: bool,
        convert: impl Fn(S) -> T,
    ) -> Result<()> {
        if from.len() as u64 != shape.elements() {
            return Err(Error::Argument("the number of elements is not that of the shape".into()));
        }
        let rows = if flat { from.len() } else { shape.rows as usize };
        for (column, values) in from.chunks_exact(rows).enumerate() {
            let start = column * stride::<T>(shape, flat);
            for (target, &value) in to[start..].iter_mut().zip(values) {
                *target = convert(value);
            }
        }
        Ok(())
    }
    match from {
        SmallElements::Single(from) => copy(to, from, shape, flat, |x| T::of(f64::from(x))),
        SmallElements::Double(from) => copy(to, from, shape, flat, T::of),
        SmallElements::Logical(from) => copy(to, from, shape, flat, |x| T::of(f64::from(x))),
    }
}

/// The elements of a padded block, column by column.
fn columns_of<T: Real>(from: &[T], shape: Shape, flat: bool) -> impl Iterator<Item = T> + '_ {
    let rows = if flat { shape.elements() as usize } else { shape.rows as usize };
    let columns = if flat { 1 } else { shape.columns as usize };
    from.chunks(stride::<T>(shape, flat)).take(columns).flat_map(move |column| column[..rows].iter().copied())
}

fn spread<T>(to: &mut [T], shape: Shape, values: impl Iterator<Item = T>) -> Result<()> {
    if to.len() as u64 != shape.elements() {
        return Err(Error::Argument("the result has another number of elements".into()));
    }
    to.iter_mut().zip(values).for_each(|(target, value)| *target = value);
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;

    fn shape(rows: u32, columns: u32) -> Shape {
        Shape { rows, columns }
    }

    fn double(kind: OpKind, a: (Shape, &[f64]), b: (Shape, &[f64])) -> Vec<f64> {
        let class = Class::Double;
        let operation = SmallOperation::new(kind, Form::Values, (a.0, class), Some((b.0, class))).unwrap();
        let mut result = vec![0.0; operation.result().0.elements() as usize];
        let operands = [a, b].map(|(shape, data)| (shape, SmallElements::Double(data)));
        operation
            .compute(0.0, operands[0], Some(operands[1]), SmallDestination::Double(&mut result))
            .unwrap();
        result
    }

    #[test]
    fn sums_products_and_broadcasting() {
        let m = (shape(3, 2), &[1., 2., 3., 4., 5., 6.][..]);
        let row = (shape(1, 2), &[10., 20.][..]);
        assert_eq!(double(OpKind::Add, m, m), [2., 4., 6., 8., 10., 12.]);
        assert_eq!(double(OpKind::Add, m, row), [11., 12., 13., 24., 25., 26.]);
        assert_eq!(double(OpKind::Add, row, m), [11., 12., 13., 24., 25., 26.]);
        let square = (shape(2, 2), &[1., 0., 1., 1.][..]);
        assert_eq!(double(OpKind::Multiply, m, square), [1., 2., 3., 5., 7., 9.]);
        assert_eq!(double(OpKind::Multiply, m, (shape(1, 1), &[2.])), [2., 4., 6., 8., 10., 12.]);
        let wide = [1.0; 64];
        assert_eq!(double(OpKind::Multiply, (shape(1, 64), &wide), (shape(64, 1), &wide)), [64.]);
        assert_eq!(double(OpKind::Multiply, (shape(8, 1), &wide[..8]), (shape(1, 8), &wide[..8])), wide);
    }

    #[test]
    fn classes_and_scalars() {
        let (a, b) = ((shape(1, 1), Class::Single), (shape(1, 3), Class::Double));
        let operation = SmallOperation::new(OpKind::Add, Form::Values, a, Some(b)).unwrap();
        assert_eq!(operation.result(), (shape(1, 3), Class::Single));
        let mut result = [0f32; 3];
        let operands = (SmallElements::Single(&[1.0]), SmallElements::Double(&[0.1, 1.0, 2.0]));
        operation
            .compute(0.0, (a.0, operands.0), Some((b.0, operands.1)), SmallDestination::Single(&mut result))
            .unwrap();
        assert_eq!(result, [1.0 + 0.1f32, 2.0, 3.0]);
        let scalar = Some((shape(1, 1), Class::Double));
        let operation = SmallOperation::new(OpKind::Equal, Form::ScalarLeft, b, scalar).unwrap();
        assert_eq!(operation.result().1, Class::Logical);
        let mut result = [9u8; 3];
        operation.compute(1.0, (b.0, operands.1), None, SmallDestination::Logical(&mut result)).unwrap();
        assert_eq!(result, [0, 1, 0]);
    }

    #[test]
    fn reductions() {
        let m = (shape(2, 3), SmallElements::Double(&[1., -2., 3., 4., 0., 6.]));
        let reduce = |kind, side, of: (u32, u32)| {
            let mut to = [9.0; 6];
            let count = (of.0 * of.1) as usize;
            let result = (shape(of.0, of.1), SmallDestination::Double(&mut to[..count]));
            reduce_small(kind, side, m, result).map(|()| to[..count].to_vec())
        };
        assert_eq!(reduce(OpKind::Sum, Side::Column, (1, 3)).unwrap(), [-1., 7., 6.]);
        assert_eq!(reduce(OpKind::Sum, Side::Row, (2, 1)).unwrap(), [4., 8.]);
        assert_eq!(reduce(OpKind::Maximum, Side::Row, (2, 1)).unwrap(), [3., 6.]);
        assert_eq!(reduce(OpKind::CumulativeSum, Side::Column, (2, 3)).unwrap(), [1., -1., 3., 7., 0., 6.]);
        assert_eq!(reduce(OpKind::Norm, Side::Column, (1, 1)).unwrap(), [66f64.sqrt()]);
        assert!(reduce(OpKind::Sum, Side::Row, (1, 3)).is_err());
        assert!(reduce(OpKind::Add, Side::Column, (1, 3)).is_err());
        assert!(reduce(OpKind::All, Side::Column, (1, 3)).is_err(), "its result is logical");
        let mut truth = [9u8; 3];
        let result = (shape(1, 3), SmallDestination::Logical(&mut truth));
        reduce_small(OpKind::All, Side::Column, m, result).unwrap();
        assert_eq!(truth, [1, 1, 0]);
        let logical = (shape(1, 2), SmallElements::Logical(&[1, 0]));
        let mut sum = [0.0];
        let result = (shape(1, 1), SmallDestination::Double(&mut sum));
        assert!(reduce_small(OpKind::Sum, Side::Row, logical, result).is_err());
    }

    #[test]
    fn what_has_no_small_form() {
        let of = |rows, columns| (shape(rows, columns), Class::Double);
        let new = |kind, a, b| SmallOperation::new(kind, Form::Values, a, b).unwrap_err().octave_id();
        assert_eq!(new(OpKind::Add, of(2, 3), Some(of(3, 2))), "Octave:nonconformant-args");
        for (kind, a, b) in [
            (OpKind::Add, of(65, 1), Some(of(1, 1))),
            (OpKind::Add, of(0, 1), Some(of(1, 1))),
            (OpKind::Multiply, of(9, 1), Some(of(1, 9))),
            (OpKind::Abs, of(1, 1), Some(of(1, 1))),
            (OpKind::Add, of(1, 1), None),
            (OpKind::Convert, of(1, 1), None),
        ] {
            assert_ne!(new(kind, a, b), "Octave:nonconformant-args", "{kind:?}");
        }
    }

    #[test]
    fn complex_results_are_refused() {
        let of = (shape(1, 2), Class::Double);
        let scalar = Some((shape(1, 1), Class::Double));
        let operation = SmallOperation::new(OpKind::Power, Form::ScalarRight, of, scalar).unwrap();
        let mut result = [0.0; 2];
        let a = (of.0, SmallElements::Double(&[4.0, -4.0]));
        let outcome = operation.compute(0.5, a, None, SmallDestination::Double(&mut result));
        assert!(matches!(outcome, Err(Error::Domain { .. })), "{outcome:?}");
    }
}
