/* multiply.c - the matrix product on an SPE: cuts it into the tiles of multiply_single.S and multiply_double.S. */
#include "kernels.h"

#define TILE_BYTES 64u /* of a column */
#define TILE_VECTORS (TILE_BYTES / VEC_BYTES)

#define SINGLE_COLUMNS 8u /* of a tile */
#define SINGLE_STEPS 4u   /* along the sums, in a turn of the loop over them */
#define DOUBLE_COLUMNS 4u
#define DOUBLE_STEPS 2u

typedef void multiply_tiles (char *result, const char *a, const char *b, uint32_t result_stride, uint32_t a_stride,
                             uint32_t b_stride, uint32_t inner, const char *addend, uint32_t addend_stride,
                             uint32_t count);
multiply_tiles multiply_tiles_single, multiply_tiles_double;

static __attribute__ ((noinline)) void copy (char *to, uint32_t to_stride, const char *from, uint32_t from_stride,
                                             uint32_t bytes, uint32_t columns)
{
  for (; columns != 0; columns--, to += to_stride, from += from_stride)
    for (uint32_t at = 0; at < bytes; at += VEC_BYTES)
      vf_store (to + at, vf_load (from + at));
}

/* Makes the sums a multiple of SINGLE_STEPS long: sets to zero what the last vector of each column of b holds beyond its
 * rows.  That is a pad, so it may be anything, and whatever it meets in a, an SPU has no single that times zero is not
 * zero. */
static void clear_pad (const struct kernel_product *p)
{
  char *last = (char *) p->b + p->k / SINGLE_STEPS * VEC_BYTES;
  for (uint32_t j = 0; j < p->n; j++, last += p->b_stride)
    for (uint32_t i = p->k % SINGLE_STEPS; i < SINGLE_STEPS; i++)
      ((float *) last)[i] = 0;
}

/* The last step of double sums of an odd length, to a tile whose columns are TILE_BYTES apart, and what is added to them. */
static void last_step (const struct kernel_product *p, vd *tile, const char *a, const char *b, const char *result,
                       uint32_t columns)
{
  a += (p->k - 1) * p->a_stride;
  b += (p->k - 1) * sizeof (double);
  for (; columns != 0; columns--, b += p->b_stride, result += p->result_stride)
    for (uint32_t at = 0; at < TILE_BYTES; at += VEC_BYTES, tile++) {
      vd sum = vd_fma (vd_load (a + at), vd_splat (*(const double *) b), *tile);
      *tile = sum + (p->accumulate ? vd_load (result + at) : vd_splat (0.0));
    }
}

static void multiply (const struct kernel_product *p, uint32_t precision)
{
  vd tile[TILE_VECTORS * SINGLE_COLUMNS], zero[TILE_VECTORS];
  uint32_t tile_columns = SINGLE_COLUMNS, inner = p->k, odd = 0;
  const char *nothing = 0;
  if (precision == MEU_DOUBLE) {
    /* To add +0 makes +0 of -0.  To add -0, before a last step, changes nothing. */
    tile_columns = DOUBLE_COLUMNS;
    odd = p->k % DOUBLE_STEPS;
    inner -= odd;
    nothing = (const char *) zero;
    for (uint32_t i = 0; i < TILE_VECTORS; i++)
      zero[i] = vd_splat (odd ? -0.0 : 0.0);
  } else if (p->k % SINGLE_STEPS != 0) {
    clear_pad (p);
    inner = (p->k + SINGLE_STEPS - 1) & -SINGLE_STEPS;
  }
  uint32_t left = kernel_column_bytes (p->m, precision), bytes = TILE_BYTES;
  const char *a = p->a;
  char *row = p->result;
  for (; left != 0; left -= bytes, a += TILE_BYTES, row += TILE_BYTES) {
    if (left < TILE_BYTES)
      bytes = left;
    const char *b = p->b;
    char *result = row;
    for (uint32_t columns_left = p->n, columns; columns_left != 0; columns_left -= columns) {
      uint32_t count = columns_left / tile_columns, stride = p->result_stride, addend_stride = 0;
      uint32_t apart = bytes < TILE_BYTES || count == 0 || odd;
      const char *addend = nothing;
      char *to = result;
      if (p->accumulate && !odd) {
        addend = result;
        addend_stride = stride;
      }
      if (apart) {
        /* It reaches beyond the result, or is not done yet. */
        count = 1;
        to = (char *) tile;
        stride = TILE_BYTES;
      }
      columns = count * tile_columns;
      if (columns > columns_left)
        columns = columns_left;
      if (precision != MEU_DOUBLE)
        multiply_tiles_single (to, a, b, stride, p->a_stride, p->b_stride, inner, addend, addend_stride, count);
      else if (inner != 0)
        multiply_tiles_double (to, a, b, stride, p->a_stride, p->b_stride, inner, addend, addend_stride, count);
      else
        __builtin_memset (tile, 0, sizeof tile);
      if (odd)
        last_step (p, tile, a, b, result, columns);
      if (apart)
        copy (result, p->result_stride, to, stride, bytes, columns);
      b += columns * p->b_stride;
      result += columns * p->result_stride;
    }
  }
}

void KERNEL (multiply_single) (const struct kernel_product *p)
{
  multiply (p, MEU_SINGLE);
}

void KERNEL (multiply_double) (const struct kernel_product *p)
{
  multiply (p, MEU_DOUBLE);
}
