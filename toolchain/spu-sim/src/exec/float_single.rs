//! Single precision as the SPU computes it (SPU ISA chapter 9, cell-facts A6): truncation, an exponent of 255
//! is an ordinary number, no infinities, NaNs or denormals; overflow gives the largest magnitude, underflow
//! gives +0.
//!
//! Values are computed exactly, or with a known sign of the error, in the host's `f64`: any product of two
//! SPU singles is exact there, and the range (2^-252 .. 2^258) is far inside that of `f64`.

use std::sync::LazyLock;

use super::vector::{self, sum};
use crate::{fpscr::single_flags as flag, instruction::decode::Instruction, quad::Quad, spu::Spu};

/// Largest magnitude, (2 - 2^-23) * 2^128.
const MAX_MAGNITUDE: u32 = 0x7fff_ffff;
const SIGN: u32 = 0x8000_0000;

/// The value of a single; a denormal counts as zero.
#[inline]
fn value(x: u32) -> f64 {
    let magnitude = u64::from(x & MAX_MAGNITUDE);
    let sign = u64::from(x & SIGN) << 32;
    let bits = if magnitude < 0x80_0000 { 0 } else { (magnitude << 29) + ((1023 - 127) << 52) };
    f64::from_bits(bits | sign)
}

/// Truncates to a single, with the exception flags that this raises. `x` is not subnormal.
#[inline]
fn truncate(x: f64) -> (u32, u32) {
    let bits = x.to_bits();
    let sign = (bits >> 32) as u32 & SIGN;
    let exponent = (bits >> 52 & 0x7ff) as i32 - 1023 + 127;
    if (1..=255).contains(&exponent) {
        (sign | (exponent as u32) << 23 | (bits >> 29) as u32 & 0x7f_ffff, 0)
    } else if bits << 1 == 0 {
        (0, 0)
    } else if exponent > 255 {
        (sign | MAX_MAGNITUDE, flag::OVERFLOW | flag::DIFFERENT)
    } else {
        (0, flag::UNDERFLOW | flag::DIFFERENT)
    }
}

/// `x + y`, rounded toward zero to a double. The error of the rounded sum is itself a double (Møller's and
/// Knuth's two-sum); if it points inward, the sum was rounded away from zero and the next smaller magnitude
/// is the answer.
#[inline]
fn add_toward_zero(x: f64, y: f64) -> f64 {
    let sum = x + y;
    let virtual_y = sum - x;
    let error = (x - (sum - virtual_y)) + (y - virtual_y);
    let away = error != 0.0 && (error.is_sign_negative() != sum.is_sign_negative());
    f64::from_bits(sum.to_bits() - u64::from(away))
}

/// Whether IEEE would read the operand otherwise: denormals, infinities and NaNs.
#[inline]
fn differs(x: u32) -> bool {
    let magnitude = x & MAX_MAGNITUDE;
    (magnitude >= 0x7f80_0000) | (magnitude.wrapping_sub(1) < 0x7f_ffff)
}

/// Applies `compute` to each slice.
#[inline(never)]
fn arithmetic(spu: &mut Spu, i: &Instruction, operands: [Quad; 3], compute: impl Fn(f64, f64, f64) -> f64) {
    let [a, b, c] = operands.map(Quad::words);
    let result = std::array::from_fn(|slice| {
        let (bits, mut flags) = truncate(compute(value(a[slice]), value(b[slice]), value(c[slice])));
        if differs(a[slice]) || differs(b[slice]) || differs(c[slice]) || bits & MAX_MAGNITUDE >= 0x7f80_0000
        {
            flags |= flag::DIFFERENT;
        }
        spu.fpscr.raise_single(slice, flags);
        bits
    });
    spu.set(i.t, Quad::from_words(result));
}

/// Each line has the name of an instruction, the `sum` that the host's vector instructions compute for it,
/// and its value for one slice.
macro_rules! arithmetic {
    ($($name:ident $sum:ident |$a:ident, $b:ident, $c:ident| $body:expr;)*) => {$(
        #[inline(always)]
        pub(super) fn $name(spu: &mut Spu, i: &Instruction) {
            if !vector::single::<{ sum::$sum }>(spu.host(), spu.registers_mut(), i) {
                let third = if sum::$sum <= sum::PRODUCT { Quad::ZERO } else { spu.get(i.c) };
                arithmetic(spu, i, [spu.get(i.a), spu.get(i.b), third], |$a, $b, $c| $body);
            }
        }
    )*};
}
arithmetic! {
    fa ADD |a, b, _c| add_toward_zero(a, b);
    fs SUBTRACT |a, b, _c| add_toward_zero(a, -b);
    fm PRODUCT |a, b, _c| a * b;
    fma PRODUCT_PLUS |a, b, c| add_toward_zero(a * b, c);
    fnms MINUS_PRODUCT |a, b, c| add_toward_zero(c, -(a * b));
    fms PRODUCT_MINUS |a, b, c| add_toward_zero(a * b, -c);
}

/// A piece of an estimate (cell-facts A6 for the structure: 13 bits of base, 10 of step, chosen by the top
/// five fraction bits): on its interval, `(1 + base / 2^13) - (step / 2^13) * y`. `y` is the low 19 of the 23
/// fraction bits, in 0..1. The top five bits choose the piece, so pieces of odd number use the upper half of
/// that range, and pieces of even number the lower half.
#[derive(Debug, Clone, Copy)]
struct Piece {
    base: u32,
    step: u32,
}

/// Piece number `number`: the line through a convex falling function's end points on its interval, lowered by
/// half of its largest error, so that the error has both signs equally. 13 bits of base and 10 of step hold
/// it to the 12 bits that the ISA asks for.
fn fit(function: impl Fn(f64) -> f64, number: usize) -> Piece {
    let width = 1.0 / 32.0;
    let low = 1.0 + number as f64 * width;
    let (left, right) = (function(low), function(low + width));
    let worst = (1..32)
        .map(|k| {
            let at = f64::from(k) / 32.0;
            left + (right - left) * at - function(low + width * at)
        })
        .fold(0.0, f64::max);
    let at_zero = if number.is_multiple_of(2) { left } else { left + (left - right) };
    let fixed = |x: f64| (x * 8192.0).round() as u32;
    Piece { base: fixed(at_zero - worst / 2.0 - 1.0), step: fixed(2.0 * (left - right)) }
}

/// 2/x on 1..2, by the top five fraction bits of x.
static RECIPROCAL: LazyLock<[Piece; 32]> = LazyLock::new(|| std::array::from_fn(|k| fit(|x| 2.0 / x, k)));

/// 2/sqrt(x) on 1..2 and 2/sqrt(2x) on 1..2, by parity of the exponent and the top five fraction bits of x.
static RECIPROCAL_ROOT: LazyLock<[[Piece; 32]; 2]> = LazyLock::new(|| {
    [1.0, 2.0].map(|scale: f64| std::array::from_fn(|k| fit(|x| 2.0 / (scale * x).sqrt(), k)))
});

impl Piece {
    /// The register format that `fi` takes: sign, exponent, 13 bits of base, 10 bits of step.
    fn pack(self, sign: u32, exponent: i32) -> u32 {
        if exponent <= 0 { 0 } else { sign | (exponent as u32) << 23 | self.base << 10 | self.step }
    }
}

pub(super) fn frest(spu: &mut Spu, i: &Instruction) {
    let a = spu.get(i.a).words();
    let mut result = [0; 4];
    for slice in 0..4 {
        let (sign, exponent) = (a[slice] & SIGN, (a[slice] >> 23 & 0xff) as i32);
        if exponent == 0 {
            spu.fpscr.raise_divide_by_zero(slice);
            result[slice] = sign | MAX_MAGNITUDE;
        } else {
            // x = 1.f * 2^(e-127), so 1/x = (2/1.f) * 2^(126-e) with 2/1.f in 1..2.
            let piece = RECIPROCAL[(a[slice] >> 18 & 31) as usize];
            result[slice] = piece.pack(sign, 253 - exponent);
        }
    }
    spu.set(i.t, Quad::from_words(result));
}

pub(super) fn frsqest(spu: &mut Spu, i: &Instruction) {
    let a = spu.get(i.a).words();
    let mut result = [0; 4];
    for slice in 0..4 {
        let exponent = (a[slice] >> 23 & 0xff) as i32;
        if exponent == 0 {
            spu.fpscr.raise_divide_by_zero(slice);
            result[slice] = MAX_MAGNITUDE;
        } else {
            // |x| = s * 2^(2q) with s in 1..4, so 1/sqrt|x| = (2/sqrt s) * 2^(-q-1) with 2/sqrt(s) in 1..2.
            let unbiased = exponent - 127;
            let piece = RECIPROCAL_ROOT[(unbiased & 1) as usize][(a[slice] >> 18 & 31) as usize];
            result[slice] = piece.pack(0, 126 - unbiased.div_euclid(2));
        }
    }
    spu.set(i.t, Quad::from_words(result));
}

/// Interpolates: `a` is the estimate's argument, `b` the estimate.
pub(super) fn fi(spu: &mut Spu, i: &Instruction) {
    let interpolate = |a: u32, b: u32| {
        let exponent = b >> 23 & 0xff;
        if exponent == 0 {
            return 0;
        }
        let base = u64::from(b >> 10 & 0x1fff | 0x2000);
        let (step, y) = (u64::from(b & 0x3ff), u64::from(a & 0x7_ffff));
        let fixed = (base << 19) - step * y;
        let scale = f64::from_bits((1023 - 32 - 127 + u64::from(exponent)) << 52);
        truncate(fixed as f64 * scale).0 | b & SIGN
    };
    spu.set(i.t, spu.get(i.a).zip_words(spu.get(i.b), interpolate));
}

fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

pub(super) fn csflt(spu: &mut Spu, i: &Instruction) {
    let scale = power_of_two(-i.immediate);
    spu.set(i.t, spu.get(i.a).map_words(|x| truncate(f64::from(x as i32) * scale).0));
}

pub(super) fn cuflt(spu: &mut Spu, i: &Instruction) {
    let scale = power_of_two(-i.immediate);
    spu.set(i.t, spu.get(i.a).map_words(|x| truncate(f64::from(x) * scale).0));
}

/// The conversion of Rust saturates just as the instruction does.
pub(super) fn cflts(spu: &mut Spu, i: &Instruction) {
    let scale = power_of_two(i.immediate);
    spu.set(i.t, spu.get(i.a).map_words(|x| (value(x) * scale) as i32 as u32));
}

/// The conversion of Rust saturates just as the instruction does; negative values give zero.
pub(super) fn cfltu(spu: &mut Spu, i: &Instruction) {
    let scale = power_of_two(i.immediate);
    spu.set(i.t, spu.get(i.a).map_words(|x| (value(x) * scale) as u32));
}

macro_rules! comparisons {
    ($($name:ident |$x:ident, $y:ident| $body:expr;)*) => {$(
        #[inline(always)]
        pub(super) fn $name(spu: &mut Spu, i: &Instruction) {
            spu.set(i.t, spu.get(i.a).zip_words(spu.get(i.b), |x, y| {
                let ($x, $y) = (value(x), value(y));
                if $body { u32::MAX } else { 0 }
            }));
        }
    )*};
}
comparisons! {
    fceq |x, y| x == y;
    fcmeq |x, y| x.abs() == y.abs();
    fcgt |x, y| x > y;
    fcmgt |x, y| x.abs() > y.abs();
}
