/* arithmetic.c - add, subtract, times, divide, equal, not_equal, abs, but for an SPE, which has
 * kernels/spu/arithmetic.c. */
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

VEC_INLINE vf abs_f (vf x) { return vf_abs (x); }
VEC_INLINE vd abs_d (vd x) { return vd_abs (x); }

RUN_BINARY (add)
RUN_BINARY (subtract)
RUN_BINARY (times)
RUN_BINARY (divide)
RUN_BINARY (equal)
RUN_BINARY (not_equal)
RUN_UNARY (abs)
