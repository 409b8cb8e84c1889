/* gather.h - moves whose elements lie anywhere in their operand: reshaped matrices, long steps, diagonals,
 * repetitions (struct meu_gather).
 *
 * DMA fetches no block of the operand beforehand.  The move itself fetches the quadwords around its elements, by
 * lists.  It has the buffer of the operands for them.  Its record, two lines, is at the end of this buffer, and
 * `step` lies in the first line.
 *
 * All these moves have the opcode of a repetition. */
#ifndef PMATRIX_GATHER_H
#define PMATRIX_GATHER_H

#include "direct.h"
#include "kernel.h"

#define GATHER_OPCODE DIRECT_OP_REPEAT

/* Checks and executes the move, which has no operands in the local store. */
uint32_t gather_execute (const struct kernel_block *result, const struct kernel_block *operands, uint32_t count,
                         const struct program_step *step);

#endif
