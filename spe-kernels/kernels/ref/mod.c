/* mod.c - Octave's mod.
 *
 *   y == 0                                    x
 *   y no integer, x/y within eps of one       0, with the sign of y
 *   otherwise                                 x - y * floor (x / y), with the sign of y unless x == y
 *
 * Every step is rounded as Octave rounds it: the product is never fused into the difference.
 */
#include "kernels.h"
#include "run.h"

VEC_INLINE vf mod_f (vf x, vf y)
{
  const vf zero = vf_splat (0.0f), half = vf_splat (0.5f);
  vf quotient = vf_divide (x, y), nearest = vf_floor (vf_add (quotient, half));
  vi32 whole = ~vf_equal (vf_floor (vf_add (y, half)), y)
               & vf_less (vf_abs (vf_divide (vf_subtract (quotient, nearest), nearest)), vf_splat (0x1p-23f));
  vf product = vf_times (y, vf_floor (quotient));
  vf rest = vf_select (whole, zero, vf_subtract (x, product));
  rest = vf_select (vf_equal (x, y), rest, vf_copysign (rest, y));
  return vf_select (vf_equal (y, zero), x, rest);
}

VEC_INLINE vd mod_d (vd x, vd y)
{
  const vd zero = vd_splat (0.0), half = vd_splat (0.5);
  vd quotient = vd_divide (x, y), nearest = vd_floor (quotient + half);
  vi64 whole = ~vd_equal (vd_floor (y + half), y)
               & vd_less (vd_abs (vd_divide (quotient - nearest, nearest)), vd_splat (0x1p-52));
  vd product = y * vd_floor (quotient);
  vd rest = vd_select (whole, zero, x - product);
  rest = vd_select (vd_equal (x, y), rest, vd_copysign (rest, y));
  return vd_select (vd_equal (y, zero), x, rest);
}

RUN_BINARY (mod)
