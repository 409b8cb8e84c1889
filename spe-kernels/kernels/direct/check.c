/* check.c - checks the shapes of moves and reductions, and chooses the function that executes them. */
#include "functions.h"

static uint32_t along (const struct direct_operation *operation)
{
  return (uint32_t) operation->parameters[0];
}

static uint32_t has_shape (const struct direct_matrix *matrix, uint32_t rows, uint32_t columns)
{
  return matrix->rows == rows && matrix->columns == columns;
}

/* The corners of a view have the least and the greatest element numbers. */
static uint32_t is_view (const struct direct_operation *operation)
{
  const struct direct_matrix *a = &operation->operands[0], *result = &operation->result;
  const int64_t *p = operation->parameters;
  int64_t count = (int64_t) a->rows * a->columns;
  for (uint32_t corner = 0; corner < 4; corner++) {
    int64_t row = (int64_t) operation->origin_row + (corner & 1 ? result->rows - 1 : 0);
    int64_t column = (int64_t) operation->origin_column + (corner & 2 ? result->columns - 1 : 0);
    int64_t at = p[0] + p[1] * row + p[2] * column;
    if (at < 0 || at >= count)
      return 0;
  }
  return operation->operand_count == 1;
}

static uint32_t is_join (const struct direct_operation *operation)
{
  const struct direct_matrix *a = &operation->operands[0], *b = &operation->operands[1], *result = &operation->result;
  if (operation->operand_count == 1)
    return has_shape (a, result->rows, result->columns);
  return along (operation) == 0 ? a->columns == result->columns && has_shape (b, result->rows - a->rows, result->columns)
                                : a->rows == result->rows && has_shape (b, result->rows, result->columns - a->columns);
}

/* The result of a reduction has one row or one column, and so has operand 1, from which the reduction
 * continues. A cumulative sum has a result as large as its operand; only its operand 1 has one row or one
 * column. */
static uint32_t is_reduction (const struct direct_operation *operation)
{
  const struct direct_matrix *a = &operation->operands[0], *b = &operation->operands[1], *result = &operation->result;
  uint32_t rows = along (operation) == 0 ? 1 : a->rows, columns = along (operation) == 0 ? a->columns : 1;
  if (operation->operand_count == 2 && !has_shape (b, rows, columns))
    return 0;
  return operation->opcode == DIRECT_OP_CUMULATIVE_SUM ? has_shape (result, a->rows, a->columns)
                                                    : has_shape (result, rows, columns);
}

static uint32_t fits (const struct direct_operation *operation)
{
  const struct direct_matrix *a = &operation->operands[0], *result = &operation->result;
  if (operation->operand_count == 0 || operation->operand_count > 2 || result->rows == 0 || result->columns == 0
      || a->rows == 0 || a->columns == 0)
    return 0;
  switch (operation->opcode) {
  case DIRECT_OP_VIEW:
    return is_view (operation);
  case DIRECT_OP_REPEAT:
    return operation->operand_count == 1;
  case DIRECT_OP_JOIN:
    return along (operation) <= 1 && is_join (operation);
  case DIRECT_OP_BAND:
    return operation->operand_count == 1 && has_shape (a, result->rows, result->columns);
  case DIRECT_OP_DIAGONAL:
    return operation->operand_count == 1 && (a->rows == 1 || a->columns == 1);
  case DIRECT_OP_NORM:
    return (operation->operand_count == 1 || has_shape (&operation->operands[1], 2, 1))
           && (has_shape (result, 2, 1) || has_shape (result, 1, 1));
  default:
    return along (operation) <= 1 && is_reduction (operation);
  }
}

/* Makes a column of a row whose elements touch.  Returns whether it was one. */
static uint32_t turn_row (struct direct_matrix *matrix, uint32_t element_bytes)
{
  if (matrix->rows != 1 || (matrix->columns != 1 && matrix->stride_bytes != element_bytes))
    return 0;
  matrix->rows = matrix->columns;
  matrix->columns = 1;
  return 1;
}

/* A view numbers the elements of its operand, so that operand and result are turned each by itself. */
static void turn_view (struct direct_operation *view, uint32_t element_bytes)
{
  uint32_t origin_row = view->origin_row;
  int64_t *p = view->parameters, down = p[1];
  (void) turn_row (&view->operands[0], element_bytes);
  if (turn_row (&view->result, element_bytes)) {
    view->origin_row = view->origin_column;
    view->origin_column = origin_row;
    p[1] = p[2];
    p[2] = down;
  }
}

/* Makes columns of the rows of an operation: column by column, an element of a row would take as long as a
 * column.  False when not all of its matrices are such rows; then the description is of no use. */
static uint32_t turn_rows (struct direct_operation *operation)
{
  uint32_t result_bytes = kernel_element_bytes (operation->precision), origin_row = operation->origin_row;
  uint32_t bytes = operation->counts_bytes ? 1 : result_bytes;
  switch (operation->opcode) {
  case DIRECT_OP_BAND:
  case DIRECT_OP_DIAGONAL:
    return 0;
  case DIRECT_OP_VIEW:
    turn_view (operation, bytes);
    return 1;
  case DIRECT_OP_NORM:
    return turn_row (&operation->operands[0], bytes);
  default:
    operation->origin_row = operation->origin_column;
    operation->origin_column = origin_row;
    operation->parameters[0] = 1 - operation->parameters[0];
    return turn_row (&operation->result, result_bytes) && turn_row (&operation->operands[0], bytes)
           && (operation->operand_count == 1 || turn_row (&operation->operands[1], result_bytes));
  }
}

/* Executes the operation in vectors of this width, if there is a function for it. Returns whether there
 * was one. */
static uint32_t reduce_wide (uint32_t vector_bytes, const struct direct_operation *operation)
{
  uint32_t twice = operation->precision == MEU_DOUBLE;
  switch (vector_bytes) {
#ifdef MEU_HOST_WIDE
  case 32:
    return twice ? direct_reduce_double_v32 (operation) : direct_reduce_single_v32 (operation);
  case 64:
    return twice ? direct_reduce_double_v64 (operation) : direct_reduce_single_v64 (operation);
#endif
  default:
    return twice ? direct_reduce_double_v16 (operation) : direct_reduce_single_v16 (operation);
  }
}

/* Whether the operation takes operands of this type, and gives results of this type. */
static uint32_t has_precision (const struct direct_operation *operation)
{
  switch (operation->opcode) {
  case DIRECT_OP_SUM:
  case DIRECT_OP_PRODUCT:
  case DIRECT_OP_SUM_OF_SQUARES:
  case DIRECT_OP_CUMULATIVE_SUM:
    return operation->counts_bytes ? operation->precision == MEU_DOUBLE : operation->precision <= MEU_DOUBLE;
  case DIRECT_OP_NORM:
    return operation->precision <= MEU_DOUBLE && !operation->counts_bytes;
  default:
    return operation->precision <= MEU_BYTE && !operation->counts_bytes;
  }
}

static uint32_t execute (const struct kernel_table *kernels, const struct direct_operation *operation)
{
  if (operation->precision == MEU_BYTE || operation->counts_bytes) {
    if (operation->opcode < DIRECT_OP_SUM)
      direct_move_byte (operation);
    else
      direct_reduce_byte (operation);
    return MEU_STATUS_OK;
  }
  if (operation->opcode >= DIRECT_OP_SUM && reduce_wide (kernels->vector_bytes, operation))
    return MEU_STATUS_OK;
  if (operation->precision == MEU_DOUBLE) {
    if (operation->opcode < DIRECT_OP_SUM)
      direct_move_double (operation);
    else
      direct_reduce_double (operation);
  } else {
    if (operation->opcode < DIRECT_OP_SUM)
      direct_move_single (operation);
    else
      direct_reduce_single (operation);
  }
  return MEU_STATUS_OK;
}

uint32_t direct_execute (const struct kernel_table *kernels, const struct direct_operation *operation)
{
  if (operation->opcode < DIRECT_OP_VIEW || operation->opcode >= DIRECT_OP_END || !has_precision (operation))
    return MEU_STATUS_OPCODE;
  if (!fits (operation))
    return MEU_STATUS_SHAPE;
  if (operation->operands[0].rows == 1 || operation->result.rows == 1) {
    struct direct_operation turned = *operation;
    return execute (kernels, turn_rows (&turned) ? &turned : operation);
  }
  return execute (kernels, operation);
}
