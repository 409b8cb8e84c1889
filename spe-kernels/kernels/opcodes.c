/* opcodes.c - what the checks of programs and the steps ask of an opcode. */
#include "opcodes.h"

#define TAKES_PRODUCT 0
#define TAKES_ONE 0
#define TAKES_TWO KERNEL_BINARY

#define DOMAIN_ANY 0
#define DOMAIN_NOT_NAN KERNEL_PARTIAL
#define DOMAIN_NOT_NEGATIVE KERNEL_PARTIAL
#define DOMAIN_FROM_MINUS_ONE KERNEL_PARTIAL
#define DOMAIN_FROM_ONE KERNEL_PARTIAL
#define DOMAIN_WITHIN_ONE KERNEL_PARTIAL
#define DOMAIN_POWER KERNEL_PARTIAL

#define GIVES_NUMBER 0
#define GIVES_TRUTH KERNEL_OF_BYTES
#define GIVES_EXTREMUM KERNEL_OF_BYTES

/* A processor that is no SPE has all opcodes resident. */
#ifdef __SPU__
#define RESIDENCE(resident) MEU_RESIDENCE_##resident
#else
#define RESIDENCE(resident) MEU_RESIDENCE_SPE
#endif

const uint8_t kernel_opcodes[DIRECT_OP_END] = {
#define OPERATION(NAME, name, Name, function, conforms, takes, gives, domain, complex, kernel, resident, meaning)     \
  [MEU_OP_##NAME] = RESIDENCE (resident) == MEU_RESIDENCE_HOST                                                        \
                      ? 0                                                                                             \
                      : RESIDENCE (resident) | TAKES_##takes | DOMAIN_##domain | GIVES_##gives,
#define DIRECT_OPERATION(NAME, name, Name, function, complex, resident, meaning)                                       \
  [DIRECT_OP_##NAME] = MEU_RESIDENCE_##resident == MEU_RESIDENCE_HOST ? 0 : RESIDENCE (resident),
#include "operations.def"
};
