/* exponential.c - exp, expm1, sinh, cosh, tanh.
 *
 * e^x = 2^(x log2 e), where the product is a sum of two doubles.  e^x - 1 = 2^k ((1 - 2^-k) + t + tail): both
 * terms are exact, and where k is 0 the first term vanishes, so small results lose nothing.
 */
#include "exponent.h"
#include "function.h"

/* x, but nothing below `least` or above `most`; NaN stays NaN. */
VEC_INLINE vd bounded (vd x, double least, double most)
{
  x = vd_select (vd_less (x, vd_splat (least)), vd_splat (least), x);
  return vd_select (vd_less (vd_splat (most), x), vd_splat (most), x);
}

VEC_INLINE struct exponent_parts parts_of (vd x)
{
  const vd log2_e = vd_splat (0x1.71547652b82fep+0), log2_e_low = vd_splat (0x1.777d0ffda0d24p-56);
  vd product = x * log2_e;
  return exponent_split ((struct vd2) { product, vd_fma (x, log2_e, -product) + x * log2_e_low });
}

/* e^x 2^-halvings; beyond the bounds every result is zero or infinite. */
FUNCTION exp_halved (vd x, vd halvings)
{
  struct exponent_parts parts = parts_of (bounded (x, -760, 720));
  parts.shifted -= halvings;
  return exponent_join (parts);
}

VEC_INLINE vd exp_d (vd x) { return exp_halved (x, vd_splat (0.0)); }

FUNCTION expm1_d (vd x)
{
  struct exponent_parts parts = parts_of (bounded (x, -50, 720));
  vd k = parts.shifted - vd_splat (SHIFTER), one = vd_splat (1.0);
  struct vd2 sum = quick_sum (one - vd_scale (one, vd_splat (SHIFTER) - k), parts.t);
  return vd_select (is_tiny (x), x, vd_scale (sum.high + (sum.low + parts.tail), parts.shifted));
}

/* With E = e^|x| - 1: (E + E / (E + 1)) / 2, and e^|x| / 2 where e^-|x| does not count. */
FUNCTION sinh_d (vd x)
{
  const vd one = vd_splat (1.0), half = vd_splat (0.5);
  vd size = vd_abs (x), e = expm1_d (size);
  vd value = half * (e + vd_divide (e, e + one));
  value = vd_select (vd_less (vd_splat (22.0), size), exp_halved (size, one), value);
  return vd_copysign (value, x);
}

FUNCTION cosh_d (vd x)
{
  vd half_power = exp_halved (vd_abs (x), vd_splat (1.0));
  return half_power + vd_divide (vd_splat (0.25), half_power);
}

/* With E = e^2|x| - 1: E / (E + 2), which is 1 from 22 on. */
FUNCTION tanh_d (vd x)
{
  vd size = bounded (vd_abs (x), 0, 22), e = expm1_d (size + size);
  return vd_copysign (vd_divide (e, e + vd_splat (2.0)), x);
}

RUN_FUNCTION (exp)
RUN_FUNCTION (expm1)
RUN_FUNCTION (sinh)
RUN_FUNCTION (cosh)
RUN_FUNCTION (tanh)
