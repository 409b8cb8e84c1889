/* dots.c - few dot products of each column of a matrix: products whose left operand is stored transposed, and
 * products with few rows.
 *
 * A sum takes the elements of its column one after the other, so that it has the bits of kernel.h.  Each
 * lane has the sum of a column of its own: as many rows of as many columns are transposed in registers.
 * Several groups of columns are taken side by side, since each addition to a sum waits for the one before.
 */
#include "transposed.h"

/* Sums of vectors that go on side by side. */
#define ABREAST 4
#define COLUMNS_MAX KERNEL_DOT_COLUMNS

/* The sums of `groups` groups of columns with each of `columns` vectors. The last group has `count` columns
 * if it is not whole; its other lanes take its last column. */
VEC_INLINE void sums_of_groups (const struct kernel_sums *sums, uint32_t first, uint32_t count, int groups, int columns)
{
  const struct kernel_product *p = &sums->product;
  uintptr_t stride = p->a_stride, step = sums->b_step;
  const char *a = (const char *) p->a + first * stride, *b = p->b;
  char *result = (char *) p->result + (uintptr_t) first * sums->result_step;
  uintptr_t offset[LANES];
  for (uint32_t i = 0; i < LANES; i++)
    offset[i] = (i < count ? i : count - 1) * stride;

  lanes total[ABREAST][COLUMNS_MAX] = {};
  for (int j = 0; p->accumulate && j < columns; j++)
    for (int g = 0; g < groups; g++)
      for (uint32_t i = 0; i < count; i++)
        total[g][j][i] = *(element *) (result + j * p->result_stride + (g * LANES + i) * (uintptr_t) sums->result_step);

  for (uint32_t part = 0; part < sums->parts; part++) {
    lanes sum[ABREAST][COLUMNS_MAX] = {};
    uint32_t left = sums->lengths[part];
    for (; left >= LANES; left -= LANES, a += VEC_BYTES, b += LANES * step) {
#pragma GCC unroll 4
      for (int g = 0; g < groups; g++) {
        lanes group[LANES];
#pragma GCC unroll 8
        for (uint32_t i = 0; i < LANES; i++)
          group[i] = lanes_load (a + g * LANES * stride + (count == LANES ? i * stride : offset[i]));
        transpose_lanes (group);
#pragma GCC unroll 8
        for (uint32_t i = 0; i < LANES; i++)
#pragma GCC unroll 4
          for (int j = 0; j < columns; j++)
            sum[g][j]
              = lanes_fma (group[i], lanes_splat (*(const element *) (b + i * step + j * p->b_stride)), sum[g][j]);
      }
    }
    for (; left != 0; left--, a += sizeof (element), b += step)
      for (int g = 0; g < groups; g++) {
        lanes row;
        for (uint32_t i = 0; i < LANES; i++)
          row[i] = *(const element *) (a + g * LANES * stride + offset[i]);
        for (int j = 0; j < columns; j++)
          sum[g][j] = lanes_fma (row, lanes_splat (*(const element *) (b + j * p->b_stride)), sum[g][j]);
      }
    for (int g = 0; g < groups; g++)
      for (int j = 0; j < columns; j++)
        total[g][j] = total[g][j] + sum[g][j];
  }

  for (int j = 0; j < columns; j++)
    for (int g = 0; g < groups; g++)
      for (uint32_t i = 0; i < count; i++)
        *(element *) (result + j * p->result_stride + (g * LANES + i) * (uintptr_t) sums->result_step) = total[g][j][i];
}

VEC_INLINE void all_columns (const struct kernel_sums *sums, int groups, int columns)
{
  uint32_t first = 0, m = sums->product.m;
  for (; first + groups * LANES <= m; first += groups * LANES)
    sums_of_groups (sums, first, LANES, groups, columns);
  for (; first + LANES <= m; first += LANES)
    sums_of_groups (sums, first, LANES, 1, columns);
  if (first < m)
    sums_of_groups (sums, first, m - first, 1, columns);
}

static void dots_1 (const struct kernel_sums *sums) { all_columns (sums, 4, 1); }
static void dots_2 (const struct kernel_sums *sums) { all_columns (sums, 2, 2); }
static void dots_3 (const struct kernel_sums *sums) { all_columns (sums, 2, 3); }

void TYPED (dots) (const struct kernel_sums *sums)
{
  static void (*const functions[COLUMNS_MAX]) (const struct kernel_sums *) = { dots_1, dots_2, dots_3 };
  functions[sums->product.n - 1](sums);
}
