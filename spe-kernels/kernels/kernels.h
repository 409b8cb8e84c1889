/* kernels.h - the kernels of this vector width, by name, for table.c. */
#ifndef PMATRIX_KERNELS_H
#define PMATRIX_KERNELS_H

#include "kernel.h"
#include "vec.h"

#define DECLARE_BOTH(name) kernel_elementwise KERNEL (name##_single), KERNEL (name##_double)

DECLARE_BOTH (add);
DECLARE_BOTH (subtract);
DECLARE_BOTH (times);
DECLARE_BOTH (divide);
DECLARE_BOTH (power);
DECLARE_BOTH (mod);
DECLARE_BOTH (equal);
DECLARE_BOTH (not_equal);
DECLARE_BOTH (abs);
DECLARE_BOTH (sin);
DECLARE_BOTH (cos);
DECLARE_BOTH (sign);
DECLARE_BOTH (round);

kernel_multiply KERNEL (multiply_single), KERNEL (multiply_double);

#endif
