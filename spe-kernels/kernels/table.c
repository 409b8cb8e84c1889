/* table.c - the table of kernels of one vector width. */
#include "kernels.h"

#define BOTH(name) { KERNEL (name##_single), KERNEL (name##_double) }
/* Wider vectors gain nothing where elements are only moved. */
#if VEC_BYTES == 64
#define NARROW(name) { name##_single_v32, name##_double_v32 }
#else
#define NARROW(name) BOTH (name)
#endif
#ifdef KERNEL_SPE_ONLY
#define BYTES_TRUTH(name)
#else
#define BYTES_TRUTH(name) , KERNEL (name##_byte)
#endif
#define BYTES_EXTREMUM(name) BYTES_TRUTH (name)
#define BYTES_NUMBER(name)
#define TABLE_VECTOR(NAME, name, gives)                                                                               \
  [MEU_OP_##NAME] = { KERNEL (name##_single), KERNEL (name##_double) BYTES_##gives (name) },
#ifdef KERNEL_SPE_ONLY
#define TABLE_LIBRARY TABLE_VECTOR
#else
#define TABLE_LIBRARY(NAME, name, gives) [MEU_OP_##NAME] = { library_##name##_single, library_##name##_double },
#endif
#define TABLE_NONE(NAME, name, gives)

#ifdef __SPU__
/* The branch to a kernel, at a fixed place of the overlay area (spu/entries.S). */
#define TABLE_OVERLAY(NAME, name, kernel, gives)                                                                      \
  [MEU_OP_##NAME] = { overlay_##name##_single, overlay_##name##_double },
#else
#define TABLE_OVERLAY TABLE_SPE
#endif
#define TABLE_SPE(NAME, name, kernel, gives) TABLE_##kernel (NAME, name, gives)
#ifdef KERNEL_SPE_ONLY
#define TABLE_HOST(NAME, name, kernel, gives)
#else
#define TABLE_HOST TABLE_SPE
#endif

const struct kernel_table KERNEL (kernel_table) = {
  .vector_bytes = VEC_BYTES,
#ifndef VEC_SPU
#ifndef __SPU__
  .tile_vectors = MULTIPLY_TILE_VECTORS,
  .multiply_sums = BOTH (multiply_sums),
  .thin = BOTH (thin),
  .dots = BOTH (dots),
  .transpose = NARROW (transpose),
  .widen = BOTH (widen),
  .narrow = BOTH (narrow),
#endif
  .multiply = BOTH (multiply),
#endif
  .elementwise = {
#define OPERATION(NAME, name, Name, function, conforms, takes, gives, domain, complex, kernel, resident, meaning)     \
  BY_RESIDENCE (TABLE, resident) (NAME, name, kernel, gives)
#include "operations.def"
  },
};
