/* opcodes.h - number of operands and domain of element-wise opcodes. */
#ifndef PMATRIX_OPCODES_H
#define PMATRIX_OPCODES_H

#include "kernel.h"

#ifdef __SPU__
#define OPCODE_ON_HOST(opcode)
#else
#define OPCODE_ON_HOST(opcode) case opcode:
#endif
#define OPCODE_ON_SPE(opcode) case opcode:

#define OPCODE_BINARY_PRODUCT(opcode, resident)
#define OPCODE_BINARY_ONE(opcode, resident)
#define OPCODE_BINARY_TWO(opcode, resident) OPCODE_ON_##resident (opcode)

/* Whether an element-wise operation takes two operands. */
static inline uint32_t kernel_is_binary (uint32_t opcode)
{
  switch (opcode) {
#define OPERATION(NAME, name, Name, function, conforms, takes, gives, domain, complex, kernel, resident, meaning)     \
    OPCODE_BINARY_##takes (MEU_OP_##NAME, resident)
#include "operations.def"
    return 1;
  }
  return 0;
}

#define OPCODE_PARTIAL_ANY(opcode, resident)
#define OPCODE_PARTIAL_NOT_NAN(opcode, resident) OPCODE_ON_##resident (opcode)
#define OPCODE_PARTIAL_NOT_NEGATIVE(opcode, resident) OPCODE_ON_##resident (opcode)
#define OPCODE_PARTIAL_FROM_MINUS_ONE(opcode, resident) OPCODE_ON_##resident (opcode)
#define OPCODE_PARTIAL_FROM_ONE(opcode, resident) OPCODE_ON_##resident (opcode)
#define OPCODE_PARTIAL_WITHIN_ONE(opcode, resident) OPCODE_ON_##resident (opcode)
#define OPCODE_PARTIAL_POWER(opcode, resident) OPCODE_ON_##resident (opcode)

/* Whether an operand may be outside of the operation's domain. */
static inline uint32_t kernel_is_partial (uint32_t opcode)
{
  switch (opcode) {
#define OPERATION(NAME, name, Name, function, conforms, takes, gives, domain, complex, kernel, resident, meaning)     \
    OPCODE_PARTIAL_##domain (MEU_OP_##NAME, resident)
#include "operations.def"
    return 1;
  }
  return 0;
}

#endif
