/* move.h - moves of blocks in the local store.
 *
 * DMA transfers whole quadwords, and what is moved may begin at any element of one.  So the step of the record
 * says in `operands` how many elements of each column of an input come before the first one that is moved.  The
 * form of the step is how the inputs become the result.  A view has one input, below, transposed or picked.  A
 * join has one or two, below or beside each other (direct.h).
 *
 * The scalar of the step holds two numbers of 32 bits, as its upper and lower half.  A band keeps the elements
 * with first number <= column - row <= second number.  Of what is picked the first number is the step from row
 * to row, negative where the last row comes first.  The second number is not 0 where the last column comes
 * first. */
#ifndef PMATRIX_MOVE_H
#define PMATRIX_MOVE_H

#include "direct.h"
#include "kernel.h"

/* The first (0) or second (1) number of a band or of what is picked. */
static inline int32_t move_number (const struct program_step *step, uint32_t which)
{
  union {
    double scalar;
    uint64_t bits;
  } numbers = { step->scalar };
  return (int32_t) (which == 0 ? numbers.bits >> 32 : numbers.bits);
}

/* enum meu_status: whether form, shapes and precisions fit. */
static inline uint32_t move_check (const struct kernel_block *result, const struct kernel_block *operands,
                                   uint32_t count, const struct program_step *step)
{
  uint32_t rows = 0, columns = 0, beside = step->form == MEU_MOVE_BESIDE, transposed = step->form == MEU_MOVE_TRANSPOSED;
  if (step->form > MEU_MOVE_PICKED || result->precision > MEU_DOUBLE)
    return MEU_STATUS_OPCODE;
  if (step->form >= MEU_MOVE_TRANSPOSED && (count != 1 || (step->form == MEU_MOVE_BAND && step->operands[0] != 0)))
    return MEU_STATUS_SHAPE;
  for (uint32_t i = 0; i < count; i++) {
    const struct kernel_block *block = &operands[i];
    uint32_t skip = step->operands[i], left = block->rows - skip;
    if (block->precision != result->precision || skip >= 16 / kernel_element_bytes (block->precision)
        || skip >= block->rows || (i != 0 && (beside ? left != rows : block->columns != columns)))
      return MEU_STATUS_SHAPE;
    rows = beside ? left : rows + left;
    columns = beside ? columns + block->columns : block->columns;
  }
  if (step->form == MEU_MOVE_PICKED) {
    int32_t apart = move_number (step, 0);
    uint32_t distance = apart < 0 ? 0u - (uint32_t) apart : (uint32_t) apart;
    if (distance == 0 || distance > MOVE_MOST_APART || result->rows > MEU_BUFFER_BYTES
        || rows != distance * (result->rows - 1) + 1)
      return MEU_STATUS_SHAPE;
    rows = result->rows;
  }
  uint32_t fits = transposed ? rows == result->columns && columns == result->rows
                             : rows == result->rows && columns == result->columns;
  return fits ? MEU_STATUS_OK : MEU_STATUS_SHAPE;
}

/* Checks and executes a move. */
uint32_t move_execute (const struct kernel_block *result, const struct kernel_block *operands, uint32_t count,
                       const struct program_step *step);

#endif
