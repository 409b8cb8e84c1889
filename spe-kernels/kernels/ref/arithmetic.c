/* arithmetic.c - add, subtract, times, divide, equal, not_equal, abs, negate, sign, round. */
#include "kernels.h"
#include "run.h"

VEC_INLINE vf add_f (vf a, vf b) { return vf_add (a, b); }
VEC_INLINE vd add_d (vd a, vd b) { return a + b; }
VEC_INLINE vf subtract_f (vf a, vf b) { return vf_subtract (a, b); }
VEC_INLINE vd subtract_d (vd a, vd b) { return a - b; }
VEC_INLINE vf times_f (vf a, vf b) { return vf_times (a, b); }
VEC_INLINE vd times_d (vd a, vd b) { return a * b; }
VEC_INLINE vf divide_f (vf a, vf b) { return vf_divide (a, b); }
VEC_INLINE vd divide_d (vd a, vd b) { return vd_divide (a, b); }

VEC_INLINE vf equal_f (vf a, vf b) { return vf_select (vf_equal (a, b), vf_splat (1.0f), vf_splat (0.0f)); }
VEC_INLINE vd equal_d (vd a, vd b) { return vd_select (vd_equal (a, b), vd_splat (1.0), vd_splat (0.0)); }
VEC_INLINE vf not_equal_f (vf a, vf b) { return vf_select (vf_equal (a, b), vf_splat (0.0f), vf_splat (1.0f)); }
VEC_INLINE vd not_equal_d (vd a, vd b) { return vd_select (vd_equal (a, b), vd_splat (0.0), vd_splat (1.0)); }

/* A zero of either sign gives +0: neither comparison holds, and neither does x != x. */
VEC_INLINE vf sign_f (vf x)
{
  const vf zero = vf_splat (0.0f), one = vf_splat (1.0f);
  vf above = vf_select (vf_less (zero, x), one, zero);
  return vf_select (vf_less (x, zero), -one, vf_select (vf_equal (x, x), above, x));
}

VEC_INLINE vd sign_d (vd x)
{
  const vd zero = vd_splat (0.0), one = vd_splat (1.0);
  vd above = vd_select (vd_less (zero, x), one, zero);
  return vd_select (vd_less (x, zero), -one, vd_select (vd_equal (x, x), above, x));
}

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

VEC_INLINE vf abs_f (vf x) { return vf_abs (x); }
VEC_INLINE vd abs_d (vd x) { return vd_abs (x); }

VEC_INLINE vf negate_f (vf x) { return (vf) ((vi32) x ^ VF_SIGN); }
VEC_INLINE vd negate_d (vd x) { return (vd) ((vi64) x ^ VD_SIGN); }

RUN_BINARY (add)
RUN_BINARY (subtract)
RUN_BINARY (times)
RUN_BINARY (divide)
RUN_BINARY (equal)
RUN_BINARY (not_equal)
RUN_UNARY (abs)
RUN_UNARY (negate)
RUN_UNARY (sign)
RUN_UNARY (round)
