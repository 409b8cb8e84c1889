//! sin and cos.
//!
//! x = k pi/2 + r with |r| <= pi/4, where r is an unevaluated sum of two doubles.  Polynomials give sin r and
//! cos r; k says which of the two is asked for, and its sign.

use std::f64::consts::FRAC_PI_2;

/// `x + SHIFTER` has the integer nearest to x in its low bits.
const SHIFTER: f64 = 6_755_399_441_055_744.0;

/// pi/2 without [`FRAC_PI_2`], and without both.
const HALF_PI_2: f64 = 6.123233995736766e-17;
const HALF_PI_3: f64 = -1.4973849048591698e-33;

/// What is left of an angle: `quadrant * pi/2 + high + low`.
struct Reduced {
    quadrant: i64,
    high: f64,
    low: f64,
}

pub(super) fn sin(x: f64) -> f64 {
    // There x is the nearest double but one at most; and -0 stays -0.
    if x.abs() < 2f64.powi(-27) { x } else { sin_in_quadrant(&reduce(x), 0) }
}

pub(super) fn cos(x: f64) -> f64 {
    sin_in_quadrant(&reduce(x), 1)
}

fn reduce(x: f64) -> Reduced {
    if x.abs() < 2f64.powi(30) { subtract_quadrants(x) } else { reduce_huge(x) }
}

/// The sum of two numbers, and what it lacks.
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let part = sum - a;
    (sum, (a - (sum - part)) + (b - part))
}

/// Subtracts k pi/2 in three parts of 53 bits.
fn subtract_quadrants(x: f64) -> Reduced {
    let k = (x * std::f64::consts::FRAC_2_PI + SHIFTER) - SHIFTER;
    let (product_1, product_2) = (k * FRAC_PI_2, k * HALF_PI_2);
    let low_1 = k.mul_add(FRAC_PI_2, -product_1);
    let low_2 = k.mul_add(HALF_PI_2, -product_2);
    // The first difference is exact.
    let (high, error_1) = two_sum(x - product_1, -low_1);
    let (high, error_2) = two_sum(high, -product_2);
    let low = error_1 + error_2 - low_2 - k * HALF_PI_3;
    let sum = high + low;
    Reduced { quadrant: k as i64, high: sum, low: low - (sum - high) }
}

/// The binary fraction of 2/pi, 32 bits a word.
#[rustfmt::skip]
const TWO_OVER_PI: [u32; 38] = [
    0xa2f9_836e, 0x4e44_1529, 0xfc27_57d1, 0xf534_ddc0, 0xdb62_9599, 0x3c43_9041, 0xfe51_63ab, 0xdebb_c561,
    0xb724_6e3a, 0x424d_d2e0, 0x0649_2eea, 0x09d1_921c, 0xfe1d_eb1c, 0xb129_a73e, 0xe882_35f5, 0x2ebb_4484,
    0xe99c_7026, 0xb45f_7e41, 0x3991_d639, 0x8353_39f4, 0x9c84_5f8b, 0xbdf9_283b, 0x1ff8_97ff, 0xde05_980f,
    0xef2f_118b, 0x5a0a_6d1f, 0x6d36_7ecf, 0x27cb_09b7, 0x4f46_3f66, 0x9e5f_ea2d, 0x7527_bac7, 0xebe5_f17b,
    0x3d07_39f7, 0x8a52_92ea, 0x6bfb_5fb1, 0x1f8d_5d08, 0x5603_3046, 0xfc7b_6bab,
];

/// Multiplies the integer significand by 2/pi to more than a thousand bits, and takes what lies around the
/// point.
fn reduce_huge(x: f64) -> Reduced {
    if !x.is_finite() {
        return Reduced { quadrant: 0, high: f64::NAN, low: f64::NAN };
    }
    let exponent = (x.to_bits() >> 52 & 0x7ff) as i32 - 1075;
    let significand = (x.to_bits() & ((1 << 52) - 1)) | 1 << 52;

    // Words of the product, the least significant first.
    let mut product = Vec::with_capacity(TWO_OVER_PI.len() + 2);
    let mut carry = 0u128;
    for word in TWO_OVER_PI.iter().rev() {
        carry += u128::from(*word) * u128::from(significand);
        product.push(carry as u32);
        carry >>= 32;
    }
    product.extend([carry as u32, (carry >> 32) as u32]);

    let point = 32 * TWO_OVER_PI.len() as i32 - exponent;
    let bit = |at: i32| u128::from(product.get((at / 32) as usize).map_or(0, |word| word >> (at % 32) & 1));
    let mut quadrant = (bit(point) | bit(point + 1) << 1) as i64;
    let mut fraction = (1..=128).fold(0, |fraction, place| fraction << 1 | bit(point - place));

    // To the nearest quadrant: from one half on, that is the next one, and the rest is negative.
    let negative = fraction >> 127 == 1;
    if negative {
        quadrant += 1;
        fraction = fraction.wrapping_neg();
    }
    let part = |number: u32| {
        f64::from((fraction >> (96 - 32 * number)) as u32) * 2f64.powi(-32 * (number as i32 + 1))
    };
    let high = part(0) + part(1);
    let low = part(1) - (high - part(0)) + part(2) + part(3);

    let product = high * FRAC_PI_2;
    let product_low = high.mul_add(FRAC_PI_2, -product) + (high * HALF_PI_2 + low * FRAC_PI_2);
    let sum = product + product_low;
    let rest = product_low - (sum - product);
    let sign = if negative != (x < 0.0) { -1.0 } else { 1.0 };
    Reduced { quadrant: if x < 0.0 { -quadrant } else { quadrant }, high: sign * sum, low: sign * rest }
}

/// The sine of an angle, `next` quadrants further.
fn sin_in_quadrant(reduced: &Reduced, next: i64) -> f64 {
    let Reduced { quadrant, high: r, low: r_low } = *reduced;
    let z = r * r;
    let series = |coefficients: [f64; 6]| {
        coefficients.into_iter().reduce(|sum, c| sum.mul_add(z, c)).unwrap_or_default()
    };
    let half_z = 0.5 * z;
    let value = if (quadrant + next) & 1 == 0 {
        let s = series([
            1.591805913698281e-10,
            -2.5051130870968297e-08,
            2.755731609787775e-06,
            -0.0001984126983674956,
            0.008333333333330943,
            -0.16666666666666666,
        ]);
        r + (r * z).mul_add(s, (-half_z).mul_add(r_low, r_low))
    } else {
        let c = series([
            -1.1382588535352522e-11,
            2.0876145659059344e-09,
            -2.755731726880539e-07,
            2.4801587298760048e-05,
            -0.0013888888888887393,
            0.041666666666666664,
        ]);
        let whole = 1.0 - half_z;
        let lost = (1.0 - whole) - half_z;
        whole + (lost + (z * z).mul_add(c, -(r * r_low)))
    };
    if (quadrant + next) & 2 == 0 { value } else { -value }
}
