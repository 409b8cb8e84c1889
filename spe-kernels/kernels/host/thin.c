/* thin.c - products with few columns of B: A is read once, and nothing is copied.
 *
 * Rows are taken in strips, and the inner side a few elements at a time.  So the columns of A that a strip
 * reads at a time, and the sums of the strip, stay in the nearest caches, and A streams from main memory in a
 * few long pieces side by side.
 */
#include "lanes.h"

/* Elements of the inner side that are taken at a time. */
#define DEPTH 8

/* Bytes of the sums of a strip: a first-level cache. Shorter strips would leave the sums more room there, but
 * main memory streams best in long pieces: with a quarter of this size, products of a matrix of 8 MB and more
 * with a column take a fifth longer. */
#define SUM_BYTES (32u << 10)

/* Tiles of sums in registers: their vectors by the number of columns. */
#define ROWS_MAX 8
#define COLUMNS_MAX 4

/* What is common to all tiles of one step of the inner side. */
struct step {
  const char *b;
  char *sums;
  uintptr_t a_stride, b_stride, sum_stride;
  uint32_t depth;
  uint32_t first; /* whether sums begin, from +0 */
};

/* Goes on with the sums of a tile. partial: bytes of its only vector, 0 if all are whole. */
VEC_INLINE void tile (const struct step *step, const char *a, uint32_t at, uint32_t partial, uint32_t depth, int rows,
                      int columns)
{
  const char *b = step->b;
  lanes sum[ROWS_MAX][COLUMNS_MAX] = {};
  if (!step->first)
#pragma GCC unroll 4
    for (int j = 0; j < columns; j++)
#pragma GCC unroll 8
      for (int i = 0; i < rows; i++)
        sum[i][j] = lanes_load (step->sums + j * step->sum_stride + at + i * VEC_BYTES);
  a += at;
#pragma GCC unroll 8
  for (uint32_t l = 0; l < depth; l++, a += step->a_stride, b += sizeof (element)) {
    lanes factors[ROWS_MAX];
#pragma GCC unroll 8
    for (int i = 0; i < rows; i++)
      factors[i] = partial != 0 ? part_load (a + i * VEC_BYTES, partial) : lanes_load (a + i * VEC_BYTES);
#pragma GCC unroll 4
    for (int j = 0; j < columns; j++) {
      lanes factor = lanes_splat (*(const element *) (b + j * step->b_stride));
#pragma GCC unroll 8
      for (int i = 0; i < rows; i++)
        sum[i][j] = lanes_fma (factors[i], factor, sum[i][j]);
    }
  }
#pragma GCC unroll 4
  for (int j = 0; j < columns; j++)
#pragma GCC unroll 8
    for (int i = 0; i < rows; i++)
      lanes_store (step->sums + j * step->sum_stride + at + i * VEC_BYTES, sum[i][j]);
}

/* All rows of a strip of `bytes` bytes, for a few columns of B. */
VEC_INLINE void columns_of_strip (const struct step *step, const char *a, uint32_t bytes, uint32_t depth, int tallest,
                                  int columns)
{
  uint32_t at = 0;
  for (; at + tallest * VEC_BYTES <= bytes; at += tallest * VEC_BYTES)
    tile (step, a, at, 0, depth, tallest, columns);
  for (; at + tallest / 2 * VEC_BYTES <= bytes; at += tallest / 2 * VEC_BYTES)
    tile (step, a, at, 0, depth, tallest / 2, columns);
  for (; at + VEC_BYTES <= bytes; at += VEC_BYTES)
    tile (step, a, at, 0, depth, 1, columns);
  if (at < bytes)
    tile (step, a, at, bytes - at, depth, 1, columns);
}

#define COLUMNS(columns, tallest)                                                                                      \
  static void columns_##columns (const struct step *step, const char *a, uint32_t bytes)                               \
  {                                                                                                                    \
    if (step->depth == DEPTH)                                                                                          \
      columns_of_strip (step, a, bytes, DEPTH, tallest, columns);                                                      \
    else                                                                                                               \
      columns_of_strip (step, a, bytes, step->depth, tallest, columns);                                                \
  }

COLUMNS (1, 8)
COLUMNS (2, 6)
COLUMNS (3, 4)
COLUMNS (4, 3)

/* Adds the sums of a strip to the result; or, unless `accumulate`, to +0. */
static void add_sums (const char *sums, uintptr_t sum_stride, char *result, uintptr_t result_stride, uint32_t bytes,
                      uint32_t columns, uint32_t accumulate)
{
  for (uint32_t j = 0; j < columns; j++, sums += sum_stride, result += result_stride) {
    uint32_t at = 0;
    for (; at + VEC_BYTES <= bytes; at += VEC_BYTES) {
      lanes before = {};
      if (accumulate)
        before = lanes_load (result + at);
      lanes_store (result + at, before + lanes_load (sums + at));
    }
    if (at < bytes) {
      lanes before = {};
      if (accumulate)
        before = part_load (result + at, bytes - at);
      part_store (result + at, before + lanes_load (sums + at), bytes - at);
    }
  }
}

void TYPED (thin) (const struct kernel_sums *sums)
{
  static void (*const columns_functions[]) (const struct step *, const char *, uint32_t)
    = { columns_1, columns_2, columns_3, columns_4 };
  const struct kernel_product *p = &sums->product;
  char room[SUM_BYTES] __attribute__ ((aligned (64)));
  uint32_t column_bytes = result_column_bytes (p);
  uint32_t longest = SUM_BYTES / p->n / VEC_BYTES * VEC_BYTES;
  uint32_t strips = (column_bytes + longest - 1) / longest;
  uint32_t height = ((column_bytes + strips - 1) / strips + VEC_BYTES - 1) / VEC_BYTES * VEC_BYTES;
  struct step step = { .a_stride = p->a_stride, .b_stride = p->b_stride, .sum_stride = height };

  for (uint32_t at = 0; at < column_bytes; at += height) {
    uint32_t bytes = column_bytes - at < height ? column_bytes - at : height;
    const char *a = (const char *) p->a + at, *b = p->b;
    for (uint32_t part = 0; part < sums->parts; part++) {
      uint32_t length = sums->lengths[part];
      for (uint32_t l = 0; l < length; l += step.depth) {
        step.depth = length - l < DEPTH ? length - l : DEPTH;
        step.first = l == 0;
        for (uint32_t j = 0; j < p->n; j += COLUMNS_MAX) {
          uint32_t columns = p->n - j < COLUMNS_MAX ? p->n - j : COLUMNS_MAX;
          step.b = b + (uintptr_t) j * p->b_stride;
          step.sums = room + j * height;
          columns_functions[columns - 1](&step, a, bytes);
        }
        a += (uintptr_t) step.depth * p->a_stride;
        b += step.depth * sizeof (element);
      }
      add_sums (room, height, (char *) p->result + at, p->result_stride, bytes, p->n, part != 0 || p->accumulate);
    }
  }
}
