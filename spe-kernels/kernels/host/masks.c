/* masks.c - blocks of bytes in a program that is computed in numbers: a strip at a time, between a block and
 * a strip in numbers that stays in the nearest cache.  No more than the elements is read or written, so that
 * blocks of bytes need no alignment. */
#include "masks.h"

void masks_take (struct masks *masks, struct program *program, uint32_t precision, uint32_t rows)
{
  masks->count = masks->input_count = masks->row = masks->column = 0;
  masks->precision = precision;
  masks->element_bytes = kernel_element_bytes (precision);
  masks->rows = rows;
  uint32_t blocks = program->input_count + program->result_count;
  for (uint32_t i = 0; i < blocks; i++) {
    struct kernel_block *block = &program->blocks[i];
    if (block->precision != MEU_BYTE)
      continue;
    masks->masks[masks->count++] = (struct mask) { block, block->data, block->stride_bytes, block->rows == 0 };
    masks->input_count += i < program->input_count;
    block->precision = precision;
    /* The columns of a strip touch. */
    if (block->rows != 0 && block->stride_bytes != 0)
      block->columns = 1;
  }
}

/* Elements of a column that belong to the strip. */
static uint32_t count_of (const struct masks *masks, const struct strip *strip)
{
  uint32_t count = strip->bytes / masks->element_bytes, left = masks->rows - masks->row;
  return count < left ? count : left;
}

static char *column_of (const struct masks *masks, const struct mask *mask, uint32_t column)
{
  char *first = mask->at + (uintptr_t) (masks->column + column) * mask->stride_bytes;
  return mask->is_element ? first : first + masks->row;
}

void masks_widen (struct masks *masks, const struct kernel_table *kernels, const struct strip *strip)
{
  kernel_truth *widen = kernels->widen[masks->precision];
  uint32_t count = count_of (masks, strip);
  for (uint32_t i = 0; i < masks->count; i++) {
    struct mask *mask = &masks->masks[i];
    /* Elements that are repeated along the rows follow each other. */
    uint32_t stride = mask->is_element ? masks->element_bytes : strip->bytes;
    mask->block->data = masks->areas[i];
    mask->block->stride_bytes = mask->stride_bytes != 0 ? stride : 0;
    if (i >= masks->input_count)
      continue;
    uint32_t columns = mask->stride_bytes != 0 ? strip->columns : 1;
    for (uint32_t j = 0; j < columns; j++)
      widen (masks->areas[i] + j * stride, column_of (masks, mask, j), mask->is_element ? 1 : count);
  }
}

void masks_narrow (struct masks *masks, const struct kernel_table *kernels, const struct strip *strip, uint32_t is_end)
{
  uint32_t count = count_of (masks, strip);
  for (uint32_t i = masks->input_count; i < masks->count; i++)
    for (uint32_t j = 0; j < strip->columns; j++)
      kernels->narrow[masks->precision](column_of (masks, &masks->masks[i], j), masks->areas[i] + j * strip->bytes,
                                        count);
  masks->row += count;
  if (is_end) {
    masks->row = 0;
    masks->column += strip->columns;
  }
}
