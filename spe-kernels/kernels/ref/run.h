/* run.h - the loop of every element-wise kernel.
 *
 * The operation is a function of vectors, given as a constant and inlined. A run ends on a quadword, not on a
 * whole vector. The last quadwords pass through the function in a whole vector, of which only these quadwords
 * are kept.
 */
#ifndef PMATRIX_RUN_H
#define PMATRIX_RUN_H

#include "kernel.h"
#include "vec.h"

/* The parameters of a kernel_elementwise. */
#define RUN_PARAMETERS char *result, const char *a, const char *b, uint32_t a_step, uint32_t b_step, uint32_t bytes
#define RUN_ARGUMENTS result, a, b, a_step, b_step, bytes

#if VEC_BYTES > 16
VEC_INLINE void run_tail_load (void *vector, const char *from, uint32_t bytes, uint32_t step)
{
  memset (vector, 0, VEC_BYTES);
  memcpy (vector, from, step == 0 ? VEC_BYTES : bytes);
}
#endif

/* The vectors up to `end` one by one, and the last quadwords.  `v` is the type of the vectors, vf or vd.
 * APPLY gives the result of two vectors. */
#define RUN_REST(v, APPLY)                                                                                             \
  for (; result != end; result += VEC_BYTES, a += a_step, b += b_step)                                                 \
    v##_store (result, APPLY (v##_load (a), v##_load (b)));                                                            \
  RUN_TAIL (v, APPLY)

#if VEC_BYTES > 16
#define RUN_TAIL(v, APPLY)                                                                                             \
  if (left != 0) {                                                                                                     \
    v a_tail, b_tail;                                                                                                  \
    run_tail_load (&a_tail, a, left, a_step);                                                                          \
    run_tail_load (&b_tail, b, left, b_step);                                                                          \
    v tail = APPLY (a_tail, b_tail);                                                                                   \
    memcpy (result, &tail, left);                                                                                      \
  }
#else
#define RUN_TAIL(v, APPLY)
#endif

#ifdef __SPU__
/* The loop of an operation without a domain, a vector a pass: a local store has no room for several. */
#define RUN_LOOP(v, APPLY)                                                                                             \
  char *end = result + bytes;                                                                                          \
  RUN_REST (v, APPLY)                                                                                                  \
  return 0;
#else
/* Vectors that are computed in one pass of a loop.  They do not depend on each other, and share the counting
 * and the jump. */
#define RUN_VECTORS 4u

/* The loop of an operation without a domain.  All vectors of a pass are read before the first is written, so
 * the compiler need not know whether the result lies where an operand lies. */
#define RUN_LOOP(v, APPLY)                                                                                             \
  uint32_t left = bytes % VEC_BYTES;                                                                                   \
  char *end = result + (bytes - left);                                                                                 \
  uintptr_t pass = RUN_VECTORS * VEC_BYTES, a_next = a_step, b_next = b_step;                                          \
  for (; (uintptr_t) (end - result) >= pass; result += pass, a += RUN_VECTORS * a_next, b += RUN_VECTORS * b_next) {   \
    v results[RUN_VECTORS];                                                                                            \
    for (uintptr_t i = 0; i < RUN_VECTORS; i++)                                                                        \
      results[i] = APPLY (v##_load (a + i * a_next), v##_load (b + i * b_next));                                       \
    for (uintptr_t i = 0; i < RUN_VECTORS; i++)                                                                        \
      v##_store (result + i * VEC_BYTES, results[i]);                                                                  \
  }                                                                                                                    \
  RUN_REST (v, APPLY)                                                                                                  \
  return 0;
#endif

VEC_INLINE uint32_t run_binary_single (RUN_PARAMETERS, vf (*operation) (vf, vf)) { RUN_LOOP (vf, operation) }

VEC_INLINE uint32_t run_binary_double (RUN_PARAMETERS, vd (*operation) (vd, vd)) { RUN_LOOP (vd, operation) }

/* Operations of one operand are given it twice. */
#define RUN_FIRST(a, b) operation (a)

VEC_INLINE uint32_t run_unary_single (RUN_PARAMETERS, vf (*operation) (vf)) { RUN_LOOP (vf, RUN_FIRST) }

VEC_INLINE uint32_t run_unary_double (RUN_PARAMETERS, vd (*operation) (vd)) { RUN_LOOP (vd, RUN_FIRST) }

#ifndef __SPU__
/* Operations with a domain: they set the lanes of *outside whose operands are not in it. */
#define RUN_PARTIAL(a, b) operation (a, b, &outside)

VEC_INLINE uint32_t run_partial_single (RUN_PARAMETERS, vf (*operation) (vf, vf, vi32 *))
{
  vi32 outside = {};
  uint32_t left = bytes % VEC_BYTES;
  char *end = result + (bytes - left);
  RUN_REST (vf, RUN_PARTIAL)
  return vi64_any ((vi64) outside) != 0;
}

VEC_INLINE uint32_t run_partial_double (RUN_PARAMETERS, vd (*operation) (vd, vd, vi64 *))
{
  vi64 outside = {};
  uint32_t left = bytes % VEC_BYTES;
  char *end = result + (bytes - left);
  RUN_REST (vd, RUN_PARTIAL)
  return vi64_any (outside) != 0;
}
#endif

/* Defines the two kernels of an operation of one operand, which the loops are given twice. */
#define RUN_GIVEN_TWICE(name, single_loop, single_function, double_loop, double_function)                              \
  uint32_t KERNEL (name##_single) (RUN_PARAMETERS)                                                                     \
  {                                                                                                                    \
    (void) b, (void) b_step;                                                                                           \
    return single_loop (result, a, a, a_step, a_step, bytes, single_function);                                         \
  }                                                                                                                    \
  uint32_t KERNEL (name##_double) (RUN_PARAMETERS)                                                                     \
  {                                                                                                                    \
    (void) b, (void) b_step;                                                                                           \
    return double_loop (result, a, a, a_step, a_step, bytes, double_function);                                         \
  }

/* Defines the two kernels of an operation from its functions name_f and name_d. */
#define RUN_UNARY(name) RUN_GIVEN_TWICE (name, run_unary_single, name##_f, run_unary_double, name##_d)

/* As RUN_UNARY, for operations that take long for each vector. */
#ifdef __SPU__
/* Two loops for all of them, since the local store has no room for a loop each (kernels/spu/run.c). */
typedef vd run_operation (vd a, vd b);

uint32_t run_calls (RUN_PARAMETERS, run_operation *operation);

#define RUN_LONG_UNARY(name)                                                                                           \
  static vd name##_single_vector (vd a, vd same) { return (void) same, (vd) name##_f ((vf) a); }                       \
  static vd name##_double_vector (vd a, vd same) { return (void) same, name##_d (a); }                                 \
  RUN_GIVEN_TWICE (name, run_calls, name##_single_vector, run_calls, name##_double_vector)

#define RUN_BINARY(name)                                                                                               \
  static vd name##_single_vector (vd a, vd b) { return (vd) name##_f ((vf) a, (vf) b); }                               \
  static vd name##_double_vector (vd a, vd b) { return name##_d (a, b); }                                              \
  uint32_t KERNEL (name##_single) (RUN_PARAMETERS) { return run_calls (RUN_ARGUMENTS, name##_single_vector); }         \
  uint32_t KERNEL (name##_double) (RUN_PARAMETERS) { return run_calls (RUN_ARGUMENTS, name##_double_vector); }

/* The operations with a domain.  An SPE passes the mask of singles like that of doubles. */
typedef vd run_partial_operation (vd a, vd b, vi64 *outside);

uint32_t run_partial_calls (RUN_PARAMETERS, run_partial_operation *operation);

#define RUN_PARTIAL_VECTORS(name)                                                                                      \
  static vd name##_single_vector (vd a, vd b, vi64 *outside)                                                           \
  {                                                                                                                    \
    vi32 mask = (vi32) *outside;                                                                                       \
    vd value = (vd) name##_f ((vf) a, (vf) b, &mask);                                                                  \
    *outside = (vi64) mask;                                                                                            \
    return value;                                                                                                      \
  }                                                                                                                    \
  static vd name##_double_vector (vd a, vd b, vi64 *outside) { return name##_d (a, b, outside); }

#define RUN_PARTIAL_BINARY(name)                                                                                       \
  RUN_PARTIAL_VECTORS (name)                                                                                           \
  uint32_t KERNEL (name##_single) (RUN_PARAMETERS)                                                                     \
  {                                                                                                                    \
    return run_partial_calls (RUN_ARGUMENTS, name##_single_vector);                                                    \
  }                                                                                                                    \
  uint32_t KERNEL (name##_double) (RUN_PARAMETERS)                                                                     \
  {                                                                                                                    \
    return run_partial_calls (RUN_ARGUMENTS, name##_double_vector);                                                    \
  }

#define RUN_PARTIAL_UNARY(name)                                                                                        \
  RUN_PARTIAL_VECTORS (name)                                                                                           \
  RUN_GIVEN_TWICE (name, run_partial_calls, name##_single_vector, run_partial_calls, name##_double_vector)
#else
#define RUN_LONG_UNARY RUN_UNARY

#define RUN_BINARY(name)                                                                                               \
  uint32_t KERNEL (name##_single) (RUN_PARAMETERS) { return run_binary_single (RUN_ARGUMENTS, name##_f); }             \
  uint32_t KERNEL (name##_double) (RUN_PARAMETERS) { return run_binary_double (RUN_ARGUMENTS, name##_d); }

#define RUN_PARTIAL_BINARY(name)                                                                                       \
  uint32_t KERNEL (name##_single) (RUN_PARAMETERS) { return run_partial_single (RUN_ARGUMENTS, name##_f); }            \
  uint32_t KERNEL (name##_double) (RUN_PARAMETERS) { return run_partial_double (RUN_ARGUMENTS, name##_d); }

#define RUN_PARTIAL_UNARY(name) RUN_GIVEN_TWICE (name, run_partial_single, name##_f, run_partial_double, name##_d)
#endif

#endif
