/* rounding.c - floor, ceil, fix, round. */
#include "kernels.h"
#include "run.h"

VEC_INLINE vf floor_f (vf x) { return vf_floor (x); }
VEC_INLINE vd floor_d (vd x) { return vd_floor (x); }
VEC_INLINE vf ceil_f (vf x) { return -vf_floor (-x); }
VEC_INLINE vd ceil_d (vd x) { return -vd_floor (-x); }
VEC_INLINE vf fix_f (vf x) { return vf_copysign (vf_floor_positive (vf_abs (x)), x); }
VEC_INLINE vd fix_d (vd x) { return vd_copysign (vd_floor_positive (vd_abs (x)), x); }

/* Adding one half first would carry 0.49999999999999994 up to 1; the fraction beyond the floor is exact.
 * (Of an infinity it is NaN, and one more does not change an infinity.) */
VEC_INLINE vf round_f (vf x)
{
  vf size = vf_abs (x), whole = vf_floor_positive (size);
  vi32 down = vf_less (vf_subtract (size, whole), vf_splat (0.5f));
  whole = vf_add (whole, vf_select (down, vf_splat (0.0f), vf_splat (1.0f)));
  return vf_copysign (whole, x);
}

VEC_INLINE vd round_d (vd x)
{
  vd size = vd_abs (x), whole = vd_floor_positive (size);
  whole += vd_select (vd_less (size - whole, vd_splat (0.5)), vd_splat (0.0), vd_splat (1.0));
  return vd_copysign (whole, x);
}

RUN_UNARY (floor)
RUN_UNARY (ceil)
RUN_UNARY (fix)
RUN_UNARY (round)
