/* move.c - moves: view, repeat, join, band, diagonal. */
#include "element.h"
#include "functions.h"

/* Quotient and remainder with a remainder from 0 on. */
struct divided {
  int64_t quotient, remainder;
};

static struct divided divide (int64_t a, int64_t by)
{
  struct divided result = { a / by, a % by };
  if (result.remainder < 0) {
    result.remainder += by;
    result.quotient--;
  }
  return result;
}

/* One column of a view, whose first element is element `at` of the operand. */
static void view_column (element *to, uint32_t rows, const struct direct_matrix *a, int64_t at, int64_t step)
{
  struct divided place = divide (at, a->rows), by = divide (step, a->rows);
  const element *from = column_of (a, (uint32_t) place.quotient) + place.remainder;
  int64_t stride = (int64_t) (a->stride_bytes / sizeof (element));
  int64_t last = place.remainder + step * (int64_t) (rows - 1);

  if (step == 1 && last < a->rows) {
    memcpy (to, from, rows * sizeof (element));
    return;
  }
  if (by.remainder == 0 || (last >= 0 && last < a->rows)) {
    /* Along a row, or within a column. */
    ptrdiff_t distance = by.remainder == 0 ? by.quotient * stride : step;
    for (uint32_t i = 0; i < rows; i++)
      to[i] = from[i * distance];
    return;
  }
  int64_t row = place.remainder;
  for (uint32_t i = 0; i < rows; i++) {
    to[i] = *from;
    row += by.remainder;
    ptrdiff_t distance = by.quotient * stride + by.remainder;
    if (row >= a->rows) {
      row -= a->rows;
      distance += stride - a->rows;
    }
    /* What lies beyond the last element is not read. */
    if (i + 1 < rows)
      from += distance;
  }
}

/* Rows of a transposed view that are moved at a time: the rows of a cache line of the result, from as many
 * cache lines of the operand. */
#define STRIP_ROWS (64 / sizeof (element))

/* A view whose columns run along rows of the operand, from `from` on: in strips, so that a line of the
 * operand is read once. Distances are in elements of main memory. */
static void view_of_rows (const struct direct_matrix *result, const element *from, ptrdiff_t down, ptrdiff_t right)
{
  for (uint32_t i = 0; i < result->rows; i += STRIP_ROWS, from += down * (ptrdiff_t) STRIP_ROWS) {
    uint32_t count = result->rows - i < STRIP_ROWS ? result->rows - i : STRIP_ROWS;
    for (uint32_t j = 0; j < result->columns; j++) {
      element *to = column_of (result, j) + i;
      const element *at = from + right * (ptrdiff_t) j;
      for (uint32_t k = 0; k < count; k++)
        to[k] = at[down * (ptrdiff_t) k];
    }
  }
}

static void view (const struct direct_operation *operation)
{
  const struct direct_matrix *result = &operation->result, *a = &operation->operands[0];
  const int64_t *p = operation->parameters;
  struct divided by = divide (p[1], a->rows);
  int64_t first = p[0] + p[1] * operation->origin_row + p[2] * (int64_t) operation->origin_column;
  struct divided corner = divide (first, a->rows);
  int64_t last = corner.remainder + p[2] * ((int64_t) result->columns - 1);
  if (by.remainder == 0 && last >= 0 && last < a->rows) {
    ptrdiff_t stride = (ptrdiff_t) (a->stride_bytes / sizeof (element));
    view_of_rows (result, column_of (a, (uint32_t) corner.quotient) + corner.remainder, by.quotient * stride, p[2]);
    return;
  }
  for (uint32_t j = 0; j < result->columns; j++) {
    int64_t at = p[0] + p[1] * operation->origin_row + p[2] * ((int64_t) operation->origin_column + j);
    view_column (column_of (result, j), result->rows, &operation->operands[0], at, p[1]);
  }
}

static void repeat (const struct direct_operation *operation)
{
  const struct direct_matrix *result = &operation->result, *a = &operation->operands[0];
  for (uint32_t j = 0; j < result->columns; j++) {
    const element *from = column_of (a, (uint32_t) (((uint64_t) operation->origin_column + j) % a->columns));
    element *to = column_of (result, j);
    uint32_t row = operation->origin_row % a->rows;
    for (uint32_t i = 0; i < result->rows;) {
      uint32_t count = a->rows - row < result->rows - i ? a->rows - row : result->rows - i;
      memcpy (to + i, from + row, count * sizeof (element));
      i += count;
      row = 0;
    }
  }
}

static void place (const struct direct_matrix *result, uint32_t row, uint32_t column, const struct direct_matrix *a)
{
  for (uint32_t j = 0; j < a->columns; j++)
    memcpy (column_of (result, column + j) + row, column_of (a, j), a->rows * sizeof (element));
}

static void join (const struct direct_operation *operation)
{
  const struct direct_matrix *a = &operation->operands[0];
  place (&operation->result, 0, 0, a);
  if (operation->operand_count == 2) {
    uint32_t below = operation->parameters[0] == 0;
    place (&operation->result, below ? a->rows : 0, below ? 0 : a->columns, &operation->operands[1]);
  }
}

static int64_t within (int64_t x, int64_t most)
{
  return x < 0 ? 0 : x > most ? most : x;
}

static void band (const struct direct_operation *operation)
{
  const struct direct_matrix *result = &operation->result;
  int64_t rows = result->rows;
  for (uint32_t j = 0; j < result->columns; j++) {
    /* Rows from column - p[1] to column - p[0]. */
    int64_t diagonal = (int64_t) operation->origin_column + j - operation->origin_row;
    int64_t first = within (diagonal - operation->parameters[1], rows);
    int64_t end = within (diagonal - operation->parameters[0] + 1, rows);
    element *to = column_of (result, j);
    for (int64_t i = 0; i < rows; i++)
      to[i] = 0;
    if (end > first)
      memcpy (to + first, column_of (&operation->operands[0], j) + first, (size_t) (end - first) * sizeof (element));
  }
}

static void diagonal (const struct direct_operation *operation)
{
  const struct direct_matrix *result = &operation->result, *a = &operation->operands[0];
  int64_t shift = operation->parameters[0];
  for (uint32_t j = 0; j < result->columns; j++) {
    element *to = column_of (result, j);
    for (uint32_t i = 0; i < result->rows; i++)
      to[i] = 0;
    int64_t column = (int64_t) operation->origin_column + j, row = column - shift;
    int64_t k = shift > 0 ? row : column, i = row - operation->origin_row;
    if (k >= 0 && k < (int64_t) a->rows * a->columns && i >= 0 && i < result->rows)
      to[i] = a->columns == 1 ? column_of (a, 0)[k] : *column_of (a, (uint32_t) k);
  }
}

void DIRECT (direct_move) (const struct direct_operation *operation)
{
  switch (operation->opcode) {
  case DIRECT_OP_VIEW:
    view (operation);
    break;
  case DIRECT_OP_REPEAT:
    repeat (operation);
    break;
  case DIRECT_OP_JOIN:
    join (operation);
    break;
  case DIRECT_OP_BAND:
    band (operation);
    break;
  default:
    diagonal (operation);
  }
}
