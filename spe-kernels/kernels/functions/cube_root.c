/* cube_root.c - cbrt.
 *
 * |x| = z 2^3k with the integer k, and cbrt |x| = 2^k cbrt z.  With y near 1 / cbrt z, the root of z is z y^2
 * and a step of Newton's method, whose rest is computed with twice the digits.  So the last addition is the
 * only rounding that counts, and the root of a whole number's cube comes out exactly.
 */
#include "function.h"
#include "twofold.h"

FUNCTION cbrt_d (vd x)
{
  const vd zero = vd_splat (0.0), one = vd_splat (1.0), third = vd_splat (0x1.5555555555555p-2);
  vd lacking, exponent, size = vd_normal (vd_abs (x), &lacking), m = vd_split (size, &exponent);
  exponent -= lacking;
  vd shifted = vd_fma (exponent, third, vd_splat (SHIFTER));
  vd r = vd_fma (vd_splat (-3.0), shifted - vd_splat (SHIFTER), exponent);

  /* z = m 2^r.  r is -1, 0 or 1, and at these numbers the polynomials in r are 2^r and 2^(-r/3). */
  vd z = m * vd_fma (r, vd_fma (r, vd_splat (0.25), vd_splat (0.75)), one);
  vd y = vd_fma (r, vd_fma (r, vd_splat (0x1.b744985853524p-6), vd_splat (-0x1.dd68e9bbaedb3p-3)), one);
  /* The polynomial in m, fitted at Chebyshev nodes, is m^(-1/3) within 2^-11.  The step takes y to 2^-32. */
  vd p = vd_splat (-0x1.3c363c29aaeb1p-3);
  p = vd_fma (p, m, vd_splat (0x1.667006dd7e4c5p-1));
  p = vd_fma (p, m, vd_splat (-0x1.459e20d181291p+0));
  p = vd_fma (p, m, vd_splat (0x1.b9e037b1502ecp+0));
  y *= p;
  vd h = vd_fma (-z * y, y * y, one);
  y = vd_fma (y * h, vd_fma (h, vd_splat (0x1.c71c71c71c71cp-3), third), y);

  vd square_y = y * y, c = z * square_y, square = c * c, square_low = vd_fma (c, c, -square);
  vd rest = vd_fma (-square_low, c, vd_fma (-square, c, z));
  vd value = vd_scale (vd_fma (rest, square_y * third, c), shifted);
  vi64 ordinary = vd_less (zero, size) & vd_less (size, vd_splat (__builtin_inf ()));
  return vd_copysign (vd_select (ordinary, value, size), x);
}

RUN_FUNCTION (cbrt)
