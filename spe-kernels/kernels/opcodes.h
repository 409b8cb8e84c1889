/* opcodes.h - what element-wise opcodes take. */
#ifndef PMATRIX_OPCODES_H
#define PMATRIX_OPCODES_H

#include "kernel.h"

#ifdef __SPU__
#define OPCODE_ON_HOST(number)
#else
#define OPCODE_ON_HOST(number) case number:
#endif
#define OPCODE_ON_SPE(number) case number:

#define OPCODE_BINARY_PRODUCT(number, resident)
#define OPCODE_BINARY_ONE(number, resident)
#define OPCODE_BINARY_TWO(number, resident) OPCODE_ON_##resident (number)

/* Whether an element-wise operation takes two operands. */
static inline uint32_t kernel_is_binary (uint32_t opcode)
{
  switch (opcode) {
#define OPERATION(number, NAME, name, Name, function, conforms, takes, gives, domain, kernel, resident, meaning)      \
    OPCODE_BINARY_##takes (number, resident)
#include "operations.def"
    return 1;
  }
  return 0;
}

#define OPCODE_PARTIAL_ANY(number, resident)
#define OPCODE_PARTIAL_NOT_NAN(number, resident) OPCODE_ON_##resident (number)
#define OPCODE_PARTIAL_NOT_NEGATIVE(number, resident) OPCODE_ON_##resident (number)
#define OPCODE_PARTIAL_FROM_MINUS_ONE(number, resident) OPCODE_ON_##resident (number)
#define OPCODE_PARTIAL_FROM_ONE(number, resident) OPCODE_ON_##resident (number)
#define OPCODE_PARTIAL_WITHIN_ONE(number, resident) OPCODE_ON_##resident (number)
#define OPCODE_PARTIAL_POWER(number, resident) OPCODE_ON_##resident (number)

/* Whether some operands are outside of the operation's domain. */
static inline uint32_t kernel_is_partial (uint32_t opcode)
{
  switch (opcode) {
#define OPERATION(number, NAME, name, Name, function, conforms, takes, gives, domain, kernel, resident, meaning)      \
    OPCODE_PARTIAL_##domain (number, resident)
#include "operations.def"
    return 1;
  }
  return 0;
}

#endif
