/* program.h - element-wise work: programs of one or more steps on blocks, in the local store or in memory.
 *
 * All steps are executed on a strip of the blocks, one after the other, and then on the next strip.  So what
 * one step leaves for the next stays near the processor.  A strip is a part of a column; where the columns of
 * all blocks touch, the block counts as one column.  Every step gives the bits of the operation alone.
 *
 * Results have one shape.  An input with one row and/or one column is repeated along that side.  All blocks
 * have one precision, in which the steps are computed, with two exceptions (below).  On the host the elements of
 * blocks of one row may touch, in all blocks of several columns or in none; a quadword ends the row.  The
 * exceptions of precision are:
 *
 * - The conversion is a program of one step on one input, which has the shape of the result.
 * - On the host any block may be of bytes.  They are truth values, which are widened to the precision of the
 *   remaining blocks before the steps, and narrowed after the steps, a strip at a time
 *   (kernels/host/masks.c).  A program whose blocks are all of bytes says in which precision it is computed:
 *   in bytes if all of its operations have kernels on bytes, and its scalars are 0 or 1. */
#ifndef PMATRIX_PROGRAM_H
#define PMATRIX_PROGRAM_H

#include "kernel.h"
#include "meu.h"

struct program {
  MEU_OWN_QUADWORD const struct program_step *steps;
  MEU_OWN_QUADWORD uint32_t step_count;
  MEU_OWN_QUADWORD uint32_t input_count;
  MEU_OWN_QUADWORD uint32_t result_count;
  MEU_OWN_QUADWORD uint32_t strip_count;
#ifndef __SPU__
  uint32_t of_bytes; /* enum meu_precision: in which it is computed if all blocks are of bytes */
#endif
  MEU_OWN_QUADWORD char *strips; /* strip_count * PROGRAM_STRIP_BYTES bytes; overlap no block */
  struct kernel_block blocks[PROGRAM_INPUTS + PROGRAM_RESULTS]; /* the inputs, and behind them the results */
};

/* enum meu_status: whether counts, numbers, opcodes, forms, precisions and shapes fit each other.  It reads
 * no data. */
uint32_t program_check (const struct program *program);

#ifndef __SPU__
/* Whether it has blocks of bytes, and is not computed in bytes.  Such blocks need no alignment. */
uint32_t program_has_masks (const struct program *program);
#endif

/* Executes a program that program_check has accepted.  It changes the description of the blocks.  The status
 * is MEU_STATUS_OK or MEU_STATUS_DOMAIN.  With MEU_STATUS_DOMAIN *failed_step is the first step that has met
 * an element outside of its domain, and the results are arbitrary. */
uint32_t program_execute (const struct kernel_table *kernels, struct program *program, uint32_t *failed_step);

#endif
