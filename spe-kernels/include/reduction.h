/* reduction.h - reductions of columns and rows of a block in the local store.
 *
 * Operand 0 is the block.  Operand 1, if there is one, is the result of the elements before the block
 * (direct.h).  A reduction of columns has a result of one row, whose elements begin a quadword each, as
 * columns of a block do.  A reduction of rows has a result of one column.  Sums of an SPE's singles are sums
 * in the SPU's arithmetic.  Singles of an SPE have no NaN, so the search for a minimum begins with the
 * largest number, and the search for a maximum with the smallest. */
#ifndef PMATRIX_REDUCTION_H
#define PMATRIX_REDUCTION_H

#include "direct.h"
#include "kernel.h"

/* Executes a reduction, whose shapes and precisions fit, along the side that is the step's form: 0 (columns) or
 * 1 (rows).  MEU_STATUS_OK. */
uint32_t reduction_execute (const struct kernel_block *result, const struct kernel_block *operands, uint32_t count,
                            const struct program_step *step);

#endif
