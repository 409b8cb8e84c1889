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

/* The part that has this number. */
VEC_INLINE struct part find (const struct program *program, uint32_t number, const struct strip *strip,
                             uint32_t vector_bytes)
{
  const struct kernel_block *block = &program->blocks[number];
  if (number >= PROGRAM_INPUTS) {
    number -= PROGRAM_INPUTS;
    if (__builtin_expect (number < program->strip_count, 1))
      return (struct part) { program->strips + number * PROGRAM_STRIP_BYTES, strip->bytes, vector_bytes, 1 };
    block = program_result (program) + number - program->strip_count;
  }
  return (struct part) { block->data, block->stride_bytes, block->rows == 0 ? 0 : vector_bytes, block->columns == 1 };
}

/* Repeats an element over the widest vector. */
VEC_INLINE void spread (char *to, const char *element, uint32_t precision)
{
#ifndef __SPU__
  if (__builtin_expect (precision == MEU_BYTE, 0)) {
    memset (to, *element, KERNEL_WIDEST_BYTES);
    return;
  }
#endif
  vf value = precision == MEU_DOUBLE ? (vf) vd_splat (*(const double_memory *) element)
                                     : vf_splat (*(const single_memory *) element);
  for (uint32_t at = 0; at < KERNEL_WIDEST_BYTES; at += VEC_BYTES)
    vf_store (to + at, value);
}

/* What the kernel reads of a part; a repeated element fills the area. */
VEC_INLINE const char *gather (char *area, struct part part, uint32_t precision)
{
  if (__builtin_expect (part.vector_step != 0, 1))
    return part.at;
  spread (area, part.at, precision);
  return area;
}

/* What the kernel reads of the last group of a column, which begins at byte `at` and has last_bytes bytes of
 * elements: the first of them takes the place of the pad. */
static const char *gather_last (char *area, struct part part, uint32_t precision, uint32_t at, uint32_t last_bytes)
{
  if (part.vector_step == 0)
    return area;
  spread (area, part.at + at, precision);
  memcpy (area, part.at + at, last_bytes);
  return area;
}

/* What the kernel reads of an operand of the scalar forms. */
VEC_INLINE const char *gather_scalar (char *area, const struct program_step *step, uint32_t precision)
{
  float single = (float) step->scalar;
#ifndef __SPU__
  if (__builtin_expect (precision == MEU_BYTE, 0)) {
    memset (area, step->scalar != 0, KERNEL_WIDEST_BYTES);
    return area;
  }
#endif
  spread (area, precision == MEU_DOUBLE ? (const char *) &step->scalar : (const char *) &single, precision);
  return area;
}

uint32_t step_execute (const struct kernel_table *kernels, const struct program *program,
                       const struct program_step *step, const struct strip *strip)
{
  const struct part scalar = { 0, 0, 0, 1 };
  char a_area[KERNEL_WIDEST_BYTES] __attribute__ ((aligned (KERNEL_WIDEST_BYTES)));
  char b_area[KERNEL_WIDEST_BYTES] __attribute__ ((aligned (KERNEL_WIDEST_BYTES)));
  uint32_t precision = program_result (program)->precision, vector_bytes = kernels->vector_bytes;
  kernel_elementwise *kernel = kernels->elementwise[step->opcode][precision];
  struct part a = find (program, step->operands[0], strip, vector_bytes);
  struct part b = find (program, step->operands[1], strip, vector_bytes);
  struct part result = find (program, step->result, strip, vector_bytes);
  const char *left, *right;
  if (step->form == MEU_FORM_SCALAR_LEFT) {
    a = scalar;
    left = gather_scalar (a_area, step, precision);
  } else
    left = gather (a_area, a, precision);
  if (step->form == MEU_FORM_SCALAR_RIGHT) {
    b = scalar;
    right = gather_scalar (b_area, step, precision);
  } else
    right = gather (b_area, b, precision);

  uint32_t bytes = strip->bytes, last_bytes = 0;
  if (__builtin_expect (strip->last_bytes != 0, 0) && (kernel_opcodes[step->opcode] & KERNEL_PARTIAL) != 0) {
    last_bytes = strip->last_bytes;
    bytes -= 16;
  } else if (__builtin_expect (result.touches & a.touches & b.touches, 1))
    return kernel (result.at, left, right, a.vector_step, b.vector_step, bytes * strip->columns);

  uint32_t outside = 0;
  for (uint32_t columns = strip->columns;;) {
    if (__builtin_expect (bytes != 0, 1))
      outside |= kernel (result.at, left, right, a.vector_step, b.vector_step, bytes);
    if (__builtin_expect (last_bytes != 0, 0))
      outside |= kernel (result.at + bytes, gather_last (a_area, a, precision, bytes, last_bytes),
                         gather_last (b_area, b, precision, bytes, last_bytes), vector_bytes, vector_bytes, 16);
    if (--columns == 0)
      return outside;
    result.at += result.stride_bytes;
    if (a.stride_bytes != 0) {
      a.at += a.stride_bytes;
      left = gather (a_area, a, precision);
    }
    if (b.stride_bytes != 0) {
      b.at += b.stride_bytes;
      right = gather (b_area, b, precision);
    }
  }
}
