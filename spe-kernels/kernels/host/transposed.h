/* transposed.h - groups of elements, transposed in registers. */
#ifndef PMATRIX_HOST_TRANSPOSED_H
#define PMATRIX_HOST_TRANSPOSED_H

#include "lanes.h"

/* Elements of a column in a group. With vectors of 64 bytes more would take more steps for each. */
#define GROUP_ROWS (VEC_BYTES == 64 ? 4 : LANES)

#if VEC_BYTES == 64 && !defined(KERNEL_DOUBLE)
/* Four quadwords, `apart` bytes apart: loads put them side by side. */
VEC_INLINE __m512d four_quadwords (const char *at, uintptr_t apart)
{
  __m512d four = _mm512_castpd128_pd512 (_mm_loadu_pd ((const double *) at));
  four = _mm512_mask_broadcast_f64x2 (four, 0x0c, _mm_loadu_pd ((const double *) (at + apart)));
  four = _mm512_mask_broadcast_f64x2 (four, 0x30, _mm_loadu_pd ((const double *) (at + 2 * apart)));
  return _mm512_mask_broadcast_f64x2 (four, 0xc0, _mm_loadu_pd ((const double *) (at + 3 * apart)));
}
#endif

/* Loads GROUP_ROWS elements of each of LANES columns, `stride` bytes apart: group[i] gets element i of all
 * columns. Pieces of vectors are put together by loads, so that elements change places in fewer steps. */
VEC_INLINE void load_transposed (lanes group[GROUP_ROWS], const char *columns, uintptr_t stride)
{
#if VEC_BYTES == 64 && defined(KERNEL_DOUBLE)
  __m512d pair[4];
#pragma GCC unroll 4
  for (int i = 0; i < 4; i++)
    pair[i] = _mm512_insertf64x4 (_mm512_castpd256_pd512 (_mm256_loadu_pd ((const double *) (columns + i * stride))),
                                  _mm256_loadu_pd ((const double *) (columns + (i + 4) * stride)), 1);
  const __m512i first = _mm512_setr_epi64 (0, 1, 8, 9, 4, 5, 12, 13), second = _mm512_setr_epi64 (2, 3, 10, 11, 6, 7, 14, 15);
  __m512d lo01 = _mm512_unpacklo_pd (pair[0], pair[1]), lo23 = _mm512_unpacklo_pd (pair[2], pair[3]);
  __m512d hi01 = _mm512_unpackhi_pd (pair[0], pair[1]), hi23 = _mm512_unpackhi_pd (pair[2], pair[3]);
  group[0] = (lanes) _mm512_permutex2var_pd (lo01, first, lo23);
  group[1] = (lanes) _mm512_permutex2var_pd (hi01, first, hi23);
  group[2] = (lanes) _mm512_permutex2var_pd (lo01, second, lo23);
  group[3] = (lanes) _mm512_permutex2var_pd (hi01, second, hi23);
#elif VEC_BYTES == 64
  __m512 four[4], pairs[4];
#pragma GCC unroll 4
  for (int i = 0; i < 4; i++)
    four[i] = (__m512) four_quadwords (columns + i * stride, 4 * stride);
#pragma GCC unroll 2
  for (int i = 0; i < 2; i++) {
    pairs[i] = _mm512_unpacklo_ps (four[2 * i], four[2 * i + 1]);
    pairs[i + 2] = _mm512_unpackhi_ps (four[2 * i], four[2 * i + 1]);
  }
#pragma GCC unroll 2
  for (int i = 0; i < 2; i++) {
    __m512d low = (__m512d) pairs[2 * i], high = (__m512d) pairs[2 * i + 1];
    group[i * 2] = (lanes) _mm512_unpacklo_pd (low, high);
    group[i * 2 + 1] = (lanes) _mm512_unpackhi_pd (low, high);
  }
#elif VEC_BYTES == 32 && defined(KERNEL_DOUBLE)
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
