/* twofold.h - unevaluated sums of two doubles, and logarithms to base 2 in them.
 *
 * log2 x = e + log2 m, where x = m 2^e and sqrt(1/2) <= m < sqrt(2).  With s = (m-1)/(m+1) and K = 2/ln 2,
 *
 *     log2 m = s (K + z (K/3 + z (K/5 + z Q(z)))),   z = s^2,
 *
 * in sums of two doubles but for Q, which is fitted at Chebyshev nodes.  The relative error is below 2^-66.
 */
#ifndef PMATRIX_TWOFOLD_H
#define PMATRIX_TWOFOLD_H

#include "vec.h"

/* The double whose low bits hold an integer k in vd_scale is this number and k. */
#define SHIFTER 0x1.8p52

/* An unevaluated sum: |low| is at most half a unit in the last place of high. */
struct vd2 {
  vd high, low;
};

/* a + b, where a is 0 or not the smaller of the two. */
VEC_INLINE struct vd2 quick_sum (vd a, vd b)
{
  vd sum = a + b;
  return (struct vd2) { sum, b - (sum - a) };
}

/* a + b */
VEC_INLINE struct vd2 two_sum (vd a, vd b)
{
  vd sum = a + b, part = sum - a;
  return (struct vd2) { sum, (a - (sum - part)) + (b - part) };
}

/* x * y */
VEC_INLINE struct vd2 two_product (struct vd2 x, struct vd2 y)
{
  vd product = x.high * y.high;
  return (struct vd2) { product, vd_fma (x.high, y.high, -product) + vd_fma (x.high, y.low, x.low * y.high) };
}

/* constant + x * y */
VEC_INLINE struct vd2 multiply_add (double constant_high, double constant_low, struct vd2 x, struct vd2 y)
{
  struct vd2 product = two_product (x, y), sum = quick_sum (vd_splat (constant_high), product.high);
  sum.low += product.low + vd_splat (constant_low);
  return sum;
}

/* x as a normal number: x 2^lacking. */
VEC_INLINE vd vd_normal (vd x, vd *lacking)
{
  vi64 tiny = vd_less (x, vd_splat (0x1p-1022));
  *lacking = vd_select (tiny, vd_splat (54.0), vd_splat (0.0));
  return vd_select (tiny, x * vd_splat (0x1p54), x);
}

/* log2 (high + low) - lacking, for a positive, normal, finite high. */
VEC_INLINE struct vd2 log2_of_normal (vd high, vd low, vd lacking)
{
  vd exponent, m = vd_split (high, &exponent);
  vd m_low = vd_scale (low, vd_splat (SHIFTER) - exponent);
  exponent -= lacking;

  const vd one = vd_splat (1.0);
  struct vd2 above = quick_sum (m - one, m_low);
  vd below = m + one, below_low = (m - (below - one)) + m_low, inverse = vd_divide (one, below);
  struct vd2 s;
  s.high = above.high * inverse;
  s.low = (vd_fma (-s.high, below_low, vd_fma (-s.high, below, above.high)) + above.low) * inverse;

  struct vd2 z;
  z.high = s.high * s.high;
  z.low = vd_fma (s.high, s.high, -z.high) + (s.high + s.high) * s.low;
  vd q = vd_splat (0x1.39b64d4fb0af1p-3);
  q = vd_fma (q, z.high, vd_splat (0x1.356f5ae205075p-3));
  q = vd_fma (q, z.high, vd_splat (0x1.5ba4f82e1d4e8p-3));
  q = vd_fma (q, z.high, vd_splat (0x1.89f38d37da811p-3));
  q = vd_fma (q, z.high, vd_splat (0x1.c68f56d2e63c9p-3));
  q = vd_fma (q, z.high, vd_splat (0x1.0c9a84991f382p-2));
  q = vd_fma (q, z.high, vd_splat (0x1.484b13d7c0366p-2));
  q = vd_fma (q, z.high, vd_splat (0x1.a61762a7aded9p-2));
  struct vd2 sum = quick_sum (vd_splat (0x1.2776c50ef9bfep-1), q * z.high);
  sum.low += vd_splat (0x1.e4b29ccc535d4p-55);
  sum = multiply_add (0x1.ec709dc3a03fdp-1, 0x1.d27f05548af0cp-55, z, sum);
  sum = multiply_add (0x1.71547652b82fep+1, 0x1.777d0ffda0d24p-55, z, sum);

  struct vd2 product = two_product (s, sum), log = quick_sum (exponent, product.high);
  log.low += product.low;
  return log;
}

#endif
