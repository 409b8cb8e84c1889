//! Constructors: matrices whose elements follow from their places and a few numbers. Whoever needs some of the elements
//! makes them, and nobody has to send or store the matrix.

use super::Matrix;
use crate::error::Result;
use crate::operation::{Precision, Shape};
use crate::pool::Pool;

/// The prime modulus of [`Constructor::Rand`].
const PRIME: u64 = 2_147_483_647;

/// How the elements of a matrix follow from their places.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Constructor {
    /// Zeros.
    Zeros,
    /// Ones.
    Ones,
    /// Ones on the main diagonal, and zeros elsewhere.
    Eye,
    /// This number in the first column, one more in each further column.
    Range(f64),
    /// Reproducible numbers of [0, 1) by row, column and this seed: a recurrence on integers that are exact in double
    /// precision.
    Rand(u32),
}

impl Constructor {
    /// Element (row, column).
    #[must_use]
    pub fn element(self, row: usize, column: usize) -> f64 {
        match self {
            Constructor::Zeros => 0.0,
            Constructor::Ones => 1.0,
            Constructor::Eye => f64::from(u8::from(row == column)),
            Constructor::Range(first) => first + column as f64,
            Constructor::Rand(seed) => {
                let start = u64::from(seed) * 16_807 + 12_345;
                let h = (row as u64 * 48_271 + column as u64 * 69_621 + start) % PRIME;
                let h = (h * (h % 65_521) + 40_692) % PRIME;
                let h = (h * (h % 65_537) + 9_301) % PRIME;
                h as f64 / PRIME as f64
            }
        }
    }

    /// Writes elements one after the other, in the machine's byte order; `place` says for each which one it is.
    pub fn write(self, precision: Precision, to: &mut [u8], place: impl Fn(usize) -> (usize, usize)) {
        for (number, to) in to.chunks_exact_mut(precision.element_bytes()).enumerate() {
            let (row, column) = place(number);
            let element = self.element(row, column);
            match precision {
                Precision::Single => to.copy_from_slice(&(element as f32).to_ne_bytes()),
                Precision::Double => to.copy_from_slice(&element.to_ne_bytes()),
                Precision::Byte => to[0] = u8::from(element != 0.0),
            }
        }
    }

    /// All elements in memory.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::error::Error::Memory)
    pub fn matrix(self, shape: Shape, precision: Precision, pool: &Pool) -> Result<Matrix> {
        match precision {
            Precision::Single => Matrix::from_fn(shape, pool, |r, c| self.element(r, c) as f32),
            Precision::Double => Matrix::from_fn(shape, pool, |r, c| self.element(r, c)),
            Precision::Byte => Matrix::from_fn(shape, pool, |r, c| u8::from(self.element(r, c) != 0.0)),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;

    #[test]
    fn rand_is_the_recurrence_in_double_precision() {
        let p = 2_147_483_647.0;
        for c in 0..7 {
            for r in 0..50 {
                let h = (r as f64 * 48_271.0 + c as f64 * 69_621.0 + (52.0 * 16_807.0 + 12_345.0)) % p;
                let h = (h * (h % 65_521.0) + 40_692.0) % p;
                let h = (h * (h % 65_537.0) + 9_301.0) % p;
                assert_eq!(Constructor::Rand(52).element(r, c), h / p);
                assert!((0.0..1.0).contains(&Constructor::Rand(52).element(r, c)));
            }
        }
    }

    #[test]
    fn parts_have_the_elements_of_the_whole() {
        let pool = Pool::new(0, true);
        let shape = Shape { rows: 5, columns: 4 };
        let all = [
            Constructor::Zeros,
            Constructor::Ones,
            Constructor::Eye,
            Constructor::Range(-2.5),
            Constructor::Rand(u32::MAX),
        ];
        for constructor in all {
            for precision in [Precision::Single, Precision::Double, Precision::Byte] {
                let whole = constructor.matrix(shape, precision, &pool).unwrap();
                let later = Matrix::constructed(shape, precision, constructor, &pool);
                assert!(!later.is_here() && !later.is_elsewhere());
                later.bring(&|| false).unwrap();
                assert!(later.is_here() && later.values().eq(whole.values()));
                // Rows 1 to 3 of column 2.
                let mut part = vec![0; 3 * precision.element_bytes()];
                constructor.write(precision, &mut part, |number| (1 + number, 2));
                let elements = part.chunks_exact(precision.element_bytes()).map(|bytes| match precision {
                    Precision::Single => f64::from(f32::from_ne_bytes(bytes.try_into().unwrap())),
                    Precision::Double => f64::from_ne_bytes(bytes.try_into().unwrap()),
                    Precision::Byte => f64::from(bytes[0]),
                });
                assert!(elements.eq((1..4).map(|row| whole.value(row, 2))));
            }
        }
    }
}
