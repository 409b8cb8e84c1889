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

#ifndef __SPU__
DECLARE_BOTH (negate);
DECLARE_BOTH (not);
DECLARE_BOTH (floor);
DECLARE_BOTH (ceil);
DECLARE_BOTH (fix);
DECLARE_BOTH (sqrt);
DECLARE_BOTH (isnan);
DECLARE_BOTH (isinf);
DECLARE_BOTH (isfinite);
DECLARE_BOTH (less);
DECLARE_BOTH (less_equal);
DECLARE_BOTH (greater);
DECLARE_BOTH (greater_equal);
DECLARE_BOTH (and);
DECLARE_BOTH (or);
DECLARE_BOTH (max);
DECLARE_BOTH (min);
DECLARE_BOTH (max_right);
DECLARE_BOTH (min_right);
DECLARE_BOTH (rem);

/* Element by element, so the same for every width (kernels/host/library.c). */
#define DECLARE_LIBRARY(name) kernel_elementwise library_##name##_single, library_##name##_double

DECLARE_LIBRARY (exp);
DECLARE_LIBRARY (expm1);
DECLARE_LIBRARY (log);
DECLARE_LIBRARY (log2);
DECLARE_LIBRARY (log10);
DECLARE_LIBRARY (log1p);
DECLARE_LIBRARY (tan);
DECLARE_LIBRARY (asin);
DECLARE_LIBRARY (acos);
DECLARE_LIBRARY (atan);
DECLARE_LIBRARY (sinh);
DECLARE_LIBRARY (cosh);
DECLARE_LIBRARY (tanh);
DECLARE_LIBRARY (asinh);
DECLARE_LIBRARY (acosh);
DECLARE_LIBRARY (atanh);
DECLARE_LIBRARY (atan2);
DECLARE_LIBRARY (hypot);
#endif

kernel_multiply KERNEL (multiply_single), KERNEL (multiply_double);

/* Rows of the tallest tile of these, in vectors; AVX2 has too few registers for more. */
#define MULTIPLY_TILE_VECTORS (VEC_BYTES == 32 ? 3 : 4)

#endif
