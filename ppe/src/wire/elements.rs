//! The elements of matrices as bytes, and the constructors that make elements.

use super::reader::Reader;
use crate::error::Result;
use crate::matrix::{Constructor, Element, Matrix};
use crate::operation::{Precision, Shape};
use crate::pool::Pool;

/// An element that knows its bytes.
trait Plain: Element {
    fn put(self, to: &mut [u8]);
    fn get(from: &[u8]) -> Self;
}

macro_rules! plain {
    ($($type:ty),*) => {
        $(
            impl Plain for $type {
                fn put(self, to: &mut [u8]) {
                    to.copy_from_slice(&self.to_le_bytes());
                }

                fn get(from: &[u8]) -> $type {
                    let mut bytes = [0; size_of::<$type>()];
                    bytes.copy_from_slice(from);
                    <$type>::from_le_bytes(bytes)
                }
            }
        )*
    };
}

plain!(u8, f32, f64);

/// Bytes of all elements of a matrix.
#[must_use]
pub fn element_bytes(shape: Shape, precision: Precision) -> u64 {
    shape.elements().saturating_mul(precision.element_bytes() as u64)
}

/// The elements of a complete matrix that is in memory.
#[must_use]
pub fn encode(matrix: &Matrix) -> Vec<u8> {
    match matrix.precision() {
        Precision::Single => columns::<f32>(matrix),
        Precision::Double => columns::<f64>(matrix),
        Precision::Byte => columns::<u8>(matrix),
    }
}

fn columns<T: Plain>(matrix: &Matrix) -> Vec<u8> {
    let shape = matrix.shape();
    let mut bytes = vec![0; element_bytes(shape, T::PRECISION) as usize];
    let column_bytes = shape.rows as usize * size_of::<T>();
    if column_bytes > 0 {
        for (column, to) in (0..shape.columns).zip(bytes.chunks_exact_mut(column_bytes)) {
            let elements = matrix.column::<T>(column).iter();
            to.chunks_exact_mut(size_of::<T>()).zip(elements).for_each(|(to, &element)| element.put(to));
        }
    }
    bytes
}

/// A matrix with these elements.
///
/// # Errors
/// [`Error::Argument`](crate::error::Error::Argument) when there are fewer or more of them,
/// [`Error::Memory`](crate::error::Error::Memory).
pub fn decode(shape: Shape, precision: Precision, bytes: &[u8], pool: &Pool) -> Result<Matrix> {
    if bytes.len() as u64 != element_bytes(shape, precision) {
        let reader = Reader::new(bytes, "a matrix");
        return Err(reader.wrong(format!("{} bytes for {shape} elements", bytes.len())));
    }
    match precision {
        Precision::Single => matrix::<f32>(shape, bytes, pool),
        Precision::Double => matrix::<f64>(shape, bytes, pool),
        Precision::Byte => matrix::<u8>(shape, bytes, pool),
    }
}

fn matrix<T: Plain>(shape: Shape, bytes: &[u8], pool: &Pool) -> Result<Matrix> {
    let (rows, size) = (shape.rows as usize, size_of::<T>());
    Matrix::from_fn(shape, pool, |r, c| T::get(&bytes[(c * rows + r) * size..][..size]))
}

/// A byte that says which constructor it is, and its number in 8 bytes.
pub(super) fn put_constructor(bytes: &mut Vec<u8>, constructor: Constructor) {
    let (tag, number) = match constructor {
        Constructor::Zeros => (0, 0),
        Constructor::Ones => (1, 0),
        Constructor::Eye => (2, 0),
        Constructor::Range(first) => (3, first.to_bits()),
        Constructor::Rand(seed) => (4, seed.into()),
    };
    bytes.push(tag);
    bytes.extend(number.to_le_bytes());
}

/// The constructor that follows.
pub(super) fn constructor(reader: &mut Reader<'_>) -> Result<Constructor> {
    let (tag, number) = (reader.u8()?, reader.u64()?);
    match (tag, number, u32::try_from(number)) {
        (0, 0, _) => Ok(Constructor::Zeros),
        (1, 0, _) => Ok(Constructor::Ones),
        (2, 0, _) => Ok(Constructor::Eye),
        (3, ..) if f64::from_bits(number).is_finite() => Ok(Constructor::Range(f64::from_bits(number))),
        (4, _, Ok(seed)) => Ok(Constructor::Rand(seed)),
        _ => Err(reader.wrong(format!("there is no constructor {tag} with number {number}"))),
    }
}
