//! The constructors: matrices that a program makes from a few numbers.

use super::table::MAX_ELEMENTS;
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

/// The shape of the row `first, first + 1, ...` up to `last`; empty when that is less.
///
/// # Errors
/// [`Error::Argument`] for numbers that are not finite, and for rows that are absurdly long.
pub fn range(first: f64, last: f64) -> Result<Shape> {
    if !(first.is_finite() && last.is_finite()) {
        return Err(Error::Argument("range: both ends must be finite numbers".into()));
    }
    let count = if last < first { 0.0 } else { (last - first).floor() + 1.0 };
    shape(1.0, count, "range")
}

/// Reproducible numbers of [0, 1) by row and column: a recurrence on integers that are exact in double precision,
/// hashed from position and seed.
///
/// # Errors
/// [`Error::Argument`] when the seed is not a whole number of at most 32 bits.
pub fn rand(seed: f64) -> Result<impl Fn(usize, usize) -> f64> {
    let start = whole(seed, MAX_SEED, "rand: the seed")? * 16_807 + 12_345;
    Ok(move |r, c| {
        let h = (r as u64 * 48_271 + c as u64 * 69_621 + start) % PRIME;
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
        let element = rand(52.0).unwrap();
        for c in 0..7 {
            for r in 0..50 {
                let h = (r as f64 * 48_271.0 + c as f64 * 69_621.0 + (52.0 * 16_807.0 + 12_345.0)) % p;
                let h = (h * (h % 65_521.0) + 40_692.0) % p;
                let h = (h * (h % 65_537.0) + 9_301.0) % p;
                assert_eq!(element(r, c), h / p);
                assert!((0.0..1.0).contains(&element(r, c)));
            }
        }
        assert!(rand(-1.0).is_err());
    }

    #[test]
    fn ranges() {
        assert_eq!(range(-1.0, 2.5).unwrap(), Shape { rows: 1, columns: 4 });
        assert_eq!(range(2.0, 1.0).unwrap().elements(), 0);
        assert!(range(0.0, f64::INFINITY).is_err());
        assert!(range(0.0, 1e300).is_err());
    }
}
