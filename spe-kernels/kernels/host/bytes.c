/* bytes.c - operations on truth values in bytes, 0 or 1. */
#include "kernels.h"
#include "../ref/run.h"

#define ONES vi64_splat (0x0101010101010101)

/* The kernel of an operation on the bits a and b. */
#define RUN_BYTES(name, bits)                                                                                         \
  VEC_INLINE vd name##_b (vd x, vd y)                                                                                 \
  {                                                                                                                   \
    vi64 a = (vi64) x, b = (vi64) y;                                                                                  \
    (void) a, (void) b;                                                                                               \
    return (vd) (ONES & (bits));                                                                                      \
  }                                                                                                                   \
  uint32_t KERNEL (name##_byte) (RUN_PARAMETERS) { return run_binary_double (RUN_ARGUMENTS, name##_b); }

/* The kernel of an operation on one operand. */
#define RUN_BYTES_UNARY(name, bits)                                                                                   \
  VEC_INLINE vd name##_b (vd x)                                                                                       \
  {                                                                                                                   \
    vi64 a = (vi64) x;                                                                                                \
    (void) a;                                                                                                         \
    return (vd) (ONES & (bits));                                                                                      \
  }                                                                                                                   \
  uint32_t KERNEL (name##_byte) (RUN_PARAMETERS)                                                                      \
  {                                                                                                                   \
    (void) b, (void) b_step;                                                                                          \
    return run_unary_double (result, a, a, a_step, a_step, bytes, name##_b);                                          \
  }

RUN_BYTES (equal, ~(a ^ b))
RUN_BYTES (not_equal, a ^ b)
RUN_BYTES (less, ~a & b)
RUN_BYTES (less_equal, ~a | b)
RUN_BYTES (greater, a & ~b)
RUN_BYTES (greater_equal, a | ~b)
RUN_BYTES (and, a & b)
RUN_BYTES (or, a | b)
RUN_BYTES (max, a | b)
RUN_BYTES (min, a & b)
RUN_BYTES (max_right, a | b)
RUN_BYTES (min_right, a & b)
RUN_BYTES_UNARY (not, ~a)
RUN_BYTES_UNARY (isnan, vi64_splat (0))
RUN_BYTES_UNARY (isinf, vi64_splat (0))
RUN_BYTES_UNARY (isfinite, ONES)
