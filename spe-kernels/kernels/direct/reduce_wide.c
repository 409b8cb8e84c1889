/* reduce_wide.c - reductions in vectors.  A reduction along rows gives each row a lane of its own.  A
 * reduction along columns is here if its result does not depend on the order of the elements.  Compiled
 * once for each element type and vector width. */
#include "functions.h"
#include "steps.h"

/* Columns that are added to the results of rows at a time. */
#define ABREAST 4

/* Elements of a column side by side: several vectors, since each waits for the one before it. */
#define LANES (4 * VEC_BYTES / sizeof (element))

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

/* Elements after which a reduction looks whether further ones can change anything. */
#define STRETCH 1024u

/* A reduction of columns in lanes, each from START on, which are reduced after each stretch, until the
 * result r is DONE. */
#define REDUCTION_OF_COLUMNS(STEP, START, DONE, FINISH)                                                               \
  static void STEP##_of_columns (const struct direct_operation *operation)                                           \
  {                                                                                                                   \
    const struct direct_matrix *a = &operation->operands[0], *b = &operation->operands[1];                            \
    uint32_t rows = a->rows;                                                                                          \
    for (uint32_t j = 0; j < a->columns; j++) {                                                                       \
      const element *column = column_of (a, j);                                                                       \
      element r = operation->operand_count == 2 ? *column_of (b, j) : START, lanes[LANES];                            \
      uint32_t i = 0;                                                                                                 \
      while (i + 2 * LANES <= rows && !(DONE)) {                                                                      \
        uint32_t left = rows - i, end = i + (left < STRETCH ? left : STRETCH);                                        \
        for (uint32_t k = 0; k < LANES; k++)                                                                          \
          lanes[k] = START;                                                                                           \
        for (; i + LANES <= end; i += LANES)                                                                          \
          for (uint32_t k = 0; k < LANES; k++)                                                                        \
            lanes[k] = STEP (lanes[k], column[i + k]);                                                                \
        for (uint32_t k = 0; k < LANES; k++)                                                                          \
          r = STEP (r, lanes[k]);                                                                                     \
      }                                                                                                               \
      for (; i < rows && !(DONE); i++)                                                                                \
        r = STEP (r, column[i]);                                                                                      \
      *column_of (&operation->result, j) = FINISH;                                                                    \
    }                                                                                                                 \
  }

#define NONE ((element) __builtin_nan (""))

/* Of zeros of both signs the first zero counts, but lanes do not know which zero is first. */
static element first_zero (const struct direct_operation *operation, uint32_t j)
{
  const struct direct_matrix *a = &operation->operands[0];
  if (operation->operand_count == 2 && *column_of (&operation->operands[1], j) == 0)
    return *column_of (&operation->operands[1], j);
  const element *column = column_of (a, j);
  while (*column != 0)
    column++;
  return *column;
}

REDUCTION_OF_ROWS (sum, 0)
REDUCTION_OF_ROWS (product, 1)
REDUCTION_OF_ROWS (sum_of_squares, 0)
REDUCTION_OF_ROWS (any, 0)
REDUCTION_OF_ROWS (all, 1)
REDUCTION_OF_ROWS (maximum, NONE)
REDUCTION_OF_ROWS (minimum, NONE)
REDUCTION_OF_COLUMNS (any, 0, r != 0, r)
REDUCTION_OF_COLUMNS (all, 1, r == 0, r)
REDUCTION_OF_COLUMNS (maximum, NONE, 0, r == 0 ? first_zero (operation, j) : r)
REDUCTION_OF_COLUMNS (minimum, NONE, 0, r == 0 ? first_zero (operation, j) : r)

/* The function for side 0, and for side 1. */
static void (*const functions[][2]) (const struct direct_operation *) = {
  [DIRECT_OP_SUM] = { 0, sum_of_rows },
  [DIRECT_OP_PRODUCT] = { 0, product_of_rows },
  [DIRECT_OP_SUM_OF_SQUARES] = { 0, sum_of_squares_of_rows },
  [DIRECT_OP_ANY] = { any_of_columns, any_of_rows },
  [DIRECT_OP_ALL] = { all_of_columns, all_of_rows },
  [DIRECT_OP_MAXIMUM] = { maximum_of_columns, maximum_of_rows },
  [DIRECT_OP_MINIMUM] = { minimum_of_columns, minimum_of_rows },
};

uint32_t DIRECT_WIDE (direct_reduce) (const struct direct_operation *operation)
{
  uint32_t opcode = operation->opcode, side = operation->parameters[0] != 0;
  if (opcode >= sizeof functions / sizeof *functions || functions[opcode][side] == 0)
    return 0;
  functions[opcode][side](operation);
  return 1;
}
