/* logarithm.c - log, log2, log10, log1p, asinh, acosh, atanh.
 *
 * All are logarithms to base 2 as sums of two doubles (twofold.h), multiplied by a constant in two doubles.
 */
#include "function.h"
#include "twofold.h"

#define LN2 0x1.62e42fefa39efp-1
#define LN2_LOW 0x1.abc9e3b39803fp-56

/* The logarithm of high + low, less `lacking` times that of 2, where `factor` + `factor_low` is the logarithm
 * of 2.  If `high` is zero, the result is -infinity; if `high` is negative, infinite or NaN, the result is
 * `high`. */
FUNCTION logarithm (vd high, vd low, vd lacking, vd factor, vd factor_low)
{
  const vd zero = vd_splat (0.0), infinity = vd_splat (__builtin_inf ());
  struct vd2 product = two_product (log2_of_normal (high, low, lacking), (struct vd2) { factor, factor_low });
  vd value = product.high + product.low;
  vd odd_one = vd_select (vd_equal (high, zero), -infinity, high);
  return vd_select (vd_less (zero, high) & vd_less (high, infinity), value, odd_one);
}

/* The logarithm of x to the base for which that of 2 is the factor. */
FUNCTION log_of (vd x, vd factor, vd factor_low, vi64 *outside)
{
  vd lacking, zero = vd_splat (0.0);
  *outside |= vd_less (x, zero);
  x = vd_normal (x, &lacking);
  return logarithm (x, zero, lacking, factor, factor_low);
}

VEC_INLINE vd log_d (vd x, vd same, vi64 *outside)
{
  (void) same;
  return log_of (x, vd_splat (LN2), vd_splat (LN2_LOW), outside);
}

VEC_INLINE vd log2_d (vd x, vd same, vi64 *outside)
{
  (void) same;
  return log_of (x, vd_splat (1.0), vd_splat (0.0), outside);
}

VEC_INLINE vd log10_d (vd x, vd same, vi64 *outside)
{
  (void) same;
  return log_of (x, vd_splat (0x1.34413509f79ffp-2), vd_splat (-0x1.9dc1da994fd21p-59), outside);
}

/* log (1 + x) for x >= -1 */
FUNCTION log_of_one_and (vd x)
{
  struct vd2 sum = two_sum (vd_splat (1.0), x);
  vd value = logarithm (sum.high, sum.low, vd_splat (0.0), vd_splat (LN2), vd_splat (LN2_LOW));
  return vd_select (is_tiny (x), x, value);
}

VEC_INLINE vd log1p_d (vd x, vd same, vi64 *outside)
{
  (void) same;
  *outside |= vd_less (x, vd_splat (-1.0));
  return log_of_one_and (x);
}

/* From here on f(x) is log (2 x) to the last place, for asinh and acosh. */
#define LARGE 0x1p54

/* log (1 + x), and log (2 y) for a large y. */
FUNCTION log_or_large (vd x, vd y)
{
  vi64 large = ~vd_less (y, vd_splat (LARGE));
  vd value = log_of_one_and (vd_select (large, y, x));
  return value + vd_select (large, vd_splat (LN2), vd_splat (0.0));
}

/* log (x + sqrt (x^2 + 1)) = log (1 + x + x^2 / (1 + sqrt (x^2 + 1))) */
FUNCTION asinh_d (vd x)
{
  const vd one = vd_splat (1.0);
  vd size = vd_abs (x), square = size * size;
  vd sum = size + vd_divide (square, one + vd_sqrt (square + one));
  return vd_copysign (log_or_large (sum, size), x);
}

/* log (x + sqrt (x^2 - 1)) = log (1 + t + sqrt (t (t + 2))), t = x - 1 */
FUNCTION acosh_d (vd x, vd same, vi64 *outside)
{
  (void) same;
  *outside |= vd_less (x, vd_splat (1.0));
  vd t = x - vd_splat (1.0);
  return log_or_large (t + vd_sqrt (t * (t + vd_splat (2.0))), x);
}

/* log ((1 + x) / (1 - x)) / 2 = log (1 + 2 x + 2 x^2 / (1 - x)) / 2 */
FUNCTION atanh_d (vd x, vd same, vi64 *outside)
{
  const vd one = vd_splat (1.0);
  vd size = vd_abs (x), twice = size + size;
  (void) same;
  *outside |= vd_less (one, size);
  vd value = vd_splat (0.5) * log_of_one_and (twice + vd_divide (twice * size, one - size));
  return vd_copysign (value, x);
}

RUN_PARTIAL_FUNCTION (log)
RUN_PARTIAL_FUNCTION (log2)
RUN_PARTIAL_FUNCTION (log10)
RUN_PARTIAL_FUNCTION (log1p)
RUN_FUNCTION (asinh)
RUN_PARTIAL_FUNCTION (acosh)
RUN_PARTIAL_FUNCTION (atanh)
