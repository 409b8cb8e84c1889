/* multiply.c - the matrix product on x86-64 with AVX2 or AVX-512, and with short vectors and masks of AVX-512.
 *
 * The result is computed in tiles whose sums stay in registers for a whole part of the inner side: `rows`
 * vectors high, `columns` columns wide.  After each part the sums are added to the tile in memory, which
 * stays in the first-level cache until the last part.  The outermost loop goes over rows, so that the rows of
 * A of one tile, a panel of A, stay in the first-level cache while all columns of B are read.  A sum takes
 * one fused multiply-add for each product, in the order of k.  That is the definition of kernel.h, which no
 * choice of tiles changes.
 *
 *               registers   widest tiles (vectors x columns)
 *   AVX2            16      3x4  2x4  1x8
 *   AVX-512         32      4x6  3x8  2x8  1x8
 *
 * A column is a multiple of 16 bytes, or of elements, and not of a vector: the last vector of the last panel may be
 * partial.
 */
#include "lanes.h"

#define ROWS_MAX MULTIPLY_TILE_VECTORS
#define COLUMNS_MAX 8

/* What a tile reads next, and where it adds its sums, is asked for while it computes. */
#define LINE_BYTES 64
#define PREFETCH(address) __builtin_prefetch (address, 0, 3)
#define PREFETCH_TO_WRITE(address) __builtin_prefetch (address, 1, 3)

/* Otherwise the compiler loads a factor again for each column, and loads take longer than multiply-adds. */
#define STAY_IN_REGISTER(vector) __asm__ ("" : "+x" (vector))

/* Adds the sums of one part to a tile of the result; or, unless `accumulate`, to +0. */
VEC_INLINE void add_sums (lanes sum[ROWS_MAX][COLUMNS_MAX], char *result, uintptr_t stride, uint32_t accumulate,
                          uint32_t partial, int rows, int columns)
{
#pragma GCC unroll 8
  for (int j = 0; j < columns; j++)
#pragma GCC unroll 8
    for (int i = 0; i < rows; i++) {
      char *to = result + j * stride + i * VEC_BYTES;
      lanes before = {};
      if (partial != 0 && i == rows - 1) {
        if (accumulate)
          before = part_load (to, partial);
        part_store (to, before + sum[i][j], partial);
      } else {
        if (accumulate)
          before = lanes_load (to);
        lanes_store (to, before + sum[i][j]);
      }
    }
}

/* One tile. next_b: B of the tile that follows. partial: bytes of its last vector, 0 if that is whole.
 * `rows` and `columns` are constants, and so is whether `partial` is 0, once this is inlined. */
VEC_INLINE void tile (const struct kernel_sums *sums, const char *a, const char *b, const char *next_b, char *result,
                      uint32_t partial, int rows, int columns)
{
  const struct kernel_product *p = &sums->product;
  uintptr_t a_stride = p->a_stride, b_stride = p->b_stride, b_step = sums->b_step, result_stride = p->result_stride;
  const char *ahead = result;
  int columns_ahead = columns;
  for (uint32_t part = 0; part < sums->parts; part++) {
    lanes sum[ROWS_MAX][COLUMNS_MAX] = {};
    for (uint32_t left = sums->lengths[part]; left != 0;) {
      uint32_t line = left < LINE_BYTES / sizeof (element) ? left : LINE_BYTES / sizeof (element);
      left -= line;
#pragma GCC unroll 8
      for (int j = 0; j < columns; j++)
        PREFETCH (next_b + j * b_stride);
      next_b += LINE_BYTES;
      if (columns_ahead != 0) {
#pragma GCC unroll 8
        for (int i = 0; i < rows; i++)
          PREFETCH_TO_WRITE (ahead + i * VEC_BYTES);
        ahead += result_stride;
        columns_ahead--;
      }
      for (; line != 0; line--, a += a_stride, b += b_step) {
        lanes factors[ROWS_MAX];
#pragma GCC unroll 8
        for (int i = 0; i < rows; i++)
          factors[i] = partial != 0 && i == rows - 1 ? part_load (a + i * VEC_BYTES, partial)
                                                     : lanes_load (a + i * VEC_BYTES);
#pragma GCC unroll 8
        for (int i = 0; i < rows; i++)
          STAY_IN_REGISTER (factors[i]);
#pragma GCC unroll 8
        for (int j = 0; j < columns; j++) {
          lanes factor = lanes_splat (*(const element *) (b + j * b_stride));
#pragma GCC unroll 8
          for (int i = 0; i < rows; i++)
            sum[i][j] = lanes_fma (factors[i], factor, sum[i][j]);
        }
      }
    }
    add_sums (sum, result, result_stride, part != 0 || p->accumulate, partial, rows, columns);
  }
}

/* All columns of one panel of A: the widest tile first, then what is left in halves. */
VEC_INLINE void panel (const struct kernel_sums *sums, uint32_t at, uint32_t partial, int rows, int widest)
{
  const struct kernel_product *p = &sums->product;
  const char *a = (const char *) p->a + at, *b = p->b;
  char *result = (char *) p->result + at;
  uintptr_t b_stride = p->b_stride, result_stride = p->result_stride;
  uint32_t left = p->n;
  while (left != 0) {
    int columns = left >= (uint32_t) widest ? widest : widest > 4 && left >= 4 ? 4 : left >= 2 ? 2 : 1;
    const char *next_b = b + columns * b_stride;
    left -= columns;
    const char *ahead = left != 0 ? next_b : b;
    if (columns == widest)
      tile (sums, a, b, ahead, result, partial, rows, widest);
    else if (widest > 4 && columns == 4)
      tile (sums, a, b, ahead, result, partial, rows, 4);
    else if (columns == 2)
      tile (sums, a, b, ahead, result, partial, rows, 2);
    else
      tile (sums, a, b, ahead, result, partial, rows, 1);
    b = next_b;
    result += columns * result_stride;
  }
}

#define PANEL(rows, widest)                                                                                            \
  static __attribute__ ((noinline)) void panel_##rows (const struct kernel_sums *sums, uint32_t at, uint32_t partial)  \
  {                                                                                                                    \
    if (partial != 0)                                                                                                  \
      panel (sums, at, partial, rows, widest);                                                                         \
    else                                                                                                               \
      panel (sums, at, 0, rows, widest);                                                                               \
  }

#if VEC_BYTES == 64
PANEL (1, 8)
PANEL (2, 8)
PANEL (3, 8)
PANEL (4, 6)
#else
PANEL (1, 8)
PANEL (2, 4)
PANEL (3, 4)
#endif

typedef void panel_function (const struct kernel_sums *sums, uint32_t at, uint32_t partial);

#if VEC_BYTES == 64
/* Rows that fit a narrower vector are faster in it: many a core adds two narrow vectors in the time of a wide one.
 * Loads without masks are faster than loads with masks. */
#ifdef KERNEL_DOUBLE
#define NARROWER multiply_sums_double_v32
#define MASKED multiply_sums_double_masked
#else
#define NARROWER multiply_sums_single_v32
#define MASKED multiply_sums_single_masked
#endif
kernel_multiply_sums NARROWER, MASKED;
#endif

/* Splits the rows into panels as even as they can be, and as few. */
void TYPED (multiply_sums) (const struct kernel_sums *sums)
{
#if VEC_BYTES == 64
  static panel_function *const panels[] = { panel_1, panel_2, panel_3, panel_4 };
#else
  static panel_function *const panels[] = { panel_1, panel_2, panel_3 };
#endif
  uint32_t column_bytes = result_column_bytes (&sums->product);
  uint32_t partial = column_bytes % VEC_BYTES, at = 0;
#if VEC_BYTES == 64
  if (partial != 0 && partial <= VEC_BYTES / 2) {
    struct kernel_sums rest = *sums;
    uint32_t whole_bytes = column_bytes - partial;
    rest.product.m -= whole_bytes / sizeof (element);
    rest.product.a = (const char *) rest.product.a + whole_bytes;
    rest.product.result = (char *) rest.product.result + whole_bytes;
    if (partial % 16 == 0)
      NARROWER (&rest);
    else
      MASKED (&rest);
    column_bytes = whole_bytes;
    partial = 0;
  }
#endif
  uint32_t vectors = (column_bytes + VEC_BYTES - 1) / VEC_BYTES;
  for (uint32_t left = (vectors + ROWS_MAX - 1) / ROWS_MAX; left != 0; left--) {
    uint32_t rows = (vectors + left - 1) / left;
    panels[rows - 1](sums, at, left == 1 ? partial : 0);
    at += rows * VEC_BYTES;
    vectors -= rows;
  }
}

#ifndef KERNEL_MASKED
void TYPED (multiply) (const struct kernel_product *product)
{
  struct kernel_sums sums = { .product = *product, .lengths = &product->k, .parts = 1, .b_step = sizeof (element) };
  TYPED (multiply_sums) (&sums);
}
#endif
