/* rem.c - Octave's rem.
 *
 *   y == 0                                    NaN
 *   y no integer, x/y within eps of one       0, with the sign of x
 *   otherwise                                 x - y * fix (x / y), with the sign of x unless x == y
 *
 * Every step is rounded as Octave rounds it: the product is never fused into the difference.
 */
#include "kernels.h"
#include "run.h"

VEC_INLINE vf rem_f (vf x, vf y)
{
  const vf zero = vf_splat (0.0f), half = vf_splat (0.5f);
  vf quotient = vf_divide (x, y), nearest = vf_floor (vf_add (quotient, half));
  vi32 whole = ~vf_equal (vf_floor (vf_add (y, half)), y)
               & vf_less (vf_abs (vf_divide (vf_subtract (quotient, nearest), nearest)), vf_splat (0x1p-23f));
  vf product = vf_times (y, vf_copysign (vf_floor_positive (vf_abs (quotient)), quotient));
  vf rest = vf_select (whole, zero, vf_subtract (x, product));
  rest = vf_select (vf_equal (x, y), rest, vf_copysign (rest, x));
  /* NaN by its bits: the compiler for an SPU has none in single precision. */
  return vf_select (vf_equal (y, zero), (vf) vi32_splat (0x7fc00000), rest);
}

VEC_INLINE vd rem_d (vd x, vd y)
{
  const vd zero = vd_splat (0.0), half = vd_splat (0.5);
  vd quotient = vd_divide (x, y), nearest = vd_floor (quotient + half);
  vi64 whole = ~vd_equal (vd_floor (y + half), y)
               & vd_less (vd_abs (vd_divide (quotient - nearest, nearest)), vd_splat (0x1p-52));
  vd product = y * vd_copysign (vd_floor_positive (vd_abs (quotient)), quotient);
  vd rest = vd_select (whole, zero, x - product);
  rest = vd_select (vd_equal (x, y), rest, vd_copysign (rest, x));
  return vd_select (vd_equal (y, zero), vd_splat (__builtin_nan ("")), rest);
}

RUN_BINARY (rem)
