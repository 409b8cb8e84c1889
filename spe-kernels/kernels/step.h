/* step.h - one step of a program on one strip. */
#ifndef PMATRIX_STEP_H
#define PMATRIX_STEP_H

#include "program.h"

/* The strip that is executed now: a number of whole columns, or a part of one.  All blocks begin with it. */
struct strip {
  MEU_OWN_QUADWORD uint32_t columns;
  MEU_OWN_QUADWORD uint32_t bytes;      /* of each of the columns, a multiple of 16 */
  MEU_OWN_QUADWORD uint32_t last_bytes; /* of elements in a column's last group; 0: no step needs it */
};

/* Executes a step.  The result is not zero if some element is outside of the operation's domain.  Marks say
 * how a block lies: a block whose columns touch has 1 column, 0 bytes from one column to the next repeat a
 * column, and 0 rows repeat one element along the rows. */
uint32_t step_execute (const struct kernel_table *kernels, const struct program *program,
                       const struct program_step *step, const struct strip *strip);

static inline const struct kernel_block *program_result (const struct program *program)
{
  return program->blocks + program->input_count;
}

/* Behind the last block. */
static inline const struct kernel_block *program_end (const struct program *program)
{
  return program_result (program) + program->result_count;
}

#endif
