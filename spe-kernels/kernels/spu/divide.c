/* divide.c - the quotient of doubles, rounded once: an SPU has no division.
 *
 * The significands a and b, with their signs, are divided; the exponents are subtracted.  1/b begins with the
 * estimate of single precision and doubles its good bits three times.  It is rounded correctly then, but for
 * the largest b: the iteration cannot leave 1/2 for the number above.  After P. Markstein (IBM J. Res.
 * Dev. 34(1), 1990) q = a/b is rounded correctly once such an 1/b has corrected it by its residual, which is
 * exact; the correction before sees to that.
 *
 * Zeros, infinities and NaN are a times a reciprocal of b that is one of them.  On a Cell BE a denormal
 * operand counts as zero, as in all its arithmetic; a denormal result is rounded once on both processors.
 */
#include "twice.h"

#define ONE ((word) { 0x3ff00000, 0, 0x3ff00000, 0 })
#define LARGEST ((word) { 0x3fffffff, 0xffffffff, 0x3fffffff, 0xffffffff })

/* 2^e for each element, of the e in first words; -1022 <= e <= 1023. */
static inline twice power_of_2 (word e) { return (twice) spu_and (spu_sl (spu_add (e, 1023), 20), HIGH); }

/* q 2^e, where the exact quotient is q + rest / b: quotients that leave the range of normal numbers. */
static inline twice scale (twice q, twice rest, twice b, word e)
{
  /* Far outside everything is zero or infinite. */
  word limit = spu_splats (1100u), lowest = spu_splats (-1100u);
  e = spu_sel (e, limit, spu_cmpgt ((vector signed int) e, (vector signed int) limit));
  e = spu_sel (e, lowest, spu_cmpgt ((vector signed int) lowest, (vector signed int) e));

  /* A denormal result is a multiple of `unit`.  q has been rounded once and must not be a second time: when
   * it lies in the middle of two multiples, the rest decides. */
  word unit = spu_sub (-1074, e);
  word is_small = spu_cmpgt ((vector signed int) unit, -53);
  twice half = power_of_2 (spu_sub (unit, spu_splats (1u))), magic = spu_mul (power_of_2 (unit), spu_splats (0x1.8p52));
  twice near = spu_sub (spu_add (q, magic), magic), off = spu_sub (q, near);
  word equal = spu_cmpeq (spu_andc ((word) off, SIGN), (word) half);
  word is_middle = spu_and (equal, spu_rlqwbyte (equal, 4));
  word no_rest = spu_cmpeq (spu_andc ((word) rest, SIGN), 0);
  is_middle = spu_andc (is_middle, spu_and (no_rest, spu_rlqwbyte (no_rest, 4)));
  twice side = (twice) spu_sel ((word) half, spu_xor ((word) rest, (word) b), SIGN);
  near = spu_sel (near, spu_add (q, side), (vector unsigned long long) first_twice (is_middle));
  near = (twice) spu_sel ((word) near, (word) q, SIGN); /* of a zero */
  q = spu_sel (q, near, (vector unsigned long long) first_twice (is_small));

  word first = (word) spu_rlmaska ((vector signed int) e, -1);
  return spu_mul (spu_mul (q, power_of_2 (first)), power_of_2 (spu_sub (e, first)));
}

vd vd_divide (vd dividend, vd divisor)
{
  twice a = (twice) dividend, b = (twice) divisor;
#ifdef __SPU_EDP__
  word a_tiny = first_twice (spu_cmpeq (field_of (a), 0)), b_tiny = first_twice (spu_cmpeq (field_of (b), 0));
  a = spu_sel (a, spu_mul (a, spu_splats (0x1p54)), (vector unsigned long long) a_tiny);
  b = spu_sel (b, spu_mul (b, spu_splats (0x1p54)), (vector unsigned long long) b_tiny);
#endif
  word a_field = field_of (a), b_field = field_of (b), e = spu_sub (a_field, b_field);
#ifdef __SPU_EDP__
  e = spu_add (e, spu_sub (spu_and (b_tiny, 54), spu_and (a_tiny, 54)));
#endif
  twice m = (twice) spu_sel ((word) a, ONE, EXPONENT), n = (twice) spu_sel ((word) b, ONE, EXPONENT);

  vector float n_single = spu_roundtf (n), estimate = spu_re (n_single);
  estimate = spu_madd (spu_nmsub (n_single, estimate, spu_splats (1.0f)), estimate, estimate);
  const twice one = spu_splats (1.0);
  twice y = spu_extend (estimate);
  y = spu_madd (spu_nmsub (n, y, one), y, y);
  y = spu_madd (spu_nmsub (n, y, one), y, y);
  y = spu_madd (spu_nmsub (n, y, one), y, y);
  word equal = spu_cmpeq (spu_andc ((word) n, SIGN), LARGEST);
  y = (twice) spu_sub ((word) y, spu_andc (spu_and (equal, spu_rlqwbyte (equal, 12)), HIGH));
  twice q = spu_mul (m, y);
  q = spu_madd (spu_nmsub (n, q, m), y, q);
  q = spu_madd (spu_nmsub (n, q, m), y, q);

  /* Both operands and the quotient are normal in nearly all cases: 1 <= field <= 2046. */
  word q_field = spu_add (field_of (q), e);
  word normal = spu_and (spu_and (spu_cmpgt (spu_splats (2046u), spu_sub (a_field, spu_splats (1u))),
                                  spu_cmpgt (spu_splats (2046u), spu_sub (b_field, spu_splats (1u)))),
                         spu_cmpgt (spu_splats (2046u), spu_sub (q_field, spu_splats (1u))));
  twice quotient = (twice) spu_add ((word) q, spu_and (spu_sl (e, 20), HIGH));
  if (__builtin_expect ((spu_extract (spu_gather (normal), 0) & 10) == 10, 1))
    return (vd) quotient;

  quotient = scale (q, spu_nmsub (n, q, m), n, e);
  word zero = first_twice (spu_cmpeq (b_field, 0)), large = first_twice (spu_cmpeq (b_field, 2047));
  word inverse = spu_sel (ONE, EXPONENT, zero);
  word b_rest = spu_andc ((word) b, spu_or (SIGN, EXPONENT));
  /* 0 of an infinity; of a NaN it stays one, since what is left of it is or-ed to an exponent of all ones. */
  word is_nan = spu_cmpgt (spu_or (b_rest, spu_rlqwbyte (b_rest, 4)), 0);
  inverse = spu_sel (inverse, spu_and (spu_or (EXPONENT, b_rest), first_twice (is_nan)), large);
  inverse = spu_or (inverse, spu_and ((word) b, SIGN));
  word special = spu_or (spu_or (zero, large),
                         first_twice (spu_or (spu_cmpeq (a_field, 0), spu_cmpeq (a_field, 2047))));
  return (vd) spu_sel (quotient, spu_mul (a, (twice) inverse), (vector unsigned long long) special);
}
