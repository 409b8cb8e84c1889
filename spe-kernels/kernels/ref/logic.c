/* logic.c - operations whose results are 1 or 0: comparisons, isnan, isinf, isfinite, not, and, or. */
#include "kernels.h"
#ifdef __SPU__
#include "../spu/turn.h"
#else
#include "run.h"
#define RUN_SHORT_UNARY RUN_UNARY
#define RUN_SHORT_BINARY RUN_BINARY
#define RUN_SHORT_EXCHANGED(name, other) RUN_BINARY (name)
#define RUN_SHORT_PARTIAL_UNARY RUN_PARTIAL_UNARY
#define RUN_SHORT_PARTIAL_BINARY RUN_PARTIAL_BINARY
#endif

VEC_INLINE vf truth_f (vi32 mask) { return vf_select (mask, vf_splat (1.0f), vf_splat (0.0f)); }
VEC_INLINE vd truth_d (vi64 mask) { return vd_select (mask, vd_splat (1.0), vd_splat (0.0)); }

VEC_INLINE vf less_f (vf a, vf b) { return truth_f (vf_less (a, b)); }
VEC_INLINE vd less_d (vd a, vd b) { return truth_d (vd_less (a, b)); }
VEC_INLINE vf less_equal_f (vf a, vf b) { return truth_f (vf_less (a, b) | vf_equal (a, b)); }
VEC_INLINE vd less_equal_d (vd a, vd b) { return truth_d (vd_less (a, b) | vd_equal (a, b)); }
VEC_INLINE vf greater_f (vf a, vf b) { return less_f (b, a); }
VEC_INLINE vd greater_d (vd a, vd b) { return less_d (b, a); }
VEC_INLINE vf greater_equal_f (vf a, vf b) { return less_equal_f (b, a); }
VEC_INLINE vd greater_equal_d (vd a, vd b) { return less_equal_d (b, a); }

/* Singles are told apart by their bits.  The bits mean to a program what they mean to Octave, also on an SPE,
 * whose arithmetic has no infinity and no NaN. */
#define INFINITY_BITS vi32_splat (0x7f800000)
VEC_INLINE vi32 size_bits (vf x) { return (vi32) vf_abs (x); }

VEC_INLINE vf isnan_f (vf x) { return truth_f (size_bits (x) > INFINITY_BITS); }
VEC_INLINE vd isnan_d (vd x) { return truth_d (~vd_equal (x, x)); }
VEC_INLINE vf isinf_f (vf x) { return truth_f (size_bits (x) == INFINITY_BITS); }
VEC_INLINE vd isinf_d (vd x) { return truth_d (vd_equal (vd_abs (x), vd_splat (__builtin_inf ()))); }
VEC_INLINE vf isfinite_f (vf x) { return truth_f (INFINITY_BITS > size_bits (x)); }
VEC_INLINE vd isfinite_d (vd x) { return truth_d (vd_less (vd_abs (x), vd_splat (__builtin_inf ()))); }

/* NaN is neither true nor false. */
VEC_INLINE vi32 truth_of_f (vf x, vi32 *outside)
{
  *outside |= size_bits (x) > INFINITY_BITS;
  return ~vf_equal (x, vf_splat (0.0f));
}

VEC_INLINE vi64 truth_of_d (vd x, vi64 *outside)
{
  *outside |= ~vd_equal (x, x);
  return ~vd_equal (x, vd_splat (0.0));
}

VEC_INLINE vf not_f (vf x, vf same, vi32 *outside)
{
  (void) same;
  return truth_f (~truth_of_f (x, outside));
}

VEC_INLINE vd not_d (vd x, vd same, vi64 *outside)
{
  (void) same;
  return truth_d (~truth_of_d (x, outside));
}

VEC_INLINE vf and_f (vf a, vf b, vi32 *outside) { return truth_f (truth_of_f (a, outside) & truth_of_f (b, outside)); }
VEC_INLINE vd and_d (vd a, vd b, vi64 *outside) { return truth_d (truth_of_d (a, outside) & truth_of_d (b, outside)); }
VEC_INLINE vf or_f (vf a, vf b, vi32 *outside) { return truth_f (truth_of_f (a, outside) | truth_of_f (b, outside)); }
VEC_INLINE vd or_d (vd a, vd b, vi64 *outside) { return truth_d (truth_of_d (a, outside) | truth_of_d (b, outside)); }

RUN_SHORT_BINARY (less)
RUN_SHORT_BINARY (less_equal)
RUN_SHORT_EXCHANGED (greater, less)
RUN_SHORT_EXCHANGED (greater_equal, less_equal)
RUN_SHORT_UNARY (isnan)
RUN_SHORT_UNARY (isinf)
RUN_SHORT_UNARY (isfinite)
RUN_SHORT_PARTIAL_UNARY (not)
RUN_SHORT_PARTIAL_BINARY (and)
RUN_SHORT_PARTIAL_BINARY (or)
