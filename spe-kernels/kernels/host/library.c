/* library.c - element-wise kernels that call the C library once an element.
 *
 * Octave calls the same functions, so the results have its bits; vectors of our own would have others.  These kernels are
 * compiled once, and stand in the tables of all vector widths.
 */
#include <math.h>
#include "kernel.h"
#include "../ref/run.h"

typedef float float_memory __attribute__ ((may_alias));
typedef double double_memory __attribute__ ((may_alias));

/* A step of 0 bytes repeats the element. */
VEC_INLINE uint32_t each_single (RUN_PARAMETERS, float (*function) (float), int (*outside) (double))
{
  float_memory *to = (float_memory *) result;
  const float_memory *x = (const float_memory *) a;
  uint32_t step = a_step != 0, any = 0;
  (void) b, (void) b_step;
  for (uint32_t i = 0; i < bytes / sizeof *to; i++) {
    float element = x[i * step];
    any |= (uint32_t) outside (element);
    to[i] = function (element);
  }
  return any;
}

VEC_INLINE uint32_t each_double (RUN_PARAMETERS, double (*function) (double), int (*outside) (double))
{
  double_memory *to = (double_memory *) result;
  const double_memory *x = (const double_memory *) a;
  uint32_t step = a_step != 0, any = 0;
  (void) b, (void) b_step;
  for (uint32_t i = 0; i < bytes / sizeof *to; i++) {
    double element = x[i * step];
    any |= (uint32_t) outside (element);
    to[i] = function (element);
  }
  return any;
}

VEC_INLINE uint32_t pairs_single (RUN_PARAMETERS, float (*function) (float, float))
{
  float_memory *to = (float_memory *) result;
  const float_memory *x = (const float_memory *) a, *y = (const float_memory *) b;
  uint32_t x_step = a_step != 0, y_step = b_step != 0;
  for (uint32_t i = 0; i < bytes / sizeof *to; i++)
    to[i] = function (x[i * x_step], y[i * y_step]);
  return 0;
}

VEC_INLINE uint32_t pairs_double (RUN_PARAMETERS, double (*function) (double, double))
{
  double_memory *to = (double_memory *) result;
  const double_memory *x = (const double_memory *) a, *y = (const double_memory *) b;
  uint32_t x_step = a_step != 0, y_step = b_step != 0;
  for (uint32_t i = 0; i < bytes / sizeof *to; i++)
    to[i] = function (x[i * x_step], y[i * y_step]);
  return 0;
}

/* What is outside of the domain; false for a NaN. */
VEC_INLINE int nothing (double x) { return (void) x, 0; }
VEC_INLINE int negative (double x) { return x < 0; }
VEC_INLINE int below_minus_one (double x) { return x < -1; }
VEC_INLINE int below_one (double x) { return x < 1; }
VEC_INLINE int beyond_one (double x) { return fabs (x) > 1; }

#define LIBRARY_EACH(name, outside)                                                                                    \
  uint32_t library_##name##_single (RUN_PARAMETERS) { return each_single (RUN_ARGUMENTS, name##f, outside); }          \
  uint32_t library_##name##_double (RUN_PARAMETERS) { return each_double (RUN_ARGUMENTS, name, outside); }

#define LIBRARY_PAIRS(name)                                                                                            \
  uint32_t library_##name##_single (RUN_PARAMETERS) { return pairs_single (RUN_ARGUMENTS, name##f); }                  \
  uint32_t library_##name##_double (RUN_PARAMETERS) { return pairs_double (RUN_ARGUMENTS, name); }

LIBRARY_EACH (exp, nothing)
LIBRARY_EACH (expm1, nothing)
LIBRARY_EACH (log, negative)
LIBRARY_EACH (log2, negative)
LIBRARY_EACH (log10, negative)
LIBRARY_EACH (log1p, below_minus_one)
LIBRARY_EACH (tan, nothing)
LIBRARY_EACH (asin, beyond_one)
LIBRARY_EACH (acos, beyond_one)
LIBRARY_EACH (atan, nothing)
LIBRARY_EACH (sinh, nothing)
LIBRARY_EACH (cosh, nothing)
LIBRARY_EACH (tanh, nothing)
LIBRARY_EACH (asinh, nothing)
LIBRARY_EACH (acosh, below_one)
LIBRARY_EACH (atanh, beyond_one)
LIBRARY_PAIRS (atan2)
LIBRARY_PAIRS (hypot)
