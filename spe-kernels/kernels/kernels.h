/* kernels.h - the kernels of this vector width, by name, for table.c. */
#ifndef PMATRIX_KERNELS_H
#define PMATRIX_KERNELS_H

#include "kernel.h"
#include "vec.h"

/* Whether this table has the operations of an SPE, by an SPE's code. */
#if defined(__SPU__) || defined(VEC_SPU)
#define KERNEL_SPE_ONLY
#endif

/* PREFIX_HOST, PREFIX_SPE or, for the name of an overlay, PREFIX_OVERLAY, by the column `resident`. */
#define RESIDENT_HOST ~, HOST
#define RESIDENT_SPE ~, SPE
#define SECOND_(first, second, ...) second
#define SECOND(...) SECOND_ (__VA_ARGS__)
#define BY_RESIDENCE(prefix, resident) VEC_PASTE (prefix, SECOND (RESIDENT_##resident, OVERLAY, ~))

/* A kernel that calls the C library works on one element at a time, so all widths share it
 * (kernels/host/library.c).  An SPE has vector code (kernels/functions). */
#define DECLARE_VECTOR(name)                                                                                           \
  kernel_elementwise KERNEL (name##_single), KERNEL (name##_double), overlay_##name##_single, overlay_##name##_double;
#ifdef KERNEL_SPE_ONLY
#define DECLARE_LIBRARY DECLARE_VECTOR
#else
#define DECLARE_LIBRARY(name) kernel_elementwise library_##name##_single, library_##name##_double;
#endif
#define DECLARE_NONE(name)
#define DECLARE_BYTES_TRUTH(name) kernel_elementwise KERNEL (name##_byte);
#define DECLARE_BYTES_EXTREMUM(name) DECLARE_BYTES_TRUTH (name)
#define DECLARE_BYTES_NUMBER(name)
#define OPERATION(NAME, name, Name, function, conforms, takes, gives, domain, complex, kernel, resident, meaning)     \
  DECLARE_##kernel (name) DECLARE_BYTES_##gives (name)
#include "operations.def"

kernel_multiply KERNEL (multiply_single), KERNEL (multiply_double);

#ifndef __SPU__
kernel_multiply_sums KERNEL (multiply_sums_single), KERNEL (multiply_sums_double), KERNEL (thin_single),
  KERNEL (thin_double), KERNEL (dots_single), KERNEL (dots_double);
kernel_truth KERNEL (widen_single), KERNEL (widen_double), KERNEL (narrow_single), KERNEL (narrow_double);
#if VEC_BYTES == 64
kernel_transpose_block transpose_single_v32, transpose_double_v32;
#else
kernel_transpose_block KERNEL (transpose_single), KERNEL (transpose_double);
#endif
#endif

/* Rows of the tallest tile of these products, in vectors. AVX2 has too few registers for more. */
#define MULTIPLY_TILE_VECTORS (VEC_BYTES == 32 ? 3 : 4)

#endif
