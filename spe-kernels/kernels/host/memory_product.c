/* memory_product.c - products in main memory.
 *
 * The inner side is taken in steps of several parts.  Four ways lead through a step:
 *
 *   one or few rows, which may touch; or few columns of B, and A stored transposed     dot products of columns (dots.c)
 *   rows of one tile, a step too long for a panel, or a small A                        tiles without copies (multiply.c)
 *   few columns of B                                                                   a stream through A without copies (thin.c)
 *   else                                                                               tiles of packed panels (multiply.c)
 *
 * A packed panel is a copy of as many rows of A as the kernel's tallest tile has, over one step.  In the copy
 * the columns touch.  All columns of B are multiplied with a packed panel; without the copy the columns of A
 * would be too far apart for caches and address translation.  An A that is stored transposed is packed in
 * the same way.
 *
 * B is read without a copy, a few columns at a time.  The kernel prefetches the next columns.  A small B that is
 * stored transposed is read without a copy, too. A larger one is transposed into the room for work, as many columns at
 * a time as there is room for.
 *
 * Lowering chooses block sides so that one step of B stays in the second-level cache while packed panels
 * change (ppe/src/lower/cut.rs).
 */
#include <stdbool.h>
#include <string.h>
#include "chain.h"
#include "memory.h"

/* Columns of B up to which A is not copied: a packed panel would be used too seldom. */
#define THIN_COLUMNS 16u

/* Longest step of a product that packs panels or transposes B, unless a single part is longer: a packed panel
 * of it stays in the first-level cache, beside the columns of B that are read and prefetched. */
#define STEP_LENGTH MEMORY_STEP_LENGTH
#define STEP_PARTS 64u

/* The room for work: packed panels, which stay in the second-level cache, then B. */
#define STRIP_BYTES (256u << 10)
#define STRIP_PANELS 16u

/* Columns of A that are asked for ahead of the one that is copied: columns are far apart in memory, where
 * processors do not look ahead by themselves. */
#define COLUMNS_AHEAD 2u
#define LINE_BYTES 64u
#define QUADWORD_BYTES 16u

/* A strip of so many bytes stays in the first-level cache while it is multiplied with so many columns. */
#define FEW_BYTES (24u << 10)
#define FEW_COLUMNS 24u
#define B_BYTES (MEMORY_WORK_BYTES - STRIP_BYTES)

/* An operand of so many bytes, with what lies between its columns, is not copied: its columns are near each other, and
 * the rows of a tile stay in the first-level cache as they are. */
#define NEAR_BYTES (80u << 10)

_Static_assert (STRIP_BYTES / KERNEL_WIDEST_BYTES >= MEMORY_TRANSPOSED_LENGTH
                  && B_BYTES / sizeof (double) >= MEMORY_TRANSPOSED_LENGTH,
                "there is room for the longest part of an operand that is stored transposed");

/* One step of the inner side. */
struct step {
  struct kernel_sums sums;
  const struct kernel_table *kernels;
  uint8_t *work;
  uint32_t precision, element_bytes;
  uint32_t a_transposed, b_transposed;
};

/* Where element (row, column) of an operand is, relative to element (0, 0). */
static uintptr_t distance (const struct step *step, uint32_t transposed, uint32_t stride, uint32_t row, uint32_t column)
{
  if (transposed)
    return (uintptr_t) row * stride + (uintptr_t) column * step->element_bytes;
  return (uintptr_t) column * stride + (uintptr_t) row * step->element_bytes;
}

/* Some panels of A, which are packed together. */
struct strip {
  uint32_t panels;
  uint32_t width_bytes[STRIP_PANELS]; /* of the rows of each panel in its copy */
  uint8_t *copies[STRIP_PANELS];
};

/* Copies a strip of A column by column, so that main memory is read in long pieces.  `bytes` of each column
 * belong to the strip. */
static void copy_strip (const struct strip *strip, const uint8_t *from, uint32_t stride_bytes, uint32_t bytes,
                        uint32_t columns)
{
  for (uint32_t column = 0; column < columns; column++, from += stride_bytes) {
    const uint8_t *next = from, *end = from + bytes;
    if (columns - column > COLUMNS_AHEAD)
      for (uint32_t at = 0; at < bytes; at += LINE_BYTES)
        __builtin_prefetch (from + COLUMNS_AHEAD * (uintptr_t) stride_bytes + at);
    for (uint32_t panel = 0; panel < strip->panels; panel++) {
      uint32_t width_bytes = strip->width_bytes[panel];
      uint8_t *to = strip->copies[panel] + column * width_bytes;
      for (uint32_t at = 0; at < width_bytes && next < end; at += 16, next += 16)
        memcpy (to + at, next, 16);
    }
  }
}

/* Transposes a strip of an A that is stored transposed.  `rows` rows of A belong to the strip. */
static void transpose_strip (const struct step *step, const struct strip *strip, const uint8_t *from,
                             uint32_t stride_bytes, uint32_t rows, uint32_t columns)
{
  for (uint32_t panel = 0; panel < strip->panels; panel++) {
    uint32_t height = strip->width_bytes[panel] / step->element_bytes;
    struct kernel_transpose t = { .to = strip->copies[panel], .from = from, .to_stride = strip->width_bytes[panel],
                                  .from_stride = stride_bytes, .rows = columns, .columns = rows < height ? rows : height };
    step->kernels->transpose[step->precision](&t);
    from += (uintptr_t) height * stride_bytes;
    rows -= t.columns;
  }
}

/* Multiplies a packed strip, whose first row is `at` bytes below the top, with all columns of B.  A strip
 * that fits the first-level cache is multiplied with a few columns at a time, since writing the result takes
 * longer than reading the strip again. */
static void multiply_strip (const struct step *step, const struct kernel_sums *sums, const struct strip *strip,
                            uint32_t at)
{
  const struct kernel_product *whole = &sums->product;
  uint32_t column_bytes = whole->m * step->element_bytes, last = strip->panels - 1;
  uint32_t end = (uint32_t) (strip->copies[last] - step->work) + strip->width_bytes[last] * whole->k;
  uint32_t abreast = end <= FEW_BYTES ? FEW_COLUMNS : whole->n;
  for (uint32_t j = 0; j < whole->n; j += abreast) {
    struct kernel_sums packed = *sums;
    packed.product.n = whole->n - j < abreast ? whole->n - j : abreast;
    packed.product.b = (const uint8_t *) whole->b + (uintptr_t) j * whole->b_stride;
    uint8_t *result = (uint8_t *) whole->result + (uintptr_t) j * whole->result_stride;
    for (uint32_t panel = 0, row = at; panel < strip->panels; panel++) {
      uint32_t width_bytes = strip->width_bytes[panel], left = column_bytes - row;
      packed.product.a = strip->copies[panel];
      packed.product.a_stride = width_bytes;
      packed.product.m = (width_bytes < left ? width_bytes : left) / step->element_bytes;
      packed.product.result = result + row;
      step->kernels->multiply_sums[step->precision](&packed);
      row += width_bytes;
    }
  }
}

/* Multiplies packed panels of A with all columns of B, which is not stored transposed. */
static void multiply_panels (const struct step *step, const struct kernel_sums *sums)
{
  const struct kernel_product *whole = &sums->product;
  uint32_t column_bytes = kernel_column_bytes (whole->m, step->precision);
  uint32_t vector_bytes = step->kernels->vector_bytes, tallest = step->kernels->tile_vectors;
  uint32_t vectors = (column_bytes + vector_bytes - 1) / vector_bytes, most = STRIP_BYTES / (whole->k * vector_bytes);
  tallest = tallest < most ? tallest : most;
  /* As few panels as possible, and as even. */
  for (uint32_t left = (vectors + tallest - 1) / tallest, at = 0; left != 0;) {
    struct strip strip = { .panels = 0 };
    uint32_t room = STRIP_BYTES, bytes = 0;
    for (; left != 0 && strip.panels < STRIP_PANELS; left--) {
      uint32_t rows = (vectors + left - 1) / left, width_bytes = rows * vector_bytes;
      if (width_bytes * whole->k > room)
        break;
      strip.copies[strip.panels] = step->work + STRIP_BYTES - room;
      strip.width_bytes[strip.panels++] = width_bytes;
      room -= width_bytes * whole->k;
      bytes += width_bytes;
      vectors -= rows;
    }
    bytes = column_bytes - at < bytes ? column_bytes - at : bytes;
    uint32_t first = at / step->element_bytes;
    const uint8_t *from = (const uint8_t *) whole->a + distance (step, step->a_transposed, whole->a_stride, first, 0);
    if (step->a_transposed)
      transpose_strip (step, &strip, from, whole->a_stride, whole->m - first, whole->k);
    else
      copy_strip (&strip, from, whole->a_stride, bytes, whole->k);
    multiply_strip (step, sums, &strip, at);
    at += bytes;
  }
}

/* Whether so few rows are dot products of the columns of B, which vectors of rows would not fill. Tiles would read whole
 * quadwords of a single row of A. */
static bool has_few_rows (const struct step *step, const struct kernel_product *p)
{
  return p->m == 1 || (p->m * step->element_bytes <= QUADWORD_BYTES && p->n > KERNEL_DOT_COLUMNS && ! step->b_transposed);
}

/* Whether the product consists of dot products of columns. */
static bool is_of_dots (const struct step *step, const struct kernel_product *p)
{
  return has_few_rows (step, p) || (step->a_transposed && p->n <= KERNEL_DOT_COLUMNS);
}

/* Whether A streams through a product with few columns. */
static bool is_thin (const struct step *step, const struct kernel_product *p)
{
  uint32_t tile_bytes = step->kernels->tile_vectors * step->kernels->vector_bytes;
  return ! step->a_transposed && p->n <= THIN_COLUMNS && p->m * step->element_bytes > tile_bytes;
}

/* Whether so many columns of an operand are so small that a copy of its rows would gain nothing. */
static bool is_near (uint32_t stride, uint32_t columns)
{
  return (uint64_t) stride * columns <= NEAR_BYTES;
}

/* Most elements of the inner side that a step takes.  What reads a large operand once takes all of them: memory
 * streams best in long pieces, and with steps, products of 32 MB with a column take half as long again. */
static uint32_t step_length (const struct step *step)
{
  const struct kernel_product *p = &step->sums.product;
  return ! step->b_transposed && (is_of_dots (step, p) || is_thin (step, p)) ? UINT32_MAX : STEP_LENGTH;
}

/* The way through a step that suits its shape.  A B that is stored transposed is near, and A has several rows. */
static void multiply_step (const struct step *step, const struct kernel_sums *sums)
{
  const struct kernel_product *p = &sums->product;
  uint32_t precision = step->precision;
  if (has_few_rows (step, p)) {
    /* A row of the result is a column of dot products of the columns of B with a row of A. */
    struct kernel_sums dots = *sums;
    dots.product.a = p->b;
    dots.product.a_stride = p->b_stride;
    dots.product.b = p->a;
    dots.product.b_stride = step->a_transposed ? p->a_stride : step->element_bytes;
    dots.product.m = p->n;
    dots.product.n = p->m;
    dots.product.result_stride = step->element_bytes;
    dots.b_step = step->a_transposed ? step->element_bytes : p->a_stride;
    dots.result_step = p->result_stride;
    step->kernels->dots[precision](&dots);
  } else if (is_of_dots (step, p))
    step->kernels->dots[precision](sums);
  else if (step->a_transposed)
    multiply_panels (step, sums);
  else if (p->m * step->element_bytes <= step->kernels->tile_vectors * step->kernels->vector_bytes)
    step->kernels->multiply_sums[precision](sums);
  else if (is_thin (step, p) && sums->b_step == step->element_bytes)
    step->kernels->thin[precision](sums);
  else if (p->k > STRIP_BYTES / step->kernels->vector_bytes || is_near (p->a_stride, p->k))
    step->kernels->multiply_sums[precision](sums);
  else
    multiply_panels (step, sums);
}

static void execute_step (const struct step *step)
{
  const struct kernel_product *whole = &step->sums.product;
  if (!step->b_transposed) {
    multiply_step (step, &step->sums);
    return;
  }
  if (whole->m > 1 && is_near (whole->b_stride, whole->k)) {
    struct kernel_sums sums = step->sums;
    sums.b_step = whole->b_stride;
    sums.product.b_stride = step->element_bytes;
    multiply_step (step, &sums);
    return;
  }
  uint32_t stride = kernel_column_bytes (whole->k, step->precision), room = B_BYTES / stride;
  for (uint32_t at = 0, columns; at < whole->n; at += columns) {
    struct kernel_sums sums = step->sums;
    columns = whole->n - at < room ? whole->n - at : room;
    struct kernel_transpose t = { .to = step->work + STRIP_BYTES, .from = (const uint8_t *) whole->b + at * step->element_bytes,
                                  .to_stride = stride, .from_stride = whole->b_stride, .rows = columns, .columns = whole->k };
    step->kernels->transpose[step->precision](&t);
    sums.product.b = t.to;
    sums.product.b_stride = stride;
    sums.product.n = columns;
    sums.product.result = (uint8_t *) whole->result + (uintptr_t) at * whole->result_stride;
    multiply_step (step, &sums);
  }
}

/* Executes the parts of a product one step after the other. The product of `step` lacks its inner side, which has
 * `inner` elements. */
static void execute_chain (struct step *step, const struct meu_product *chain, uint32_t inner)
{
  struct kernel_product *product = &step->sums.product;
  uint32_t lengths[STEP_PARTS], longest = step_length (step), left = inner, part = 0;
  step->sums.lengths = lengths;
  while (part < chain->parts) {
    uint32_t length = 0, count = 0;
    for (; part < chain->parts && count < STEP_PARTS; part++, count++) {
      uint32_t next = chain->parts == 1 ? left : chain_length (chain, part);
      next = next < left ? next : left;
      if (count != 0 && length + next > longest)
        break;
      lengths[count] = next;
      length += next;
      left -= next;
    }
    product->k = length;
    step->sums.parts = count;
    execute_step (step);
    product->accumulate = 1;
    product->a = (const uint8_t *) product->a + distance (step, step->a_transposed, product->a_stride, 0, length);
    product->b = (const uint8_t *) product->b + distance (step, step->b_transposed, product->b_stride, length, 0);
  }
}

static struct step first_step (const struct kernel_table *kernels, const struct kernel_product *product,
                               const struct meu_product *chain, uint32_t precision, uint8_t *work)
{
  uint32_t element_bytes = precision == MEU_DOUBLE ? 8u : 4u;
  return (struct step) {
    .sums = { .product = *product, .b_step = element_bytes, .result_step = element_bytes },
    .kernels = kernels,
    .work = work,
    .precision = precision,
    .element_bytes = element_bytes,
    .a_transposed = chain->transposed & MEU_TRANSPOSED_A,
    .b_transposed = chain->transposed & MEU_TRANSPOSED_B,
  };
}

void memory_product_of_blocks (const struct kernel_table *kernels, const struct kernel_block *result,
                               const struct kernel_block operands[2], const struct meu_product *chain, uint8_t *work)
{
  const struct kernel_block *a = &operands[0], *b = &operands[1];
  struct kernel_product product = { result->data, a->data, b->data, result->stride_bytes, a->stride_bytes, b->stride_bytes,
                                    result->rows, result->columns, 0, 0 };
  struct step step = first_step (kernels, &product, chain, result->precision, work);
  execute_chain (&step, chain, step.a_transposed ? a->rows : a->columns);
}

void memory_product (const struct kernel_table *kernels, const struct meu_record *record, uint8_t *work)
{
  const struct meu_block *a = &record->blocks[0], *b = &record->blocks[1], *result = &record->blocks[2];
  const struct meu_product *chain = &record->work.product;
  struct kernel_product product = {
    .result = (void *) (uintptr_t) result->ea,
    .a = (const void *) (uintptr_t) a->ea,
    .b = (const void *) (uintptr_t) b->ea,
    .result_stride = result->stride_bytes,
    .a_stride = a->stride_bytes,
    .b_stride = b->stride_bytes,
    .m = result->rows,
    .n = result->columns,
  };
  struct step step = first_step (kernels, &product, chain, result->precision, work);
  uint32_t whole = step.a_transposed ? a->rows : a->columns;
  execute_chain (&step, chain, chain->parts == 1 ? whole : record->inner);
}
