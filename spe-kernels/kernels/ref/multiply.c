/* multiply.c - the matrix product in vectors of 16 bytes, for hosts without a kernel of their own.
 *
 * Columns of the result are whole vectors, so there is no tail along the rows: a pad of A reaches only the
 * pad of the result.  The rows of B beyond k are never read.
 */
#include "../host/lanes.h"

#define TILE_ROWS MULTIPLY_TILE_VECTORS
#define TILE_COLUMNS 4

/* b_step: bytes between two elements of a column of B. `rows` and `columns` are constants, once this is inlined. */
VEC_INLINE void tile (const struct kernel_product *p, uintptr_t b_step, uint32_t row_bytes, uint32_t column, int rows,
                      int columns)
{
  const char *a = (const char *) p->a + row_bytes;
  const char *b = (const char *) p->b + (uintptr_t) column * p->b_stride;
  char *result = (char *) p->result + (uintptr_t) column * p->result_stride + row_bytes;
  lanes sum[TILE_ROWS][TILE_COLUMNS] = {};
  for (uint32_t l = 0; l < p->k; l++, a += p->a_stride, b += b_step) {
#pragma GCC unroll 4
    for (int j = 0; j < columns; j++) {
      lanes factor = lanes_splat (*(const element *) (b + (uintptr_t) j * p->b_stride));
#pragma GCC unroll 4
      for (int i = 0; i < rows; i++)
        sum[i][j] = lanes_fma (lanes_load (a + i * VEC_BYTES), factor, sum[i][j]);
    }
  }
#pragma GCC unroll 4
  for (int j = 0; j < columns; j++)
#pragma GCC unroll 4
    for (int i = 0; i < rows; i++) {
      char *to = result + (uintptr_t) j * p->result_stride + i * VEC_BYTES;
      lanes before = {};
      if (p->accumulate)
        before = lanes_load (to);
      lanes_store (to, before + sum[i][j]);
    }
}

static void multiply (const struct kernel_product *p, uintptr_t b_step)
{
  const uint32_t tile_bytes = TILE_ROWS * VEC_BYTES;
  uint32_t bytes = kernel_column_bytes (p->m, PRECISION), whole = bytes / tile_bytes * tile_bytes, column = 0;
  for (; column + TILE_COLUMNS <= p->n; column += TILE_COLUMNS) {
    for (uint32_t at = 0; at < whole; at += tile_bytes)
      tile (p, b_step, at, column, TILE_ROWS, TILE_COLUMNS);
  }
  /* Right of the tiles every vector, and below them what is left of the columns. */
  for (uint32_t j = 0; j < p->n; j++)
    for (uint32_t at = j < column ? whole : 0; at < bytes; at += VEC_BYTES)
      tile (p, b_step, at, j, 1, 1);
}

void TYPED (multiply) (const struct kernel_product *product)
{
  multiply (product, sizeof (element));
}

/* One part after the other. */
void TYPED (multiply_sums) (const struct kernel_sums *sums)
{
  struct kernel_product part = sums->product;
  for (uint32_t i = 0; i < sums->parts; i++) {
    part.k = sums->lengths[i];
    multiply (&part, sums->b_step);
    part.accumulate = 1;
    part.a = (const char *) part.a + (uintptr_t) part.k * part.a_stride;
    part.b = (const char *) part.b + (uintptr_t) part.k * sums->b_step;
  }
}
