/* transposed.h - square groups of elements, transposed in registers. */
#ifndef PMATRIX_HOST_TRANSPOSED_H
#define PMATRIX_HOST_TRANSPOSED_H

#include "lanes.h"

/* group[i] becomes lane i of all columns: the elements of `LANES` columns at one row. */
VEC_INLINE void transpose_lanes (lanes group[LANES])
{
#if VEC_BYTES == 32 && defined(KERNEL_DOUBLE)
  __m256d even = _mm256_unpacklo_pd ((__m256d) group[0], (__m256d) group[1]);
  __m256d odd = _mm256_unpackhi_pd ((__m256d) group[0], (__m256d) group[1]);
  __m256d next_even = _mm256_unpacklo_pd ((__m256d) group[2], (__m256d) group[3]);
  __m256d next_odd = _mm256_unpackhi_pd ((__m256d) group[2], (__m256d) group[3]);
  group[0] = (lanes) _mm256_permute2f128_pd (even, next_even, 0x20);
  group[1] = (lanes) _mm256_permute2f128_pd (odd, next_odd, 0x20);
  group[2] = (lanes) _mm256_permute2f128_pd (even, next_even, 0x31);
  group[3] = (lanes) _mm256_permute2f128_pd (odd, next_odd, 0x31);
#elif VEC_BYTES == 32
  /* Pairs of columns, then fours, then eights. */
  __m256 pairs[8], fours[8];
#pragma GCC unroll 4
  for (int i = 0; i < 4; i++) {
    pairs[2 * i] = _mm256_unpacklo_ps ((__m256) group[2 * i], (__m256) group[2 * i + 1]);
    pairs[2 * i + 1] = _mm256_unpackhi_ps ((__m256) group[2 * i], (__m256) group[2 * i + 1]);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; i++) {
    __m256d low = (__m256d) pairs[i / 2 * 4 + i % 2], high = (__m256d) pairs[i / 2 * 4 + i % 2 + 2];
    fours[i / 2 * 4 + i % 2 * 2] = (__m256) _mm256_unpacklo_pd (low, high);
    fours[i / 2 * 4 + i % 2 * 2 + 1] = (__m256) _mm256_unpackhi_pd (low, high);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; i++) {
    group[i] = (lanes) _mm256_permute2f128_ps (fours[i], fours[i + 4], 0x20);
    group[i + 4] = (lanes) _mm256_permute2f128_ps (fours[i], fours[i + 4], 0x31);
  }
#else
  lanes columns[LANES];
  memcpy (columns, group, sizeof columns);
  for (uint32_t i = 0; i < LANES; i++)
    for (uint32_t j = 0; j < LANES; j++)
      group[i][j] = columns[j][i];
#endif
}

#endif
