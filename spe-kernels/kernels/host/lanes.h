/* lanes.h - one element type and its vectors.  The products of this folder and of ref/, and widen.c, are
 * compiled once for each element type and vector width. */
#ifndef PMATRIX_HOST_LANES_H
#define PMATRIX_HOST_LANES_H

#include "kernels.h"

/* What is compiled with KERNEL_MASKED has vectors of 32 bytes and the masks of AVX-512. */
#ifdef KERNEL_MASKED
#define WIDE(name) name##_masked
#else
#define WIDE(name) KERNEL (name)
#endif

#ifdef KERNEL_DOUBLE
typedef double element;
typedef vd lanes;
#define PRECISION MEU_DOUBLE
#define TYPED(name) WIDE (name##_double)
#define lanes_load vd_load
#define lanes_store vd_store
#define lanes_splat vd_splat
#define lanes_fma vd_fma
#define element_fma __builtin_fma
#else
typedef float element;
typedef vf lanes;
#define PRECISION MEU_SINGLE
#define TYPED(name) WIDE (name##_single)
#define lanes_load vf_load
#define lanes_store vf_store
#define lanes_splat vf_splat
#define lanes_fma vf_fma
#define element_fma __builtin_fmaf
#endif

#define LANES (VEC_BYTES / sizeof (element))

/* Loads and stores of the first `bytes` of a vector: a multiple of 16, with masks whole elements. */
#if defined(KERNEL_MASKED) && defined(KERNEL_DOUBLE)
VEC_INLINE lanes part_load (const char *from, uint32_t bytes)
{
  return (lanes) _mm256_maskz_loadu_pd ((__mmask8) ((1u << (bytes / 8)) - 1), from);
}
VEC_INLINE void part_store (char *to, lanes value, uint32_t bytes)
{
  _mm256_mask_storeu_pd (to, (__mmask8) ((1u << (bytes / 8)) - 1), (__m256d) value);
}
#elif defined(KERNEL_MASKED)
VEC_INLINE lanes part_load (const char *from, uint32_t bytes)
{
  return (lanes) _mm256_maskz_loadu_ps ((__mmask8) ((1u << (bytes / 4)) - 1), from);
}
VEC_INLINE void part_store (char *to, lanes value, uint32_t bytes)
{
  _mm256_mask_storeu_ps (to, (__mmask8) ((1u << (bytes / 4)) - 1), (__m256) value);
}
#elif VEC_BYTES == 64
VEC_INLINE lanes part_load (const char *from, uint32_t bytes)
{
#ifdef KERNEL_DOUBLE
  return (lanes) _mm512_maskz_loadu_pd ((__mmask8) ((1u << (bytes / 8)) - 1), from);
#else
  return (lanes) _mm512_maskz_loadu_ps ((__mmask16) ((1u << (bytes / 4)) - 1), from);
#endif
}
VEC_INLINE void part_store (char *to, lanes value, uint32_t bytes)
{
#ifdef KERNEL_DOUBLE
  _mm512_mask_storeu_pd (to, (__mmask8) ((1u << (bytes / 8)) - 1), (__m512d) value);
#else
  _mm512_mask_storeu_ps (to, (__mmask16) ((1u << (bytes / 4)) - 1), (__m512) value);
#endif
}
#elif VEC_BYTES == 32
/* Half a vector is the only partial vector. */
VEC_INLINE lanes part_load (const char *from, uint32_t bytes)
{
  (void) bytes;
  return (lanes) _mm256_zextps128_ps256 (_mm_loadu_ps ((const float *) from));
}
VEC_INLINE void part_store (char *to, lanes value, uint32_t bytes)
{
  (void) bytes;
  _mm_storeu_ps ((float *) to, _mm256_castps256_ps128 ((__m256) value));
}
#else
/* There are no partial vectors. */
VEC_INLINE lanes part_load (const char *from, uint32_t bytes) { return (void) bytes, lanes_load (from); }
VEC_INLINE void part_store (char *to, lanes value, uint32_t bytes) { (void) bytes, lanes_store (to, value); }
#endif

/* Bytes of a column of the result that are read and written.  Columns without pads end with an element, if vectors
 * can. */
VEC_INLINE uint32_t result_column_bytes (const struct kernel_product *p)
{
#if VEC_BYTES == 64 || defined(KERNEL_MASKED)
  if ((p->a_stride | p->result_stride) % 16 != 0)
    return p->m * (uint32_t) sizeof (element);
#endif
  return kernel_column_bytes (p->m, PRECISION);
}

#endif
