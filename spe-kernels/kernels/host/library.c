/* library.c - element-wise kernels that call the C library once for each element.
 *
 * Octave calls these functions too, so results have Octave's bits. Vector code would give other bits. The
 * kernels are compiled once for each element type, and the tables of all vector widths contain them.
 */
#include <math.h>
#include "kernel.h"
#include "../ref/run.h"

#ifdef KERNEL_DOUBLE
typedef double element;
#define FUNCTION(name) name
#define LIBRARY(name) library_##name##_double
#else
typedef float element;
#define FUNCTION(name) name##f
#define LIBRARY(name) library_##name##_single
#endif

/* Rust's runtime has functions of its own under these names, which the linker would take. */
#ifdef __GLIBC__
double cbrt (double) __asm__ ("cbrtf64");
float cbrtf (float) __asm__ ("cbrtf32");
#endif

typedef element element_memory __attribute__ ((may_alias));

/* A step of 0 bytes repeats the element. */
VEC_INLINE uint32_t each (RUN_PARAMETERS, element (*function) (element), int (*outside) (double))
{
  element_memory *to = (element_memory *) result;
  const element_memory *x = (const element_memory *) a;
  uint32_t step = a_step != 0, any = 0;
  (void) b, (void) b_step;
  for (uint32_t i = 0; i < bytes / sizeof *to; i++) {
    element value = x[i * step];
    any |= (uint32_t) outside (value);
    to[i] = function (value);
  }
  return any;
}

VEC_INLINE uint32_t pairs (RUN_PARAMETERS, element (*function) (element, element))
{
  element_memory *to = (element_memory *) result;
  const element_memory *x = (const element_memory *) a, *y = (const element_memory *) b;
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
  uint32_t LIBRARY (name) (RUN_PARAMETERS) { return each (RUN_ARGUMENTS, FUNCTION (name), outside_##domain); }

#define LIBRARY_TWO(name, domain)                                                                                      \
  uint32_t LIBRARY (name) (RUN_PARAMETERS) { return pairs (RUN_ARGUMENTS, FUNCTION (name)); }

#define DEFINE_LIBRARY(name, takes, domain) LIBRARY_##takes (name, domain)
#define DEFINE_VECTOR(name, takes, domain)
#define DEFINE_NONE(name, takes, domain)
#define OPERATION(NAME, name, Name, function, conforms, takes, gives, domain, complex, kernel, resident, meaning)     \
  DEFINE_##kernel (name, takes, domain)
#include "operations.def"
