/* extrema.c - maxima and minima of columns and rows, in vectors.  Compiled once for each element type and
 * vector width.
 *
 * A vector's instruction takes the larger of two numbers, and the second operand where one is NaN or both
 * are equal.  So lanes begin with the extreme that every number replaces, not with NaN, and skip NaN.  A
 * result that is still this extreme is computed again element by element: its elements may all be NaN. */
#include "functions.h"
#include "steps.h"
#include "wide.h"

/* Columns that are compared with the results of rows at a time. */
#define ABREAST 4

/* Vectors of a column side by side, since each comparison waits for the previous comparison. */
#define VECTORS 4

/* Of zeros of both signs the first zero counts, but lanes do not know which zero is first. */
static element first_zero (const element *column)
{
  while (*column != 0)
    column++;
  return *column;
}

/* `STEP` element by element is `WIDE` lane by lane; START is what every number replaces. */
#define EXTREMUM(STEP, WIDE, START)                                                                                   \
  static element STEP##_in_order (const struct direct_operation *operation, element r, uint32_t i, uint32_t j,        \
                                  uint32_t right)                                                                     \
  {                                                                                                                   \
    const struct direct_matrix *a = &operation->operands[0];                                                          \
    for (uint32_t k = 0; k < (right ? a->columns : a->rows); k++)                                                     \
      r = STEP (r, right ? column_of (a, k)[i] : column_of (a, j)[k]);                                                \
    return r;                                                                                                         \
  }                                                                                                                   \
                                                                                                                      \
  void DIRECT_WIDE (STEP##_of_rows) (const struct direct_operation *operation)                                        \
  {                                                                                                                   \
    const struct direct_matrix *a = &operation->operands[0];                                                          \
    const element *before = operation->operand_count == 2 ? column_of (&operation->operands[1], 0) : 0;               \
    element *restrict r = column_of (&operation->result, 0);                                                          \
    uint32_t rows = a->rows, whole = rows / LANES * LANES;                                                            \
    for (uint32_t i = 0; i < rows; i++)                                                                               \
      r[i] = START;                                                                                                   \
    for (uint32_t j = 0; j < a->columns; j += ABREAST) {                                                              \
      uint32_t left = a->columns - j;                                                                                 \
      const element *c0 = column_of (a, j), *c1 = left > 1 ? column_of (a, j + 1) : c0,                               \
                    *c2 = left > 2 ? column_of (a, j + 2) : c0, *c3 = left > 3 ? column_of (a, j + 3) : c0;           \
      for (uint32_t i = 0; i < whole; i += LANES) {                                                                   \
        lanes x = WIDE (lanes_load (c0 + i), lanes_load (r + i));                                                     \
        x = WIDE (lanes_load (c1 + i), x);                                                                            \
        x = WIDE (lanes_load (c2 + i), x);                                                                            \
        lanes_store (r + i, WIDE (lanes_load (c3 + i), x));                                                           \
      }                                                                                                               \
    }                                                                                                                 \
    for (uint32_t i = 0; i < rows; i++) {                                                                             \
      element first = before ? before[i] : NONE;                                                                      \
      r[i] = i >= whole || r[i] == START ? STEP##_in_order (operation, first, i, 0, 1) : STEP (first, r[i]);          \
    }                                                                                                                 \
  }                                                                                                                   \
                                                                                                                      \
  void DIRECT_WIDE (STEP##_of_columns) (const struct direct_operation *operation)                                     \
  {                                                                                                                   \
    const struct direct_matrix *a = &operation->operands[0];                                                          \
    uint32_t rows = a->rows, whole = rows / (VECTORS * LANES) * (VECTORS * LANES);                                    \
    for (uint32_t j = 0; j < a->columns; j++) {                                                                       \
      element r = operation->operand_count == 2 ? *column_of (&operation->operands[1], j) : NONE;                     \
      const element *column = column_of (a, j);                                                                       \
      element most = START;                                                                                           \
      if (whole != 0) {                                                                                               \
        lanes x[VECTORS];                                                                                             \
        for (uint32_t k = 0; k < VECTORS; k++)                                                                        \
          x[k] = lanes_splat (START);                                                                                 \
        for (uint32_t i = 0; i < whole; i += VECTORS * LANES)                                                         \
          for (uint32_t k = 0; k < VECTORS; k++)                                                                      \
            x[k] = WIDE (lanes_load (column + i + k * LANES), x[k]);                                                  \
        lanes all = WIDE (WIDE (x[0], x[1]), WIDE (x[2], x[3]));                                                      \
        for (uint32_t k = 0; k < LANES; k++)                                                                          \
          most = STEP (most, all[k]);                                                                                 \
      }                                                                                                               \
      for (uint32_t i = whole; i < rows; i++)                                                                         \
        most = STEP (most, column[i]);                                                                                \
      if (most == START)                                                                                              \
        r = STEP##_in_order (operation, r, 0, j, 0);                                                                  \
      else                                                                                                            \
        r = STEP (r, most == 0 ? first_zero (column) : most);                                                         \
      *column_of (&operation->result, j) = r;                                                                         \
    }                                                                                                                 \
  }

EXTREMUM (maximum, lanes_larger, -__builtin_inf ())
EXTREMUM (minimum, lanes_smaller, __builtin_inf ())
