/* running.h - cumulative sums and norms of blocks in the local store.
 *
 * Both go on from what the elements before the block have given (direct.h): operand 1, if there is one.  Of a
 * cumulative sum of columns operand 1 is the last row of the result so far.  This row may be any of a quadword,
 * and DMA fetches whole quadwords.  So operands[1] of the step says how many rows of the block come before it.
 * Results of an SPE's singles are those of the SPU's arithmetic. */
#ifndef PMATRIX_RUNNING_H
#define PMATRIX_RUNNING_H

#include "direct.h"
#include "kernel.h"

static inline uint32_t is_running_opcode (uint32_t opcode)
{
  return opcode == DIRECT_OP_CUMULATIVE_SUM || opcode == DIRECT_OP_NORM;
}

static inline uint32_t running_has_shape (const struct kernel_block *block, uint32_t rows, uint32_t columns,
                                          uint32_t precision)
{
  return block->rows == rows && block->columns == columns && block->precision == precision;
}

/* enum meu_status: whether side, shapes and precisions fit. */
static inline uint32_t running_check (const struct kernel_block *result, const struct kernel_block *operands,
                                      uint32_t count, const struct program_step *step)
{
  const struct kernel_block *a = operands;
  uint32_t side = step->form, skip = step->operands[1], precision = a->precision, most_skipped = 0;
  uint32_t rows = a->rows, columns = a->columns, before_rows = rows, before_columns = 1;
  if (precision > MEU_DOUBLE || side > 1)
    return MEU_STATUS_OPCODE;
  if (step->opcode == DIRECT_OP_NORM) {
    rows = result->rows == 1 ? 1 : 2;
    before_rows = 2;
    columns = 1;
  } else if (side == 0) {
    before_rows = 1 + skip;
    before_columns = columns;
    most_skipped = 16 / kernel_element_bytes (precision) - 1;
  }
  return step->operands[0] == 0 && skip <= most_skipped && running_has_shape (result, rows, columns, precision)
             && (count == 1 || running_has_shape (a + 1, before_rows, before_columns, precision))
           ? MEU_STATUS_OK
           : MEU_STATUS_SHAPE;
}

/* Check and execute a cumulative sum, and a norm. */
uint32_t cumulative_execute (const struct kernel_block *result, const struct kernel_block *operands, uint32_t count,
                             const struct program_step *step);
uint32_t norm_execute (const struct kernel_block *result, const struct kernel_block *operands, uint32_t count,
                       const struct program_step *step);

#endif
