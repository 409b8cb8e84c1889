//! Double precision (SPU ISA chapter 9, cell-facts A7). IEEE formats and rounding; a NaN result is always the
//! default NaN. The Cell BE treats a denormal operand as a zero of its sign and notes it in the FPSCR;
//! denormal results exist on both processors. The PowerXCell 8i is taken to handle denormal operands as IEEE
//! asks (no published statement was found) and adds the comparisons and `dftsv`.

use super::{
    Flow, soft_double,
    vector::{self, sum},
};
use crate::{
    fpscr::{Rounding, double_flags as flag},
    instruction::decode::Instruction,
    quad::Quad,
    spu::{Cpu, Spu},
};

const SIGN: u64 = 1 << 63;
const EXPONENT: u64 = 0x7ff << 52;

fn is_denormal(x: u64) -> bool {
    x & EXPONENT == 0 && x & !SIGN != 0
}

/// Whether the host's rounded result and "inexact, if not already so" are the whole answer: all operands and
/// the result are normal (an underflow, overflow or NaN then cannot have happened).
#[inline]
fn is_plain(x: f64) -> bool {
    x.is_normal()
}

/// One slice of an arithmetic operation. `host` is its value by host arithmetic, which rounds to nearest;
/// `soft` the full definition.
#[inline]
fn slice_operation(
    spu: &mut Spu,
    slice: usize,
    mut operands: [u64; 3],
    host: impl Fn([f64; 3]) -> f64,
    soft: impl Fn([u64; 3], Rounding) -> (u64, u32),
) -> u64 {
    let rounding = spu.fpscr.rounding(slice);
    // Once INEXACT is set (it is sticky), a plain result cannot raise any further flag.
    if rounding == Rounding::Nearest && spu.fpscr.double(slice) & flag::INEXACT != 0 {
        let values = operands.map(f64::from_bits);
        if values.iter().all(|&x| is_plain(x) || x == 0.0) {
            let result = host(values);
            // The smallest normal number may be a rounded denormal.
            if is_plain(result) && result.abs() > f64::MIN_POSITIVE {
                return result.to_bits();
            }
        }
    }
    if spu.cpu == Cpu::CellBe {
        for operand in &mut operands {
            if is_denormal(*operand) {
                *operand &= SIGN;
                spu.fpscr.raise_double(slice, flag::DENORMAL);
            }
        }
    }
    let (result, flags) = soft(operands, rounding);
    spu.fpscr.raise_double(slice, flags);
    result
}

/// Both slices by the host's vector instructions, if that is the whole answer.
#[inline(always)]
fn fast<const SUM: u8>(spu: &mut Spu, i: &Instruction) -> bool {
    if !spu.fpscr.rounds_to_nearest() {
        return false;
    }
    // Once INEXACT is set (it is sticky), it cannot be raised again.
    let inexact_matters = spu.fpscr.double(0) & spu.fpscr.double(1) & flag::INEXACT == 0;
    let Some(inexact) = vector::double::<SUM>(spu.host(), spu.registers_mut(), i, inexact_matters) else {
        return false;
    };
    for slice in 0..2 {
        if inexact & 2 >> slice != 0 {
            spu.fpscr.raise_double(slice, flag::INEXACT);
        }
    }
    true
}

/// Both slices, each by itself.
#[inline(never)]
fn operation(
    spu: &mut Spu,
    i: &Instruction,
    third: u8,
    host: impl Fn([f64; 3]) -> f64 + Copy,
    soft: impl Fn([u64; 3], Rounding) -> (u64, u32) + Copy,
) {
    let (a, b, c) = (spu.get(i.a).doubles(), spu.get(i.b).doubles(), spu.get(third).doubles());
    let left = slice_operation(spu, 0, [a[0], b[0], c[0]], host, soft);
    let right = slice_operation(spu, 1, [a[1], b[1], c[1]], host, soft);
    spu.set(i.t, Quad::from_doubles([left, right]));
}

/// Changes the sign, except of a NaN.
fn negate((x, flags): (u64, u32)) -> (u64, u32) {
    (if x == soft_double::DEFAULT_NAN { x } else { x ^ SIGN }, flags)
}

/// The rounding mode for a result that will be negated.
fn mirrored(rounding: Rounding) -> Rounding {
    match rounding {
        Rounding::Up => Rounding::Down,
        Rounding::Down => Rounding::Up,
        other => other,
    }
}

/// Negates an operand; a NaN stays, so that it still counts as the default one.
fn minus(x: u64) -> u64 {
    if x & !SIGN > EXPONENT { x } else { x ^ SIGN }
}

/// Each line has the name of an instruction, the `sum` that the host's vector instructions compute for it,
/// the field of its third operand, its value for one slice in host arithmetic, and its full definition.
macro_rules! arithmetic {
    ($($name:ident $sum:ident $third:ident $host:expr, |$a:ident, $b:ident, $t:ident, $rounding:ident| $soft:expr;)*) => {$(
        #[inline(always)]
        pub(super) fn $name(spu: &mut Spu, i: &Instruction) {
            if !fast::<{ sum::$sum }>(spu, i) {
                operation(spu, i, i.$third, $host, |[$a, $b, $t], $rounding| $soft);
            }
        }
    )*};
}
arithmetic! {
    dfa ADD b |[a, b, _]| a + b, |a, b, _t, r| soft_double::add(a, b, r);
    dfs SUBTRACT b |[a, b, _]| a - b, |a, b, _t, r| soft_double::add(a, minus(b), r);
    dfm PRODUCT b |[a, b, _]| a * b, |a, b, _t, r| soft_double::multiply(a, b, r);
    dfma PRODUCT_PLUS t |[a, b, t]| a.mul_add(b, t), |a, b, t, r| soft_double::multiply_add(a, b, t, r);
    dfms PRODUCT_MINUS t |[a, b, t]| a.mul_add(b, -t), |a, b, t, r| soft_double::multiply_add(a, b, minus(t), r);
    dfnms MINUS_PRODUCT t |[a, b, t]| -a.mul_add(b, -t),
        |a, b, t, r| negate(soft_double::multiply_add(a, b, minus(t), mirrored(r)));
    dfnma NEGATED_PRODUCT_PLUS t |[a, b, t]| -a.mul_add(b, t),
        |a, b, t, r| negate(soft_double::multiply_add(a, b, t, mirrored(r)));
}

/// Left word of each doubleword to double. Here singles are IEEE: infinities and NaNs convert as such.
pub(super) fn fesd(spu: &mut Spu, i: &Instruction) {
    let words = spu.get(i.a).words();
    let mut convert = |slice: usize| {
        let bits = words[2 * slice];
        let x = f32::from_bits(bits);
        if x.is_nan() {
            let signalling = bits & 0x40_0000 == 0;
            let other = bits != 0x7fc0_0000;
            let invalid = if signalling { flag::INVALID } else { 0 };
            spu.fpscr.raise_double(slice, invalid | if other { flag::NAN } else { 0 });
            return soft_double::DEFAULT_NAN;
        }
        if x.is_subnormal() && spu.cpu == Cpu::CellBe {
            spu.fpscr.raise_double(slice, flag::DENORMAL);
            return f64::from(0.0f32.copysign(x)).to_bits();
        }
        f64::from(x).to_bits()
    };
    let result = [convert(0), convert(1)];
    spu.set(i.t, Quad::from_doubles(result));
}

pub(super) fn frds(spu: &mut Spu, i: &Instruction) {
    let doubles = spu.get(i.a).doubles();
    let mut convert = |slice: usize| {
        let mut operand = doubles[slice];
        if spu.cpu == Cpu::CellBe && is_denormal(operand) {
            operand &= SIGN;
            spu.fpscr.raise_double(slice, flag::DENORMAL);
        }
        let (single, flags) = soft_double::to_single(operand, spu.fpscr.rounding(slice));
        spu.fpscr.raise_double(slice, flags);
        single
    };
    let result = [convert(0), 0, convert(1), 0];
    spu.set(i.t, Quad::from_words(result));
}

fn compare(spu: &mut Spu, i: &Instruction, test: impl Fn(f64, f64) -> bool) -> Flow {
    if spu.cpu == Cpu::CellBe {
        return Flow::Invalid;
    }
    let masks = |x, y| if test(f64::from_bits(x), f64::from_bits(y)) { u64::MAX } else { 0 };
    spu.set(i.t, spu.get(i.a).zip_doubles(spu.get(i.b), masks));
    Flow::Next
}

pub(super) fn dfceq(spu: &mut Spu, i: &Instruction) -> Flow {
    compare(spu, i, |x, y| x == y)
}

pub(super) fn dfcmeq(spu: &mut Spu, i: &Instruction) -> Flow {
    compare(spu, i, |x, y| x.abs() == y.abs())
}

pub(super) fn dfcgt(spu: &mut Spu, i: &Instruction) -> Flow {
    compare(spu, i, |x, y| x > y)
}

pub(super) fn dfcmgt(spu: &mut Spu, i: &Instruction) -> Flow {
    compare(spu, i, |x, y| x.abs() > y.abs())
}

/// Tests for special values; the immediate selects NaN, +inf, -inf, +0, -0, +denormal, -denormal.
pub(super) fn dftsv(spu: &mut Spu, i: &Instruction) -> Flow {
    if spu.cpu == Cpu::CellBe {
        return Flow::Invalid;
    }
    let selects = |bits: u64| {
        let negative = u32::from(bits & SIGN != 0);
        let class = match f64::from_bits(bits).classify() {
            std::num::FpCategory::Nan => 0x40,
            std::num::FpCategory::Infinite => 0x20 >> negative,
            std::num::FpCategory::Zero => 0x08 >> negative,
            std::num::FpCategory::Subnormal => 0x02 >> negative,
            std::num::FpCategory::Normal => 0,
        };
        if i.immediate as u32 & class != 0 { u64::MAX } else { 0 }
    };
    let [left, right] = spu.get(i.a).doubles();
    spu.set(i.t, Quad::from_doubles([selects(left), selects(right)]));
    Flow::Next
}

pub(super) fn fscrrd(spu: &mut Spu, i: &Instruction) {
    spu.set(i.t, spu.fpscr.read());
}

pub(super) fn fscrwr(spu: &mut Spu, i: &Instruction) {
    spu.fpscr.write(spu.get(i.a));
}
