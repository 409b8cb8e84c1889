/* library.c - element-wise kernels that call the C library once for each element.
 *
 * Octave calls these functions too, so results have Octave's bits. Vector code would give other bits. These
 * kernels are compiled once, and the tables of all vector widths contain them.
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

/* What is outside of a domain; false for a NaN. */
VEC_INLINE int outside_ANY (double x) { return (void) x, 0; }
VEC_INLINE int outside_NOT_NEGATIVE (double x) { return x < 0; }
VEC_INLINE int outside_FROM_MINUS_ONE (double x) { return x < -1; }
VEC_INLINE int outside_FROM_ONE (double x) { return x < 1; }
VEC_INLINE int outside_WITHIN_ONE (double x) { return fabs (x) > 1; }

#define LIBRARY_ONE(name, domain)                                                                                      \
  uint32_t library_##name##_single (RUN_PARAMETERS) { return each_single (RUN_ARGUMENTS, name##f, outside_##domain); } \
  uint32_t library_##name##_double (RUN_PARAMETERS) { return each_double (RUN_ARGUMENTS, name, outside_##domain); }

#define LIBRARY_TWO(name, domain)                                                                                      \
  uint32_t library_##name##_single (RUN_PARAMETERS) { return pairs_single (RUN_ARGUMENTS, name##f); }                  \
  uint32_t library_##name##_double (RUN_PARAMETERS) { return pairs_double (RUN_ARGUMENTS, name); }

#define DEFINE_LIBRARY(name, takes, domain) LIBRARY_##takes (name, domain)
#define DEFINE_VECTOR(name, takes, domain)
#define DEFINE_NONE(name, takes, domain)
#define OPERATION(NAME, name, Name, function, conforms, takes, gives, domain, complex, kernel, resident, meaning)     \
  DEFINE_##kernel (name, takes, domain)
#include "operations.def"
