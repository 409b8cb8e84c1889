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

VEC_INLINE vf nearest_f (vf x)
{
  return vf_floor (x + vf_splat (0.5f));
}

VEC_INLINE vd nearest_d (vd x)
{
  return vd_floor (x + vd_splat (0.5));
}

VEC_INLINE vf mod_f (vf x, vf y)
{
  vf quotient = x / y, nearest = nearest_f (quotient);
  vi32 whole = (nearest_f (y) != y) & (vf_abs ((quotient - nearest) / nearest) < vf_splat (0x1p-23f));
  vf product = y * vf_floor (quotient);
  vf rest = vf_select (whole, vf_splat (0.0f), x - product);
  rest = vf_select (x == y, rest, vf_copysign (rest, y));
  return vf_select (y == vf_splat (0.0f), x, rest);
}

VEC_INLINE vd mod_d (vd x, vd y)
{
  vd quotient = x / y, nearest = nearest_d (quotient);
  vi64 whole = (nearest_d (y) != y) & (vd_abs ((quotient - nearest) / nearest) < vd_splat (0x1p-52));
  vd product = y * vd_floor (quotient);
  vd rest = vd_select (whole, vd_splat (0.0), x - product);
  rest = vd_select (x == y, rest, vd_copysign (rest, y));
  return vd_select (y == vd_splat (0.0), x, rest);
}

uint32_t KERNEL (mod_single) (const struct kernel_run *run)
{
  run_binary_single (run, mod_f);
  return 0;
}

uint32_t KERNEL (mod_double) (const struct kernel_run *run)
{
  run_binary_double (run, mod_d);
  return 0;
}
