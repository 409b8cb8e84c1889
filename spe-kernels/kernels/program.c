/* program.c - element-wise programs: checks, broadcasting, strips, and the calls of the kernels. */
#include <string.h>
#include "opcodes.h"
#include "program.h"

/* The strip of a program of one step, which has nothing to pass on: more than the local store, and small enough for the
 * kernels' counts. */
#define UNCUT_BYTES (1u << 30)

/* Longer columns would overflow the kernels' counts. */
#define ROWS_LIMIT (1u << 27)

typedef uint32_t single_bits __attribute__ ((may_alias));
typedef uint64_t double_bits __attribute__ ((may_alias));

static const struct kernel_block *result_of (const struct program *program)
{
  return program->blocks + program->input_count;
}

static uint32_t check_step (const struct program *program, const struct program_step *step, uint32_t known)
{
  uint32_t a = step->operands[0], b = step->operands[1], result = step->result, binary = kernel_is_binary (step->opcode);
  if (step->opcode >= KERNEL_OPCODE_COUNT || step->opcode == MEU_OP_MULTIPLY || step->form > MEU_FORM_SCALAR_LEFT
      || (step->form != MEU_FORM_BLOCKS && !binary) || (step->opcode == MEU_OP_CONVERT && program->step_count != 1))
    return MEU_STATUS_OPCODE;
  uint32_t two = binary & (step->form == MEU_FORM_BLOCKS);
  return ((a | b) & -32u) == 0 && ((known >> a) & (known >> b) & 1) != 0 && (two || a == b) && result != a && result != b
             && result - PROGRAM_INPUTS < program->strip_count + program->result_count
           ? MEU_STATUS_OK
           : MEU_STATUS_SHAPE;
}

uint32_t program_check (const struct program *program)
{
  if (program->step_count - 1 >= PROGRAM_STEPS || program->input_count - 1 >= PROGRAM_INPUTS
      || program->result_count - 1 >= PROGRAM_RESULTS || program->strip_count > PROGRAM_STRIPS)
    return MEU_STATUS_SHAPE;

  /* Bit n: what has number n holds something. */
  uint32_t known = (1u << program->input_count) - 1;
  for (uint32_t i = 0; i < program->step_count; i++) {
    uint32_t status = check_step (program, &program->steps[i], known);
    if (status != MEU_STATUS_OK)
      return status;
    known |= 1u << program->steps[i].result;
  }
  if (known >> (PROGRAM_INPUTS + program->strip_count) != (1u << program->result_count) - 1)
    return MEU_STATUS_SHAPE;

  const struct kernel_block *block = program->blocks, *result = result_of (program);
  const struct kernel_block *end = result + program->result_count;
  uint32_t converts = program->steps[0].opcode == MEU_OP_CONVERT;
  if (result->rows - 1 >= ROWS_LIMIT || result->columns == 0)
    return MEU_STATUS_SHAPE;
  for (; block != end; block++) {
    if (block->precision > MEU_DOUBLE || (block->precision != result->precision && !converts))
      return MEU_STATUS_OPCODE;
    uint32_t repeats = block < result && !converts;
    if ((block->rows != result->rows && (block->rows != 1 || !repeats))
        || (block->columns != result->columns && (block->columns != 1 || !repeats)))
      return MEU_STATUS_SHAPE;
  }
  return MEU_STATUS_OK;
}

/* Repeats an element over the widest vector. */
static void spread (char *to, const char *element, uint32_t precision)
{
  if (precision == MEU_DOUBLE)
    for (uint32_t at = 0; at < KERNEL_WIDEST_BYTES; at += 8)
      *(double_bits *) (to + at) = *(const double_bits *) element;
  else
    for (uint32_t at = 0; at < KERNEL_WIDEST_BYTES; at += 4)
      *(single_bits *) (to + at) = *(const single_bits *) element;
}

/* Where the strip, or the part of a result, with this number lies for byte `at` of a column. */
static char *written_at (const struct program *program, uint32_t number, uintptr_t at)
{
  number -= PROGRAM_INPUTS;
  return number < program->strip_count ? program->strips + number * PROGRAM_STRIP_BYTES
                                       : (char *) result_of (program)[number - program->strip_count].data + at;
}

/* What a step reads. */
struct operand {
  const char *from;
  uintptr_t stride_bytes; /* to the next column; 0: every column is the same */
  uint32_t vector_step;   /* as the kernels take it: 0 for one element that is repeated along the rows */
  float single;           /* a scalar in single precision */
  char area[KERNEL_WIDEST_BYTES] __attribute__ ((aligned (KERNEL_WIDEST_BYTES)));
};

/* Finds operand i of a step for byte `at` of a column. */
static void resolve (struct operand *operand, const struct program *program, const struct program_step *step, uint32_t i,
                     uintptr_t at, uint32_t vector_bytes)
{
  uint32_t number = step->operands[i];
  const struct kernel_block *input = &program->blocks[number];
  operand->stride_bytes = 0;
  operand->vector_step = vector_bytes;
  if (step->form == (i == 0 ? MEU_FORM_SCALAR_LEFT : MEU_FORM_SCALAR_RIGHT)) {
    operand->vector_step = 0;
    operand->single = (float) step->scalar;
    operand->from = (const char *) &step->scalar;
    if (result_of (program)->precision == MEU_SINGLE)
      operand->from = (const char *) &operand->single;
  } else if (number >= PROGRAM_INPUTS)
    operand->from = written_at (program, number, at);
  else {
    operand->from = input->data;
    operand->stride_bytes = input->stride_bytes;
    if (input->rows == 0)
      operand->vector_step = 0;
    else
      operand->from += at;
  }
}

/* What the kernel reads.  With last_bytes it is the last group of a column, which has that many bytes of elements: the
 * first of them takes the place of the pad. */
static const char *gather (struct operand *operand, uint32_t precision, uint32_t last_bytes)
{
  if (operand->vector_step != 0 && last_bytes == 0)
    return operand->from;
  spread (operand->area, operand->from, precision);
  if (operand->vector_step != 0)
    memcpy (operand->area, operand->from, last_bytes);
  return operand->area;
}

/* A step on `bytes` bytes from byte `at` of a column on. */
static uint32_t run_step (const struct kernel_table *kernels, const struct program *program,
                          const struct program_step *step, uintptr_t at, uint32_t bytes, uint32_t last_bytes)
{
  uint32_t precision = result_of (program)->precision;
  struct operand a, b;
  resolve (&a, program, step, 0, at, kernels->vector_bytes);
  resolve (&b, program, step, 1, at, kernels->vector_bytes);
  return kernels->elementwise[step->opcode][precision](written_at (program, step->result, at),
                                                       gather (&a, precision, last_bytes),
                                                       gather (&b, precision, last_bytes), a.vector_step, b.vector_step,
                                                       bytes);
}

/* The only step of a program, on all of the columns. */
static uint32_t run_columns (const struct kernel_table *kernels, const struct program *program, uint32_t columns,
                             uint32_t bytes)
{
  const struct program_step *step = program->steps;
  const struct kernel_block *result = result_of (program);
  kernel_elementwise *kernel = kernels->elementwise[step->opcode][result->precision];
  uint32_t precision = result->precision, outside = 0;
  char *to = result->data;
  struct operand a, b;
  resolve (&a, program, step, 0, 0, kernels->vector_bytes);
  resolve (&b, program, step, 1, 0, kernels->vector_bytes);
  const char *left = gather (&a, precision, 0), *right = gather (&b, precision, 0);
  for (;;) {
    outside |= kernel (to, left, right, a.vector_step, b.vector_step, bytes);
    if (--columns == 0)
      return outside;
    to += result->stride_bytes;
    if (a.stride_bytes != 0) {
      a.from += a.stride_bytes;
      left = gather (&a, precision, 0);
    }
    if (b.stride_bytes != 0) {
      b.from += b.stride_bytes;
      right = gather (&b, precision, 0);
    }
  }
}

static void convert (const struct program *program)
{
  const struct kernel_block *result = result_of (program), *a = program->blocks;
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

/* Marks what an input repeats: its rows are 0 for one element a column, its stride is 0 for one column.  Whether one run
 * covers all columns. */
static uint32_t enter_input (struct kernel_block *input, const struct kernel_block *result, uint32_t column_bytes)
{
  uint32_t one = input->rows == 1 && input->columns == 1, repeats = one || (input->rows == 1 && result->rows != 1);
  uint32_t touches = input->columns == result->columns && (input->columns == 1 || input->stride_bytes == column_bytes);
  if (input->columns == 1)
    input->stride_bytes = 0;
  if (repeats)
    input->rows = 0;
  return one || (touches && !repeats);
}

uint32_t program_execute (const struct kernel_table *kernels, struct program *program, uint32_t *failed_step)
{
  const struct kernel_block *result = result_of (program);
  if (program->steps[0].opcode == MEU_OP_CONVERT) {
    convert (program);
    return MEU_STATUS_OK;
  }

  uint32_t partial = 0, columns = result->columns, column_bytes = kernel_column_bytes (result->rows, result->precision);
  for (uint32_t i = 0; i < program->step_count; i++)
    partial |= kernel_is_partial (program->steps[i].opcode);
  /* A pad may be outside of an operation's domain, and must not be blamed on the elements. */
  uint32_t last_bytes = partial ? (result->rows * (result->precision == MEU_DOUBLE ? 8u : 4u)) & 15 : 0;
  uint32_t whole = last_bytes == 0;
  for (uint32_t i = 0; i < program->input_count; i++)
    whole &= enter_input (&program->blocks[i], result, column_bytes);
  for (uint32_t i = 0; i < program->result_count; i++)
    whole &= columns == 1 || result[i].stride_bytes == column_bytes;

  uintptr_t bytes = column_bytes;
  if (last_bytes != 0)
    bytes -= 16;
  else if (whole) {
    bytes *= columns;
    columns = 1;
  }
  if (program->step_count == 1 && last_bytes == 0 && bytes <= UNCUT_BYTES) {
    *failed_step = 0;
    return run_columns (kernels, program, columns, (uint32_t) bytes) ? MEU_STATUS_DOMAIN : MEU_STATUS_OK;
  }
  uint32_t strip_bytes = program->step_count == 1 ? UNCUT_BYTES : PROGRAM_STRIP_BYTES, failed = PROGRAM_STEPS;
  for (; columns != 0; columns--) {
    uintptr_t at = 0;
    uint32_t last = 0;
    while (at < bytes || (last_bytes != 0 && !last)) {
      uint32_t length = 16;
      if (at < bytes)
        length = bytes - at < strip_bytes ? (uint32_t) (bytes - at) : strip_bytes;
      else
        last = last_bytes;
      for (uint32_t i = 0; i < program->step_count; i++)
        if (run_step (kernels, program, &program->steps[i], at, length, last) && i < failed)
          failed = i;
      at += length;
    }
    for (uint32_t i = 0; i < program->input_count + program->result_count; i++)
      program->blocks[i].data = (char *) program->blocks[i].data + program->blocks[i].stride_bytes;
  }
  if (failed == PROGRAM_STEPS)
    return MEU_STATUS_OK;
  *failed_step = failed;
  return MEU_STATUS_DOMAIN;
}
