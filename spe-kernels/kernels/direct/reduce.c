/* reduce.c - reductions of columns and rows. They take one element after the other, so that shapes alone
 * decide the bits. reduce_wide.c has the reductions in wider vectors. */
#include "element.h"
#include "functions.h"
#include "steps.h"

/* Columns that are reduced side by side: an addition waits for the one before it in its column only. */
#define ABREAST 8

/* A reduction of columns by `STEP`. It begins with START, or continues from operand 1. */
#define REDUCTION_OF_COLUMNS(STEP, START)                                                                             \
  static void STEP##_of_columns (const struct direct_operation *operation)                                           \
  {                                                                                                                   \
    const struct direct_matrix *a = &operation->operands[0], *b = &operation->operands[1];                            \
    uint32_t j = 0, rows = a->rows;                                                                                   \
    for (; j + ABREAST <= a->columns; j += ABREAST) {                                                                 \
      const element *column[ABREAST];                                                                                 \
      element r[ABREAST];                                                                                             \
      for (uint32_t k = 0; k < ABREAST; k++) {                                                                        \
        column[k] = column_of (a, j + k);                                                                             \
        r[k] = operation->operand_count == 2 ? *column_of (b, j + k) : START;                                         \
      }                                                                                                               \
      for (uint32_t i = 0; i < rows; i++)                                                                             \
        for (uint32_t k = 0; k < ABREAST; k++)                                                                        \
          r[k] = STEP (r[k], column[k][i]);                                                                           \
      for (uint32_t k = 0; k < ABREAST; k++)                                                                          \
        *column_of (&operation->result, j + k) = r[k];                                                                \
    }                                                                                                                 \
    for (; j < a->columns; j++) {                                                                                     \
      const element *column = column_of (a, j);                                                                       \
      element r = operation->operand_count == 2 ? *column_of (b, j) : START;                                          \
      for (uint32_t i = 0; i < rows; i++)                                                                             \
        r = STEP (r, column[i]);                                                                                      \
      *column_of (&operation->result, j) = r;                                                                         \
    }                                                                                                                 \
  }

REDUCTION_OF_COLUMNS (sum, 0)
REDUCTION_OF_COLUMNS (product, 1)
REDUCTION_OF_COLUMNS (sum_of_squares, 0)

static void cumulative_sum (const struct direct_operation *operation)
{
  const struct direct_matrix *a = &operation->operands[0], *b = &operation->operands[1], *result = &operation->result;
  uint32_t goes_on = operation->operand_count == 2;
  for (uint32_t j = 0; j < a->columns; j++) {
    const element *column = column_of (a, j);
    element *to = column_of (result, j);
    if (operation->parameters[0] == 0) {
      element r = goes_on ? *column_of (b, j) + column[0] : column[0];
      to[0] = r;
      for (uint32_t i = 1; i < a->rows; i++)
        to[i] = r = r + column[i];
    } else if (j > 0 || goes_on) {
      const element *before = j > 0 ? column_of (result, j - 1) : column_of (b, 0);
      for (uint32_t i = 0; i < a->rows; i++)
        to[i] = before[i] + column[i];
    } else
      memcpy (to, column, a->rows * sizeof (element));
  }
}

static void norm (const struct direct_operation *operation)
{
  const struct direct_matrix *a = &operation->operands[0], *b = &operation->operands[1], *result = &operation->result;
  element scale = 0, squares = 1;
  if (operation->operand_count == 2) {
    scale = column_of (b, 0)[0];
    squares = column_of (b, 0)[1];
  }
  for (uint32_t j = 0; j < a->columns; j++) {
    const element *column = column_of (a, j);
    for (uint32_t i = 0; i < a->rows; i++) {
      element size = column[i] < 0 ? -column[i] : column[i];
      if (scale == size)
        squares += 1;
      else if (scale < size) {
        element ratio = scale / size;
        squares = squares * (ratio * ratio) + 1;
        scale = size;
      } else if (size != 0) {
        element ratio = size / scale;
        squares += ratio * ratio;
      }
    }
  }
  element *to = column_of (result, 0);
  if (result->rows == 2) {
    to[0] = scale;
    to[1] = squares;
  } else
    to[0] = scale * SQUARE_ROOT (squares);
}

void DIRECT (direct_reduce) (const struct direct_operation *operation)
{
  switch (operation->opcode) {
  case DIRECT_OP_SUM:
    sum_of_columns (operation);
    break;
  case DIRECT_OP_PRODUCT:
    product_of_columns (operation);
    break;
  case DIRECT_OP_SUM_OF_SQUARES:
    sum_of_squares_of_columns (operation);
    break;
  case DIRECT_OP_CUMULATIVE_SUM:
    cumulative_sum (operation);
    break;
  default:
    norm (operation);
  }
}
