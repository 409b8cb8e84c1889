/* error.c - erf, erfc.
 *
 * Below 1, erf x = x + x P(x^2).  From 1/2 on, erfc x = e^-x^2 R(q) / (1 + 2 x), q = (x - 4) / (x + 4), where
 * x^2 is a sum of two doubles.  P and R are fitted at Chebyshev nodes.
 */
#include "exponent.h"
#include "function.h"

/* For 0 <= x <= 1. */
FUNCTION erf_of_small (vd x)
{
  vd z = x * x;
  vd p = vd_splat (0x1.05ffd737fb32ep-34);
  p = vd_fma (p, z, vd_splat (-0x1.389d4f2641625p-30));
  p = vd_fma (p, z, vd_splat (0x1.f7b4bf3b13964p-27));
  p = vd_fma (p, z, vd_splat (-0x1.5f1ecb6f0764cp-23));
  p = vd_fma (p, z, vd_splat (0x1.b9df224ca4b97p-20));
  p = vd_fma (p, z, vd_splat (-0x1.f4d1e3183f7aep-17));
  p = vd_fma (p, z, vd_splat (0x1.f9a321d5b8e1ep-14));
  p = vd_fma (p, z, vd_splat (-0x1.c02db3dac435fp-11));
  p = vd_fma (p, z, vd_splat (0x1.565bcd0dbaa38p-8));
  p = vd_fma (p, z, vd_splat (-0x1.b82ce31284e00p-6));
  p = vd_fma (p, z, vd_splat (0x1.ce2f21a042b30p-4));
  p = vd_fma (p, z, vd_splat (-0x1.812746b0379e6p-2));
  p = vd_fma (p, z, vd_splat (0x1.06eba8214db69p-3));
  return vd_fma (x, p, x);
}

/* For 1/2 <= x. */
FUNCTION erfc_of_large (vd x)
{
  const vd four = vd_splat (4.0), log2_e = vd_splat (0x1.71547652b82fep+0), log2_e_low = vd_splat (0x1.777d0ffda0d24p-56);
  /* Beyond this every result is zero. */
  x = vd_select (vd_less (vd_splat (27.5), x), vd_splat (27.5), x);
  vd q = vd_divide (x - four, x + four);
  vd p = vd_splat (-0x1.67fa3128dee34p-27);
  p = vd_fma (p, q, vd_splat (-0x1.a403ddb107533p-27));
  p = vd_fma (p, q, vd_splat (0x1.c5e4aa4a32304p-24));
  p = vd_fma (p, q, vd_splat (0x1.1fde3f8d8313bp-24));
  p = vd_fma (p, q, vd_splat (-0x1.b99bb9bcb0974p-21));
  p = vd_fma (p, q, vd_splat (0x1.41a5d9b6c3abbp-22));
  p = vd_fma (p, q, vd_splat (0x1.7f19bc91ad5ccp-18));
  p = vd_fma (p, q, vd_splat (-0x1.78a3b73fcffbfp-17));
  p = vd_fma (p, q, vd_splat (-0x1.9958d66770982p-16));
  p = vd_fma (p, q, vd_splat (0x1.3be0d61957f14p-13));
  p = vd_fma (p, q, vd_splat (-0x1.a1df222b3ca59p-13));
  p = vd_fma (p, q, vd_splat (-0x1.8d4aa17050e08p-11));
  p = vd_fma (p, q, vd_splat (0x1.49c6727ace9e5p-8));
  p = vd_fma (p, q, vd_splat (-0x1.0962387dac933p-6));
  p = vd_fma (p, q, vd_splat (0x1.3079edf6b9159p-5));
  p = vd_fma (p, q, vd_splat (-0x1.0fb06dfe6b25cp-4));
  p = vd_fma (p, q, vd_splat (0x1.7fee004e106bdp-4));
  p = vd_fma (p, q, vd_splat (-0x1.9ddb23c3e7cf5p-4));
  p = vd_fma (p, q, vd_splat (0x1.16ecefcfa547fp-4));
  p = vd_fma (p, q, vd_splat (0x1.f7f5df66fd575p-7));
  p = vd_fma (p, q, vd_splat (-0x1.1df1ad154a28fp-3));
  struct vd2 numerator = quick_sum (vd_splat (0x1.3ba5916e9fd7fp+0), q * p);
  struct vd2 denominator = two_sum (vd_splat (1.0), x + x);
  vd inverse = vd_divide (vd_splat (1.0), denominator.high), ratio = numerator.high * inverse;
  vd rest = vd_fma (-ratio, denominator.high, numerator.high) + numerator.low;
  vd ratio_low = vd_fma (-ratio, denominator.low, rest) * inverse;

  vd square = x * x;
  struct vd2 exponent = two_product ((struct vd2) { -square, vd_fma (-x, x, square) }, (struct vd2) { log2_e, log2_e_low });
  struct exponent_parts parts = exponent_split (exponent);
  struct vd2 power = quick_sum (vd_splat (1.0), parts.t);
  power.low += parts.tail;
  struct vd2 product = two_product ((struct vd2) { ratio, ratio_low }, power);
  return vd_scale (product.high + product.low, parts.shifted);
}

FUNCTION erf_d (vd x)
{
  const vd one = vd_splat (1.0);
  vd size = vd_abs (x);
  vd value = vd_select (vd_less (size, one), erf_of_small (size), one - erfc_of_large (size));
  return vd_copysign (value, x);
}

FUNCTION erfc_d (vd x)
{
  vd size = vd_abs (x), large = erfc_of_large (size);
  vd beyond = vd_select (vd_less (x, vd_splat (0.0)), vd_splat (2.0) - large, large);
  return vd_select (vd_less (size, vd_splat (0.5)), vd_splat (1.0) - vd_copysign (erf_of_small (size), x), beyond);
}

RUN_FUNCTION (erf)
RUN_FUNCTION (erfc)
