/* function.h - kernels of functions in vector code: the functions of the C library for an SPE, and sin and
 * cos for all processors.
 *
 * name_d is a function of doubles.  Single precision is computed in double and rounded once.
 */
#ifndef PMATRIX_FUNCTION_H
#define PMATRIX_FUNCTION_H

#include "kernels.h"
#include "../ref/run.h"

/* Called for doubles, and twice for singles: code is short on an SPE. */
#define FUNCTION static __attribute__ ((noinline)) vd

#define RUN_FUNCTION(name)                                                                                             \
  VEC_INLINE vf name##_f (vf x) { return vf_join (name##_d (vf_low (x)), name##_d (vf_high (x))); }                    \
  RUN_LONG_UNARY (name)

/* Of a function of two operands. */
#define RUN_BINARY_FUNCTION(name)                                                                                      \
  VEC_INLINE vf name##_f (vf x, vf y)                                                                                  \
  {                                                                                                                    \
    return vf_join (name##_d (vf_low (x), vf_low (y)), name##_d (vf_high (x), vf_high (y)));                           \
  }                                                                                                                    \
  RUN_BINARY (name)

/* Of a function with a domain: name_d (x, x, &outside). */
#define RUN_PARTIAL_FUNCTION(name)                                                                                     \
  VEC_INLINE vf name##_f (vf x, vf same, vi32 *outside)                                                                \
  {                                                                                                                    \
    vi64 mask = (vi64) *outside;                                                                                       \
    vd low = vf_low (x), high = vf_high (x);                                                                           \
    vf value = vf_join (name##_d (low, low, &mask), name##_d (high, high, &mask));                                     \
    (void) same;                                                                                                       \
    *outside = (vi32) mask;                                                                                            \
    return value;                                                                                                      \
  }                                                                                                                    \
  RUN_PARTIAL_UNARY (name)

/* Below this size f(x) is x, to half a unit in the last place, for all functions here that are 0 at 0 with
 * slope 1. */
VEC_INLINE vi64 is_tiny (vd x) { return vd_less (vd_abs (x), vd_splat (0x1p-54)); }

#endif
