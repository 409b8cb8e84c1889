/* norm.c - norms, on an SPE (running.h).
 *
 * A norm takes one element after the other and adds to one number (direct.h).  So the SPU computes in vectors
 * what is added.
 */
#include "running.h"
#include "across.h"

#define FIRST_F ((bytes) { 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3 })
#define FIRST_D ((bytes) { 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7 })

/* The element that is so many bytes behind the first one, in all lanes. */
VEC_INLINE vf splat_of (vf x, bytes first, uint32_t behind)
{
  return shuffled (x, x, (bytes) spu_add ((vector unsigned int) first, spu_splats (behind * 0x01010101u)));
}

VEC_INLINE vf size_f (vf x) { return vf_abs (x); }

/* A Cell BE takes denormal numbers for zeros in its arithmetic, but not where bits are compared. */
VEC_INLINE vd size_d (vd x)
{
#ifdef __SPU_EDP__
  return vd_abs (x);
#else
  return vd_abs (x) * vd_splat (1.0);
#endif
}

/* The sum of squares is in the first lane of `squares`, and the scale in all lanes of `scale`.  Vectors of
 * elements up to the scale are added in order; all other elements are taken one by one. */
#define NORM(v, element_bytes, mask, first, SIZE, one)                                                                 \
  v scale = {}, squares = one;                                                                                         \
  if (before != 0) {                                                                                                   \
    v both = v##_load (before);                                                                                        \
    scale = (v) splat_of ((vf) both, first, 0);                                                                        \
    squares = (v) splat_of ((vf) both, first, element_bytes);                                                          \
  }                                                                                                                    \
  const char *column = a->data;                                                                                        \
  for (uint32_t columns = a->columns; columns != 0; columns--, column += a->stride_bytes) {                            \
    const char *from = column;                                                                                         \
    for (int32_t left = (int32_t) a->rows; left > 0; left -= 16 / element_bytes, from += 16) {                         \
      v sizes = SIZE (v##_load (from));                                                                                \
      mask same = v##_equal (sizes, scale), up_to_scale = v##_less (sizes, scale) | same;                              \
      if (left >= 16 / element_bytes && !vi64_any ((vi64) ~up_to_scale)) {                                             \
        v ratio = v##_divide (sizes, scale), more = v##_select (same, one, ratio * ratio);                             \
        _Pragma ("GCC unroll 4") for (uint32_t at = 0; at < 16; at += element_bytes)                                   \
          squares += (v) spu_rlqwbyte ((vector float) more, at);                                                       \
        continue;                                                                                                      \
      }                                                                                                                \
      for (int32_t i = 0; i < 16 / element_bytes && i < left; i++) {                                                   \
        v size = (v) splat_of ((vf) sizes, first, (uint32_t) i * element_bytes);                                       \
        mask above = v##_less (scale, size);                                                                           \
        v ratio = v##_divide (v##_select (above, scale, size), v##_select (above, size, scale)), square = ratio * ratio;\
        v more = v##_select (v##_equal (size, scale), one, square);                                                    \
        squares = v##_select (above, squares * square + one, squares + more);                                          \
        scale = v##_select (above, size, scale);                                                                       \
      }                                                                                                                \
    }                                                                                                                  \
  }

static __attribute__ ((noinline)) void norm_f (const struct kernel_block *a, const char *before, char *to,
                                               uint32_t goes_on)
{
  const vf one = vf_splat (1.0f);
  NORM (vf, 4, vi32, FIRST_F, size_f, one)
  vf_store (to, goes_on ? shuffled (scale, squares, PAIR_HIGH) : scale * vf_sqrt (squares));
}

static __attribute__ ((noinline)) void norm_d (const struct kernel_block *a, const char *before, char *to,
                                               uint32_t goes_on)
{
  const vd one = vd_splat (1.0);
  NORM (vd, 8, vi64, FIRST_D, size_d, one)
  vd_store (to, goes_on ? (vd) shuffled ((vf) scale, (vf) squares, HALVES_HIGH) : scale * vd_sqrt (squares));
}

uint32_t norm_execute (const struct kernel_block *result, const struct kernel_block *operands, uint32_t count,
                       const struct program_step *step)
{
  uint32_t status = running_check (result, operands, count, step);
  if (status != MEU_STATUS_OK)
    return status;
  (result->precision == MEU_SINGLE ? norm_f : norm_d) (operands, count == 1 ? 0 : operands[1].data, result->data,
                                                       result->rows == 2);
  return MEU_STATUS_OK;
}
