//! The x86-64 part, for hosts with AVX2 and FMA. The host's lane 0 is the SPU's last lane of a [`Quad`]. Only
//! `shuffle_bytes` and the mask of inexact slices depend on the order of lanes.

use std::arch::x86_64::{
    __m128i, __m256d, _CMP_EQ_OQ, _CMP_GE_OQ, _CMP_GT_OQ, _CMP_LE_OQ, _CMP_LT_OQ, _CMP_NEQ_OQ, _mm_add_epi32,
    _mm_add_pd, _mm_add_ps, _mm_and_pd, _mm_and_si128, _mm_andnot_pd, _mm_blendv_epi8, _mm_castpd_si128,
    _mm_castps_si128, _mm_castsi128_pd, _mm_castsi128_ps, _mm_cmp_pd, _mm_cmpeq_epi32, _mm_fmadd_pd,
    _mm_fmsub_pd, _mm_min_epu32, _mm_movemask_epi8, _mm_movemask_pd, _mm_mul_pd, _mm_or_pd, _mm_or_si128,
    _mm_set1_epi8, _mm_set1_epi32, _mm_set1_pd, _mm_setr_epi8, _mm_setzero_pd, _mm_setzero_ps,
    _mm_shuffle_epi8, _mm_slli_epi16, _mm_srli_epi16, _mm_sub_pd, _mm_xor_pd, _mm_xor_si128, _mm256_add_pd,
    _mm256_and_pd, _mm256_andnot_pd, _mm256_castpd_si256, _mm256_castsi256_pd, _mm256_cmp_pd,
    _mm256_cvtpd_ps, _mm256_cvtps_pd, _mm256_movemask_pd, _mm256_mul_pd, _mm256_or_pd, _mm256_set1_epi64x,
    _mm256_set1_pd, _mm256_setzero_pd, _mm256_srli_epi64, _mm256_sub_epi64, _mm256_sub_pd, _mm256_xor_pd,
};

use super::sum;
use crate::{instruction::decode::Instruction, quad::Quad, spu::Registers};

#[inline]
fn load(registers: &Registers, number: u8) -> __m128i {
    bytemuck::cast(registers[usize::from(number & 127)].0)
}

/// Stores at once as a vector: the next instruction will load it as one, and a processor cannot forward a
/// register that was stored in two halves.
#[inline]
fn store(registers: &mut Registers, number: u8, vector: __m128i) {
    registers[usize::from(number & 127)] = Quad(bytemuck::cast(vector));
}

/// The operands of an instruction; the third is in field c (single precision) or in the target.
#[inline]
fn operands<const SUM: u8>(registers: &Registers, i: &Instruction, third: u8) -> [__m128i; 3] {
    let third = if SUM <= sum::PRODUCT { bytemuck::cast(0u128) } else { load(registers, third) };
    [load(registers, i.a), load(registers, i.b), third]
}

/// `shufb`.
#[target_feature(enable = "avx2,fma")]
#[inline]
pub(super) fn shuffle_bytes(registers: &mut Registers, i: &Instruction) {
    let (a, b, control) = (load(registers, i.a), load(registers, i.b), load(registers, i.c));
    // The SPU counts bytes from the other end. In both instruction sets bit 7 of a control selects zero.
    let place = _mm_xor_si128(control, _mm_set1_epi8(15));
    let (from_a, from_b) = (_mm_shuffle_epi8(a, place), _mm_shuffle_epi8(b, place));
    let chosen = _mm_blendv_epi8(from_a, from_b, _mm_slli_epi16(control, 3));
    // Constants by the left half of the control: 0x00 for 8 to b, 0xff for c and d, 0x80 for e and f.
    let constants = _mm_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, -128, -128);
    let left = _mm_and_si128(_mm_srli_epi16(control, 4), _mm_set1_epi8(15));
    store(registers, i.t, _mm_or_si128(chosen, _mm_shuffle_epi8(constants, left)));
}

/// Whether a lane of an operand is a denormal of the single format.
#[target_feature(enable = "avx2,fma")]
#[inline]
fn any_denormal(operands: [__m128i; 3]) -> bool {
    // Less one, as unsigned numbers, denormals are the smallest and zeros the largest.
    let rank = |x| _mm_add_epi32(_mm_and_si128(x, _mm_set1_epi32(i32::MAX)), _mm_set1_epi32(-1));
    let [a, b, c] = operands;
    let least = _mm_min_epu32(_mm_min_epu32(rank(a), rank(b)), rank(c));
    let largest_denormal = _mm_set1_epi32(0x7f_fffe);
    _mm_movemask_epi8(_mm_cmpeq_epi32(_mm_min_epu32(least, largest_denormal), least)) != 0
}

/// Single-precision arithmetic on all lanes, if it raises no flag in any; whether that is so. The lanes are
/// then IEEE numbers, and the product of two of them is exact in double precision; see `float_single` for the
/// truncation of the sum.
#[target_feature(enable = "avx2,fma")]
#[inline]
pub(super) fn single<const SUM: u8>(registers: &mut Registers, i: &Instruction) -> bool {
    let operands = operands::<SUM>(registers, i, i.c);
    if any_denormal(operands) {
        return false;
    }
    // Operands with the largest exponent become infinities or NaNs here, and so does every result of such
    // operands.
    let [a, b, c] = operands.map(|x| _mm256_cvtps_pd(_mm_castsi128_ps(x)));
    let minus_zero = _mm256_set1_pd(-0.0);
    let (x, y) = match SUM {
        sum::ADD => (a, b),
        sum::SUBTRACT => (a, _mm256_xor_pd(b, minus_zero)),
        sum::PRODUCT => (_mm256_mul_pd(a, b), _mm256_setzero_pd()),
        sum::PRODUCT_MINUS => (_mm256_mul_pd(a, b), _mm256_xor_pd(c, minus_zero)),
        sum::MINUS_PRODUCT => (_mm256_xor_pd(_mm256_mul_pd(a, b), minus_zero), c),
        _ => (_mm256_mul_pd(a, b), c),
    };
    let exact = if SUM == sum::PRODUCT { x } else { add_toward_zero(x, y) };
    let magnitude = _mm256_andnot_pd(minus_zero, exact);
    let (least, beyond) = (_mm256_set1_pd(2f64.powi(-126)), _mm256_set1_pd(2f64.powi(128)));
    let beyond = _mm256_cmp_pd::<_CMP_LT_OQ>(magnitude, beyond);
    let ordinary = _mm256_and_pd(_mm256_cmp_pd::<_CMP_GE_OQ>(magnitude, least), beyond);
    let zero = _mm256_cmp_pd::<_CMP_EQ_OQ>(magnitude, _mm256_setzero_pd());
    // The largest exponent is left out too: such a result is ordinary for the SPU but raises a flag.
    if _mm256_movemask_pd(_mm256_or_pd(ordinary, zero)) != 15 {
        return false;
    }
    let kept_bits = _mm256_castsi256_pd(_mm256_set1_epi64x(!((1 << 29) - 1)));
    let truncated = _mm256_cvtpd_ps(_mm256_and_pd(exact, kept_bits));
    // A zero is always positive.
    store(registers, i.t, _mm_castps_si128(_mm_add_ps(truncated, _mm_setzero_ps())));
    true
}

/// `x + y` rounded toward zero, as the function of that name in `float_single` does it.
#[target_feature(enable = "avx2,fma")]
#[inline]
fn add_toward_zero(x: __m256d, y: __m256d) -> __m256d {
    let sum = _mm256_add_pd(x, y);
    let virtual_y = _mm256_sub_pd(sum, x);
    let error = _mm256_add_pd(_mm256_sub_pd(x, _mm256_sub_pd(sum, virtual_y)), _mm256_sub_pd(y, virtual_y));
    let opposite =
        _mm256_and_pd(_mm256_xor_pd(error, sum), _mm256_cmp_pd::<_CMP_NEQ_OQ>(error, _mm256_setzero_pd()));
    let away = _mm256_srli_epi64::<63>(_mm256_castpd_si256(opposite));
    _mm256_castsi256_pd(_mm256_sub_epi64(_mm256_castpd_si256(sum), away))
}

/// Double-precision arithmetic on both slices, rounded to nearest. Gives whether each slice is inexact (bit 0
/// for the right slice), or `None` and does nothing if another flag may have to be raised, or if it is not
/// known whether the result is exact and `inexact_matters`.
#[target_feature(enable = "avx2,fma")]
#[inline]
pub(super) fn double<const SUM: u8>(
    registers: &mut Registers,
    i: &Instruction,
    inexact_matters: bool,
) -> Option<u32> {
    let [a, b, c] = operands::<SUM>(registers, i, i.t).map(|x| _mm_castsi128_pd(x));
    let minus_zero = _mm_set1_pd(-0.0);
    let magnitude = |x| _mm_andnot_pd(minus_zero, x);
    let least = _mm_set1_pd(f64::MIN_POSITIVE);
    let is_zero = |x| _mm_cmp_pd::<_CMP_EQ_OQ>(x, _mm_setzero_pd());
    let is_denormal = |x| _mm_andnot_pd(is_zero(x), _mm_cmp_pd::<_CMP_LT_OQ>(magnitude(x), least));
    let denormal = _mm_or_pd(_mm_or_pd(is_denormal(a), is_denormal(b)), is_denormal(c));
    let result = match SUM {
        sum::ADD => _mm_add_pd(a, b),
        sum::SUBTRACT => _mm_sub_pd(a, b),
        sum::PRODUCT => _mm_mul_pd(a, b),
        sum::PRODUCT_PLUS => _mm_fmadd_pd(a, b, c),
        sum::PRODUCT_MINUS => _mm_fmsub_pd(a, b, c),
        sum::MINUS_PRODUCT => _mm_xor_pd(_mm_fmsub_pd(a, b, c), minus_zero),
        _ => _mm_xor_pd(_mm_fmadd_pd(a, b, c), minus_zero),
    };
    // The smallest normal number may be a rounded denormal, and a zero a rounded product; infinities and NaNs
    // are no ordinary results.
    let size = magnitude(result);
    let normal = _mm_and_pd(
        _mm_cmp_pd::<_CMP_GT_OQ>(size, least),
        _mm_cmp_pd::<_CMP_LE_OQ>(size, _mm_set1_pd(f64::MAX)),
    );
    let exact_zero = match SUM {
        sum::ADD | sum::SUBTRACT => is_zero(result),
        _ => _mm_and_pd(is_zero(result), _mm_or_pd(is_zero(a), is_zero(b))),
    };
    let ordinary = _mm_andnot_pd(denormal, _mm_or_pd(normal, exact_zero));
    if _mm_movemask_pd(ordinary) != 3 {
        return None;
    }
    if !inexact_matters {
        store(registers, i.t, _mm_castpd_si128(result));
        return Some(0);
    }
    // The error of a sum and that of a product are doubles, if they are not too small (here: nowhere near).
    let safe = |x| {
        let large = _mm_cmp_pd::<_CMP_GT_OQ>(magnitude(x), _mm_set1_pd(2f64.powi(-900)));
        _mm_or_pd(large, _mm_or_pd(is_zero(a), is_zero(b)))
    };
    let error_of_sum = |x, y, sum| {
        let virtual_y = _mm_sub_pd(sum, x);
        _mm_add_pd(_mm_sub_pd(x, _mm_sub_pd(sum, virtual_y)), _mm_sub_pd(y, virtual_y))
    };
    // Nothing on the way to the error overflows, either.
    let small = _mm_cmp_pd::<_CMP_LT_OQ>(size, _mm_set1_pd(2f64.powi(1000)));
    let (error, known) = match SUM {
        sum::ADD => (error_of_sum(a, b, result), small),
        sum::SUBTRACT => (error_of_sum(a, _mm_xor_pd(b, minus_zero), result), small),
        sum::PRODUCT => (_mm_fmsub_pd(a, b, result), safe(result)),
        _ => {
            // Known if the product is exact.
            let product = _mm_mul_pd(a, b);
            let addend = if SUM == sum::PRODUCT_MINUS || SUM == sum::MINUS_PRODUCT {
                _mm_xor_pd(c, minus_zero)
            } else {
                c
            };
            let exact_product = is_zero(_mm_fmsub_pd(a, b, product));
            let total = _mm_add_pd(product, addend);
            (
                error_of_sum(product, addend, total),
                _mm_and_pd(_mm_and_pd(exact_product, safe(product)), small),
            )
        }
    };
    if _mm_movemask_pd(known) != 3 {
        return None;
    }
    let inexact = _mm_movemask_pd(_mm_cmp_pd::<_CMP_NEQ_OQ>(error, _mm_setzero_pd()));
    store(registers, i.t, _mm_castpd_si128(result));
    Some(inexact as u32)
}
