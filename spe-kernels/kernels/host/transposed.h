/* transposed.h - square groups of elements, transposed in registers. */
#ifndef PMATRIX_HOST_TRANSPOSED_H
#define PMATRIX_HOST_TRANSPOSED_H

#include "lanes.h"

/* Loads LANES elements of each of LANES columns, `stride` bytes apart: group[i] gets element i of all
 * columns. Halves of vectors are put together by loads, so that elements change places in half as many
 * steps. */
VEC_INLINE void load_transposed (lanes group[LANES], const char *columns, uintptr_t stride)
{
#if VEC_BYTES == 32 && defined(KERNEL_DOUBLE)
#pragma GCC unroll 2
  for (int half = 0; half < 2; half++) {
    __m256d pair[2];
#pragma GCC unroll 2
    for (int i = 0; i < 2; i++) {
      const double *low = (const double *) (columns + i * stride) + half * 2;
      const double *high = (const double *) (columns + (i + 2) * stride) + half * 2;
      pair[i] = _mm256_insertf128_pd (_mm256_castpd128_pd256 (_mm_loadu_pd (low)), _mm_loadu_pd (high), 1);
    }
    group[half * 2] = (lanes) _mm256_unpacklo_pd (pair[0], pair[1]);
    group[half * 2 + 1] = (lanes) _mm256_unpackhi_pd (pair[0], pair[1]);
  }
#elif VEC_BYTES == 32
#pragma GCC unroll 2
  for (int half = 0; half < 2; half++) {
    __m256 four[4], pairs[4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
      const float *low = (const float *) (columns + i * stride) + half * 4;
      const float *high = (const float *) (columns + (i + 4) * stride) + half * 4;
      four[i] = _mm256_insertf128_ps (_mm256_castps128_ps256 (_mm_loadu_ps (low)), _mm_loadu_ps (high), 1);
    }
#pragma GCC unroll 2
    for (int i = 0; i < 2; i++) {
      pairs[i] = _mm256_unpacklo_ps (four[2 * i], four[2 * i + 1]);
      pairs[i + 2] = _mm256_unpackhi_ps (four[2 * i], four[2 * i + 1]);
    }
#pragma GCC unroll 2
    for (int i = 0; i < 2; i++) {
      __m256d low = (__m256d) pairs[2 * i], high = (__m256d) pairs[2 * i + 1];
      group[half * 4 + i * 2] = (lanes) _mm256_unpacklo_pd (low, high);
      group[half * 4 + i * 2 + 1] = (lanes) _mm256_unpackhi_pd (low, high);
    }
  }
#else
  lanes column[LANES];
  for (uint32_t j = 0; j < LANES; j++)
    column[j] = lanes_load (columns + j * stride);
  for (uint32_t i = 0; i < LANES; i++) {
    lanes row = {};
    for (uint32_t j = 0; j < LANES; j++)
      row[j] = column[j][i];
    group[i] = row;
  }
#endif
}

#endif
