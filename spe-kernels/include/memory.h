/* memory.h - products whose blocks are read and written in main memory, not in the local store. */
#ifndef PMATRIX_MEMORY_H
#define PMATRIX_MEMORY_H

#include "kernel.h"
#include "meu.h"

/* Executes the product of a sound record with MEU_FLAG_MEMORY. The result has the bits of the product in a
 * local store. work: MEU_BUFFER_BYTES, aligned to 128. */
void memory_product (const struct kernel_table *kernels, const struct meu_record *record, uint8_t *work);

#endif
