/* multiply.c - the matrix product on x86-64 with AVX2 or AVX-512.
 *
 * The result is computed in tiles whose sums stay in registers for all of k: `rows` vectors high, `columns`
 * columns wide.  The outermost loop goes over rows, so that the rows of A of one tile, a panel of A, stay in
 * the first-level cache while all columns of B are read.  A sum takes one fused multiply-add for each
 * product, in the order of k.  That is the definition of kernel.h, which no choice of tiles changes.
 *
 *               registers   widest tiles (vectors x columns)
 *   AVX2            16      3x4  2x4  1x8
 *   AVX-512         32      4x6  3x8  2x8  1x8
 *
 * A column is a multiple of 16 bytes, not of a vector: the last vector of the last panel may be partial.
 */
#include "kernels.h"

#define ROWS_MAX MULTIPLY_TILE_VECTORS
#define COLUMNS_MAX 8

/* Loads and stores of the first `bytes` of a vector, a multiple of 16. */
#if VEC_BYTES == 64
VEC_INLINE vf part_load_single (const char *from, uint32_t bytes)
{
  return (vf) _mm512_maskz_loadu_ps ((__mmask16) ((1u << (bytes / 4)) - 1), from);
}
VEC_INLINE vd part_load_double (const char *from, uint32_t bytes)
{
  return (vd) _mm512_maskz_loadu_pd ((__mmask8) ((1u << (bytes / 8)) - 1), from);
}
VEC_INLINE void part_store_single (char *to, vf value, uint32_t bytes)
{
  _mm512_mask_storeu_ps (to, (__mmask16) ((1u << (bytes / 4)) - 1), (__m512) value);
}
VEC_INLINE void part_store_double (char *to, vd value, uint32_t bytes)
{
  _mm512_mask_storeu_pd (to, (__mmask8) ((1u << (bytes / 8)) - 1), (__m512d) value);
}
#else
/* Half a vector is the only partial vector. */
VEC_INLINE vf part_load_single (const char *from, uint32_t bytes)
{
  (void) bytes;
  return (vf) _mm256_zextps128_ps256 (_mm_loadu_ps ((const float *) from));
}
VEC_INLINE vd part_load_double (const char *from, uint32_t bytes)
{
  (void) bytes;
  return (vd) _mm256_zextpd128_pd256 (_mm_loadu_pd ((const double *) from));
}
VEC_INLINE void part_store_single (char *to, vf value, uint32_t bytes)
{
  (void) bytes;
  _mm_storeu_ps ((float *) to, _mm256_castps256_ps128 ((__m256) value));
}
VEC_INLINE void part_store_double (char *to, vd value, uint32_t bytes)
{
  (void) bytes;
  _mm_storeu_pd ((double *) to, _mm256_castpd256_pd128 ((__m256d) value));
}
#endif

/* What a tile reads next, and where it adds its sums, is asked for while it computes. */
#define LINE_BYTES 64
#define PREFETCH(address) __builtin_prefetch (address, 0, 3)
/* Columns of A far apart are no pattern that a processor foresees, and with so few of B nothing else takes
 * time. */
#define THIN 2
#define COLUMNS_AHEAD 16
#define PREFETCH_TO_WRITE(address) __builtin_prefetch (address, 1, 3)

/* One tile. next_b: B of the tile that follows. part: bytes of its last vector, 0 if that is whole.
 * `rows` and `columns` are constants, and so is whether `part` is 0, once this is inlined. */
VEC_INLINE void tile_single (const struct kernel_product *p, const char *a, const char *b, const char *next_b, char *result,
                             uint32_t part, int rows, int columns)
{
  uintptr_t a_stride = p->a_stride, b_stride = p->b_stride, result_stride = p->result_stride;
  const char *ahead = result;
  int columns_ahead = columns;
  vf sum[ROWS_MAX][COLUMNS_MAX] = {};
  for (uint32_t left = p->k; left != 0;) {
    uint32_t line = left < LINE_BYTES / sizeof (float) ? left : LINE_BYTES / sizeof (float);
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
    for (; line != 0; line--, a += a_stride, b += sizeof (float)) {
      vf factors[ROWS_MAX];
#pragma GCC unroll 8
      for (int i = 0; columns <= THIN && i < rows; i++)
        PREFETCH (a + COLUMNS_AHEAD * a_stride + i * VEC_BYTES);
#pragma GCC unroll 8
      for (int i = 0; i < rows; i++)
        factors[i] = part != 0 && i == rows - 1 ? part_load_single (a + i * VEC_BYTES, part)
                                                : vf_load (a + i * VEC_BYTES);
#pragma GCC unroll 8
      for (int j = 0; j < columns; j++) {
        vf factor = vf_splat (*(const float *) (b + j * b_stride));
#pragma GCC unroll 8
        for (int i = 0; i < rows; i++)
          sum[i][j] = vf_fma (factors[i], factor, sum[i][j]);
      }
    }
  }
#pragma GCC unroll 8
  for (int j = 0; j < columns; j++)
#pragma GCC unroll 8
    for (int i = 0; i < rows; i++) {
      char *to = result + j * result_stride + i * VEC_BYTES;
      vf before = {};
      if (part != 0 && i == rows - 1) {
        if (p->accumulate)
          before = part_load_single (to, part);
        part_store_single (to, before + sum[i][j], part);
      } else {
        if (p->accumulate)
          before = vf_load (to);
        vf_store (to, before + sum[i][j]);
      }
    }
}

VEC_INLINE void tile_double (const struct kernel_product *p, const char *a, const char *b, const char *next_b, char *result,
                             uint32_t part, int rows, int columns)
{
  uintptr_t a_stride = p->a_stride, b_stride = p->b_stride, result_stride = p->result_stride;
  const char *ahead = result;
  int columns_ahead = columns;
  vd sum[ROWS_MAX][COLUMNS_MAX] = {};
  for (uint32_t left = p->k; left != 0;) {
    uint32_t line = left < LINE_BYTES / sizeof (double) ? left : LINE_BYTES / sizeof (double);
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
    for (; line != 0; line--, a += a_stride, b += sizeof (double)) {
      vd factors[ROWS_MAX];
#pragma GCC unroll 8
      for (int i = 0; columns <= THIN && i < rows; i++)
        PREFETCH (a + COLUMNS_AHEAD * a_stride + i * VEC_BYTES);
#pragma GCC unroll 8
      for (int i = 0; i < rows; i++)
        factors[i] = part != 0 && i == rows - 1 ? part_load_double (a + i * VEC_BYTES, part)
                                                : vd_load (a + i * VEC_BYTES);
#pragma GCC unroll 8
      for (int j = 0; j < columns; j++) {
        vd factor = vd_splat (*(const double *) (b + j * b_stride));
#pragma GCC unroll 8
        for (int i = 0; i < rows; i++)
          sum[i][j] = vd_fma (factors[i], factor, sum[i][j]);
      }
    }
  }
#pragma GCC unroll 8
  for (int j = 0; j < columns; j++)
#pragma GCC unroll 8
    for (int i = 0; i < rows; i++) {
      char *to = result + j * result_stride + i * VEC_BYTES;
      vd before = {};
      if (part != 0 && i == rows - 1) {
        if (p->accumulate)
          before = part_load_double (to, part);
        part_store_double (to, before + sum[i][j], part);
      } else {
        if (p->accumulate)
          before = vd_load (to);
        vd_store (to, before + sum[i][j]);
      }
    }
}

typedef void tile_function (const struct kernel_product *p, const char *a, const char *b, const char *next_b, char *result,
                            uint32_t part, int rows, int columns);

/* All columns of one panel of A: the widest tile first, then what is left in halves. */
VEC_INLINE void panel (const struct kernel_product *p, uint32_t at, uint32_t part, int rows, int widest,
                       tile_function *tile)
{
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
      tile (p, a, b, ahead, result, part, rows, widest);
    else if (widest > 4 && columns == 4)
      tile (p, a, b, ahead, result, part, rows, 4);
    else if (columns == 2)
      tile (p, a, b, ahead, result, part, rows, 2);
    else
      tile (p, a, b, ahead, result, part, rows, 1);
    b = next_b;
    result += columns * result_stride;
  }
}

#define PANEL(type, rows, widest)                                                                                      \
  static __attribute__ ((noinline)) void panel_##type##_##rows (const struct kernel_product *p, uint32_t at,           \
                                                                uint32_t part)                                         \
  {                                                                                                                    \
    if (part != 0)                                                                                                     \
      panel (p, at, part, rows, widest, tile_##type);                                                                  \
    else                                                                                                               \
      panel (p, at, 0, rows, widest, tile_##type);                                                                     \
  }

#if VEC_BYTES == 64
#define PANELS(type) PANEL (type, 1, 8) PANEL (type, 2, 8) PANEL (type, 3, 8) PANEL (type, 4, 6)
#define PANEL_TABLE(type) { panel_##type##_1, panel_##type##_2, panel_##type##_3, panel_##type##_4 }
#else
#define PANELS(type) PANEL (type, 1, 8) PANEL (type, 2, 4) PANEL (type, 3, 4)
#define PANEL_TABLE(type) { panel_##type##_1, panel_##type##_2, panel_##type##_3 }
#endif

PANELS (single)
PANELS (double)

typedef void panel_function (const struct kernel_product *p, uint32_t at, uint32_t part);

/* Splits the rows into panels as even as they can be, and as few. */
static void multiply (const struct kernel_product *p, uint32_t column_bytes, panel_function *const *panels)
{
  uint32_t vectors = (column_bytes + VEC_BYTES - 1) / VEC_BYTES, part = column_bytes % VEC_BYTES, at = 0;
  for (uint32_t left = (vectors + ROWS_MAX - 1) / ROWS_MAX; left != 0; left--) {
    uint32_t rows = (vectors + left - 1) / left;
    panels[rows - 1](p, at, left == 1 ? part : 0);
    at += rows * VEC_BYTES;
    vectors -= rows;
  }
}

#if VEC_BYTES == 64
/* Blocks that fit narrower vectors are faster in them: a core adds two narrow vectors at once. */
#define LEAVE_TO_NARROWER(column_bytes, narrower)                                                                      \
  if ((column_bytes) <= 32) {                                                                                          \
    narrower (p);                                                                                                      \
    return;                                                                                                            \
  }
kernel_multiply multiply_single_v32, multiply_double_v32;
#else
#define LEAVE_TO_NARROWER(column_bytes, narrower)
#endif

void KERNEL (multiply_single) (const struct kernel_product *p)
{
  static panel_function *const panels[] = PANEL_TABLE (single);
  uint32_t column_bytes = kernel_column_bytes (p->m, MEU_SINGLE);
  LEAVE_TO_NARROWER (column_bytes, multiply_single_v32)
  multiply (p, column_bytes, panels);
}

void KERNEL (multiply_double) (const struct kernel_product *p)
{
  static panel_function *const panels[] = PANEL_TABLE (double);
  uint32_t column_bytes = kernel_column_bytes (p->m, MEU_DOUBLE);
  LEAVE_TO_NARROWER (column_bytes, multiply_double_v32)
  multiply (p, column_bytes, panels);
}
