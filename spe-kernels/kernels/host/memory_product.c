/* memory_product.c - products in main memory.
 *
 * A part is a length of the inner side. Its sums stay in registers, and are added to the result once.
 *
 * A packed panel is a copy of as many rows of A as the kernel's tallest tile has, over one part. In the copy
 * the columns touch. All columns of B are multiplied with a packed panel; without the copy the columns of A
 * would be too far apart for caches and address translation.
 *
 * B is read without a copy, a few columns at a time.  The kernel prefetches the next columns.
 *
 * Lowering chooses block sides so that one part of B stays in the second-level cache while packed panels
 * change (ppe/src/lower/cut.rs).
 */
#include <string.h>
#include "chain.h"
#include "memory.h"

/* With fewer columns of B a packed panel is used too seldom to be worth the copy. */
#define COPY_COLUMNS 16u

/* Copies `columns` columns of `bytes` bytes, so that they lie width_bytes apart. */
static void copy_panel (uint8_t *to, uint32_t width_bytes, const uint8_t *from, uint32_t stride_bytes, uint32_t bytes,
                        uint32_t columns)
{
  for (; columns != 0; columns--, to += width_bytes, from += stride_bytes)
    memcpy (to, from, bytes);
}

/* Adds the product of one part to the result, or, unless it accumulates, lets the result be it. */
static void execute_part (const struct kernel_table *kernels, const struct kernel_product *part, uint32_t precision,
                          uint8_t *work)
{
  uint32_t column_bytes = kernel_column_bytes (part->m, precision), element_bytes = precision == MEU_DOUBLE ? 8u : 4u;
  uint32_t vector_bytes = kernels->vector_bytes, tallest = kernels->tile_vectors;
  uint32_t vectors = (column_bytes + vector_bytes - 1) / vector_bytes;

  if (part->n < COPY_COLUMNS || (uint64_t) part->k * tallest * vector_bytes > MEU_BUFFER_BYTES) {
    kernels->multiply[precision](part);
    return;
  }
  struct kernel_product panel = *part;
  panel.a = work;
  /* As few panels as possible, and as even. */
  for (uint32_t left = (vectors + tallest - 1) / tallest, at = 0; left != 0; left--) {
    uint32_t rows = (vectors + left - 1) / left, width_bytes = rows * vector_bytes;
    uint32_t bytes = column_bytes - at < width_bytes ? column_bytes - at : width_bytes;
    copy_panel (work, width_bytes, (const uint8_t *) part->a + at, part->a_stride, bytes, part->k);
    panel.a_stride = width_bytes;
    panel.m = bytes / element_bytes;
    panel.result = (uint8_t *) part->result + at;
    kernels->multiply[precision](&panel);
    at += width_bytes;
    vectors -= rows;
  }
}

void memory_product (const struct kernel_table *kernels, const struct meu_record *record, uint8_t *work)
{
  const struct meu_block *a = &record->blocks[0], *b = &record->blocks[1], *result = &record->blocks[2];
  const struct meu_product *chain = &record->work.product;
  uint32_t element_bytes = result->precision == MEU_DOUBLE ? 8u : 4u;
  struct kernel_product product = {
    .result = (void *) (uintptr_t) result->ea,
    .a = (const void *) (uintptr_t) a->ea,
    .b = (const void *) (uintptr_t) b->ea,
    .result_stride = result->stride_bytes,
    .a_stride = a->stride_bytes,
    .b_stride = b->stride_bytes,
    .m = result->rows,
    .n = result->columns,
    .k = a->columns,
  };
  uint32_t left = chain->parts == 1 ? a->columns : record->inner;
  for (uint32_t part = 0; part < chain->parts; part++, left -= product.k) {
    uint32_t length = chain->parts == 1 ? left : chain_length (chain, part);
    product.k = length < left ? length : left;
    product.accumulate = part != 0;
    execute_part (kernels, &product, result->precision, work);
    product.a = (const uint8_t *) product.a + (uintptr_t) product.k * product.a_stride;
    product.b = (const uint8_t *) product.b + (uintptr_t) product.k * element_bytes;
  }
}
