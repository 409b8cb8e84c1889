/* across.h - elements of several columns in one vector of an SPE, by shuffles. */
#ifndef PMATRIX_ACROSS_H
#define PMATRIX_ACROSS_H

#include "vec.h"

typedef vector unsigned char bytes;

#define PAIR_HIGH ((bytes) { 0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23 })
#define PAIR_LOW ((bytes) { 8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31 })
#define HALVES_HIGH ((bytes) { 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23 })
#define HALVES_LOW ((bytes) { 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31 })

VEC_INLINE vf shuffled (vf a, vf b, bytes pattern) { return (vf) spu_shuffle ((vector float) a, (vector float) b, pattern); }

/* Four vectors turned into their four rows.  `rows` may be the vectors. */
VEC_INLINE void crossed_f (vf rows[4], const vf columns[4])
{
  vf a = columns[0], b = columns[1], c = columns[2], d = columns[3];
  vf ab_high = shuffled (a, b, PAIR_HIGH), ab_low = shuffled (a, b, PAIR_LOW);
  vf cd_high = shuffled (c, d, PAIR_HIGH), cd_low = shuffled (c, d, PAIR_LOW);
  rows[0] = shuffled (ab_high, cd_high, HALVES_HIGH);
  rows[1] = shuffled (ab_high, cd_high, HALVES_LOW);
  rows[2] = shuffled (ab_low, cd_low, HALVES_HIGH);
  rows[3] = shuffled (ab_low, cd_low, HALVES_LOW);
}

VEC_INLINE void crossed_d (vd rows[2], const vd columns[2])
{
  vf a = (vf) columns[0], b = (vf) columns[1];
  rows[0] = (vd) shuffled (a, b, HALVES_HIGH);
  rows[1] = (vd) shuffled (a, b, HALVES_LOW);
}

/* The four elements at the same place of each of four columns, for four places. */
VEC_INLINE void across_f (vf rows[4], const char *const columns[4], uint32_t at)
{
  _Pragma ("GCC unroll 4") for (uint32_t i = 0; i < 4; i++) rows[i] = vf_load (columns[i] + at);
  crossed_f (rows, rows);
}

VEC_INLINE void across_d (vd rows[2], const char *const columns[2], uint32_t at)
{
  _Pragma ("GCC unroll 2") for (uint32_t i = 0; i < 2; i++) rows[i] = vd_load (columns[i] + at);
  crossed_d (rows, rows);
}

#endif
