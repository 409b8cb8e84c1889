/* transpose.c - copies a block transposed, for the products that read an operand in place. */
#include "transposed.h"

void TYPED (transpose) (const struct kernel_transpose *t)
{
  const char *from = t->from;
  char *to = t->to;
  uintptr_t from_stride = t->from_stride, to_stride = t->to_stride;
  uint32_t i = 0;
  for (; i + LANES <= t->rows; i += LANES, from += VEC_BYTES, to += LANES * to_stride) {
    uint32_t j = 0;
    for (; j + LANES <= t->columns; j += LANES) {
      lanes group[LANES];
      load_transposed (group, from + j * from_stride, from_stride);
#pragma GCC unroll 8
      for (uint32_t k = 0; k < LANES; k++)
        lanes_store (to + k * to_stride + j * sizeof (element), group[k]);
    }
    for (; j < t->columns; j++)
      for (uint32_t k = 0; k < LANES; k++)
        ((element *) (to + k * to_stride))[j] = ((const element *) (from + j * from_stride))[k];
  }
  for (; i < t->rows; i++, from += sizeof (element), to += to_stride)
    for (uint32_t j = 0; j < t->columns; j++)
      ((element *) to)[j] = *(const element *) (from + j * from_stride);
}
