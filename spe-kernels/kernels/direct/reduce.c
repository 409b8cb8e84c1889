/* reduce.c - reductions of columns and rows. They take one element after the other, so that shapes alone
 * decide the bits. reduce_wide.c has the reductions in wider vectors. */
#include "element.h"
#include "functions.h"
#include "steps.h"

/* Columns that are reduced side by side: an addition waits for the previous addition of its column only. */
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

/* The partial sums of `columns` columns side by side; they go on from operand 1 if there is one. */
static inline void sums_of_columns (const struct direct_operation *operation, uint32_t j, uint32_t columns)
{
  const struct direct_matrix *a = &operation->operands[0], *b = &operation->operands[1];
  const element *from[ABREAST];
  element *to[ABREAST], r[ABREAST];
  for (uint32_t k = 0; k < columns; k++) {
    from[k] = column_of (a, j + k);
    to[k] = column_of (&operation->result, j + k);
    to[k][0] = r[k] = operation->operand_count == 2 ? *column_of (b, j + k) + from[k][0] : from[k][0];
  }
  for (uint32_t i = 1; i < a->rows; i++)
    for (uint32_t k = 0; k < columns; k++)
      to[k][i] = r[k] = r[k] + from[k][i];
}

static void cumulative_sum (const struct direct_operation *operation)
{
  const struct direct_matrix *a = &operation->operands[0], *b = &operation->operands[1], *result = &operation->result;
  uint32_t goes_on = operation->operand_count == 2, j = 0;
  if (operation->parameters[0] == 0) {
    for (; j + ABREAST <= a->columns; j += ABREAST)
      sums_of_columns (operation, j, ABREAST);
    for (; j < a->columns; j++)
      sums_of_columns (operation, j, 1);
    return;
  }
  for (; j < a->columns; j++) {
    const element *column = column_of (a, j);
    element *to = column_of (result, j);
    if (j > 0 || goes_on) {
      const element *before = j > 0 ? column_of (result, j - 1) : column_of (b, 0);
      for (uint32_t i = 0; i < a->rows; i++)
        to[i] = before[i] + column[i];
    } else
      memcpy (to, column, a->rows * sizeof (element));
  }
}

/* Elements whose ratios to the scale are computed side by side, since a division takes long. */
#define RATIOS 8

/* Adds the squares of as many elements as can be taken together: none is larger than the scale, equal to it,
 * or zero.  Returns how many these are. */
static inline uint32_t add_squares (const element *column, uint32_t count, element scale, element *squares)
{
  uint32_t i = 0;
  for (; i + RATIOS <= count; i += RATIOS) {
    element ratio[RATIOS];
    uint32_t smaller = 1;
    for (uint32_t k = 0; k < RATIOS; k++) {
      element size = MAGNITUDE (column[i + k]);
      smaller &= (size < scale) & (size > 0);
      ratio[k] = size / scale;
    }
    if (!smaller)
      break;
    for (uint32_t k = 0; k < RATIOS; k++)
      *squares += ratio[k] * ratio[k];
  }
  return i;
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
    for (uint32_t i = add_squares (column, a->rows, scale, &squares); i < a->rows; i++) {
      element size = MAGNITUDE (column[i]);
      if (scale == size)
        squares += 1;
      else if (scale < size) {
        element ratio = scale / size;
        squares = squares * (ratio * ratio) + 1;
        scale = size;
      } else if (size != 0) {
        element ratio = size / scale;
        squares += ratio * ratio;
        i += add_squares (column + i + 1, a->rows - i - 1, scale, &squares);
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
