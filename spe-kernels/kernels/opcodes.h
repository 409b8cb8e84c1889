/* opcodes.h - number of operands, domain and residence of the opcodes of this processor. */
#ifndef PMATRIX_OPCODES_H
#define PMATRIX_OPCODES_H

#include "direct.h"
#include "kernel.h"

/* A byte for each opcode: its residence, and flags.  0 for an opcode that this processor does not have.  Of the
 * moves and reductions, processors have those that MEUs execute in local stores (reduction.h, running.h,
 * move.h). */
#define KERNEL_RESIDENCE 0x0fu
#define KERNEL_BINARY 0x10u   /* takes two operands, element by element */
#define KERNEL_PARTIAL 0x20u  /* an operand may be outside of the operation's domain */
#define KERNEL_OF_BYTES 0x40u /* has a kernel on bytes, except on an SPE */

extern const uint8_t kernel_opcodes[DIRECT_OP_END];

_Static_assert (MEU_RESIDENCE_END <= KERNEL_RESIDENCE + 1, "a residence fits its bits");

#endif
