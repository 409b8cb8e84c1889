/* rounding.c - floor, ceil, fix. */
#include "kernels.h"
#include "run.h"

VEC_INLINE vf floor_f (vf x) { return vf_floor (x); }
VEC_INLINE vd floor_d (vd x) { return vd_floor (x); }
VEC_INLINE vf ceil_f (vf x) { return -vf_floor (-x); }
VEC_INLINE vd ceil_d (vd x) { return -vd_floor (-x); }
VEC_INLINE vf fix_f (vf x) { return vf_copysign (vf_floor_positive (vf_abs (x)), x); }
VEC_INLINE vd fix_d (vd x) { return vd_copysign (vd_floor_positive (vd_abs (x)), x); }

RUN_UNARY (floor)
RUN_UNARY (ceil)
RUN_UNARY (fix)
