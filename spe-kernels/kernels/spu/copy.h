/* copy.h - copies of columns in the local store of an SPE.
 *
 * An SPE loads and stores aligned quadwords, so elements that change their place in a quadword are shuffled.
 */
#ifndef PMATRIX_COPY_H
#define PMATRIX_COPY_H

#include "across.h"

/* Quadwords of a column that are copied at a time, where a column has so many. */
#define TURN 8u

/* Does the work of `copy`, so many quadwords of a column at a time.  The last turn of a column ends with its last
 * quadword, and may repeat some of the turn before.  One loop goes through all columns: a branch at the end of
 * each would cost more than the turn. */
VEC_INLINE void copy_by (const uint32_t turn, char *to, uint32_t stride, const char *from, uint32_t from_stride,
                         uint32_t columns, uint32_t end, bytes pattern, bytes kept)
{
  const uint32_t last = end - turn * 16;
  uint32_t at = 0, next, step, ends;
  do {
    vf parts[TURN + 1], old = vf_load (to);
    _Pragma ("GCC unroll 9") for (uint32_t i = 0; i <= turn; i++) parts[i] = vf_load (from + i * 16);
    bytes here = spu_and (kept, (bytes) spu_cmpeq (spu_splats (at), 0));
    parts[0] = (vf) spu_sel ((bytes) shuffled (parts[0], parts[1], pattern), (bytes) old, here);
    vf_store (to, parts[0]);
    _Pragma ("GCC unroll 8") for (uint32_t i = 1; i < turn; i++)
      vf_store (to + i * 16, shuffled (parts[i], parts[i + 1], pattern));
    /* Masks: the compiler makes branches of conditions. */
    ends = 0u - (at == last);
    next = at + turn * 16;
    next = next < last ? next : last;
    step = next - at;
    to += step + ((stride - last) & ends);
    from += step + ((from_stride - last) & ends);
    at = next & ~ends;
    columns += ends;
  } while (columns != 0);
}

/* Copies so many bytes of each of some columns, at least one of each.  What follows them in the last quadword becomes
 * arbitrary.  What comes before the first byte in its quadword stays.  The columns lie whole quadwords apart, so
 * all of them begin at the same byte of a quadword. */
static __attribute__ ((noinline)) void copy (char *to, uint32_t stride, const char *from, uint32_t from_stride, uint32_t columns, uint32_t length)
{
  const bytes places = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
  uint32_t before = (uint32_t) to & 15, end = (before + length + 15) & -16u;
  to -= before;
  from -= before;
  uint32_t shift = (uint32_t) from & 15;
  from -= shift;
  bytes pattern = (bytes) spu_add ((vector unsigned int) places, spu_splats (shift * 0x01010101u));
  bytes kept = spu_cmpgt (spu_splats ((unsigned char) before), places);
  if (end >= TURN * 16)
    copy_by (TURN, to, stride, from, from_stride, columns, end, pattern, kept);
  else
    copy_by (1, to, stride, from, from_stride, columns, end, pattern, kept);
}

#endif
