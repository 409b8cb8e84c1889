/* power.c - a .^ b, lane by lane through the C library. */
#include <math.h>
#include "kernels.h"
#include "run.h"

VEC_INLINE vf power_f (vf a, vf b) { for (int i = 0; i < VF_LANES; i++) a[i] = (float) pow (a[i], b[i]); return a; }
VEC_INLINE vd power_d (vd a, vd b) { for (int i = 0; i < VD_LANES; i++) a[i] = pow (a[i], b[i]); return a; }
uint32_t KERNEL (power_single) (const struct kernel_run *run) { run_binary_single (run, power_f); return 1; }
uint32_t KERNEL (power_double) (const struct kernel_run *run) { run_binary_double (run, power_d); return 1; }
