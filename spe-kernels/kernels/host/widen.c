/* widen.c - truth values of bytes, 0 or 1, as numbers, and the truth of numbers as bytes. */
#include "lanes.h"

typedef element element_memory __attribute__ ((may_alias));

/* The functions of turns take as many whole turns as there are, and return the number of elements.  Compilers
 * make two to seven times slower vectors of the loops behind them. */
#ifdef __AVX2__
/* Elements that one turn takes. */
#define TURN 32u

#ifdef KERNEL_DOUBLE
/* Bytes as lanes that are 0 or the number 1: its bits, where the lane is not 0. */
VEC_INLINE __m256i wide (const char *from)
{
  __m256i bytes = _mm256_cvtepu8_epi64 (_mm_loadu_si32 (from));
  return _mm256_and_si256 (_mm256_sub_epi64 (_mm256_setzero_si256 (), bytes), _mm256_set1_epi64x (0x3ff0000000000000));
}

/* All ones where an element is not 0; NaN is not 0. */
VEC_INLINE __m256 truth (const char *from)
{
  return (__m256) _mm256_cmp_pd (_mm256_loadu_pd ((const double *) from), _mm256_setzero_pd (), _CMP_NEQ_UQ);
}

/* The truth of eight numbers in lanes of 32 bits: elements 0 1 4 5, and 2 3 6 7. */
VEC_INLINE __m256i halves (const char *from)
{
  return (__m256i) _mm256_shuffle_ps (truth (from), truth (from + 32), 0x88);
}

VEC_INLINE void narrow_turn (char *to, const char *from)
{
  for (uint32_t k = 0; k < TURN; k += 16, to += 16, from += 128) {
    __m256i pairs = _mm256_packs_epi32 (halves (from), halves (from + 64));
    __m128i first = _mm256_castsi256_si128 (pairs), second = _mm256_extracti128_si256 (pairs, 1);
    __m128i bytes = _mm_packs_epi16 (_mm_unpacklo_epi32 (first, second), _mm_unpackhi_epi32 (first, second));
    _mm_storeu_si128 ((__m128i *) to, _mm_and_si128 (bytes, _mm_set1_epi8 (1)));
  }
}
#else
VEC_INLINE __m256i wide (const char *from)
{
  __m256i bytes = _mm256_cvtepu8_epi32 (_mm_loadl_epi64 ((const __m128i *) from));
  return _mm256_and_si256 (_mm256_sub_epi32 (_mm256_setzero_si256 (), bytes), _mm256_set1_epi32 (0x3f800000));
}

VEC_INLINE __m256 truth (const char *from)
{
  return _mm256_cmp_ps (_mm256_loadu_ps ((const float *) from), _mm256_setzero_ps (), _CMP_NEQ_UQ);
}

/* A packing packs each half of its vectors, and so mixes groups of four elements. */
VEC_INLINE void narrow_turn (char *to, const char *from)
{
  __m256i low = _mm256_packs_epi32 ((__m256i) truth (from), (__m256i) truth (from + 32));
  __m256i high = _mm256_packs_epi32 ((__m256i) truth (from + 64), (__m256i) truth (from + 96));
  __m256i bytes = _mm256_packs_epi16 (low, high);
  bytes = _mm256_permutevar8x32_epi32 (bytes, _mm256_setr_epi32 (0, 4, 1, 5, 2, 6, 3, 7));
  _mm256_storeu_si256 ((__m256i *) to, _mm256_and_si256 (bytes, _mm256_set1_epi8 (1)));
}
#endif

VEC_INLINE uint32_t widen_turns (char *to, const char *from, uint32_t count)
{
  uint32_t i = 0;
  for (; i + TURN <= count; i += TURN)
    for (uint32_t k = i; k < i + TURN; k += 32 / sizeof (element))
      _mm256_storeu_si256 ((__m256i *) (to + sizeof (element) * (uintptr_t) k), wide (from + k));
  return i;
}

VEC_INLINE uint32_t narrow_turns (char *to, const char *from, uint32_t count)
{
  uint32_t i = 0;
  for (; i + TURN <= count; i += TURN)
    narrow_turn (to + i, from + sizeof (element) * (uintptr_t) i);
  return i;
}
#else
#define widen_turns(to, from, count) 0
#define narrow_turns(to, from, count) 0
#endif

void TYPED (widen) (char *restrict to, const char *restrict from, uint32_t count)
{
  for (uint32_t i = widen_turns (to, from, count); i < count; i++)
    ((element_memory *) to)[i] = (uint8_t) from[i];
}

void TYPED (narrow) (char *restrict to, const char *restrict from, uint32_t count)
{
  for (uint32_t i = narrow_turns (to, from, count); i < count; i++)
    to[i] = ((const element_memory *) from)[i] != 0;
}
