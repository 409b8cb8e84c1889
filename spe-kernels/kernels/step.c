/* step.c - one step of a program on one strip: what its kernel reads, and the calls of the kernel.
 *
 * Where the columns of all that a step reads and writes touch, one call covers them.  Pads between the
 * columns are computed with: they are arbitrary.  But a step with a domain goes column by column where a
 * column ends within a group. */
#include "opcodes.h"
#include "step.h"
#include "vec.h"

typedef float single_memory __attribute__ ((may_alias));
typedef double double_memory __attribute__ ((may_alias));

/* What a step reads or writes. */
struct part {
  char *at;
  uint32_t stride_bytes; /* to the next column; 0: one column is repeated */
  uint32_t vector_step;  /* as the kernels take it: 0 for one element that is repeated along the rows */
  uint32_t touches;      /* whether one run covers all columns */
} MEU_QUADWORDS;

struct operand {
  struct part part;
  char area[KERNEL_WIDEST_BYTES] __attribute__ ((aligned (KERNEL_WIDEST_BYTES)));
};

/* The part that has this number.  Without branches, which would take an SPE longer than all else here. */
VEC_INLINE struct part find (const struct program *program, uint32_t number, const struct strip *strip,
                             uint32_t vector_bytes)
{
  uint32_t own = number - PROGRAM_INPUTS, is_strip = own < program->strip_count;
  uint32_t index = number < PROGRAM_INPUTS ? number : own - program->strip_count + program->input_count;
  const struct kernel_block block = program->blocks[is_strip ? 0 : index];
  char *strip_at = (char *) ((uintptr_t) program->strips + own * PROGRAM_STRIP_BYTES);
  struct part part;
  part.at = is_strip ? strip_at : block.data;
  part.stride_bytes = is_strip ? strip->bytes : block.stride_bytes;
  part.vector_step = is_strip | (block.rows != 0) ? vector_bytes : 0;
  part.touches = is_strip | (block.columns == 1);
  return part;
}

/* Repeats an element over the widest vector. */
VEC_INLINE void spread (char *to, const char *element, uint32_t precision)
{
  vf value = precision == MEU_DOUBLE ? (vf) vd_splat (*(const double_memory *) element)
                                     : vf_splat (*(const single_memory *) element);
  for (uint32_t at = 0; at < KERNEL_WIDEST_BYTES; at += VEC_BYTES)
    vf_store (to + at, value);
}

/* What the kernel reads. */
VEC_INLINE const char *gather (struct operand *operand, uint32_t precision)
{
  if (__builtin_expect (operand->part.vector_step != 0, 1))
    return operand->part.at;
  spread (operand->area, operand->part.at, precision);
  return operand->area;
}

/* What the kernel reads of the last group of a column, which begins at byte `at` and has last_bytes bytes of
 * elements: the first of them takes the place of the pad. */
static const char *gather_last (struct operand *operand, uint32_t precision, uint32_t at, uint32_t last_bytes)
{
  if (operand->part.vector_step == 0)
    return operand->area;
  spread (operand->area, operand->part.at + at, precision);
  memcpy (operand->area, operand->part.at + at, last_bytes);
  return operand->area;
}

/* Finds an operand: the part that has this number, or in this form of the step the scalar.  What the
 * kernel reads. */
VEC_INLINE const char *start (struct operand *operand, const struct program *program, const struct program_step *step,
                              uint32_t number, uint32_t form, const struct strip *strip, uint32_t vector_bytes)
{
  uint32_t precision = program_result (program)->precision;
  if (__builtin_expect (step->form == form, 0)) {
    float single = (float) step->scalar;
    const char *scalar = precision == MEU_DOUBLE ? (const char *) &step->scalar : (const char *) &single;
    operand->part = (struct part) { 0, 0, 0, 1 };
    spread (operand->area, scalar, precision);
    return operand->area;
  }
  operand->part = find (program, number, strip, vector_bytes);
  return gather (operand, precision);
}

uint32_t step_execute (const struct kernel_table *kernels, const struct program *program,
                       const struct program_step *step, const struct strip *strip)
{
  uint32_t precision = program_result (program)->precision, vector_bytes = kernels->vector_bytes;
  kernel_elementwise *kernel = kernels->elementwise[step->opcode][precision];
  struct operand a, b;
  const char *left = start (&a, program, step, step->operands[0], MEU_FORM_SCALAR_LEFT, strip, vector_bytes);
  const char *right = start (&b, program, step, step->operands[1], MEU_FORM_SCALAR_RIGHT, strip, vector_bytes);
  struct part result = find (program, step->result, strip, vector_bytes);

  uint32_t bytes = strip->bytes, last_bytes = 0;
  if (__builtin_expect (strip->last_bytes != 0, 0) && kernel_is_partial (step->opcode)) {
    last_bytes = strip->last_bytes;
    bytes -= 16;
  } else if (__builtin_expect (result.touches & a.part.touches & b.part.touches, 1))
    return kernel (result.at, left, right, a.part.vector_step, b.part.vector_step, bytes * strip->columns);

  uint32_t outside = 0;
  for (uint32_t columns = strip->columns;;) {
    if (__builtin_expect (bytes != 0, 1))
      outside |= kernel (result.at, left, right, a.part.vector_step, b.part.vector_step, bytes);
    if (__builtin_expect (last_bytes != 0, 0))
      outside |= kernel (result.at + bytes, gather_last (&a, precision, bytes, last_bytes),
                         gather_last (&b, precision, bytes, last_bytes), vector_bytes, vector_bytes, 16);
    if (--columns == 0)
      return outside;
    result.at += result.stride_bytes;
    if (a.part.stride_bytes != 0) {
      a.part.at += a.part.stride_bytes;
      left = gather (&a, precision);
    }
    if (b.part.stride_bytes != 0) {
      b.part.at += b.part.stride_bytes;
      right = gather (&b, precision);
    }
  }
}
