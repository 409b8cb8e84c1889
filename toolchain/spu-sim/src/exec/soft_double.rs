//! IEEE double arithmetic with a chosen rounding mode and exception flags: one exact multiply-add from which
//! all operations follow, and the conversions. The host's own arithmetic offers neither, so it serves only as
//! the fast path of `float_double`.

use crate::fpscr::{Rounding, double_flags as flag};

/// The NaN that every invalid operation, and every operation on a NaN, gives.
pub(super) const DEFAULT_NAN: u64 = 0x7ff8_0000_0000_0000;
const SIGN: u64 = 1 << 63;
const FRACTION: u64 = (1 << 52) - 1;

/// An exact non-zero value `significand * 2^exponent`. Bit 0 of the significand may be sticky.
#[derive(Debug, Clone, Copy)]
struct Exact {
    negative: bool,
    exponent: i32,
    significand: u128,
}

/// A binary floating-point format.
struct Format {
    /// Significand bits, with the hidden one.
    precision: i32,
    /// Exponent of the smallest normal number.
    min_exponent: i32,
    /// Exponent of the largest number.
    max_exponent: i32,
}

const DOUBLE: Format = Format { precision: 53, min_exponent: -1022, max_exponent: 1023 };
const SINGLE: Format = Format { precision: 24, min_exponent: -126, max_exponent: 127 };

fn is_nan(x: u64) -> bool {
    x & !SIGN > 0x7ff << 52
}

fn is_signalling(x: u64) -> bool {
    is_nan(x) && x & (1 << 51) == 0
}

fn is_infinite(x: u64) -> bool {
    x & !SIGN == 0x7ff << 52
}

/// Splits a finite number; `None` if it is zero.
fn unpack(x: u64) -> Option<Exact> {
    let (biased, fraction) = ((x >> 52 & 0x7ff) as i32, x & FRACTION);
    let significand = if biased == 0 { fraction } else { fraction | 1 << 52 };
    (significand != 0).then_some(Exact {
        negative: x & SIGN != 0,
        exponent: biased.max(1) - 1075,
        significand: u128::from(significand),
    })
}

/// The sign of an exact zero sum of values of opposite signs.
fn zero_sum(rounding: Rounding) -> u64 {
    if rounding == Rounding::Down { SIGN } else { 0 }
}

/// Shifts right; a lost one bit stays visible in bit 0.
fn shift_right_sticky(x: u128, count: u32) -> u128 {
    if count == 0 {
        x
    } else if count >= 128 {
        u128::from(x != 0)
    } else {
        x >> count | u128::from(x << (128 - count) != 0)
    }
}

impl Exact {
    /// Moves the leading one to bit 126, which leaves a bit for the carry of an addition.
    fn normalized(self) -> Exact {
        let shift = self.significand.leading_zeros() as i32 - 1;
        Exact { exponent: self.exponent - shift, significand: self.significand << shift, ..self }
    }

    /// The sum, or `None` if it is zero. The smaller operand is shifted with a sticky bit: bits are lost only
    /// when the exponents differ so much that no cancellation can move them near the rounding position.
    fn add(self, other: Exact) -> Option<Exact> {
        let (x, y) = (self.normalized(), other.normalized());
        let (large, small) =
            if (x.exponent, x.significand) >= (y.exponent, y.significand) { (x, y) } else { (y, x) };
        let aligned = shift_right_sticky(small.significand, (large.exponent - small.exponent) as u32);
        let significand = if large.negative == small.negative {
            large.significand + aligned
        } else {
            large.significand - aligned
        };
        (significand != 0).then_some(Exact { significand, ..large })
    }

    /// Rounds to a format: the encoding without the sign, and the flags.
    fn round(self, format: &Format, rounding: Rounding) -> (u64, u32) {
        let leading = 127 - self.significand.leading_zeros() as i32;
        let exponent = self.exponent + leading;
        let tiny = exponent < format.min_exponent;
        // Exponent of the last bit that the format keeps.
        let last = exponent.max(format.min_exponent) - (format.precision - 1);
        let drop = last - self.exponent;
        let (mut kept, rest) = if drop <= 0 {
            (self.significand << -drop, 0u128)
        } else if drop < 128 {
            (self.significand >> drop, self.significand << (128 - drop))
        } else {
            (0, 1)
        };
        let half = 1u128 << 127;
        let increment = match rounding {
            Rounding::Nearest => rest > half || (rest == half && kept & 1 != 0),
            Rounding::Zero => false,
            Rounding::Up => rest != 0 && !self.negative,
            Rounding::Down => rest != 0 && self.negative,
        };
        kept += u128::from(increment);
        let mut flags = 0;
        if rest != 0 {
            flags |= flag::INEXACT;
            if tiny {
                flags |= flag::UNDERFLOW;
            }
        }
        let fraction_bits = format.precision - 1;
        let infinity = ((format.max_exponent - format.min_exponent + 2) as u64) << fraction_bits;
        // The hidden bit adds one to the exponent field; a carry out of the significand adds another.
        let biased = (last + fraction_bits - format.min_exponent) as u64;
        let encoding = (biased << fraction_bits) + kept as u64;
        if encoding < infinity {
            return (encoding, flags);
        }
        let away = match rounding {
            Rounding::Nearest => true,
            Rounding::Zero => false,
            Rounding::Up => !self.negative,
            Rounding::Down => self.negative,
        };
        (if away { infinity } else { infinity - 1 }, flag::OVERFLOW | flag::INEXACT)
    }
}

fn nan(operands: &[u64]) -> (u64, u32) {
    let mut flags = 0;
    for &x in operands {
        if is_signalling(x) {
            flags |= flag::INVALID;
        }
        if is_nan(x) && x != DEFAULT_NAN {
            flags |= flag::NAN;
        }
    }
    (DEFAULT_NAN, flags)
}

/// `a * b + c`, rounded once: result and flags.
pub(super) fn multiply_add(a: u64, b: u64, c: u64, rounding: Rounding) -> (u64, u32) {
    if is_nan(a) || is_nan(b) || is_nan(c) {
        return nan(&[a, b, c]);
    }
    let product_sign = (a ^ b) & SIGN;
    let (a_zero, b_zero) = (a & !SIGN == 0, b & !SIGN == 0);
    if is_infinite(a) || is_infinite(b) {
        let opposite = is_infinite(c) && c & SIGN != product_sign;
        if a_zero || b_zero || opposite {
            return (DEFAULT_NAN, flag::INVALID);
        }
        return (product_sign | 0x7ff << 52, 0);
    }
    if is_infinite(c) {
        return (c, 0);
    }
    let product = match (unpack(a), unpack(b)) {
        (Some(x), Some(y)) => Some(Exact {
            negative: product_sign != 0,
            exponent: x.exponent + y.exponent,
            significand: x.significand * y.significand,
        }),
        _ => None,
    };
    let sum = match (product, unpack(c)) {
        (Some(product), Some(addend)) => match product.add(addend) {
            Some(sum) => sum,
            None => return (zero_sum(rounding), 0),
        },
        (Some(product), None) => product,
        (None, Some(_)) => return (c, 0),
        (None, None) if product_sign == c & SIGN => return (product_sign, 0),
        (None, None) => return (zero_sum(rounding), 0),
    };
    let (magnitude, flags) = sum.round(&DOUBLE, rounding);
    (magnitude | if sum.negative { SIGN } else { 0 }, flags)
}

/// `a * b`: the addend is the zero that keeps the sign of a zero product.
pub(super) fn multiply(a: u64, b: u64, rounding: Rounding) -> (u64, u32) {
    if is_nan(a) || is_nan(b) {
        return nan(&[a, b]);
    }
    multiply_add(a, b, (a ^ b) & SIGN, rounding)
}

/// `a + b`.
pub(super) fn add(a: u64, b: u64, rounding: Rounding) -> (u64, u32) {
    if is_nan(a) || is_nan(b) {
        return nan(&[a, b]);
    }
    multiply_add(a, 1.0f64.to_bits(), b, rounding)
}

/// Double to IEEE single.
pub(super) fn to_single(x: u64, rounding: Rounding) -> (u32, u32) {
    let sign = (x >> 32) as u32 & 0x8000_0000;
    if is_nan(x) {
        let flags = if is_signalling(x) { flag::INVALID } else { 0 };
        return (0x7fc0_0000, flags | if x == DEFAULT_NAN { 0 } else { flag::NAN });
    }
    if is_infinite(x) {
        return (sign | 0x7f80_0000, 0);
    }
    match unpack(x) {
        None => (sign, 0),
        Some(exact) => {
            let (magnitude, flags) = exact.round(&SINGLE, rounding);
            (sign | magnitude as u32, flags)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]
        /// Round to nearest is what the host does.
        #[test]
        fn nearest_equals_the_host(a: u64, b: u64, c: u64, near in 0u64..4) {
            // Half of the time, exponents that meet, so that cancellation happens.
            let (a, b, c) = if near < 2 { (a, b, c) } else {
                let close = |x: u64, e: u64| x & (SIGN | FRACTION) | (e + x % 5) << 52;
                (close(a, 1020), close(b, 1022), close(c, 1000 + c % 60))
            };
            let (x, y, z) = (f64::from_bits(a), f64::from_bits(b), f64::from_bits(c));
            let check = |bits: u64, host: f64| if host.is_nan() { bits == DEFAULT_NAN } else { bits == host.to_bits() };
            prop_assert!(check(multiply_add(a, b, c, Rounding::Nearest).0, x.mul_add(y, z)));
            prop_assert!(check(multiply(a, b, Rounding::Nearest).0, x * y));
            prop_assert!(check(add(a, b, Rounding::Nearest).0, x + y));
            let single = to_single(a, Rounding::Nearest).0;
            let expected = if x.is_nan() { 0x7fc0_0000 } else { (x as f32).to_bits() };
            prop_assert_eq!(single, expected);
        }

        /// The directed roundings enclose the exact value, and are equal just when it is exact.
        #[test]
        fn directed_roundings_are_neighbours(a in any::<f64>(), b in any::<f64>()) {
            let (down, flags) = add(a.to_bits(), b.to_bits(), Rounding::Down);
            let (up, _) = add(a.to_bits(), b.to_bits(), Rounding::Up);
            let (down, up) = (f64::from_bits(down), f64::from_bits(up));
            prop_assume!(down.is_finite() && up.is_finite());
            let inexact = flags & flag::INEXACT != 0;
            prop_assert_eq!(down != up, inexact);
            if inexact {
                prop_assert_eq!(down.next_up(), up);
            }
        }
    }

    #[test]
    fn exact_zero_sums_have_the_sign_of_the_mode() {
        let (one, minus) = (1.0f64.to_bits(), (-1.0f64).to_bits());
        assert_eq!(add(one, minus, Rounding::Nearest), (0, 0));
        assert_eq!(add(one, minus, Rounding::Down), (SIGN, 0));
        assert_eq!(multiply(minus, 0, Rounding::Up), (SIGN, 0));
    }

    #[test]
    fn overflow_and_underflow() {
        let max = f64::MAX.to_bits();
        let both = flag::OVERFLOW | flag::INEXACT;
        assert_eq!(add(max, max, Rounding::Nearest), (f64::INFINITY.to_bits(), both));
        assert_eq!(add(max, max, Rounding::Zero), (max, both));
        let tiny = f64::MIN_POSITIVE.to_bits();
        assert_eq!(multiply(tiny, tiny, Rounding::Up), (1, flag::UNDERFLOW | flag::INEXACT));
        assert_eq!(multiply(tiny, 0.5f64.to_bits(), Rounding::Nearest), (1 << 51, 0));
    }
}
