//! How values are shown.
//!
//! A number has as many digits as are needed to read it back exactly. The short format has five significant
//! digits.

use std::io::{self, Write};

use super::table::Table;

/// Digits of numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Digits {
    /// As many as are needed to read the number back exactly.
    #[default]
    Exact,
    /// Five significant digits.
    Short,
}

/// A number with as many digits as it takes to read it back, as a double or as a single.
#[must_use]
pub fn number(value: f64, single: bool) -> String {
    if value.is_nan() {
        return "NaN".into();
    }
    if value.is_infinite() {
        return if value > 0.0 { "Inf".into() } else { "-Inf".into() };
    }
    if value.fract() == 0.0 && value.abs() < 1e16 {
        return format!("{value:.0}");
    }
    // Debug, unlike Display, changes to an exponent where that is shorter.
    if single { format!("{:?}", value as f32) } else { format!("{value:?}") }
}

fn short(value: f64) -> String {
    if !value.is_finite() || (value.fract() == 0.0 && value.abs() < 1e6) {
        return number(value, false);
    }
    let exponent = format!("{value:.4e}");
    let power: i32 = exponent.rsplit('e').next().and_then(|power| power.parse().ok()).unwrap_or(0);
    if (-5..5).contains(&power) { format!("{value:.*}", (4 - power).max(0) as usize) } else { exponent }
}

impl Digits {
    fn text(self, value: f64, single: bool) -> String {
        match self {
            Digits::Exact => number(value, single),
            Digits::Short => short(value),
        }
    }
}

/// Writes the elements, a row a line, in columns.
///
/// # Errors
/// The errors of the writer.
pub fn write_rows(out: &mut dyn Write, table: &Table, digits: Digits) -> io::Result<()> {
    let (rows, columns) = (table.shape.rows as usize, table.shape.columns as usize);
    let text = |r: usize, c: usize| digits.text(table.elements[c * rows + r], table.is_single());
    let widths: Vec<usize> =
        (0..columns).map(|c| (0..rows).map(|r| text(r, c).len()).max().unwrap_or(0)).collect();
    for r in 0..rows {
        for (c, &width) in widths.iter().enumerate() {
            write!(out, "   {:>width$}", text(r, c))?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// Writes a value with its name, in Octave's layout.
///
/// # Errors
/// The errors of the writer.
pub fn write_named(out: &mut dyn Write, name: &str, table: &Table, digits: Digits) -> io::Result<()> {
    let shape = table.shape;
    if shape.is_empty() {
        return writeln!(out, "{name} = []({shape})");
    }
    if shape.is_scalar() {
        return writeln!(out, "{name} = {}", digits.text(table.elements[0], table.is_single()));
    }
    writeln!(out, "{name} =\n")?;
    write_rows(out, table, digits)?;
    writeln!(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_are_short_where_they_can_be() {
        let check = |value: f64, text: &str| assert_eq!(number(value, false), text);
        check(1.0, "1");
        check(-0.0, "-0");
        check(0.1, "0.1");
        check(1e300, "1e300");
        check(f64::NEG_INFINITY, "-Inf");
        check(9_007_199_254_740_993.0, "9007199254740992");
        assert_eq!(number(f64::from(0.1f32), true), "0.1");
    }

    #[test]
    fn short_numbers_have_five_digits() {
        let check = |value: f64, text: &str| assert_eq!(short(value), text);
        check(std::f64::consts::PI, "3.1416");
        check(-1234.5678, "-1234.6");
        check(1e-7 / 3.0, "3.3333e-8");
        check(99_999.96, "1.0000e5");
        check(42.0, "42");
    }

    proptest! {
        #[test]
        fn every_double_and_single_comes_back(bits in any::<u64>()) {
            let value = f64::from_bits(bits);
            let back: f64 = number(value, false).parse().unwrap();
            prop_assert!(back.to_bits() == bits || value.is_nan() && back.is_nan());
            let single = f32::from_bits(bits as u32);
            let back: f32 = number(f64::from(single), true).parse().unwrap();
            prop_assert!(back.to_bits() == single.to_bits() || single.is_nan() && back.is_nan());
        }
    }
}
