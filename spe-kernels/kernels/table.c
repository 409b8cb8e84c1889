/* table.c - the table of kernels of one vector width. */
#include "kernels.h"

#define BOTH(name) { KERNEL (name##_single), KERNEL (name##_double) }

const struct kernel_table KERNEL (kernel_table) = {
  .vector_bytes = VEC_BYTES,
  .multiply = BOTH (multiply),
  .elementwise = {
    [MEU_OP_ADD] = BOTH (add),
    [MEU_OP_SUBTRACT] = BOTH (subtract),
    [MEU_OP_TIMES] = BOTH (times),
    [MEU_OP_DIVIDE] = BOTH (divide),
    [MEU_OP_POWER] = BOTH (power),
    [MEU_OP_MOD] = BOTH (mod),
    [MEU_OP_EQUAL] = BOTH (equal),
    [MEU_OP_NOT_EQUAL] = BOTH (not_equal),
    [MEU_OP_ABS] = BOTH (abs),
    [MEU_OP_SIN] = BOTH (sin),
    [MEU_OP_COS] = BOTH (cos),
    [MEU_OP_SIGN] = BOTH (sign),
    [MEU_OP_ROUND] = BOTH (round),
  },
};
