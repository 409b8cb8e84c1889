//! What each element-wise operation computes, in plain Rust: the definition by which the kernels are judged.
//!
//! Nothing here calls a kernel.  Where Octave calls the C library, so does the definition (`library`), and a
//! kernel must give equal bits. `sin`, `cos` and `.^` have kernels of their own, whose results differ from a
//! C library's. Their definition is the method by which the kernels compute them (`trigonometry`, `power`),
//! and a test compares the results with the C library's.

mod library;
mod power;
mod trigonometry;

use crate::operation::Domain;
use crate::{Element, Opcode};
use library::library;
use power::power;
use trigonometry::{cos, sin};

/// An element, and what is computed of it.
pub trait Number: Element + PartialOrd {
    /// The number, rounded to this type.
    fn of(value: f64) -> Self;

    /// The number in double precision.
    fn double(self) -> f64;

    /// `self * factor + addend`, rounded once.
    #[must_use]
    fn fused(self, factor: Self, addend: Self) -> Self;

    /// The result of an element-wise operation; an operation on one value leaves `b` alone.  Outside of the
    /// operation's domain the result has no meaning: see [`is_outside`].
    ///
    /// # Panics
    /// For the product and the conversion, which do not work element by element in one precision.
    #[must_use]
    fn element(opcode: Opcode, a: Self, b: Self) -> Self;
}

macro_rules! number {
    ($type:ty, $precision:ident) => {
        impl Number for $type {
            fn of(value: f64) -> Self {
                value as Self
            }

            fn double(self) -> f64 {
                self.into()
            }

            fn fused(self, factor: Self, addend: Self) -> Self {
                self.mul_add(factor, addend)
            }

            fn element(opcode: Opcode, a: Self, b: Self) -> Self {
                let truth = |condition: bool| if condition { 1.0 } else { 0.0 };
                // Octave takes a quotient within rounding of a whole number for whole, unless b itself is
                // whole.
                let is_whole = |quotient: Self| {
                    let nearest = (quotient + 0.5).floor();
                    (b + 0.5).floor() != b && ((quotient - nearest) / nearest).abs() < Self::EPSILON
                };
                match opcode {
                    Opcode::Add => a + b,
                    Opcode::Subtract => a - b,
                    Opcode::Times => a * b,
                    Opcode::Divide => a / b,
                    Opcode::Power => Self::of(power(a.double(), b.double())),
                    Opcode::Mod if b == 0.0 => a,
                    Opcode::Mod => {
                        let quotient = a / b;
                        let rest = if is_whole(quotient) { 0.0 } else { a - b * quotient.floor() };
                        if a == b { rest } else { rest.copysign(b) }
                    }
                    Opcode::Rem if b == 0.0 => Self::NAN,
                    Opcode::Rem => {
                        let quotient = a / b;
                        let rest = if is_whole(quotient) { 0.0 } else { a - b * quotient.trunc() };
                        if a == b { rest } else { rest.copysign(a) }
                    }
                    Opcode::Equal => truth(a == b),
                    Opcode::NotEqual => truth(a != b),
                    Opcode::Less => truth(a < b),
                    Opcode::LessEqual => truth(a <= b),
                    Opcode::Greater => truth(a > b),
                    Opcode::GreaterEqual => truth(a >= b),
                    Opcode::And => truth(a != 0.0 && b != 0.0),
                    Opcode::Or => truth(a != 0.0 || b != 0.0),
                    Opcode::Not => truth(a == 0.0),
                    Opcode::IsNan => truth(a.is_nan()),
                    Opcode::IsInf => truth(a.is_infinite()),
                    Opcode::IsFinite => truth(a.is_finite()),
                    Opcode::Max => {
                        if a >= b || b.is_nan() {
                            a
                        } else {
                            b
                        }
                    }
                    Opcode::Min => {
                        if a <= b || b.is_nan() {
                            a
                        } else {
                            b
                        }
                    }
                    Opcode::MaxRight => {
                        if b >= a || a.is_nan() {
                            b
                        } else {
                            a
                        }
                    }
                    Opcode::MinRight => {
                        if b <= a || a.is_nan() {
                            b
                        } else {
                            a
                        }
                    }
                    Opcode::Abs => a.abs(),
                    Opcode::Negate => -a,
                    Opcode::Sign if a == 0.0 => 0.0,
                    Opcode::Sign => a.signum(),
                    // Halves go away from zero.
                    Opcode::Round => a.round(),
                    Opcode::Floor => a.floor(),
                    Opcode::Ceil => a.ceil(),
                    Opcode::Fix => a.trunc(),
                    Opcode::Sqrt => a.sqrt(),
                    Opcode::Sin => Self::of(sin(a.double())),
                    Opcode::Cos => Self::of(cos(a.double())),
                    library!() => library::$precision(opcode, a, b),
                    Opcode::Multiply | Opcode::Convert => panic!("{opcode:?} is not element by element"),
                }
            }
        }
    };
}

number!(f32, single);
number!(f64, double);

/// Whether operands are outside of the operation's domain: the result would be complex, or NaN a truth value.
#[must_use]
pub fn is_outside(opcode: Opcode, a: f64, b: f64) -> bool {
    match opcode.domain() {
        Domain::ANY => false,
        Domain::NOT_NAN => a.is_nan() || (opcode.is_binary() && b.is_nan()),
        Domain::NOT_NEGATIVE => a < 0.0,
        Domain::FROM_MINUS_ONE => a < -1.0,
        Domain::FROM_ONE => a < 1.0,
        Domain::WITHIN_ONE => a.abs() > 1.0,
        // As in Octave, an exponent beyond an int counts as a fraction.
        Domain::POWER => a < 0.0 && !(b == b.round() && -2_147_483_648.0 < b && b < 2_147_483_647.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn each(opcode: Opcode, a: &[f64], b: &[f64]) -> Vec<f64> {
        a.iter().zip(b).map(|(&a, &b)| f64::element(opcode, a, b)).collect()
    }

    fn same(left: &[f64], right: &[f64]) {
        let bits = |values: &[f64]| {
            values.iter().map(|v| if v.is_nan() { 1 } else { v.to_bits() }).collect::<Vec<_>>()
        };
        assert_eq!(bits(left), bits(right), "{left:?} {right:?}");
    }

    const NAN: f64 = f64::NAN;
    const INF: f64 = f64::INFINITY;

    #[test]
    fn mod_is_octaves() {
        same(&each(Opcode::Mod, &[-1., -4., 0., 4.], &[1., 2., -3., -2.]), &[0., 0., -0., -0.]);
        same(
            &each(Opcode::Mod, &[-0., 0., -135., 5., -5.], &[0., -3., 360., 0., 0.]),
            &[-0., -0., 225., 5., -5.],
        );
        same(&each(Opcode::Mod, &[NAN, INF, -INF], &[0., 0., 0.]), &[NAN, INF, -INF]);
        same(&each(Opcode::Mod, &[0.3, -0.3, 2.1], &[0.1, 0.1, 0.1]), &[0., 0., 0.]);
        assert_eq!(f32::element(Opcode::Mod, 5.5, 0.1), 0.0);
    }

    #[test]
    fn rem_is_octaves() {
        same(&each(Opcode::Rem, &[5., -5., 5., -4.], &[3., 3., -3., 2.]), &[2., -2., 2., -0.]);
        same(&each(Opcode::Rem, &[1., 0.3, INF], &[0., 0.1, 2.]), &[NAN, 0., NAN]);
    }

    #[test]
    fn round_and_sign_are_octaves() {
        let x = [0.49999999999999994, -0.49999999999999994, 4503599627370497., 0.5, -0.5, 2.5, -2.5];
        same(&each(Opcode::Round, &x, &x), &[0., -0., 4503599627370497., 1., -1., 3., -3.]);
        assert_eq!(f32::element(Opcode::Round, 0.499_999_97, 0.0), 0.0);
        let x = [NAN, -0., 0., -INF, 5e-324];
        same(&each(Opcode::Sign, &x, &x), &[NAN, 0., 0., -1., 1.]);
    }

    #[test]
    fn comparisons_and_quotients() {
        let (a, b) = ([NAN, 0., INF], [NAN, -0., INF]);
        same(&each(Opcode::Equal, &a, &b), &[0., 1., 1.]);
        same(&each(Opcode::NotEqual, &a, &b), &[1., 0., 0.]);
        same(&each(Opcode::Divide, &[0., INF, 2.], &[0., INF, 2.]), &[NAN, NAN, 1.]);
        same(&each(Opcode::Times, &[NAN, INF, 1.], &[0.; 3]), &[NAN, NAN, 0.]);
    }

    #[test]
    fn extrema_skip_nan_and_take_one_side_of_equal_zeros() {
        let (a, b) = ([NAN, 1., 0., -0.], [2., NAN, -0., 0.]);
        same(&each(Opcode::Max, &a, &b), &[2., 1., 0., -0.]);
        same(&each(Opcode::MaxRight, &a, &b), &[2., 1., -0., 0.]);
        same(&each(Opcode::Min, &a, &b), &[2., 1., 0., -0.]);
        same(&each(Opcode::MinRight, &a, &b), &[2., 1., -0., 0.]);
    }

    /// Whether a value is next to what it should be, or that itself.
    fn assert_beside(name: &str, x: f64, got: f64, want: f64) {
        let beside = got == want || (got.is_nan() && want.is_nan());
        let unit = want.abs() * f64::EPSILON + f64::from_bits(1);
        assert!(beside || (got - want).abs() <= unit, "{name} {x}: {got}, not {want}");
    }

    #[test]
    fn functions_with_kernels_of_their_own_lie_beside_the_c_librarys() {
        let mut random = fastrand::Rng::with_seed(1);
        for _ in 0..20_000 {
            // Any exponent, or ordinary sizes.
            let any = f64::from_bits(random.u64(..));
            let ordinary = random.u64(..1 << 53) as f64 * 2f64.powi(-47) - 32.0;
            for x in [any, ordinary, ordinary * 1e9] {
                assert_beside("sin", x, f64::element(Opcode::Sin, x, 0.0), x.sin());
                assert_beside("cos", x, f64::element(Opcode::Cos, x, 0.0), x.cos());
                for y in [0.5, -1.0, 3.0, 2.0, 17.25, ordinary] {
                    let base = x.abs();
                    assert_beside("power", base, f64::element(Opcode::Power, base, y), base.powf(y));
                }
            }
        }
    }

    #[test]
    fn powers_of_integers_are_exact_and_odd_ones_keep_the_sign() {
        for (base, exponent, power) in
            [(3., 33., 5_559_060_566_555_523.), (-3., 3., -27.), (-2., 2., 4.), (10., 15., 1e15)]
        {
            assert_eq!(f64::element(Opcode::Power, base, exponent), power);
        }
        same(&each(Opcode::Power, &[-0., 0., NAN, -INF], &[-1., -1., 0., 3.]), &[-INF, INF, 1., -INF]);
        same(&each(Opcode::Power, &[2., 2., 2.], &[1100., -1100., -1074.]), &[INF, 0., 5e-324]);
    }

    #[test]
    fn the_worst_angle_loses_no_digits() {
        // Of all doubles the nearest to an odd multiple of pi/2.
        let worst = 6_381_956_970_095_103.0 * 2.0_f64.powi(797);
        assert_eq!(f64::element(Opcode::Cos, worst, 0.0), -4.687_165_924_254_628e-19);
        same(&each(Opcode::Sin, &[INF, NAN, -0.0], &[0.0; 3]), &[NAN, NAN, -0.0]);
    }
}
