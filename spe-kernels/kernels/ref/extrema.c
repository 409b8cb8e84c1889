/* extrema.c - max and min of two operands.
 *
 * Operands that are equal differ in one case only, zeros of different signs.  Octave takes the left zero
 * then, or the right zero where the left operand is repeated along the rows.  Hence each operation has two
 * kernels.
 */
#include "kernels.h"
#include "run.h"

/* No comparison with a NaN holds.  So the right operand is the result if the left operand is a NaN; whether
 * the right operand is a NaN is asked for. */
VEC_INLINE vf max_f (vf a, vf b) { return vf_select (vf_less (b, a) | vf_equal (a, b) | ~vf_equal (b, b), a, b); }
VEC_INLINE vd max_d (vd a, vd b) { return vd_select (vd_less (b, a) | vd_equal (a, b) | ~vd_equal (b, b), a, b); }
VEC_INLINE vf min_f (vf a, vf b) { return vf_select (vf_less (a, b) | vf_equal (a, b) | ~vf_equal (b, b), a, b); }
VEC_INLINE vd min_d (vd a, vd b) { return vd_select (vd_less (a, b) | vd_equal (a, b) | ~vd_equal (b, b), a, b); }
VEC_INLINE vf max_right_f (vf a, vf b) { return max_f (b, a); }
VEC_INLINE vd max_right_d (vd a, vd b) { return max_d (b, a); }
VEC_INLINE vf min_right_f (vf a, vf b) { return min_f (b, a); }
VEC_INLINE vd min_right_d (vd a, vd b) { return min_d (b, a); }

RUN_BINARY (max)
RUN_BINARY (min)
RUN_BINARY (max_right)
RUN_BINARY (min_right)
