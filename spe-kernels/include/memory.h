/* memory.h - products of blocks that are read and written where they lie in main memory, without a copy in the local
 * store. */
#ifndef PMATRIX_MEMORY_H
#define PMATRIX_MEMORY_H

#include "kernel.h"
#include "meu.h"

/* Executes the product of a record with MEU_FLAG_MEMORY, which is sound.  The result has the bits of the same product in
 * a local store.  work: MEU_BUFFER_BYTES, aligned to 128. */
void memory_product (const struct kernel_table *kernels, const struct meu_record *record, uint8_t *work);

#endif
