/* multiply.c - the matrix product in vectors of 16 bytes, for hosts without a kernel of their own.
 *
 * Columns of the result are whole vectors, so there is no tail along the rows: a pad of A reaches only the pad of the
 * result.  The rows of B beyond k are never read.
 */
#include "kernels.h"

#define TILE_ROWS MULTIPLY_TILE_VECTORS
#define TILE_COLUMNS 4

VEC_INLINE void tile_single (const struct kernel_product *p, uint32_t row_bytes, uint32_t column, int rows, int columns)
{
  const char *a = (const char *) p->a + row_bytes;
  const char *b = (const char *) p->b + (uintptr_t) column * p->b_stride;
  char *result = (char *) p->result + (uintptr_t) column * p->result_stride + row_bytes;
  vi32 keep = vi32_splat (-(int32_t) p->accumulate);
  vf sum[TILE_ROWS][TILE_COLUMNS] = {};
  for (uint32_t l = 0; l < p->k; l++, a += p->a_stride, b += sizeof (float)) {
#pragma GCC unroll 4
    for (int j = 0; j < columns; j++) {
      vf factor = vf_splat (*(const float *) (b + (uintptr_t) j * p->b_stride));
#pragma GCC unroll 4
      for (int i = 0; i < rows; i++)
        sum[i][j] = vf_fma (vf_load (a + i * VEC_BYTES), factor, sum[i][j]);
    }
  }
#pragma GCC unroll 4
  for (int j = 0; j < columns; j++)
#pragma GCC unroll 4
    for (int i = 0; i < rows; i++) {
      char *to = result + (uintptr_t) j * p->result_stride + i * VEC_BYTES;
      vf_store (to, (vf) ((vi32) vf_load (to) & keep) + sum[i][j]);
    }
}

VEC_INLINE void tile_double (const struct kernel_product *p, uint32_t row_bytes, uint32_t column, int rows, int columns)
{
  const char *a = (const char *) p->a + row_bytes;
  const char *b = (const char *) p->b + (uintptr_t) column * p->b_stride;
  char *result = (char *) p->result + (uintptr_t) column * p->result_stride + row_bytes;
  vi64 keep = vi64_splat (-(int32_t) p->accumulate);
  vd sum[TILE_ROWS][TILE_COLUMNS] = {};
  for (uint32_t l = 0; l < p->k; l++, a += p->a_stride, b += sizeof (double)) {
#pragma GCC unroll 4
    for (int j = 0; j < columns; j++) {
      vd factor = vd_splat (*(const double *) (b + (uintptr_t) j * p->b_stride));
#pragma GCC unroll 4
      for (int i = 0; i < rows; i++)
        sum[i][j] = vd_fma (vd_load (a + i * VEC_BYTES), factor, sum[i][j]);
    }
  }
#pragma GCC unroll 4
  for (int j = 0; j < columns; j++)
#pragma GCC unroll 4
    for (int i = 0; i < rows; i++) {
      char *to = result + (uintptr_t) j * p->result_stride + i * VEC_BYTES;
      vd_store (to, (vd) ((vi64) vd_load (to) & keep) + sum[i][j]);
    }
}

void KERNEL (multiply_single) (const struct kernel_product *p)
{
  const uint32_t tile_bytes = TILE_ROWS * VEC_BYTES;
  uint32_t bytes = kernel_column_bytes (p->m, MEU_SINGLE), whole = bytes / tile_bytes * tile_bytes, column = 0;
  for (; column + TILE_COLUMNS <= p->n; column += TILE_COLUMNS) {
    for (uint32_t at = 0; at < whole; at += tile_bytes)
      tile_single (p, at, column, TILE_ROWS, TILE_COLUMNS);
  }
  /* Right of the tiles every vector, and below them what is left of the columns. */
  for (uint32_t j = 0; j < p->n; j++)
    for (uint32_t at = j < column ? whole : 0; at < bytes; at += VEC_BYTES)
      tile_single (p, at, j, 1, 1);
}

void KERNEL (multiply_double) (const struct kernel_product *p)
{
  const uint32_t tile_bytes = TILE_ROWS * VEC_BYTES;
  uint32_t bytes = kernel_column_bytes (p->m, MEU_DOUBLE), whole = bytes / tile_bytes * tile_bytes, column = 0;
  for (; column + TILE_COLUMNS <= p->n; column += TILE_COLUMNS) {
    for (uint32_t at = 0; at < whole; at += tile_bytes)
      tile_double (p, at, column, TILE_ROWS, TILE_COLUMNS);
  }
  /* Right of the tiles every vector, and below them what is left of the columns. */
  for (uint32_t j = 0; j < p->n; j++)
    for (uint32_t at = j < column ? whole : 0; at < bytes; at += VEC_BYTES)
      tile_double (p, at, j, 1, 1);
}

/* One part after the other. */
static void parts_in_order (const struct kernel_sums *sums, kernel_multiply *multiply, uint32_t element_bytes)
{
  struct kernel_product part = sums->product;
  for (uint32_t i = 0; i < sums->parts; i++) {
    part.k = sums->lengths[i];
    multiply (&part);
    part.accumulate = 1;
    part.a = (const char *) part.a + (uintptr_t) part.k * part.a_stride;
    part.b = (const char *) part.b + (uintptr_t) part.k * element_bytes;
  }
}

void KERNEL (multiply_sums_single) (const struct kernel_sums *sums)
{
  parts_in_order (sums, KERNEL (multiply_single), sizeof (float));
}

void KERNEL (multiply_sums_double) (const struct kernel_sums *sums)
{
  parts_in_order (sums, KERNEL (multiply_double), sizeof (double));
}
