/* sign.c - negate, sign. */
#include "kernels.h"
#include "run.h"

VEC_INLINE vf negate_f (vf x) { return (vf) ((vi32) x ^ VF_SIGN); }
VEC_INLINE vd negate_d (vd x) { return (vd) ((vi64) x ^ VD_SIGN); }

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

RUN_UNARY (negate)
RUN_UNARY (sign)
