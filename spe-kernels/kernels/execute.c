/* execute.c - one operation on blocks: checks, broadcasting, and the calls of the kernels on contiguous runs. */
#include <string.h>
#include "kernel.h"
#include "opcodes.h"

/* Where an operand of an element-wise operation comes from. */
struct source {
  const char *data;
  uintptr_t stride_bytes; /* 0: every column is the same */
  uint32_t repeat;       /* one element, repeated along the rows */
  uint32_t whole;        /* one run covers all columns */
} MEU_QUADWORDS;

static uint32_t fits (const struct kernel_block *operand, const struct kernel_block *result)
{
  return (operand->rows == result->rows || operand->rows == 1)
         && (operand->columns == result->columns || operand->columns == 1);
}

uint32_t kernel_check (const struct kernel_operation *operation)
{
  const struct kernel_block *result = &operation->result, *a = &operation->operands[0], *b = &operation->operands[1];
  uint32_t opcode = operation->opcode, form = operation->form;

  uint32_t binary = kernel_is_binary (opcode);
  if (opcode >= KERNEL_OPCODE_COUNT || form > MEU_FORM_SCALAR_LEFT || (form != MEU_FORM_BLOCKS && !binary))
    return MEU_STATUS_OPCODE;
  /* Without branches: the image for an SPE is full. */
  uint32_t two = (opcode == MEU_OP_MULTIPLY) | (binary & (form == MEU_FORM_BLOCKS));
  if (operation->operand_count != 1 + two)
    return MEU_STATUS_SHAPE;

  if (result->precision > MEU_DOUBLE || a->precision > MEU_DOUBLE)
    return MEU_STATUS_OPCODE;
  if (opcode != MEU_OP_CONVERT && a->precision != result->precision)
    return MEU_STATUS_OPCODE;
  if (two && b->precision != result->precision)
    return MEU_STATUS_OPCODE;

  if (result->rows == 0 || result->columns == 0 || a->rows == 0 || a->columns == 0)
    return MEU_STATUS_SHAPE;
  if (two && (b->rows == 0 || b->columns == 0))
    return MEU_STATUS_SHAPE;
  if (opcode == MEU_OP_MULTIPLY)
    return a->rows == result->rows && b->columns == result->columns && a->columns == b->rows ? MEU_STATUS_OK
                                                                                              : MEU_STATUS_SHAPE;
  if (!binary)
    return a->rows == result->rows && a->columns == result->columns ? MEU_STATUS_OK : MEU_STATUS_SHAPE;
  return fits (a, result) && (!two || fits (b, result)) ? MEU_STATUS_OK : MEU_STATUS_SHAPE;
}

static struct source source_of_block (const struct kernel_block *block, const struct kernel_block *result)
{
  struct source source;
  uint32_t one = block->rows == 1 && block->columns == 1;
  source.data = block->data;
  source.stride_bytes = block->columns == 1 ? 0 : block->stride_bytes;
  source.repeat = one || (block->rows == 1 && result->rows != 1);
  source.whole = one
                 || (!source.repeat && block->columns == result->columns
                     && (block->columns == 1
                         || block->stride_bytes == kernel_column_bytes (block->rows, block->precision)));
  return source;
}

static void spread (char *to, const char *element, uint32_t element_bytes, uint32_t bytes)
{
  for (uint32_t at = 0; at < bytes; at += element_bytes)
    memcpy (to + at, element, element_bytes);
}

/* An element-wise operation under way. */
struct elementwise {
  kernel_elementwise *kernel;
  struct source a, b;
  uint32_t element_bytes, vector_bytes;
  char *result;
  uintptr_t result_stride;
  char spread_a[KERNEL_WIDEST_BYTES] __attribute__ ((aligned (KERNEL_WIDEST_BYTES)));
  char spread_b[KERNEL_WIDEST_BYTES] __attribute__ ((aligned (KERNEL_WIDEST_BYTES)));
};

static const char *source_at (const struct elementwise *work, const struct source *source, uint32_t column,
                              char *spread_area)
{
  const char *data = source->data + column * source->stride_bytes;
  if (!source->repeat)
    return data;
  if (column == 0 || source->stride_bytes != 0)
    spread (spread_area, data, work->element_bytes, work->vector_bytes);
  return spread_area;
}

/* Bytes `at` to `at + bytes` of a column. */
static uint32_t run_column (struct elementwise *work, uint32_t column, uint32_t at, uint32_t bytes)
{
  const char *a = source_at (work, &work->a, column, work->spread_a);
  const char *b = source_at (work, &work->b, column, work->spread_b);
  uint32_t a_step = work->a.repeat ? 0 : work->vector_bytes, b_step = work->b.repeat ? 0 : work->vector_bytes;
  return work->kernel (work->result + column * work->result_stride + at, a_step ? a + at : a, b_step ? b + at : b, a_step,
                       b_step, bytes);
}

/* The last rows of a column, which do not fill a group of 16 bytes: the first of them takes the place of the pad. */
static uint32_t run_last_group (struct elementwise *work, uint32_t column, uint32_t at, uint32_t bytes)
{
  char group_a[KERNEL_WIDEST_BYTES] __attribute__ ((aligned (KERNEL_WIDEST_BYTES)));
  char group_b[KERNEL_WIDEST_BYTES] __attribute__ ((aligned (KERNEL_WIDEST_BYTES)));
  const char *a = source_at (work, &work->a, column, work->spread_a) + (work->a.repeat ? 0 : at);
  const char *b = source_at (work, &work->b, column, work->spread_b) + (work->b.repeat ? 0 : at);
  spread (group_a, a, work->element_bytes, work->vector_bytes);
  memcpy (group_a, a, bytes);
  spread (group_b, b, work->element_bytes, work->vector_bytes);
  memcpy (group_b, b, bytes);
  return work->kernel (work->result + column * work->result_stride + at, group_a, group_b, work->vector_bytes,
                       work->vector_bytes, 16);
}

static uint32_t execute_elementwise (const struct kernel_table *table, const struct kernel_operation *operation)
{
  const struct kernel_block *result = &operation->result;
  struct elementwise work;
  union {
    float single;
    double twice;
  } scalar;

  work.kernel = table->elementwise[operation->opcode][result->precision];
  work.element_bytes = result->precision == MEU_DOUBLE ? 8 : 4;
  work.vector_bytes = table->vector_bytes;
  work.result = result->data;
  work.result_stride = result->stride_bytes;
  work.a = source_of_block (&operation->operands[0], result);
  work.b = operation->operand_count == 2 ? source_of_block (&operation->operands[1], result) : work.a;
  if (operation->form != MEU_FORM_BLOCKS) {
    if (result->precision == MEU_DOUBLE)
      scalar.twice = operation->scalar;
    else
      scalar.single = (float) operation->scalar;
    struct source constant = { (const char *) &scalar, 0, 1, 1 };
    *(operation->form == MEU_FORM_SCALAR_LEFT ? &work.a : &work.b) = constant;
  }

  uint32_t columns = result->columns, run_bytes = kernel_column_bytes (result->rows, result->precision);
  /* A pad may be outside of the operation's domain, and must not be blamed on the elements. */
  uint32_t last_bytes = kernel_is_partial (operation->opcode) ? (result->rows * work.element_bytes) & 15 : 0;
  if (last_bytes != 0)
    run_bytes -= 16;
  else if (work.a.whole && work.b.whole && (columns == 1 || result->stride_bytes == run_bytes)) {
    run_bytes *= columns;
    columns = 1;
  }
  uint32_t outside = 0;
  for (uint32_t j = 0; j < columns; j++) {
    if (run_bytes != 0)
      outside |= run_column (&work, j, 0, run_bytes);
    if (last_bytes != 0)
      outside |= run_last_group (&work, j, run_bytes, last_bytes);
  }
  return outside ? MEU_STATUS_DOMAIN : MEU_STATUS_OK;
}

static void execute_convert (const struct kernel_operation *operation)
{
  const struct kernel_block *result = &operation->result, *a = &operation->operands[0];
  for (uint32_t j = 0; j < result->columns; j++) {
    char *to = (char *) result->data + (uintptr_t) j * result->stride_bytes;
    const char *from = (const char *) a->data + (uintptr_t) j * a->stride_bytes;
    if (a->precision == result->precision)
      memcpy (to, from, kernel_column_bytes (a->rows, a->precision));
    else if (a->precision == MEU_SINGLE)
      for (uint32_t i = 0; i < a->rows; i++)
        ((double *) to)[i] = ((const float *) from)[i];
    else
      for (uint32_t i = 0; i < a->rows; i++)
        ((float *) to)[i] = (float) ((const double *) from)[i];
  }
}

uint32_t kernel_execute (const struct kernel_table *table, const struct kernel_operation *operation)
{
  if (operation->opcode == MEU_OP_CONVERT) {
    execute_convert (operation);
    return MEU_STATUS_OK;
  }
  if (operation->opcode != MEU_OP_MULTIPLY)
    return execute_elementwise (table, operation);

  const struct kernel_block *result = &operation->result, *a = &operation->operands[0], *b = &operation->operands[1];
  struct kernel_product product = {
    result->data, a->data, b->data, result->stride_bytes, a->stride_bytes, b->stride_bytes,
    result->rows, result->columns, a->columns, operation->accumulate,
  };
  table->multiply[result->precision](&product);
  return MEU_STATUS_OK;
}
