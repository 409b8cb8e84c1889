//! The constructors: matrices that a program makes from a few numbers.

use super::table::MAX_ELEMENTS;
use crate::error::{Error, Result};
use crate::matrix::Constructor;
use crate::operation::{MAX_SIDE, Shape};

/// Largest seed of [`rand`]: every product in the recurrence stays exact in double precision too.
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
/// [`Error::Argument`] when a side is not a whole number, or too large.
pub fn shape(rows: f64, columns: f64, function: &str) -> Result<Shape> {
    let side = |value, name| whole(value, MAX_SIDE as f64, &format!("{function}: the number of {name}"));
    Ok(Shape::new(side(rows, "rows")?, side(columns, "columns")?)?)
}

/// Refuses a matrix that is absurdly large for the memory of one process.
///
/// # Errors
/// [`Error::Argument`]
pub fn check_size(shape: Shape, function: &str) -> Result<()> {
    if shape.elements() > MAX_ELEMENTS {
        let what = format!("{function}: a {shape} matrix is too large (at most {MAX_ELEMENTS} elements)");
        return Err(Error::Argument(what));
    }
    Ok(())
}

/// The shape of the row `first, first + 1, ...` up to `last`; empty when that is less.
///
/// # Errors
/// [`Error::Argument`] for numbers that are not finite, and for rows that are too long.
pub fn range(first: f64, last: f64) -> Result<Shape> {
    if !(first.is_finite() && last.is_finite()) {
        return Err(Error::Argument("range: both ends must be finite numbers".into()));
    }
    let count = if last < first { 0.0 } else { (last - first).floor() + 1.0 };
    shape(1.0, count, "range")
}

/// Reproducible numbers of this seed.
///
/// # Errors
/// [`Error::Argument`] when the seed is not a whole number of at most 32 bits.
pub fn rand(seed: f64) -> Result<Constructor> {
    Ok(Constructor::Rand(whole(seed, MAX_SEED, "rand: the seed")? as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn senseless_sizes_are_refused() {
        for (rows, columns) in [(f64::NAN, 2.0), (-1.0, 2.0), (2.0, 1.5), (f64::INFINITY, 1.0), (2e9, 1.0)] {
            assert!(shape(rows, columns, "zeros").is_err(), "{rows} {columns}");
        }
        let message = shape(f64::NAN, 2.0, "zeros").unwrap_err().to_string();
        assert_eq!(message, "zeros: the number of rows must be a whole number from 0 to 1073741824, not NaN");
    }

    #[test]
    fn seeds() {
        assert_eq!(rand(4_294_967_295.0).unwrap(), Constructor::Rand(u32::MAX));
        for seed in [-1.0, 0.5, 4_294_967_296.0, f64::NAN] {
            assert!(rand(seed).is_err(), "{seed}");
        }
    }

    #[test]
    fn ranges() {
        assert_eq!(range(-1.0, 2.5).unwrap(), Shape { rows: 1, columns: 4 });
        assert_eq!(range(2.0, 1.0).unwrap().elements(), 0);
        assert!(range(0.0, f64::INFINITY).is_err());
        assert!(range(0.0, 1e300).is_err());
    }
}
