/* arithmetic.c - add, subtract, times, divide, equal, not_equal, abs on an SPE.
 *
 * An instruction's result is there after 6 cycles or more, and an instruction that needs it waits. So
 * operations of an instruction or two take four vectors a turn. Operations that differ in constants share
 * a loop. */
#include "kernels.h"
#include "run.h"

#define TURN 4u

/* The operation on vectors a and b, with its constants. */
typedef vd turn_operation (vd a, vd b, vd x, vd y);

VEC_INLINE uint32_t run_turns (RUN_PARAMETERS, turn_operation *operation, vd x, vd y)
{
  char *end = result + bytes, *whole = result + (bytes & -(TURN * VEC_BYTES));
  while (result != whole) {
    vd left[TURN], right[TURN];
#pragma GCC unroll 4
    for (uint32_t i = 0; i < TURN; i++) {
      left[i] = vd_load (a + i * a_step);
      right[i] = vd_load (b + i * b_step);
    }
    a += TURN * a_step;
    b += TURN * b_step;
#pragma GCC unroll 4
    for (uint32_t i = 0; i < TURN; i++)
      vd_store (result + i * VEC_BYTES, operation (left[i], right[i], x, y));
    result += TURN * VEC_BYTES;
  }
  while (result != end) {
    vd_store (result, operation (vd_load (a), vd_load (b), x, y));
    a += a_step;
    b += b_step;
    result += VEC_BYTES;
  }
  return 0;
}

/* a + x b: the bits of a + b and a - b, since the product by 1 or -1 is not rounded. */
VEC_INLINE vd sum_f (vd a, vd b, vd x, vd y) { return (void) y, (vd) vf_fma ((vf) b, (vf) x, (vf) a); }
VEC_INLINE vd sum_d (vd a, vd b, vd x, vd y) { return (void) y, vd_fma (b, x, a); }

VEC_INLINE vd product_f (vd a, vd b, vd x, vd y) { return (void) x, (void) y, (vd) vf_times ((vf) a, (vf) b); }
VEC_INLINE vd product_d (vd a, vd b, vd x, vd y) { return (void) x, (void) y, a * b; }

/* x where they are equal, else y. */
VEC_INLINE vd comparison_f (vd a, vd b, vd x, vd y)
{
  return (vd) vf_select (vf_equal ((vf) a, (vf) b), (vf) x, (vf) y);
}

VEC_INLINE vd comparison_d (vd a, vd b, vd x, vd y) { return vd_select (vd_equal (a, b), x, y); }

/* The bits of a that x has. */
VEC_INLINE vd masked (vd a, vd b, vd x, vd y) { return (void) b, (void) y, (vd) ((vi64) a & (vi64) x); }

#define SHARED(name, operation)                                                                                        \
  static __attribute__ ((noinline)) uint32_t name (RUN_PARAMETERS, vd x, vd y)                                         \
  {                                                                                                                    \
    return run_turns (RUN_ARGUMENTS, operation, x, y);                                                                 \
  }

SHARED (run_sum_single, sum_f)
SHARED (run_sum_double, sum_d)
SHARED (run_comparison_single, comparison_f)
#ifdef __SPU_EDP__
SHARED (run_comparison_double, comparison_d)
#else
/* A Cell BE has no instruction for it. */
static __attribute__ ((noinline)) uint32_t run_comparison_double (RUN_PARAMETERS, vd x, vd y)
{
  for (char *end = result + bytes; result != end; result += VEC_BYTES, a += a_step, b += b_step)
    vd_store (result, comparison_d (vd_load (a), vd_load (b), x, y));
  return 0;
}
#endif
SHARED (run_masked, masked)

#define SINGLE(value) ((vd) vf_splat (value))
#define NONE ((vd) {})

uint32_t KERNEL (add_single) (RUN_PARAMETERS) { return run_sum_single (RUN_ARGUMENTS, SINGLE (1.0f), NONE); }
uint32_t KERNEL (add_double) (RUN_PARAMETERS) { return run_sum_double (RUN_ARGUMENTS, vd_splat (1.0), NONE); }
uint32_t KERNEL (subtract_single) (RUN_PARAMETERS) { return run_sum_single (RUN_ARGUMENTS, SINGLE (-1.0f), NONE); }
uint32_t KERNEL (subtract_double) (RUN_PARAMETERS) { return run_sum_double (RUN_ARGUMENTS, vd_splat (-1.0), NONE); }
uint32_t KERNEL (times_single) (RUN_PARAMETERS) { return run_turns (RUN_ARGUMENTS, product_f, NONE, NONE); }
uint32_t KERNEL (times_double) (RUN_PARAMETERS) { return run_turns (RUN_ARGUMENTS, product_d, NONE, NONE); }

uint32_t KERNEL (equal_single) (RUN_PARAMETERS)
{
  return run_comparison_single (RUN_ARGUMENTS, SINGLE (1.0f), SINGLE (0.0f));
}

uint32_t KERNEL (equal_double) (RUN_PARAMETERS)
{
  return run_comparison_double (RUN_ARGUMENTS, vd_splat (1.0), vd_splat (0.0));
}

uint32_t KERNEL (not_equal_single) (RUN_PARAMETERS)
{
  return run_comparison_single (RUN_ARGUMENTS, SINGLE (0.0f), SINGLE (1.0f));
}

uint32_t KERNEL (not_equal_double) (RUN_PARAMETERS)
{
  return run_comparison_double (RUN_ARGUMENTS, vd_splat (0.0), vd_splat (1.0));
}

uint32_t KERNEL (abs_single) (RUN_PARAMETERS)
{
  (void) b, (void) b_step;
  return run_masked (result, a, a, a_step, a_step, bytes, (vd) ~VF_SIGN, NONE);
}

uint32_t KERNEL (abs_double) (RUN_PARAMETERS)
{
  (void) b, (void) b_step;
  return run_masked (result, a, a, a_step, a_step, bytes, (vd) ~VD_SIGN, NONE);
}

/* An SPE passes vectors of singles like vectors of doubles. */
uint32_t KERNEL (divide_single) (RUN_PARAMETERS)
{
  return run_calls (RUN_ARGUMENTS, (run_operation *) (void (*) (void)) vf_divide);
}

uint32_t KERNEL (divide_double) (RUN_PARAMETERS) { return run_calls (RUN_ARGUMENTS, vd_divide); }
