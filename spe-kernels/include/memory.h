/* memory.h - operations on blocks that are read and written where they lie in main memory, without a copy in the local store.
 *
 * A MEU that can address main memory executes the operation of a record with MEU_FLAG_MEMORY so. */
#ifndef PMATRIX_MEMORY_H
#define PMATRIX_MEMORY_H

#include "kernel.h"
#include "meu.h"

/* Whether the operation of a record, which is otherwise sound, can be executed: MEU_STATUS_OK, or MEU_STATUS_OPCODE for what
 * is no product, or MEU_STATUS_SHAPE when the parts of a chain do not cover its inner side. */
uint32_t memory_check (const struct meu_record *record);

/* Executes it.  The result has the bits of the same operation in a local store.  work: MEU_BUFFER_BYTES, aligned to 128. */
void memory_execute (const struct kernel_table *kernels, const struct meu_record *record, uint8_t *work);

#endif
