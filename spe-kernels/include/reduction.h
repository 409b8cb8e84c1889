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

/* A bit for each opcode from DIRECT_OP_VIEW on that an MEU executes in its local store. */
enum {
  LOCAL_REDUCTIONS = 0
#define DIRECT_OPERATION(NAME, name, Name, function, complex, resident, meaning)                                       \
  | (MEU_RESIDENCE_##resident != MEU_RESIDENCE_HOST) << (DIRECT_OP_##NAME - DIRECT_OP_VIEW)
#include "operations.def"
};

/* Whether an opcode is a reduction that an MEU executes in its local store. */
static inline uint32_t is_local_reduction (uint32_t opcode)
{
  return opcode - DIRECT_OP_VIEW < 32 && ((uint32_t) LOCAL_REDUCTIONS >> (opcode - DIRECT_OP_VIEW) & 1) != 0;
}

/* Executes a reduction along side 0 (columns) or 1 (rows), whose shapes and precisions fit. */
void reduction_execute (const struct kernel_block *result, const struct kernel_block *operands, uint32_t count,
                        uint32_t opcode, uint32_t side);

#endif
