/* exponent.h - powers of 2 in parts.
 *
 * 2^x = 2^k exp (rest ln 2) with the integer k nearest to x, and exp t = 1 + t + t^2 P(t), where P is fitted
 * at Chebyshev nodes.
 */
#ifndef PMATRIX_EXPONENT_H
#define PMATRIX_EXPONENT_H

#include "twofold.h"

/* 2^x = 2^k (1 + t + tail), with `shifted` as vd_scale takes k. */
struct exponent_parts {
  vd t, tail, shifted;
};

/* For |x| <= 1100. */
VEC_INLINE struct exponent_parts exponent_split (struct vd2 x)
{
  vd shifted = x.high + vd_splat (SHIFTER);
  /* The low part may be a unit of the high part, too much for its share of the result to be approximated
   * below. */
  struct vd2 rest = quick_sum (x.high - (shifted - vd_splat (SHIFTER)), x.low);

  const struct vd2 ln2 = { vd_splat (0x1.62e42fefa39efp-1), vd_splat (0x1.abc9e3b39803fp-56) };
  struct vd2 product = two_product (rest, ln2);
  vd t = product.high, t_low = product.low;
  vd p = vd_splat (0x1.1f7340dbc337ep-29);
  p = vd_fma (p, t, vd_splat (0x1.af4e554377204p-26));
  p = vd_fma (p, t, vd_splat (0x1.27e4db46cddd1p-22));
  p = vd_fma (p, t, vd_splat (0x1.71de01fdbf9cap-19));
  p = vd_fma (p, t, vd_splat (0x1.a01a01a6e1e2ap-16));
  p = vd_fma (p, t, vd_splat (0x1.a01a01abf85abp-13));
  p = vd_fma (p, t, vd_splat (0x1.6c16c16c162c3p-10));
  p = vd_fma (p, t, vd_splat (0x1.11111111100bep-7));
  p = vd_fma (p, t, vd_splat (0x1.5555555555556p-5));
  p = vd_fma (p, t, vd_splat (0x1.5555555555557p-3));
  p = vd_fma (p, t, vd_splat (0.5));
  return (struct exponent_parts) { t, vd_fma (t * t, p, vd_fma (t, t_low, t_low)), shifted };
}

/* The power of 2 that the parts are of. */
VEC_INLINE vd exponent_join (struct exponent_parts parts)
{
  struct vd2 sum = quick_sum (vd_splat (1.0), parts.t);
  return vd_scale (sum.high + (sum.low + parts.tail), parts.shifted);
}

#endif
