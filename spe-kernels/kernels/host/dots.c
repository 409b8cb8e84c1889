/* dots.c - few dot products of each column of a matrix: products whose left operand is stored transposed, and
 * products with few rows.
 *
 * A sum takes the elements of its column one after the other, so that it has the bits of kernel.h.  Each
 * addition to a sum waits for the addition before.  So several sums go on side by side: sums of many columns
 * in the lanes of vectors, for which as many rows of as many columns are transposed in registers, or sums of
 * many parts of one column, in the same way, and else sums of a few parts.
 */
#include "transposed.h"

/* Sums that go on side by side. */
#define ABREAST 4
#define COLUMNS_MAX KERNEL_DOT_COLUMNS

/* A cache line of each column is read at a time: columns that are some powers of two apart share a set of the
 * first-level cache, which would not keep the rest of their lines. */
#define LINE_BYTES 64
#define LINE_ROWS (LINE_BYTES / sizeof (element))
#define GROUP_BYTES (GROUP_ROWS * sizeof (element))

/* How many parts from `part` on have the length of this part, up to the lanes of a vector. */
VEC_INLINE uint32_t equal_parts (const struct kernel_sums *sums, uint32_t part)
{
  uint32_t count = 1;
  while (count < LANES && part + count < sums->parts && sums->lengths[part + count] == sums->lengths[part])
    count++;
  return count;
}

/* The sums of as many parts of equal length as a vector has lanes, one in each lane.  The elements of both
 * factors touch. */
VEC_INLINE lanes sums_of_parts (const char *a, const char *b, uint32_t length)
{
  uintptr_t stride = length * sizeof (element);
  lanes sum = {};
  for (; length >= GROUP_ROWS; length -= GROUP_ROWS, a += GROUP_BYTES, b += GROUP_BYTES) {
    lanes factors[GROUP_ROWS], others[GROUP_ROWS];
    load_transposed (factors, a, stride);
    load_transposed (others, b, stride);
#pragma GCC unroll 8
    for (uint32_t i = 0; i < GROUP_ROWS; i++)
      sum = lanes_fma (factors[i], others[i], sum);
  }
  for (; length != 0; length--, a += sizeof (element), b += sizeof (element)) {
    lanes factor, other;
    for (uint32_t i = 0; i < LANES; i++) {
      factor[i] = *(const element *) (a + i * stride);
      other[i] = *(const element *) (b + i * stride);
    }
    sum = lanes_fma (factor, other, sum);
  }
  return sum;
}

/* Column i of the left operand with vector j. */
VEC_INLINE void sum_of_column (const struct kernel_sums *sums, uint32_t i, uint32_t j)
{
  const struct kernel_product *p = &sums->product;
  uintptr_t step = sums->b_step;
  const char *a = (const char *) p->a + (uintptr_t) i * p->a_stride, *b = (const char *) p->b + (uintptr_t) j * p->b_stride;
  element *result = (element *) ((char *) p->result + j * p->result_stride + (uintptr_t) i * sums->result_step);
  element total = p->accumulate ? *result : 0;
  for (uint32_t part = 0, count; part < sums->parts; part += count) {
    if (step == sizeof (element) && equal_parts (sums, part) == LANES) {
      uint32_t length = sums->lengths[part];
      lanes sum = sums_of_parts (a, b, length);
      for (uint32_t k = 0; k < LANES; k++)
        total = total + sum[k];
      count = LANES;
      a += LANES * length * sizeof (element);
      b += LANES * length * sizeof (element);
      continue;
    }
    const char *factors[ABREAST], *others[ABREAST];
    element sum[ABREAST] = {};
    count = sums->parts - part < ABREAST ? sums->parts - part : ABREAST;
    uint32_t common = count == ABREAST ? sums->lengths[part] : 0;
    for (uint32_t k = 0; k < count; k++) {
      factors[k] = a;
      others[k] = b;
      a += sums->lengths[part + k] * sizeof (element);
      b += sums->lengths[part + k] * step;
      common = sums->lengths[part + k] < common ? sums->lengths[part + k] : common;
    }
    for (uint32_t l = 0; l < common; l++)
#pragma GCC unroll 4
      for (int k = 0; k < ABREAST; k++)
        sum[k] = element_fma (((const element *) factors[k])[l], *(const element *) (others[k] + l * step), sum[k]);
    for (uint32_t k = 0; k < count; k++) {
      for (uint32_t l = common; l < sums->lengths[part + k]; l++)
        sum[k] = element_fma (((const element *) factors[k])[l], *(const element *) (others[k] + l * step), sum[k]);
      total = total + sum[k];
    }
  }
  *result = total;
}

/* Goes on with the sums of `groups` groups of columns over so many groups of rows. */
VEC_INLINE void add_rows (lanes sum[ABREAST][COLUMNS_MAX], const struct kernel_sums *sums, const char *a, const char *b,
                          uint32_t row_groups, int groups, int columns)
{
  uintptr_t stride = sums->product.a_stride, step = sums->b_step;
  /* Loads limit the speed, so all groups share the factors. */
  lanes factors[COLUMNS_MAX][LINE_ROWS];
#pragma GCC unroll 4
  for (int j = 0; j < columns; j++)
#pragma GCC unroll 16
    for (uint32_t i = 0; i < row_groups * GROUP_ROWS; i++)
      factors[j][i] = lanes_splat (*(const element *) (b + i * step + j * sums->product.b_stride));
#pragma GCC unroll 4
  for (int g = 0; g < groups; g++)
#pragma GCC unroll 4
    for (uint32_t r = 0; r < row_groups; r++) {
      lanes group[GROUP_ROWS];
      load_transposed (group, a + g * LANES * stride + r * GROUP_BYTES, stride);
#pragma GCC unroll 8
      for (uint32_t i = 0; i < GROUP_ROWS; i++)
#pragma GCC unroll 4
        for (int j = 0; j < columns; j++)
          sum[g][j] = lanes_fma (group[i], factors[j][r * GROUP_ROWS + i], sum[g][j]);
    }
}

/* The sums of `groups` groups of columns with each of `columns` vectors. The sums of the first `known`
 * columns are there already. */
VEC_INLINE void sums_of_groups (const struct kernel_sums *sums, uint32_t first, uint32_t known, int groups, int columns)
{
  const struct kernel_product *p = &sums->product;
  uintptr_t stride = p->a_stride, step = sums->b_step;
  const char *a = (const char *) p->a + first * stride, *b = p->b;
  char *result = (char *) p->result + (uintptr_t) first * sums->result_step;

  lanes total[ABREAST][COLUMNS_MAX] = {};
  for (int j = 0; p->accumulate && j < columns; j++)
    for (int g = 0; g < groups; g++)
      for (uint32_t i = 0; i < LANES; i++)
        total[g][j][i] = *(element *) (result + j * p->result_stride + (g * LANES + i) * (uintptr_t) sums->result_step);

  for (uint32_t part = 0; part < sums->parts; part++) {
    lanes sum[ABREAST][COLUMNS_MAX] = {};
    uint32_t left = sums->lengths[part];
    for (; left >= LINE_ROWS; left -= LINE_ROWS, a += LINE_BYTES, b += LINE_ROWS * step)
      add_rows (sum, sums, a, b, LINE_ROWS / GROUP_ROWS, groups, columns);
    for (; left >= GROUP_ROWS; left -= GROUP_ROWS, a += GROUP_BYTES, b += GROUP_ROWS * step)
      add_rows (sum, sums, a, b, 1, groups, columns);
    for (; left != 0; left--, a += sizeof (element), b += step)
      for (int g = 0; g < groups; g++) {
        lanes row;
        for (uint32_t i = 0; i < LANES; i++)
          row[i] = *(const element *) (a + (g * LANES + i) * stride);
        for (int j = 0; j < columns; j++)
          sum[g][j] = lanes_fma (row, lanes_splat (*(const element *) (b + j * p->b_stride)), sum[g][j]);
      }
    for (int g = 0; g < groups; g++)
      for (int j = 0; j < columns; j++)
        total[g][j] = total[g][j] + sum[g][j];
  }

  for (int j = 0; j < columns; j++)
    for (int g = 0; g < groups; g++)
      for (uint32_t i = known; i < LANES; i++)
        *(element *) (result + j * p->result_stride + (g * LANES + i) * (uintptr_t) sums->result_step) = total[g][j][i];
}

#if VEC_BYTES == 64
#ifdef KERNEL_DOUBLE
#define NARROWER dots_double_v32
#else
#define NARROWER dots_single_v32
#endif
kernel_multiply_sums NARROWER;
#endif

VEC_INLINE void all_columns (const struct kernel_sums *sums, int groups, int columns)
{
  uint32_t first = 0, m = sums->product.m;
  if (m < LANES) {
#if VEC_BYTES == 64
    NARROWER (sums);
#else
    for (uint32_t i = 0; i < m; i++)
      for (int j = 0; j < columns; j++)
        sum_of_column (sums, i, j);
#endif
    return;
  }
  for (; first + groups * LANES <= m; first += groups * LANES)
    sums_of_groups (sums, first, 0, groups, columns);
  for (; first + LANES <= m; first += LANES)
    sums_of_groups (sums, first, 0, 1, columns);
  if (first < m)
    sums_of_groups (sums, m - LANES, LANES - (m - first), 1, columns);
}

static void dots_1 (const struct kernel_sums *sums) { all_columns (sums, 4, 1); }
static void dots_2 (const struct kernel_sums *sums) { all_columns (sums, 2, 2); }
static void dots_3 (const struct kernel_sums *sums) { all_columns (sums, 2, 3); }
static void dots_4 (const struct kernel_sums *sums) { all_columns (sums, 2, 4); }

void TYPED (dots) (const struct kernel_sums *sums)
{
  static void (*const functions[COLUMNS_MAX]) (const struct kernel_sums *) = { dots_1, dots_2, dots_3, dots_4 };
  functions[sums->product.n - 1](sums);
}
