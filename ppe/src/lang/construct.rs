//! The constructors: matrices that a program makes from a few numbers.

use super::table::{MAX_ELEMENTS, Table, room};
use crate::error::{Error, Result};
use crate::operation::{MAX_SIDE, Shape};

/// The prime modulus of [`rand`].
const PRIME: u64 = 2_147_483_647;

/// Largest seed of [`rand`]: every product in it stays exact in double precision too.
const MAX_SEED: f64 = 4_294_967_295.0;

/// A whole number of at most `most`, for an argument that is described by `what`.
fn whole(value: f64, most: f64, what: &str) -> Result<u64> {
    if value.is_nan() || value < 0.0 || value.fract() != 0.0 || value > most {
        let value = super::display::number(value, false);
        return Err(Error::Argument(format!("{what} must be a whole number from 0 to {most}, not {value}")));
    }
    Ok(value as u64)
}

/// The shape with these sides.
///
/// # Errors
/// [`Error::Argument`] when a side is not a whole number, or the matrix would be absurdly large.
pub fn shape(rows: f64, columns: f64, function: &str) -> Result<Shape> {
    let side = |value, name| whole(value, MAX_SIDE as f64, &format!("{function}: the number of {name}"));
    let shape = Shape::new(side(rows, "rows")?, side(columns, "columns")?)?;
    if shape.elements() > MAX_ELEMENTS {
        let what = format!("{function}: a {shape} matrix is too large (at most {MAX_ELEMENTS} elements)");
        return Err(Error::Argument(what));
    }
    Ok(shape)
}

/// A matrix whose element (r, c) is `element(r, c)`.
///
/// # Errors
/// [`Error::Memory`]
pub fn from_fn(shape: Shape, mut element: impl FnMut(u64, u64) -> f64) -> Result<Table> {
    let mut elements = room(shape.elements(), "a new matrix")?;
    for c in 0..u64::from(shape.columns) {
        elements.extend((0..u64::from(shape.rows)).map(|r| element(r, c)));
    }
    Ok(Table { shape, class: None, elements })
}

/// The row `first, first + 1, ...` up to `last`; empty when that is less.
///
/// # Errors
/// [`Error::Argument`] for numbers that are not finite, and for rows that are absurdly long.
pub fn range(first: f64, last: f64) -> Result<Table> {
    if !(first.is_finite() && last.is_finite()) {
        return Err(Error::Argument("range: both ends must be finite numbers".into()));
    }
    let count = if last < first { 0.0 } else { (last - first).floor() + 1.0 };
    from_fn(shape(1.0, count, "range")?, |_, c| first + c as f64)
}

/// Reproducible numbers of [0, 1): a recurrence on integers that are exact in double precision, hashed from
/// position and seed.
///
/// # Errors
/// [`Error::Argument`] when the seed is not a whole number of at most 32 bits.
pub fn rand(shape: Shape, seed: f64) -> Result<Table> {
    let start = whole(seed, MAX_SEED, "rand: the seed")? * 16_807 + 12_345;
    from_fn(shape, |r, c| {
        let h = (r * 48_271 + c * 69_621 + start) % PRIME;
        let h = (h * (h % 65_521) + 40_692) % PRIME;
        let h = (h * (h % 65_537) + 9_301) % PRIME;
        h as f64 / PRIME as f64
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn senseless_sizes_are_refused() {
        for (rows, columns) in [(f64::NAN, 2.0), (-1.0, 2.0), (2.0, 1.5), (f64::INFINITY, 1.0), (1e6, 1e6)] {
            assert!(shape(rows, columns, "zeros").is_err(), "{rows} {columns}");
        }
        let message = shape(f64::NAN, 2.0, "zeros").unwrap_err().to_string();
        assert_eq!(message, "zeros: the number of rows must be a whole number from 0 to 1073741824, not NaN");
    }

    #[test]
    fn rand_is_the_recurrence_in_double_precision() {
        let p = 2_147_483_647.0;
        let table = rand(Shape { rows: 50, columns: 7 }, 52.0).unwrap();
        for c in 0..7 {
            for r in 0..50 {
                let h =
                    (f64::from(r) * 48_271.0 + f64::from(c) * 69_621.0 + (52.0 * 16_807.0 + 12_345.0)) % p;
                let h = (h * (h % 65_521.0) + 40_692.0) % p;
                let h = (h * (h % 65_537.0) + 9_301.0) % p;
                assert_eq!(table.elements[(c * 50 + r) as usize], h / p);
            }
        }
        assert!(table.elements.iter().all(|u| (0.0..1.0).contains(u)));
        assert!(rand(Shape { rows: 1, columns: 1 }, -1.0).is_err());
    }

    #[test]
    fn ranges() {
        assert_eq!(range(-1.0, 2.5).unwrap().elements, [-1.0, 0.0, 1.0, 2.0]);
        assert!(range(2.0, 1.0).unwrap().elements.is_empty());
        assert!(range(0.0, f64::INFINITY).is_err());
        assert!(range(0.0, 1e300).is_err());
    }
}
