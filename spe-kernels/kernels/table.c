/* table.c - the table of kernels of one vector width. */
#include "kernels.h"

#define BOTH(name) { KERNEL (name##_single), KERNEL (name##_double) }
#define LIBRARY(name) { library_##name##_single, library_##name##_double }

const struct kernel_table KERNEL (kernel_table) = {
  .vector_bytes = VEC_BYTES,
#ifndef VEC_SPU
#ifndef __SPU__
  .tile_vectors = MULTIPLY_TILE_VECTORS,
#endif
  .multiply = BOTH (multiply),
#endif
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
#if !defined(__SPU__) && !defined(VEC_SPU)
    [MEU_OP_NEGATE] = BOTH (negate),
    [MEU_OP_NOT] = BOTH (not),
    [MEU_OP_FLOOR] = BOTH (floor),
    [MEU_OP_CEIL] = BOTH (ceil),
    [MEU_OP_FIX] = BOTH (fix),
    [MEU_OP_SQRT] = BOTH (sqrt),
    [MEU_OP_EXP] = LIBRARY (exp),
    [MEU_OP_EXPM1] = LIBRARY (expm1),
    [MEU_OP_LOG] = LIBRARY (log),
    [MEU_OP_LOG2] = LIBRARY (log2),
    [MEU_OP_LOG10] = LIBRARY (log10),
    [MEU_OP_LOG1P] = LIBRARY (log1p),
    [MEU_OP_TAN] = LIBRARY (tan),
    [MEU_OP_ASIN] = LIBRARY (asin),
    [MEU_OP_ACOS] = LIBRARY (acos),
    [MEU_OP_ATAN] = LIBRARY (atan),
    [MEU_OP_SINH] = LIBRARY (sinh),
    [MEU_OP_COSH] = LIBRARY (cosh),
    [MEU_OP_TANH] = LIBRARY (tanh),
    [MEU_OP_ASINH] = LIBRARY (asinh),
    [MEU_OP_ACOSH] = LIBRARY (acosh),
    [MEU_OP_ATANH] = LIBRARY (atanh),
    [MEU_OP_ISNAN] = BOTH (isnan),
    [MEU_OP_ISINF] = BOTH (isinf),
    [MEU_OP_ISFINITE] = BOTH (isfinite),
    [MEU_OP_LESS] = BOTH (less),
    [MEU_OP_LESS_EQUAL] = BOTH (less_equal),
    [MEU_OP_GREATER] = BOTH (greater),
    [MEU_OP_GREATER_EQUAL] = BOTH (greater_equal),
    [MEU_OP_AND] = BOTH (and),
    [MEU_OP_OR] = BOTH (or),
    [MEU_OP_MAX] = BOTH (max),
    [MEU_OP_MIN] = BOTH (min),
    [MEU_OP_MAX_RIGHT] = BOTH (max_right),
    [MEU_OP_MIN_RIGHT] = BOTH (min_right),
    [MEU_OP_REM] = BOTH (rem),
    [MEU_OP_ATAN2] = LIBRARY (atan2),
    [MEU_OP_HYPOT] = LIBRARY (hypot),
#endif
  },
};
