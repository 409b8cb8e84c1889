/* sqrt.c - the square root of doubles, rounded once: an SPU has none.
 *
 * The significand m, of an even power of 2, is between 1 and 4.  1/sqrt(m) begins with the estimate of single
 * precision and doubles its good bits three times; m times it is a root g with an error below a unit u in its
 * last place.  Let r be m - g^2.  m, g^2 and g u are multiples of u^2, and (g + u/2)^2 = g^2 + g u + u^2/4.
 * So the root is above g + u/2 where r > g u, and below g - u/2 where r <= -g u.  Both comparisons are exact,
 * since g u is a double.
 *
 * On a Cell BE a denormal operand counts as zero, as in all its arithmetic.
 */
#include "twice.h"

vd vd_sqrt (vd argument)
{
  const word below_exponent = spu_or (SIGN, EXPONENT), one_high = { 1, 0, 1, 0 };
  const twice half = spu_splats (0.5), unit = spu_splats (0x1p-52);
  twice x = (twice) argument;
  word field = field_of (x);
#ifdef __SPU_EDP__
  word tiny = first_twice (spu_cmpeq (field, 0));
  x = spu_sel (x, spu_mul (x, spu_splats (0x1p54)), (vector unsigned long long) tiny);
  field = field_of (x);
#endif
  /* The exponent is field - 1023.  The significand keeps its last bit. */
  word odd = spu_andc (one_high, field);
  word exponent = spu_sl (spu_add (odd, spu_splats (1023u)), 20);
  twice m = (twice) spu_sel ((word) x, spu_and (exponent, HIGH), below_exponent);

  vector float m_single = spu_roundtf (m), estimate = spu_rsqrte (m_single);
  vector float rest = spu_nmsub (spu_mul (m_single, estimate), estimate, spu_splats (1.0f));
  estimate = spu_madd (spu_mul (estimate, spu_splats (0.5f)), rest, estimate);
  twice y = spu_extend (estimate);
  y = spu_madd (y, spu_nmsub (spu_mul (m, y), spu_mul (y, half), half), y);
  y = spu_madd (y, spu_nmsub (spu_mul (m, y), spu_mul (y, half), half), y);
  twice g = spu_mul (m, y);
  g = spu_madd (spu_nmsub (g, g, m), spu_mul (y, half), g);

  twice r = spu_nmsub (g, g, m), step = spu_mul (g, unit);
  word above = (word) vd_less ((vd) step, (vd) r), not_below = (word) vd_less (-(vd) step, (vd) r);
  g = spu_add (g, (twice) spu_and ((word) unit, above));
  g = spu_sub (g, (twice) spu_andc ((word) unit, not_below));

  /* The exponent of m times a power of 2 is field - 1023.  Half of the power is (field + 1 - odd) / 2 -
   * 512. */
  word change = spu_sub (spu_rlmask (spu_sub (spu_add (field, spu_splats (1u)), odd), -1), spu_splats (512u));
#ifdef __SPU_EDP__
  change = spu_sub (change, spu_and (tiny, 27));
#endif
  word root = spu_add ((word) g, spu_and (spu_sl (change, 20), HIGH));

  word zero = first_twice (spu_cmpeq (field, 0)), beyond = first_twice (spu_cmpeq (field, 2047));
  word negative = (word) spu_rlmaska ((vector signed int) first_twice ((word) x), -31);
  root = spu_sel (root, (word) x, beyond);
  root = spu_sel (root, (word) spu_splats (__builtin_nan ("")), negative);
  return (vd) spu_sel (root, spu_and ((word) x, SIGN), zero);
}
