/* direct.h - moves (views, joins and so on) and reductions of columns and rows.
 *
 * The elements of a move have no alignment, so DMA cannot transfer them.  A processor that addresses main
 * memory executes moves and reductions there: an MEU on a thread of the host, or the PPE of a Cell.  The
 * record has the flag MEU_FLAG_MEMORY, the opcode, and a second line with struct direct_operation.  Some
 * reductions and moves are executed in local stores as well (reduction.h, running.h, move.h).
 *
 * Element (i, j) of a matrix X lies at X.ea + j * X.stride_bytes + i * sizeof(element).  Nothing beyond the
 * elements is read or written.  R is the result: all of a matrix, or a block of it whose first element is
 * element `origin` there.  A is operand 0, B operand 1; p are the parameters.  All matrices have one
 * precision, with one exception: sums, products and cumulative sums of bytes have results, and B, in doubles.
 *
 *   view        R(i,j) is element p[0] + p[1] (origin row + i) + p[2] (origin column + j) of A, the whole
 *               operand, whose elements are counted from 0, column after column.  Slices, transposes,
 *               reshaping and diagonals are views
 *   repeat      R(i,j) is the element of A, the whole operand, at (origin row + i, origin column + j) modulo
 *               the sides of A
 *   join        A, and behind it, along side p[0] (0: below it, 1: right of it), B; with one operand, A
 *   band        A where p[0] <= column - row <= p[1], counted in the whole matrix; +0 elsewhere
 *   diagonal    the vector A, the whole operand, on a diagonal: element k in row k and column k + p[0], or in
 *               row k - p[0] and column k when p[0] is negative; +0 elsewhere
 *   sum product sum_of_squares any all maximum minimum
 *               of the elements along side p[0] (0: of a column, 1: of a row), one after the other.  With two
 *               operands it continues from B, the result of the elements before the elements of A
 *   cumulative_sum
 *               all partial sums along side p[0].  With two operands it continues from B, the last partial
 *               sum of the elements before the elements of A
 *   norm        of all elements, column after column.  With two operands it continues from B, 2 x 1: the
 *               scale s and the sum q of (x/s)^2 of the elements before the elements of A.  R is 2 x 1, s and
 *               q, or 1 x 1, s * sqrt(q)
 *
 *   sum         begins with +0
 *   product     begins with 1
 *   sum_of_squares
 *               r + a * a, rounded twice; begins with +0
 *   any         1 where some a is neither 0 nor NaN, else 0
 *   all         0 where some a is 0, else 1
 *   maximum, minimum
 *               the first of the largest, or smallest, elements that are not NaN; NaN when all elements are
 *               NaN
 *   cumulative_sum
 *               begins with the first element
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

/* Whether a move or reduction is a move. */
static inline uint32_t is_move_opcode (uint32_t opcode) { return opcode < DIRECT_OP_SUM; }

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

/* Executes a reduction or move (reduction.h, running.h, move.h) on blocks in a local store of a thread. */
uint32_t direct_blocks (const struct kernel_table *kernels, const struct kernel_block *result,
                        const struct kernel_block *operands, uint32_t count, const struct program_step *step);

#endif
