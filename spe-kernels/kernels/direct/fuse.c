/* fuse.c - fusions: element-wise operations one after the other on strips that stay in the nearest cache. */
#include <string.h>
#include "functions.h"
#include "opcodes.h"

/* A column is cut into strips of this length: with what the strips of a few steps take, a fraction of the nearest cache. */
#define STRIP_BYTES 4096u

/* Where an input comes from. */
struct input {
  const char *data;        /* of the column that is executed; unless it is repeated along the rows */
  uintptr_t stride_bytes;  /* 0: every column is the same */
  uint32_t repeat;         /* one element, repeated along the rows, in `repeated` */
  char repeated[KERNEL_WIDEST_BYTES] __attribute__ ((aligned (KERNEL_WIDEST_BYTES)));
  char group[KERNEL_WIDEST_BYTES] __attribute__ ((aligned (KERNEL_WIDEST_BYTES)));
};

struct fused {
  kernel_elementwise *kernels[DIRECT_STEPS];
  struct input inputs[DIRECT_INPUTS];
  char scalars[DIRECT_STEPS][KERNEL_WIDEST_BYTES] __attribute__ ((aligned (KERNEL_WIDEST_BYTES)));
  char strips[DIRECT_STEPS][STRIP_BYTES] __attribute__ ((aligned (KERNEL_WIDEST_BYTES)));
  uint32_t vector_bytes, element_bytes;
  uint32_t outside; /* steps that met elements outside of their domains, a bit each */
};

static void spread (char *to, const char *element, uint32_t element_bytes)
{
  for (uint32_t at = 0; at < KERNEL_WIDEST_BYTES; at += element_bytes)
    memcpy (to + at, element, element_bytes);
}

static uint32_t is_elementwise (uint32_t opcode)
{
  return opcode < MEU_OPCODE_COUNT && opcode != MEU_OP_MULTIPLY && opcode != MEU_OP_CONVERT;
}

static uint32_t operand_count (const struct direct_step *step)
{
  return 1 + (kernel_is_binary (step->opcode) && step->form == MEU_FORM_BLOCKS);
}

static uint32_t check_step (const struct direct_fusion *fusion, const struct direct_step *step)
{
  if (!is_elementwise (step->opcode) || step->form > MEU_FORM_SCALAR_LEFT
      || (step->form != MEU_FORM_BLOCKS && !kernel_is_binary (step->opcode)))
    return MEU_STATUS_OPCODE;
  for (uint32_t i = 0; i < operand_count (step); i++) {
    uint32_t operand = step->operands[i];
    if (operand < DIRECT_INPUTS ? operand >= fusion->input_count
                                : operand >= DIRECT_INPUTS + DIRECT_STEPS || operand == step->result)
      return MEU_STATUS_SHAPE;
  }
  return step->result >= DIRECT_INPUTS && step->result < DIRECT_INPUTS + DIRECT_STEPS ? MEU_STATUS_OK
                                                                                      : MEU_STATUS_SHAPE;
}

static uint32_t check (const struct direct_fusion *fusion)
{
  const struct direct_matrix *result = &fusion->result;
  if (fusion->precision > MEU_DOUBLE)
    return MEU_STATUS_OPCODE;
  if (fusion->step_count == 0 || fusion->step_count > DIRECT_STEPS || fusion->input_count == 0
      || fusion->input_count > DIRECT_INPUTS || result->rows == 0 || result->columns == 0)
    return MEU_STATUS_SHAPE;
  for (uint32_t i = 0; i < fusion->input_count; i++) {
    const struct direct_matrix *input = &fusion->inputs[i];
    if ((input->rows != result->rows && input->rows != 1) || (input->columns != result->columns && input->columns != 1))
      return MEU_STATUS_SHAPE;
  }
  for (uint32_t i = 0; i < fusion->step_count; i++) {
    uint32_t status = check_step (fusion, &fusion->steps[i]);
    if (status != MEU_STATUS_OK)
      return status;
  }
  return MEU_STATUS_OK;
}

/* What a step reads as its operand i, at byte `at` of a column; in a last group, what has been gathered of it. */
static const char *operand_at (struct fused *fused, const struct direct_step *step, uint32_t number, uint32_t i,
                               uint32_t at, uint32_t last_group, uint32_t *vector_step)
{
  *vector_step = fused->vector_bytes;
  uint32_t operand = step->operands[step->form == MEU_FORM_BLOCKS ? i : 0];
  if (step->form == (i == 0 ? MEU_FORM_SCALAR_LEFT : MEU_FORM_SCALAR_RIGHT)) {
    *vector_step = 0;
    return fused->scalars[number];
  }
  if (operand >= DIRECT_INPUTS)
    return fused->strips[operand - DIRECT_INPUTS];
  struct input *input = &fused->inputs[operand];
  if (input->repeat) {
    *vector_step = 0;
    return input->repeated;
  }
  return last_group ? input->group : input->data + at;
}

/* All steps on `bytes` bytes from byte `at` of a column on, whose result begins at `column`. */
static void run_strip (struct fused *fused, const struct direct_fusion *fusion, char *column, uint32_t at,
                       uint32_t bytes, uint32_t last_group)
{
  for (uint32_t number = 0; number < fusion->step_count; number++) {
    const struct direct_step *step = &fusion->steps[number];
    uint32_t a_step, b_step;
    const char *a = operand_at (fused, step, number, 0, at, last_group, &a_step), *b = a;
    b_step = a_step;
    if (kernel_is_binary (step->opcode))
      b = operand_at (fused, step, number, 1, at, last_group, &b_step);
    char *result = number + 1 == fusion->step_count ? column + at : fused->strips[step->result - DIRECT_INPUTS];
    if (fused->kernels[number](result, a, b, a_step, b_step, bytes))
      fused->outside |= 1u << number;
  }
}

static void run_column (struct fused *fused, const struct direct_fusion *fusion, char *column, uint32_t bytes,
                        uint32_t last_bytes)
{
  for (uint32_t at = 0; at < bytes; at += STRIP_BYTES)
    run_strip (fused, fusion, column, at, bytes - at < STRIP_BYTES ? bytes - at : STRIP_BYTES, 0);
  if (last_bytes == 0)
    return;
  /* The last rows do not fill a group: the first of them takes the place of the pad. */
  for (uint32_t i = 0; i < fusion->input_count; i++) {
    struct input *input = &fused->inputs[i];
    if (!input->repeat) {
      spread (input->group, input->data + bytes, fused->element_bytes);
      memcpy (input->group, input->data + bytes, last_bytes);
    }
  }
  run_strip (fused, fusion, column, bytes, 16, 1);
}

/* Points the inputs at a column of theirs. */
static void enter_column (struct fused *fused, const struct direct_fusion *fusion, uint32_t column)
{
  for (uint32_t i = 0; i < fusion->input_count; i++) {
    struct input *input = &fused->inputs[i];
    if (column != 0)
      input->data += input->stride_bytes;
    if (input->repeat && (column == 0 || input->stride_bytes != 0))
      spread (input->repeated, input->data, fused->element_bytes);
  }
}

uint32_t direct_fused (const struct kernel_table *kernels, const struct direct_fusion *fusion, uint32_t *failed_step)
{
  const struct direct_matrix *result = &fusion->result;
  uint32_t status = check (fusion), precision = fusion->precision, partial = 0;
  struct fused fused;
  if (status != MEU_STATUS_OK)
    return status;

  fused.vector_bytes = kernels->vector_bytes;
  fused.element_bytes = precision == MEU_DOUBLE ? 8 : 4;
  fused.outside = 0;
  for (uint32_t i = 0; i < fusion->step_count; i++) {
    const struct direct_step *step = &fusion->steps[i];
    float single = (float) step->scalar;
    fused.kernels[i] = kernels->elementwise[step->opcode][precision];
    partial |= kernel_is_partial (step->opcode);
    spread (fused.scalars[i], precision == MEU_DOUBLE ? (const char *) &step->scalar : (const char *) &single,
            fused.element_bytes);
  }

  uint32_t columns = result->columns, bytes = kernel_column_bytes (result->rows, precision);
  uint32_t last_bytes = partial ? (result->rows * fused.element_bytes) & 15 : 0;
  uint32_t whole = last_bytes == 0 && (columns == 1 || result->stride_bytes == bytes);
  for (uint32_t i = 0; i < fusion->input_count; i++) {
    const struct direct_matrix *from = &fusion->inputs[i];
    struct input *input = &fused.inputs[i];
    uint32_t one = from->rows == 1 && from->columns == 1;
    input->data = (const char *) (uintptr_t) from->ea;
    input->stride_bytes = from->columns == 1 ? 0 : from->stride_bytes;
    input->repeat = one || (from->rows == 1 && result->rows != 1);
    whole &= one || (!input->repeat && from->columns == columns && (columns == 1 || from->stride_bytes == bytes));
  }
  /* Columns that all touch are one run. */
  if (whole) {
    bytes *= columns;
    columns = 1;
  }
  if (last_bytes != 0)
    bytes -= 16;
  for (uint32_t j = 0; j < columns; j++) {
    enter_column (&fused, fusion, j);
    run_column (&fused, fusion, (char *) (uintptr_t) (result->ea + j * result->stride_bytes), bytes, last_bytes);
  }
  if (fused.outside == 0)
    return MEU_STATUS_OK;
  *failed_step = (uint32_t) __builtin_ctz (fused.outside);
  return MEU_STATUS_DOMAIN;
}
