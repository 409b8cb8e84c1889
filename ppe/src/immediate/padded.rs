//! Element-wise operations on copies of their operands: rows and columns that are broadcast, and operands of
//! different precisions. A copy has what kernels need: elements of one precision, and columns that end with a
//! whole group of 16 bytes.

use spe_kernels::{Block, BlockMut, Opcode, Status};

use super::{SmallDestination, SmallElements, SmallOperation};
use crate::operation::Shape;
use crate::trace::{Signature, ValueType};

/// Copies of so many elements stand on the stack.
const ON_STACK: usize = 64;

/// The arithmetic of an operation, and the elements of copies.
pub(super) trait Real: spe_kernels::Element {
    fn of(value: f64) -> Self;
    fn double(self) -> f64;
    /// Elements that are of this type already.
    fn as_they_are(elements: SmallElements<'_>) -> Option<&[Self]>;
    /// The elements of a result of this type.
    fn as_it_is<'a>(result: &'a mut SmallDestination<'_>) -> Option<&'a mut [Self]>;
}

impl Real for f32 {
    fn as_they_are(elements: SmallElements<'_>) -> Option<&[f32]> {
        if let SmallElements::Single(from) = elements { Some(from) } else { None }
    }
    fn as_it_is<'a>(result: &'a mut SmallDestination<'_>) -> Option<&'a mut [f32]> {
        if let SmallDestination::Single(to) = result { Some(to) } else { None }
    }
    fn of(value: f64) -> f32 {
        value as f32
    }
    fn double(self) -> f64 {
        f64::from(self)
    }
}

impl Real for f64 {
    fn as_they_are(elements: SmallElements<'_>) -> Option<&[f64]> {
        if let SmallElements::Double(from) = elements { Some(from) } else { None }
    }
    fn as_it_is<'a>(result: &'a mut SmallDestination<'_>) -> Option<&'a mut [f64]> {
        if let SmallDestination::Double(to) = result { Some(to) } else { None }
    }
    fn of(value: f64) -> f64 {
        value
    }
    fn double(self) -> f64 {
        self
    }
}

/// How copies are stored.
#[derive(Clone, Copy)]
pub(super) struct Copies {
    /// Without broadcasting the ends of columns do not matter to an element-wise operation: all elements are
    /// one column.
    pub(super) flat: bool,
}

impl Copies {
    /// Rows and columns of a copy.
    pub(super) fn sides(self, shape: Shape) -> (usize, usize) {
        if self.flat { (shape.elements() as usize, 1) } else { (shape.rows as usize, shape.columns as usize) }
    }

    /// Distance between columns: they are padded to 16 bytes.
    pub(super) fn stride<T>(self, shape: Shape) -> usize {
        self.sides(shape).0.next_multiple_of(16 / size_of::<T>())
    }

    fn fill<T: Real>(self, to: &mut [T], (shape, from): (Shape, SmallElements<'_>)) {
        fn copy<S: Copy, T>(
            to: &mut [T],
            from: &[S],
            (rows, stride): (usize, usize),
            convert: impl Fn(S) -> T,
        ) {
            for (to, from) in to.chunks_mut(stride).zip(from.chunks_exact(rows)) {
                to.iter_mut().zip(from).for_each(|(target, &value)| *target = convert(value));
            }
        }
        let column = (self.sides(shape).0, self.stride::<T>(shape));
        if let Some(from) = T::as_they_are(from) {
            let columns = to.chunks_mut(column.1).zip(from.chunks_exact(column.0));
            return columns.for_each(|(to, from)| to[..column.0].copy_from_slice(from));
        }
        match from {
            SmallElements::Single(from) => copy(to, from, column, |x| T::of(f64::from(x))),
            SmallElements::Double(from) => copy(to, from, column, T::of),
            SmallElements::Logical(from) => copy(to, from, column, |x| T::of(f64::from(x))),
        }
    }

    /// The elements of an operand, and how many of them are between columns. They are copied where the operand has
    /// other elements, or columns without the pads that are asked for.
    pub(super) fn elements<'a, T: Real>(
        self,
        room: &'a mut Room<T>,
        (shape, elements): (Shape, SmallElements<'a>),
        pads: bool,
    ) -> (&'a [T], usize) {
        let ((rows, columns), stride) = (self.sides(shape), self.stride::<T>(shape));
        match T::as_they_are(elements) {
            Some(as_they_are) if !pads || rows == stride => (as_they_are, rows),
            _ => {
                let copy = room.take(stride * columns);
                self.fill(copy, (shape, elements));
                (copy, stride)
            }
        }
    }

    fn operand<'a, T: Real>(
        self,
        room: &'a mut Room<T>,
        operand: (Shape, SmallElements<'a>),
    ) -> Block<'a, T> {
        let (rows, columns) = self.sides(operand.0);
        let (data, stride) = self.elements(room, operand, true);
        Block::new(data, rows, columns, stride)
    }
}

/// Memory for a copy.
pub(super) struct Room<T> {
    /// It is there once it is needed, because clearing it takes time.
    few: Option<[T; ON_STACK]>,
    many: Vec<T>,
}

impl<T: Real> Room<T> {
    pub(super) fn new() -> Room<T> {
        Room { few: None, many: Vec::new() }
    }

    /// So many zeros.
    pub(super) fn take(&mut self, length: usize) -> &mut [T] {
        if length <= ON_STACK {
            return &mut self.few.insert([T::default(); ON_STACK])[..length];
        }
        self.many.resize(length, T::default());
        &mut self.many
    }
}

/// Computes an element-wise operation whose operands and result have as many elements as their shapes.
///
/// # Errors
/// The status of the kernel.
pub(super) fn compute<T: Real>(
    operation: SmallOperation,
    scalar: f64,
    first: (Shape, SmallElements<'_>),
    second: Option<(Shape, SmallElements<'_>)>,
    mut result: SmallDestination<'_>,
) -> Result<(), Status> {
    let Signature { kind, result: ValueType { shape, .. } } = operation.signature;
    let flat = first.0 == shape && second.is_none_or(|s| s.0 == shape);
    let copies = Copies { flat };
    let (mut a, mut b, mut c) = (Room::<T>::new(), Room::<T>::new(), Room::<T>::new());
    let first = copies.operand(&mut a, first);
    let second = second.map(|second| copies.operand(&mut b, second));
    let ((rows, columns), stride) = (copies.sides(shape), copies.stride::<T>(shape));
    let execute = |to: &mut [T]| {
        let target = BlockMut::new(to, rows, columns, stride);
        spe_kernels::execute(Opcode::ALL[kind as usize], operation.form.into(), scalar, first, second, target)
    };
    // A result without pads is written where it belongs.
    if let Some(to) = T::as_it_is(&mut result).filter(|_| rows == stride) {
        return execute(to);
    }
    let to = c.take(stride * columns);
    execute(to)?;
    give_columns(result, to, (rows, stride));
    Ok(())
}

/// Converts the elements of a copy of a result, without its pads, to the class of the result.
pub(super) fn give_columns<T: Real>(
    mut result: SmallDestination<'_>,
    copy: &[T],
    (rows, stride): (usize, usize),
) {
    let columns = copy.chunks_exact(stride).map(|column| &column[..rows]);
    match T::as_it_is(&mut result) {
        // Element by element a copy takes as long as a product.
        Some(to) => {
            to.chunks_exact_mut(rows).zip(columns).for_each(|(to, column)| to.copy_from_slice(column))
        }
        None => give(result, columns.flatten().copied()),
    }
}

/// Converts the elements of a result to its class.
pub(super) fn give<T: Real>(result: SmallDestination<'_>, values: impl Iterator<Item = T>) {
    match result {
        SmallDestination::Single(to) => to.iter_mut().zip(values).for_each(|(to, x)| *to = x.double() as f32),
        SmallDestination::Double(to) => to.iter_mut().zip(values).for_each(|(to, x)| *to = x.double()),
        SmallDestination::Logical(to) => {
            to.iter_mut().zip(values).for_each(|(to, x)| *to = u8::from(x.double() != 0.0));
        }
    }
}
