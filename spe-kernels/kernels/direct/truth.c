/* truth.c - whether any element of a column, or all, are true, in vectors.  Compiled once for each element
 * type and vector width.  A column is read until the answer is known. */
#include "functions.h"
#include "steps.h"
#include "wide.h"

/* Vectors after which a column may end. */
#define VECTORS 4

/* Whether one of `count` elements decides: a true one for any, a zero for all.  The first element often does,
 * and its cache line is the only one that is fetched then. */
#define DECIDES(name, decisive)                                                                                       \
  static uint32_t name (const element *from, uint32_t count)                                                          \
  {                                                                                                                   \
    uint32_t i = 0;                                                                                                   \
    if (count != 0) {                                                                                                 \
      element x = from[0], zero = 0;                                                                                  \
      if (decisive)                                                                                                   \
        return 1;                                                                                                     \
    }                                                                                                                 \
    for (; i + VECTORS * LANES <= count; i += VECTORS * LANES) {                                                      \
      lanes_mask found = {};                                                                                          \
      for (uint32_t k = 0; k < VECTORS; k++) {                                                                        \
        lanes x = lanes_load (from + i + k * LANES), zero = {};                                                       \
        found |= decisive;                                                                                            \
      }                                                                                                               \
      if (vi64_any ((vi64) found))                                                                                    \
        return 1;                                                                                                     \
    }                                                                                                                 \
    for (; i < count; i++) {                                                                                          \
      element x = from[i], zero = 0;                                                                                  \
      if (decisive)                                                                                                   \
        return 1;                                                                                                     \
    }                                                                                                                 \
    return 0;                                                                                                         \
  }

DECIDES (has_truth, (x < zero) | (x > zero))
DECIDES (has_zero, x == zero)

void DIRECT_WIDE (any_of_columns) (const struct direct_operation *operation)
{
  const struct direct_matrix *a = &operation->operands[0], *b = &operation->operands[1];
  for (uint32_t j = 0; j < a->columns; j++) {
    uint32_t before = operation->operand_count == 2 && *column_of (b, j) != 0;
    *column_of (&operation->result, j) = before || has_truth (column_of (a, j), a->rows);
  }
}

void DIRECT_WIDE (all_of_columns) (const struct direct_operation *operation)
{
  const struct direct_matrix *a = &operation->operands[0], *b = &operation->operands[1];
  for (uint32_t j = 0; j < a->columns; j++) {
    uint32_t before = operation->operand_count == 2 && *column_of (b, j) == 0;
    *column_of (&operation->result, j) = !before && !has_zero (column_of (a, j), a->rows);
  }
}
