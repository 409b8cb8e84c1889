/* run.h - the loop of every element-wise kernel.
 *
 * The operation is a function of vectors, given as a constant and inlined.  A run ends on a group of 16 bytes, not on
 * a whole vector: the last groups pass through the same function in a vector of which only they are kept.
 */
#ifndef PMATRIX_RUN_H
#define PMATRIX_RUN_H

#include "kernel.h"
#include "vec.h"

#if VEC_BYTES > 16
VEC_INLINE void run_tail_load (void *vector, const char *from, uint32_t bytes, uint32_t repeat)
{
  memset (vector, 0, VEC_BYTES);
  memcpy (vector, from, repeat ? VEC_BYTES : bytes);
}
#endif

#define RUN_STEP(repeat) ((repeat) ? 0 : VEC_BYTES)

VEC_INLINE void run_binary_single (const struct kernel_run *run, vf (*operation) (vf, vf))
{
  const char *a = run->a, *b = run->b;
  char *result = run->result, *end = result + run->bytes / VEC_BYTES * VEC_BYTES;
  uintptr_t a_step = RUN_STEP (run->repeat_a), b_step = RUN_STEP (run->repeat_b);
  for (; result != end; result += VEC_BYTES, a += a_step, b += b_step)
    vf_store (result, operation (vf_load (a), vf_load (b)));
#if VEC_BYTES > 16
  uint32_t left = run->bytes % VEC_BYTES;
  if (left != 0) {
    vf a_tail, b_tail;
    run_tail_load (&a_tail, a, left, run->repeat_a);
    run_tail_load (&b_tail, b, left, run->repeat_b);
    vf tail = operation (a_tail, b_tail);
    memcpy (result, &tail, left);
  }
#endif
}

VEC_INLINE void run_binary_double (const struct kernel_run *run, vd (*operation) (vd, vd))
{
  const char *a = run->a, *b = run->b;
  char *result = run->result, *end = result + run->bytes / VEC_BYTES * VEC_BYTES;
  uintptr_t a_step = RUN_STEP (run->repeat_a), b_step = RUN_STEP (run->repeat_b);
  for (; result != end; result += VEC_BYTES, a += a_step, b += b_step)
    vd_store (result, operation (vd_load (a), vd_load (b)));
#if VEC_BYTES > 16
  uint32_t left = run->bytes % VEC_BYTES;
  if (left != 0) {
    vd a_tail, b_tail;
    run_tail_load (&a_tail, a, left, run->repeat_a);
    run_tail_load (&b_tail, b, left, run->repeat_b);
    vd tail = operation (a_tail, b_tail);
    memcpy (result, &tail, left);
  }
#endif
}

VEC_INLINE void run_unary_single (const struct kernel_run *run, vf (*operation) (vf))
{
  const char *a = run->a;
  char *result = run->result, *end = result + run->bytes / VEC_BYTES * VEC_BYTES;
  uintptr_t a_step = RUN_STEP (run->repeat_a);
  for (; result != end; result += VEC_BYTES, a += a_step)
    vf_store (result, operation (vf_load (a)));
#if VEC_BYTES > 16
  uint32_t left = run->bytes % VEC_BYTES;
  if (left != 0) {
    vf a_tail;
    run_tail_load (&a_tail, a, left, run->repeat_a);
    vf tail = operation (a_tail);
    memcpy (result, &tail, left);
  }
#endif
}

VEC_INLINE void run_unary_double (const struct kernel_run *run, vd (*operation) (vd))
{
  const char *a = run->a;
  char *result = run->result, *end = result + run->bytes / VEC_BYTES * VEC_BYTES;
  uintptr_t a_step = RUN_STEP (run->repeat_a);
  for (; result != end; result += VEC_BYTES, a += a_step)
    vd_store (result, operation (vd_load (a)));
#if VEC_BYTES > 16
  uint32_t left = run->bytes % VEC_BYTES;
  if (left != 0) {
    vd a_tail;
    run_tail_load (&a_tail, a, left, run->repeat_a);
    vd tail = operation (a_tail);
    memcpy (result, &tail, left);
  }
#endif
}

#endif
