/* root.c - sqrt. */
#include "kernels.h"
#include "run.h"

VEC_INLINE vf sqrt_f (vf x, vf same, vi32 *outside)
{
  (void) same;
  *outside |= vf_less (x, vf_splat (0.0f));
  return vf_sqrt (x);
}

VEC_INLINE vd sqrt_d (vd x, vd same, vi64 *outside)
{
  (void) same;
  *outside |= vd_less (x, vd_splat (0.0));
  return vd_sqrt (x);
}

RUN_PARTIAL_UNARY (sqrt)
