/* opcodes.h - what element-wise opcodes take. */
#ifndef PMATRIX_OPCODES_H
#define PMATRIX_OPCODES_H

#include "kernel.h"

/* Whether an element-wise operation takes two operands. */
static inline uint32_t kernel_is_binary (uint32_t opcode)
{
  return (opcode >= MEU_OP_ADD && opcode <= MEU_OP_NOT_EQUAL) || (opcode >= MEU_OP_LESS && opcode <= MEU_OP_HYPOT);
}

/* Whether some operands are outside of the operation's domain. */
static inline uint32_t kernel_is_partial (uint32_t opcode)
{
#ifndef __SPU__
  switch (opcode) {
  case MEU_OP_NOT:
  case MEU_OP_SQRT:
  case MEU_OP_LOG:
  case MEU_OP_LOG2:
  case MEU_OP_LOG10:
  case MEU_OP_LOG1P:
  case MEU_OP_ASIN:
  case MEU_OP_ACOS:
  case MEU_OP_ACOSH:
  case MEU_OP_ATANH:
  case MEU_OP_AND:
  case MEU_OP_OR:
    return 1;
  }
#endif
  return opcode == MEU_OP_POWER;
}

#endif
