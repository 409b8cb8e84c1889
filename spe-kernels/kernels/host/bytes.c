/* bytes.c - operations on truth values in bytes, 0 or 1, and between bytes and numbers. */
#include "kernels.h"
#include "../ref/run.h"

#define ONES vi64_splat (0x0101010101010101)

/* The kernel of an operation on the bits a and b. */
#define RUN_BYTES(name, bits)                                                                                         \
  VEC_INLINE vd name##_b (vd x, vd y)                                                                                 \
  {                                                                                                                   \
    vi64 a = (vi64) x, b = (vi64) y;                                                                                  \
    (void) a, (void) b;                                                                                               \
    return (vd) (ONES & (bits));                                                                                      \
  }                                                                                                                   \
  uint32_t KERNEL (name##_byte) (RUN_PARAMETERS) { return run_binary_double (RUN_ARGUMENTS, name##_b); }

/* The kernel of an operation on one operand. */
#define RUN_BYTES_UNARY(name, bits)                                                                                   \
  VEC_INLINE vd name##_b (vd x)                                                                                       \
  {                                                                                                                   \
    vi64 a = (vi64) x;                                                                                                \
    (void) a;                                                                                                         \
    return (vd) (ONES & (bits));                                                                                      \
  }                                                                                                                   \
  uint32_t KERNEL (name##_byte) (RUN_PARAMETERS)                                                                      \
  {                                                                                                                   \
    (void) b, (void) b_step;                                                                                          \
    return run_unary_double (result, a, a, a_step, a_step, bytes, name##_b);                                          \
  }

RUN_BYTES (equal, ~(a ^ b))
RUN_BYTES (not_equal, a ^ b)
RUN_BYTES (less, ~a & b)
RUN_BYTES (less_equal, ~a | b)
RUN_BYTES (greater, a & ~b)
RUN_BYTES (greater_equal, a | ~b)
RUN_BYTES (and, a & b)
RUN_BYTES (or, a | b)
RUN_BYTES (max, a | b)
RUN_BYTES (min, a & b)
RUN_BYTES (max_right, a | b)
RUN_BYTES (min_right, a & b)
RUN_BYTES_UNARY (not, ~a)
RUN_BYTES_UNARY (isnan, vi64_splat (0))
RUN_BYTES_UNARY (isinf, vi64_splat (0))
RUN_BYTES_UNARY (isfinite, ONES)

typedef float single_memory __attribute__ ((may_alias));
typedef double double_memory __attribute__ ((may_alias));

/* Each function of turns takes as many whole turns as there are, and returns the number of elements.
 * Compilers make two to seven times slower vectors of the loops behind them. */
#ifdef __AVX2__
/* Elements that one turn takes. */
#define TURN 32u

/* Bytes as lanes that are 0 or the number 1: its bits, where the lane is not 0. */
VEC_INLINE __m256i wide_single (const char *from)
{
  __m256i lanes = _mm256_cvtepu8_epi32 (_mm_loadl_epi64 ((const __m128i *) from));
  return _mm256_and_si256 (_mm256_sub_epi32 (_mm256_setzero_si256 (), lanes), _mm256_set1_epi32 (0x3f800000));
}

VEC_INLINE __m256i wide_double (const char *from)
{
  __m256i lanes = _mm256_cvtepu8_epi64 (_mm_loadu_si32 (from));
  return _mm256_and_si256 (_mm256_sub_epi64 (_mm256_setzero_si256 (), lanes), _mm256_set1_epi64x (0x3ff0000000000000));
}

VEC_INLINE uint32_t widen_turns_single (char *to, const char *from, uint32_t count)
{
  uint32_t i = 0;
  for (; i + TURN <= count; i += TURN)
    for (uint32_t k = i; k < i + TURN; k += 8)
      _mm256_storeu_si256 ((__m256i *) (to + 4 * (uintptr_t) k), wide_single (from + k));
  return i;
}

VEC_INLINE uint32_t widen_turns_double (char *to, const char *from, uint32_t count)
{
  uint32_t i = 0;
  for (; i + TURN <= count; i += TURN)
    for (uint32_t k = i; k < i + TURN; k += 4)
      _mm256_storeu_si256 ((__m256i *) (to + 8 * (uintptr_t) k), wide_double (from + k));
  return i;
}

/* All ones where an element is not 0; NaN is not 0. */
VEC_INLINE __m256 true_single (const char *from)
{
  return _mm256_cmp_ps (_mm256_loadu_ps ((const float *) from), _mm256_setzero_ps (), _CMP_NEQ_UQ);
}

VEC_INLINE __m256 true_double (const char *from)
{
  return (__m256) _mm256_cmp_pd (_mm256_loadu_pd ((const double *) from), _mm256_setzero_pd (), _CMP_NEQ_UQ);
}

/* A packing packs each half of its vectors, and so mixes groups of four elements. */
VEC_INLINE uint32_t narrow_turns_single (char *to, const char *from, uint32_t count)
{
  uint32_t i = 0;
  for (; i + TURN <= count; i += TURN) {
    const char *at = from + 4 * (uintptr_t) i;
    __m256i low = _mm256_packs_epi32 ((__m256i) true_single (at), (__m256i) true_single (at + 32));
    __m256i high = _mm256_packs_epi32 ((__m256i) true_single (at + 64), (__m256i) true_single (at + 96));
    __m256i bytes = _mm256_packs_epi16 (low, high);
    bytes = _mm256_permutevar8x32_epi32 (bytes, _mm256_setr_epi32 (0, 4, 1, 5, 2, 6, 3, 7));
    _mm256_storeu_si256 ((__m256i *) (to + i), _mm256_and_si256 (bytes, _mm256_set1_epi8 (1)));
  }
  return i;
}

/* The truth of eight numbers in lanes of 32 bits: elements 0 1 4 5, and 2 3 6 7. */
VEC_INLINE __m256i halves (const char *from)
{
  return (__m256i) _mm256_shuffle_ps (true_double (from), true_double (from + 32), 0x88);
}

VEC_INLINE uint32_t narrow_turns_double (char *to, const char *from, uint32_t count)
{
  uint32_t i = 0;
  for (; i + TURN <= count; i += TURN)
    for (uint32_t k = i; k < i + TURN; k += 16) {
      const char *at = from + 8 * (uintptr_t) k;
      __m256i pairs = _mm256_packs_epi32 (halves (at), halves (at + 64));
      __m128i first = _mm256_castsi256_si128 (pairs), second = _mm256_extracti128_si256 (pairs, 1);
      __m128i bytes = _mm_packs_epi16 (_mm_unpacklo_epi32 (first, second), _mm_unpackhi_epi32 (first, second));
      _mm_storeu_si128 ((__m128i *) (to + k), _mm_and_si128 (bytes, _mm_set1_epi8 (1)));
    }
  return i;
}
#else
#define widen_turns_single(to, from, count) 0
#define widen_turns_double(to, from, count) 0
#define narrow_turns_single(to, from, count) 0
#define narrow_turns_double(to, from, count) 0
#endif

void KERNEL (widen_single) (char *restrict to, const char *restrict from, uint32_t count)
{
  for (uint32_t i = widen_turns_single (to, from, count); i < count; i++)
    ((single_memory *) to)[i] = (uint8_t) from[i];
}

void KERNEL (widen_double) (char *restrict to, const char *restrict from, uint32_t count)
{
  for (uint32_t i = widen_turns_double (to, from, count); i < count; i++)
    ((double_memory *) to)[i] = (uint8_t) from[i];
}

void KERNEL (narrow_single) (char *restrict to, const char *restrict from, uint32_t count)
{
  for (uint32_t i = narrow_turns_single (to, from, count); i < count; i++)
    to[i] = ((const single_memory *) from)[i] != 0;
}

void KERNEL (narrow_double) (char *restrict to, const char *restrict from, uint32_t count)
{
  for (uint32_t i = narrow_turns_double (to, from, count); i < count; i++)
    to[i] = ((const double_memory *) from)[i] != 0;
}
