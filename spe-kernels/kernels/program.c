/* program.c - element-wise programs: checks, broadcasting, and strips. */
#include <string.h>
#include "host/masks.h"
#include "opcodes.h"
#include "overlay.h"
#include "program.h"
#include "step.h"

/* An SPE has no blocks of bytes. */
#ifdef __SPU__
#define MOST_PRECISION MEU_DOUBLE
#define IS_OF_BYTES(precision) 0
#else
#define MOST_PRECISION MEU_BYTE
#define IS_OF_BYTES(precision) ((precision) == MEU_BYTE)
#endif

/* The strip of a program of one step, which has nothing to pass on.  It is larger than the local store, and
 * small enough for the counts of kernels. */
#define UNCUT_BYTES (1u << 30)

/* Longer columns would overflow the kernels' counts. */
#define ROWS_LIMIT (1u << 27)

/* The precision in which the steps are computed. */
static uint32_t precision_of (const struct program *program)
{
#ifndef __SPU__
  for (const struct kernel_block *block = program->blocks; block != program_end (program); block++)
    if (block->precision != MEU_BYTE)
      return block->precision;
  return program->of_bytes;
#else
  return program_result (program)->precision;
#endif
}

#ifndef __SPU__
/* How many blocks have several columns, and in how many of these blocks elements of one row touch. */
struct rows {
  uint32_t long_ones, touching;
};

/* Counts in a program whose results have one row; in any other program rows do not matter. */
static struct rows count_rows (const struct program *program)
{
  struct rows rows = { 0, 0 };
  if (program_result (program)->rows == 1)
    for (const struct kernel_block *block = program->blocks; block != program_end (program); block++)
      if (block->columns != 1) {
        rows.long_ones++;
        rows.touching += block->stride_bytes == kernel_element_bytes (block->precision);
      }
  return rows;
}

/* Rows whose elements touch are columns to the kernels. */
static void turn_rows (struct program *program)
{
  struct kernel_block *end = program->blocks + program->input_count + program->result_count;
  for (struct kernel_block *block = program->blocks; block != end; block++) {
    block->rows = block->columns;
    block->columns = 1;
  }
}
#endif

static uint32_t check_step (const struct program *program, const struct program_step *step, uint32_t known)
{
  uint32_t a = step->operands[0], b = step->operands[1], result = step->result;
  uint32_t opcode = step->opcode < MEU_OPCODE_COUNT ? kernel_opcodes[step->opcode] : 0, binary = (opcode & KERNEL_BINARY) != 0;
  if (opcode == 0 || step->opcode == MEU_OP_MULTIPLY || step->form > MEU_FORM_SCALAR_LEFT
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

  const struct kernel_block *block = program->blocks, *result = program_result (program);
  const struct kernel_block *end = program_end (program);
  uint32_t converts = program->steps[0].opcode == MEU_OP_CONVERT, precision = precision_of (program);
  if (result->rows - 1 >= ROWS_LIMIT || result->columns == 0)
    return MEU_STATUS_SHAPE;
#ifndef __SPU__
  struct rows rows = count_rows (program);
  if (rows.touching != 0 && (rows.touching != rows.long_ones || result->columns > ROWS_LIMIT))
    return MEU_STATUS_SHAPE;
#endif
  if (IS_OF_BYTES (MOST_PRECISION) && precision > MOST_PRECISION)
    return MEU_STATUS_OPCODE;
  if (IS_OF_BYTES (precision))
    for (uint32_t i = 0; i < program->step_count; i++)
      if (!(kernel_opcodes[program->steps[i].opcode] & KERNEL_OF_BYTES))
        return MEU_STATUS_OPCODE;
  for (; block != end; block++) {
    uint32_t is_other = block->precision != precision && !IS_OF_BYTES (block->precision);
    if (block->precision > MOST_PRECISION || (is_other && !converts) || (converts && IS_OF_BYTES (block->precision)))
      return MEU_STATUS_OPCODE;
    uint32_t repeats = block < result && !converts;
    if ((block->rows != result->rows && (block->rows != 1 || !repeats))
        || (block->columns != result->columns && (block->columns != 1 || !repeats)))
      return MEU_STATUS_SHAPE;
  }
  return MEU_STATUS_OK;
}

static void convert (const struct program *program)
{
  const struct kernel_block *result = program_result (program), *a = program->blocks;
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

/* Marks a block for step_execute; whether its columns touch. */
static uint32_t mark (struct kernel_block *block, uint32_t rows, uint32_t columns, uint32_t column_bytes)
{
  uint32_t element = block->rows == 1 && (rows != 1 || block->columns == 1);
  uint32_t touches = columns == 1 || (block->columns == 1 ? element : !element && block->stride_bytes == column_bytes);
  if (block->columns == 1)
    block->stride_bytes = 0;
  if (element)
    block->rows = 0;
  block->columns = touches;
  return touches;
}

/* Executes a program of steps.  masks: room for its blocks of bytes; 0 if it has none, or is computed in
 * bytes. */
static inline __attribute__ ((always_inline)) uint32_t
execute (const struct kernel_table *kernels, struct program *program, struct masks *masks, uint32_t *failed_step)
{
  const struct kernel_block *result = program_result (program);
  uint32_t partial = 0, rows = result->rows, columns = result->columns, precision = precision_of (program);
  uint32_t column_bytes = kernel_column_bytes (rows, precision);
  for (uint32_t i = 0; i < program->step_count; i++)
    partial |= kernel_opcodes[program->steps[i].opcode] & KERNEL_PARTIAL;
  /* A pad may be outside of an operation's domain, and must not be blamed on the elements. */
  uint32_t last_bytes = partial && !IS_OF_BYTES (precision) ? (rows * kernel_element_bytes (precision)) & 15 : 0;
  uint32_t whole = last_bytes == 0;
  struct kernel_block *blocks = program->blocks, *end = blocks + program->input_count + program->result_count;
  for (struct kernel_block *block = blocks; block != end; block++)
    whole &= mark (block, rows, columns, kernel_column_bytes (rows, block->precision));
  if (masks != 0) {
    /* Pads of different lengths would not meet. */
    whole &= kernel_column_bytes (rows, MEU_BYTE) == rows;
    masks_take (masks, program, precision, whole ? rows * columns : rows);
  }

  uintptr_t bytes = column_bytes;
  if (whole) {
    bytes *= columns;
    columns = 1;
  }
  uint32_t strip_bytes = program->step_count == 1 && masks == 0 ? UNCUT_BYTES : PROGRAM_STRIP_BYTES;
  uint32_t failed = PROGRAM_STEPS;
  uint32_t most = columns != 1 && bytes < strip_bytes ? strip_bytes / (uint32_t) bytes : 1;
  uintptr_t left = bytes;
  for (;;) {
    struct strip strip;
    strip.columns = columns < most ? columns : most;
    strip.bytes = left < strip_bytes ? (uint32_t) left : strip_bytes;
    left -= strip.bytes;
    strip.last_bytes = left == 0 ? last_bytes : 0;
    if (masks != 0)
      masks_widen (masks, kernels, &strip);
    for (uint32_t i = 0; i < program->step_count; i++) {
      overlay_need (kernel_opcodes[program->steps[i].opcode] & KERNEL_RESIDENCE);
      if (step_execute (kernels, program, &program->steps[i], &strip) && i < failed)
        failed = i;
    }
    if (masks != 0)
      masks_narrow (masks, kernels, &strip, left == 0);

    /* On along the columns, or from their ends to the columns behind. */
    uintptr_t along = strip.bytes;
    uint32_t behind = 0;
    if (left == 0) {
      columns -= strip.columns;
      if (columns == 0)
        break;
      along -= bytes;
      behind = strip.columns;
      left = bytes;
    }
    for (struct kernel_block *block = blocks; block != end; block++)
      block->data = (char *) block->data + (block->rows != 0 ? along : 0) + (uintptr_t) behind * block->stride_bytes;
  }
  if (failed == PROGRAM_STEPS)
    return MEU_STATUS_OK;
  *failed_step = failed;
  return MEU_STATUS_DOMAIN;
}

#ifndef __SPU__
/* Not inlined: no other program needs the room on the stack. */
static __attribute__ ((noinline)) uint32_t
execute_with_masks (const struct kernel_table *kernels, struct program *program, uint32_t *failed_step)
{
  struct masks masks;
  return execute (kernels, program, &masks, failed_step);
}

uint32_t program_has_masks (const struct program *program)
{
  uint32_t bytes = 0;
  for (const struct kernel_block *block = program->blocks; block != program_end (program); block++)
    bytes |= block->precision == MEU_BYTE;
  return bytes && precision_of (program) != MEU_BYTE;
}
#endif

uint32_t program_execute (const struct kernel_table *kernels, struct program *program, uint32_t *failed_step)
{
#ifndef __SPU__
  if (count_rows (program).touching != 0)
    turn_rows (program);
#endif
  if (program->steps[0].opcode == MEU_OP_CONVERT) {
    convert (program);
    return MEU_STATUS_OK;
  }
#ifndef __SPU__
  if (program_has_masks (program))
    return execute_with_masks (kernels, program, failed_step);
#endif
  return execute (kernels, program, 0, failed_step);
}
