/* reduce_wide.c - reductions in vectors.  A reduction along rows gives each row a lane of its own.  A
 * reduction along columns is in vectors if its result does not depend on the order of the elements
 * (extrema.c, truth.c).  Compiled once for each element type and vector width. */
#include "functions.h"
#include "steps.h"
#include "wide.h"

/* Columns that are added to the results of rows at a time. */
#define ABREAST 4

/* A reduction by `STEP`. It begins with START, or continues from operand 1. */
#define REDUCTION_OF_ROWS(STEP, START)                                                                                \
  static void STEP##_of_rows (const struct direct_operation *operation)                                              \
  {                                                                                                                   \
    const struct direct_matrix *a = &operation->operands[0], *b = &operation->operands[1];                            \
    element *restrict r = column_of (&operation->result, 0);                                                          \
    uint32_t rows = a->rows, j = 0;                                                                                   \
    if (operation->operand_count == 2)                                                                                \
      memcpy (r, column_of (b, 0), rows * sizeof (element));                                                          \
    else                                                                                                              \
      for (uint32_t i = 0; i < rows; i++)                                                                             \
        r[i] = START;                                                                                                 \
    for (; j + ABREAST <= a->columns; j += ABREAST) {                                                                 \
      const element *c0 = column_of (a, j), *c1 = column_of (a, j + 1), *c2 = column_of (a, j + 2),                   \
                    *c3 = column_of (a, j + 3);                                                                       \
      for (uint32_t i = 0; i < rows; i++)                                                                             \
        r[i] = STEP (STEP (STEP (STEP (r[i], c0[i]), c1[i]), c2[i]), c3[i]);                                          \
    }                                                                                                                 \
    for (; j < a->columns; j++) {                                                                                     \
      const element *column = column_of (a, j);                                                                       \
      for (uint32_t i = 0; i < rows; i++)                                                                             \
        r[i] = STEP (r[i], column[i]);                                                                                \
    }                                                                                                                 \
  }

REDUCTION_OF_ROWS (sum, 0)
REDUCTION_OF_ROWS (product, 1)
REDUCTION_OF_ROWS (sum_of_squares, 0)
REDUCTION_OF_ROWS (any, 0)
REDUCTION_OF_ROWS (all, 1)

/* The function for side 0, and for side 1. */
static void (*const functions[][2]) (const struct direct_operation *) = {
  [DIRECT_OP_SUM] = { 0, sum_of_rows },
  [DIRECT_OP_PRODUCT] = { 0, product_of_rows },
  [DIRECT_OP_SUM_OF_SQUARES] = { 0, sum_of_squares_of_rows },
  [DIRECT_OP_ANY] = { DIRECT_WIDE (any_of_columns), any_of_rows },
  [DIRECT_OP_ALL] = { DIRECT_WIDE (all_of_columns), all_of_rows },
  [DIRECT_OP_MAXIMUM] = { DIRECT_WIDE (maximum_of_columns), DIRECT_WIDE (maximum_of_rows) },
  [DIRECT_OP_MINIMUM] = { DIRECT_WIDE (minimum_of_columns), DIRECT_WIDE (minimum_of_rows) },
};

uint32_t DIRECT_WIDE (direct_reduce) (const struct direct_operation *operation)
{
  uint32_t opcode = operation->opcode, side = operation->parameters[0] != 0;
  if (opcode >= sizeof functions / sizeof *functions || functions[opcode][side] == 0)
    return 0;
  functions[opcode][side](operation);
  return 1;
}
