/* arc.c - atan2, atan, asin, acos, and hypot.
 *
 * Each angle is the angle of a point (x, y).  With n the smaller and d the larger of |x| and |y|,
 *
 *     angle = k pi/4 + r   or   k pi/4 - r,
 *     r = atan (n / d)     or, where n is d/2 or more, r = atan ((n - d) / (n + d)),
 *
 * and atan t = t + t z P(z), z = t^2 <= 1/4, where P is fitted at Chebyshev nodes.  n - d is exact.
 */
#include "function.h"

/* pi/4 as two doubles.  Three times the first one is a double too. */
#define EIGHTH 0x1.921fb54442d18p-1
#define EIGHTH_LOW 0x1.1a62633145c07p-55

VEC_INLINE vd atan_of_half (vd t)
{
  vd z = t * t, p = vd_splat (-0x1.2dfbaab9786efp-7);
  p = vd_fma (p, z, vd_splat (0x1.99b4e0c058248p-6));
  p = vd_fma (p, z, vd_splat (-0x1.37d750492dd9bp-5));
  p = vd_fma (p, z, vd_splat (0x1.7b20b751c966ap-5));
  p = vd_fma (p, z, vd_splat (-0x1.ad44da04adea3p-5));
  p = vd_fma (p, z, vd_splat (0x1.e1a7b2562efc5p-5));
  p = vd_fma (p, z, vd_splat (-0x1.110ea50256abfp-4));
  p = vd_fma (p, z, vd_splat (0x1.3b138e6372dcap-4));
  p = vd_fma (p, z, vd_splat (-0x1.745d16026efd7p-4));
  p = vd_fma (p, z, vd_splat (0x1.c71c71c01b24cp-4));
  p = vd_fma (p, z, vd_splat (-0x1.2492492488296p-3));
  p = vd_fma (p, z, vd_splat (0x1.99999999998e1p-3));
  p = vd_fma (p, z, vd_splat (-0x1.5555555555555p-2));
  return vd_fma (t * z, p, t);
}

/* The angle of the point (x, y), with the sign of y. */
FUNCTION angle (vd y, vd x)
{
  const vd zero = vd_splat (0.0), one = vd_splat (1.0), infinity = vd_splat (__builtin_inf ());
  vd width = vd_abs (x), height = vd_abs (y);
  vi64 steep = vd_less (width, height), left = vd_less (vd_copysign (one, x), zero), backwards = steep ^ left;
  vd n = vd_select (steep, width, height), d = vd_select (steep, height, width);
  /* Two infinities count as two ones, and NaN stays NaN beside an infinity. */
  vi64 infinite = vd_equal (d, infinity);
  n = vd_select (infinite, vd_select (vd_equal (n, infinity), one, n * zero), n);
  d = vd_select (infinite | vd_equal (d, zero), one, d);

  /* The sum of n and d stays in range. */
  vi64 diagonal = ~vd_less (n + n, d);
  vd scale = vd_select (vd_less (d, one), vd_splat (2.0), vd_splat (0.5));
  vd n_scaled = n * scale, d_scaled = d * scale;
  vd t = vd_divide (vd_select (diagonal, n_scaled - d_scaled, n), vd_select (diagonal, n_scaled + d_scaled, d));

  vd k = vd_select (steep, vd_splat (2.0), vd_select (left, vd_splat (4.0), zero));
  k += vd_select (diagonal, vd_select (backwards, -one, one), zero);
  vd r = (vd) ((vi64) atan_of_half (t) ^ (backwards & VD_SIGN));
  vd value = k * vd_splat (EIGHTH) + (r + k * vd_splat (EIGHTH_LOW));
  return vd_copysign (vd_select (vd_equal (k, zero) & is_tiny (t), t, value), y);
}

VEC_INLINE vd atan2_d (vd y, vd x) { return angle (y, x); }

FUNCTION atan_d (vd x) { return vd_select (is_tiny (x), x, angle (x, vd_splat (1.0))); }

/* The other side of a right triangle with the long side 1. */
FUNCTION other_side (vd x, vi64 *outside)
{
  const vd one = vd_splat (1.0);
  *outside |= vd_less (one, vd_abs (x));
  return vd_sqrt ((one - x) * (one + x));
}

FUNCTION asin_d (vd x, vd same, vi64 *outside)
{
  (void) same;
  return vd_select (is_tiny (x), x, angle (x, other_side (x, outside)));
}

VEC_INLINE vd acos_d (vd x, vd same, vi64 *outside)
{
  (void) same;
  return angle (other_side (x, outside), x);
}

/* Squares of scaled numbers neither overflow nor vanish where they count. */
FUNCTION hypot_d (vd x, vd y)
{
  const vd one = vd_splat (1.0), up = vd_splat (0x1p600), down = vd_splat (0x1p-600), infinity = vd_splat (__builtin_inf ());
  vd width = vd_abs (x), height = vd_abs (y);
  vi64 steep = vd_less (width, height);
  vd large = vd_select (steep, height, width), small = vd_select (steep, width, height);
  vi64 huge = vd_less (vd_splat (0x1p500), large), minute = vd_less (large, vd_splat (0x1p-500));
  vd scale = vd_select (huge, down, vd_select (minute, up, one)), back = vd_select (huge, up, vd_select (minute, down, one));
  vd a = large * scale, b = small * scale;
  vd value = vd_sqrt (vd_fma (a, a, b * b)) * back;
  return vd_select (vd_equal (large, infinity) | vd_equal (small, infinity), infinity, value);
}

RUN_BINARY_FUNCTION (atan2)
RUN_FUNCTION (atan)
RUN_PARTIAL_FUNCTION (asin)
RUN_PARTIAL_FUNCTION (acos)
RUN_BINARY_FUNCTION (hypot)
