/* trigonometry.c - sin and cos, lane by lane through the C library. */
#include <math.h>
#include "kernels.h"
#include "run.h"

#define UNARY(name)                                                                                                    \
  VEC_INLINE vf name##_f (vf x) { for (int i = 0; i < VF_LANES; i++) x[i] = (float) name (x[i]); return x; }           \
  VEC_INLINE vd name##_d (vd x) { for (int i = 0; i < VD_LANES; i++) x[i] = name (x[i]); return x; }                   \
  uint32_t KERNEL (name##_single) (const struct kernel_run *run) { run_unary_single (run, name##_f); return 0; }       \
  uint32_t KERNEL (name##_double) (const struct kernel_run *run) { run_unary_double (run, name##_d); return 0; }

UNARY (sin)
UNARY (cos)
