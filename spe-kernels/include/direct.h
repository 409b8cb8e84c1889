/* direct.h - moves (views, joins and so on) and reductions of columns and rows.
 *
 * The elements of a move have no alignment, so DMA cannot transfer them.  A processor that addresses main
 * memory executes moves and reductions there: an MEU on a thread of the host, or the PPE of a Cell.  The record
 * has the flag MEU_FLAG_MEMORY, the opcode, and a second line with struct direct_operation.  Some reductions
 * are executed in local stores as well (reduction.h).
 *
 * Element (i, j) of a matrix X lies at X.ea + j * X.stride_bytes + i * sizeof(element).  Nothing beyond the
 * elements is read or written.  R is the result: all of a matrix, or a block of it whose first element is
 * element `origin` there.  A is operand 0, B operand 1; p are the parameters.  All have one precision, but for sums,
 * products and cumulative sums of bytes, whose results, and B, are doubles.
 *
 *   view        R(i,j) is element p[0] + p[1] (origin row + i) + p[2] (origin column + j) of A, the whole operand, whose
 *               elements are counted from 0, column after column.  Slices, transposes, reshaping and diagonals are views
 *   repeat      R(i,j) is the element of A, the whole operand, at (origin row + i, origin column + j) modulo its sides
 *   join        A, and behind it, along side p[0] (0: below it, 1: right of it), B; with one operand, A
 *   band        A where p[0] <= column - row <= p[1], counted in the whole matrix; +0 elsewhere
 *   diagonal    element k of the vector A, the whole operand, where both row and column are k, but the column p[0] more
 *               (the row -p[0] more, when that is negative); +0 elsewhere
 *   sum product sum_of_squares any all maximum minimum
 *               of the elements along side p[0] (0: of a column, 1: of a row), one after the other; from B on, a result of
 *               the elements before these, where there are two operands
 *   cumulative_sum
 *               all partial sums along side p[0]; from B on, the last one of the elements before these
 *   norm        of all elements, column after column; from B, 2 x 1, on: the scale s and the sum q of (x/s)^2 of the
 *               elements before these.  R is 2 x 1, s and q, or 1 x 1, s * sqrt(q)
 *
 *   sum         from +0 on           product         from 1 on          sum_of_squares  r + a * a, rounded twice, from +0 on
 *   any         1 where some a is neither 0 nor NaN, else 0             all             0 where some a is 0, else 1
 *   maximum     the first of the largest elements that are not NaN; NaN when all are.  minimum likewise
 *   cumulative_sum  from the first element on
 */
#ifndef PMATRIX_DIRECT_H
#define PMATRIX_DIRECT_H

#include <stdint.h>
#include "kernel.h"
#include "meu.h"

enum direct_opcode {
  DIRECT_OP_BEFORE = MEU_OPCODE_COUNT - 1,
#define DIRECT_OPERATION(NAME, ...) DIRECT_OP_##NAME,
#include "operations.def"
  DIRECT_OP_END
};

struct direct_matrix {
  uint64_t ea;
  uint64_t stride_bytes;
  uint32_t rows;
  uint32_t columns;
};

struct direct_operation {
  uint32_t opcode;         /* enum direct_opcode */
  uint32_t precision;      /* enum meu_precision */
  uint32_t operand_count;
  uint32_t origin_row;
  uint32_t origin_column;
  uint32_t counts_bytes;   /* whether A is of bytes, and R and B are of doubles */
  int64_t parameters[3];
  struct direct_matrix result;
  struct direct_matrix operands[2];
};

/* Executes an operation; MEU_STATUS_OK, MEU_STATUS_OPCODE, or MEU_STATUS_SHAPE when shapes and parameters
 * do not fit. */
uint32_t direct_execute (const struct kernel_table *kernels, const struct direct_operation *operation);

/* Executes a reduction along a side on blocks in a local store of a thread. */
uint32_t direct_reduce_blocks (const struct kernel_table *kernels, const struct kernel_block *result,
                               const struct kernel_block *operands, uint32_t count, uint32_t opcode, uint32_t side);

#endif
